"""Threads of this process: for questions that wait for somebody else."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from pydantic import Field

from pnet_lp.executors.base import EXECUTORS, Executor
from pnet_lp.registry import Params

T = TypeVar("T")
R = TypeVar("R")


class ThreadsParams(Params):
    """Parameters of ``threads``."""

    address: int = Field(4, ge=1, description="number of threads, behind threads://")


@EXECUTORS.register("threads", params=ThreadsParams, summary="threads of this process")
class Threads(Executor):
    """See the base class."""

    shares_files = True

    def __init__(self, params: Params, jobs: int | None) -> None:
        assert isinstance(params, ThreadsParams)
        self.count = jobs or params.address

    @property
    def processes(self) -> int:
        """See the base class."""
        return self.count

    def threads(self, requested: int) -> int:
        """See the base class."""
        return requested or 1

    def run(self, function: Callable[[T], R], tasks: Sequence[T]) -> Generator[tuple[int, R]]:
        """See the base class."""
        with ThreadPoolExecutor(self.count) as pool:
            number = {pool.submit(function, task): i for i, task in enumerate(tasks)}
            for future in as_completed(number):
                yield number[future], future.result()
