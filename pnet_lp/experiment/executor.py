"""What an executor is: it answers draws, here or on other machines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from typing import ClassVar, TypeVar

from pnet_lp.errors import SpecError
from pnet_lp.registry import Named, Params, Registry, parse_expression

T = TypeVar("T")
R = TypeVar("R")


class Executor(Named, ABC):
    """Answers draws.

    Class attributes:
        shares_files: whether it writes to our files; otherwise results are sent back and stored here.

    Args:
        params: parameters, such as an address, of the model that it is registered with.
        jobs: number of processes; None if not given.

    Raises:
        PnetError: the number of processes is invalid, or a package is missing.
    """

    shares_files: ClassVar[bool]

    @abstractmethod
    def __init__(self, params: Params, jobs: int | None) -> None: ...

    @property
    @abstractmethod
    def processes(self) -> int:
        """How many draws are answered at the same time."""

    @property
    def alone(self) -> bool:
        """Whether draws are answered one by one in this process, so that each can show its progress."""
        return False

    @abstractmethod
    def threads(self, requested: int) -> int:
        """Return the threads of each draw: as requested; for 0, as many as there are cores for."""

    @abstractmethod
    def run(self, function: Callable[[T], R], tasks: Sequence[T]) -> Generator[tuple[int, R]]:
        """Yield ``(number, function(task))`` for each task, as they are done.

        Where the caller is interrupted or stops early, or a task fails, what is under way ends soon and leaves its
        traces whole or not at all.

        Args:
            function: importable by name, as are its argument and result.
            tasks: what it is called with.

        Raises:
            PnetError: a task failed, or all that could answer it are gone.
        """


EXECUTORS: Registry[type[Executor]] = Registry(
    "executor", package="pnet_lp.experiment.executors", group="pnet_lp.executors"
)

DEFAULT_EXECUTOR = "local"


def parse_executor(text: str, jobs: int | None) -> Executor:
    """Return the executor that an expression stands for, or ``name://address`` for one with an address.

    Raises:
        PnetError: no such executor, or it cannot be had.
    """
    name, slashes, address = text.partition("://")
    name, values = (name, {"address": address}) if slashes else parse_expression(text, EXECUTORS)
    entry = EXECUTORS.get(name)
    if slashes and "address" not in entry.params.model_fields:
        raise SpecError("takes no address", where=name, found=text, allowed=entry.expression)
    return entry.build(entry.validate(values), jobs)
