"""What an executor is: it works off tasks, here or on other machines."""

from __future__ import annotations

import platform
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.manifest import code_identity
from pnet_lp.registry import Named, Params, Registry, parse_expression
from pnet_lp.travel import Carried, Content, MissingError, Question, carrying

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Missing:
    """The result of a task that has to come back for the answer to a question."""

    question: Question


@dataclass(frozen=True)
class Travelling(Generic[T, R]):
    """A function that is called elsewhere, where the code has to be the same.

    Attributes:
        function: it.
        files: answers that stand in for the files there; None where the machines share their files.
        code: hash of the code here.
    """

    function: Callable[[T], R]
    files: Mapping[Question, Content] | None = None
    code: str = field(default_factory=code_identity)

    def __call__(self, task: T) -> R | Missing:
        """Return what the function returns.

        Raises:
            PnetError: other code runs here, or what the function raises.
        """
        if code_identity() != self.code:
            raise PnetError("a worker runs other code", where=platform.node(), found=code_identity(), allowed=self.code)
        if self.files is None:
            return self.function(task)
        before = carrying.set(self._carried)
        try:
            return self.function(task)
        except MissingError as error:
            return Missing(error.question)
        finally:
            carrying.reset(before)

    @cached_property
    def _carried(self) -> Carried:
        return Carried(self.files or {})

    def __reduce__(self) -> tuple[Any, ...]:
        # Without the copies, which are on this machine.
        return Travelling, (self.function, self.files, self.code)


class Executor(Named, ABC):
    """Works off tasks.

    Processes or connections that it needs are kept for more tasks within ``with executor:``; else they end with the
    tasks.

    Class attributes:
        shares_files: whether it reads and writes our files; otherwise the files that tasks name travel with them, and
            what they write has to be sent back.

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
        """How many tasks are worked off at the same time."""

    @property
    def alone(self) -> bool:
        """Whether tasks are worked off one by one in this process, so that each can show its progress."""
        return False

    @property
    def sharing(self) -> int:
        """How many tasks share the memory of a machine, as far as known."""
        return self.processes if self.shares_files else 1

    @abstractmethod
    def threads(self, requested: int) -> int:
        """Return the threads of each task: as requested; for 0, as many as there are cores for."""

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

    def map(self, function: Callable[[T], R], tasks: Sequence[T]) -> Generator[R]:
        """Return results for each task, in their order; else as :meth:`run`."""
        return in_order(self.run(function, tasks))

    def close(self) -> None:
        """End what is kept for more tasks."""

    def __enter__(self) -> Self:
        self._uses += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._uses -= 1
        if not self._uses:
            self.close()

    _uses = 0


def in_order(numbered: Generator[tuple[int, R]]) -> Generator[R]:
    """Yield what comes with numbers from 0 on in their order, each as soon as those before it have come."""
    waiting: dict[int, R] = {}
    following = 0
    with closing(numbered) as done:
        for i, found in done:
            waiting[i] = found
            while following in waiting:
                yield waiting.pop(following)
                following += 1


EXECUTORS: Registry[type[Executor]] = Registry("executor", package="pnet_lp.executors", group="pnet_lp.executors")

DEFAULT_EXECUTOR = "local"


def parse_executor(text: str, jobs: int | None) -> Executor:
    """Return the executor that an expression stands for, or ``name://address`` for one with an address.

    Raises:
        PnetError: no such executor, or it cannot be had.
    """
    if not isinstance(text, str):
        raise SpecError("not an executor", where="executor", found=text, allowed=f"a text such as {DEFAULT_EXECUTOR!r}")
    name, slashes, address = text.partition("://")
    name, values = (name, {"address": address}) if slashes else parse_expression(text, EXECUTORS)
    entry = EXECUTORS.get(name)
    if slashes and "address" not in entry.params.model_fields:
        raise SpecError("takes no address", where=name, found=text, allowed=entry.expression)
    return entry.build(entry.validate(values), jobs)


def this_machine(jobs: int | None = None) -> Executor:
    """Return so many processes of this machine; without a number, this process alone."""
    return parse_executor(DEFAULT_EXECUTOR, jobs)
