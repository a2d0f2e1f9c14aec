"""The files that a task names, which go with it to another machine.

Files are asked for by name, and each question is noted.  A task takes the answers along, and where another machine asks
for more, it comes back for that: what a file holds there, under the same name, never counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from pnet_lp.scratch import ScratchFolder
from pnet_lp.units import MIB

PACKAGE = Path(__file__).resolve().parent

_SHIPPED = "shipped:"
"""Begins the name of what comes with this package, which is elsewhere on another machine."""

Question: TypeAlias = tuple[str, str]
"""The name of a file; or that of a folder, and the pattern of what is sought in it."""

Content: TypeAlias = bytes | tuple[str, ...] | None
"""What a file holds, or the names that match; None where there is neither a file nor a folder."""

_named: dict[Question, None] = {}

_LAST, _SMALL = 1000, MIB
"""Questions, and bytes of a file, that go along with a task before they are put: others it comes back for."""


def located(path: str | Path) -> Path:
    """Return where a file is: where its name says, or where its copy is that came with the task."""
    question = (_name(path), "")
    carried = carrying.get()
    if carried is not None:
        return carried.copy(question)
    if not _ours.get():
        _note(question)
    return Path(path)


def names_in(folder: Path, pattern: str) -> list[Path]:
    """Return the paths in a folder that match a pattern of globs, sorted; none where there is no such folder."""
    question = (_name(folder), pattern)
    carried = carrying.get()
    if carried is not None:
        return [folder / name for name in carried.answer(question) or () if isinstance(name, str)]
    _note(question)
    return sorted(folder.glob(pattern))


def _note(question: Question) -> None:
    _named.pop(question, None)
    _named[question] = None


@contextmanager
def our_files() -> Iterator[None]:
    """Within, files are those of this machine: no input, but what a run has left here."""
    carried, ours = carrying.set(None), _ours.set(True)
    try:
        yield
    finally:
        carrying.reset(carried)
        _ours.reset(ours)


def answers(questions: Iterable[Question] = ()) -> dict[Question, Content]:
    """Return what the files of this machine answer to ``questions``; without any, to those put last, in small files."""
    if not questions:
        questions = (name for name in tuple(_named)[-_LAST:] if _size(name) <= _SMALL)
    return {question: _content(*question) for question in questions}


class MissingError(Exception):
    """A task asks for what it does not have with it."""

    def __init__(self, question: Question) -> None:
        self.question = question


class Carried:
    """Answers that came with a task, and copies of their files."""

    def __init__(self, files: Mapping[Question, Content]) -> None:
        self._files, self._scratch = files, ScratchFolder()
        self._copies: dict[Question, Path] = {}
        self._lock = Lock()

    def __del__(self) -> None:
        self._scratch.remove()

    def answer(self, question: Question) -> Content:
        """Return the answer, or raise MissingError."""
        if question not in self._files:
            raise MissingError(question)
        return self._files[question]

    def copy(self, question: Question) -> Path:
        """Return the copy of a file or a folder, or where there is nothing; or raise MissingError."""
        content = self.answer(question)
        with self._lock:
            if question not in self._copies:
                temporary = Path(self._scratch.path, str(len(self._copies)))
                if isinstance(content, bytes):
                    temporary.write_bytes(content)
                elif content is not None:
                    temporary.mkdir()
                self._copies[question] = temporary
            return self._copies[question]


carrying: ContextVar[Carried | None] = ContextVar("carrying", default=None)
_ours: ContextVar[bool] = ContextVar("ours", default=False)


def _name(path: str | Path) -> str:
    found = Path(path)
    if found.is_absolute() and found.is_relative_to(PACKAGE.parent):
        return _SHIPPED + found.relative_to(PACKAGE.parent).as_posix()
    return str(path)


def _path(name: str) -> Path:
    return PACKAGE.parent / name.removeprefix(_SHIPPED) if name.startswith(_SHIPPED) else Path(name)


def _size(question: Question) -> int:
    try:
        return _path(question[0]).stat().st_size
    except (OSError, ValueError):
        return 0


def _content(name: str, pattern: str) -> Content:
    path = _path(name)
    if pattern:
        return tuple(found.relative_to(path).as_posix() for found in sorted(path.glob(pattern)))
    try:
        if path.is_file():
            return path.read_bytes()
        return () if path.is_dir() else None
    except (OSError, ValueError):
        return None
