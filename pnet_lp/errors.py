"""The one tree of errors.

Every message is one sentence that says where the fault is (file and line, or key), what was found and what is
allowed.  Parameters are named as a function's are, ``fail_links``; the command line prints the sentence with its own
names for them, ``--fail-links``.  Input errors end a command with exit code 2, failures while working with 1.

Quoted input is untrusted: it is shortened, and unprintable characters are escaped.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from types import MappingProxyType
from typing import Any, ClassVar, Self

_AS_THEY_ARE: Mapping[str, str] = MappingProxyType({})

# A value for a parameter, ``level=rack``, or several words that can be nothing but its name, ``fail_links``; within an
# expression, as in ``jellyfish:k=8,seed=1``, it is another one.
_PARAMETER = re.compile(r"(?<![\w:,'=])(?:([a-z_]+)(?:=true\b|(=))|([a-z]+(?:_[a-z]+)+)\b)")

_LONGEST = {"where": 300, "problem": 400, "found": 120, "allowed": 900}
"""Characters of each part of a sentence; lists of what is allowed need the most."""

_LONGEST_WORD = 120


class _Quoted(reprlib.Repr):
    """The ``repr`` of a value as far as a sentence can show it; nothing longer is ever made."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxdict = self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = 8
        self.maxstring = self.maxother = self.maxlong = _LONGEST["found"] - 20

    def repr_int(self, value: int, level: int) -> str:
        # Python writes out no more than 4,300 digits.
        if value.bit_length() > 1 << 12:
            return f"a whole number of {value.bit_length()} bits"
        return super().repr_int(value, level)

    def repr_dict(self, value: dict[Any, Any], level: int) -> str:
        if level <= 0 and value:
            return "{...}"
        # In the order in which they were written, not sorted.
        items = [
            f"{self.repr1(key, level - 1)}: {self.repr1(item, level - 1)}"
            for key, item in islice(value.items(), self.maxdict)
        ]
        return f"{{{', '.join([*items, *(['...'] if len(value) > self.maxdict else [])])}}}"


_QUOTED = _Quoted()


def printable(text: str, kept: str = "\n") -> str:
    """Return ``text`` with what acts on a terminal, or hides or reorders what stands there, escaped as in Python.

    Control characters, those of direction and of no width, and lone surrogates among them.

    Args:
        text: any text.
        kept: characters that stay as they are.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in kept else ascii(c)[1:-1] for c in text)


def on_one_line(text: str, most: int = sum(_LONGEST.values()), word: int = _LONGEST_WORD) -> str:
    """Return ``text`` as one line of at most ``most`` characters, what is longer cut in the middle.

    Args:
        text: any text; what is not printable in it is escaped.
        most: characters of the line.
        word: characters of a word in it.
    """
    words = " ".join(_cut(part, word) for part in _cut(text, 2 * most).split(" "))
    return _cut(printable(words, ""), most)


def _cut(text: str, most: int) -> str:
    """Return the beginning and the end of a text longer than ``most`` characters."""
    if len(text) <= most:
        return text
    tail = (most - 3) // 3
    return f"{text[: most - 3 - tail]}...{text[len(text) - tail :]}"


class Verbatim(str):
    """Text of a message that the command line prints as it is: no name in it is one of its parameters."""

    __slots__ = ()


class PnetError(Exception):
    """Base of every error that pnet-lp raises on purpose.

    Args:
        problem: what is wrong, without a full stop.
        where: the file and line (``"net.txt:3"``), the key (``"fat-tree: k"``) or the parameter (``"fail_links"``) at
            fault.
        found: the offending value, as the user wrote it.
        allowed: what would have been accepted; another value of a parameter as ``level=rack``, a flag as ``x=true``.
    """

    exit_code: ClassVar[int] = 1

    def __init__(
        self, problem: str, *, where: str | None = None, found: object = None, allowed: str | None = None
    ) -> None:
        self.problem = problem
        self.where = where
        self.found = found
        self.allowed = allowed
        super().__init__(self.sentence())

    def at(self, place: str) -> Self:
        """Return this error, found at ``place``: a file, an entry, a case or a key."""
        where = place if self.where in (None, "", place) else f"{place}: {self.where}"
        return type(self)(self.problem, where=where, found=self.found, allowed=self.allowed)

    def sentence(self, names: Mapping[str, str] = _AS_THEY_ARE) -> str:
        """Return the message, with the parameters that ``names`` knows called as it says."""
        text = _called(on_one_line(self.problem, _LONGEST["problem"]), names)
        if self.where:
            # The path of a file is a word, and cut it names no file.
            whole = on_one_line(self.where, _LONGEST["where"], _LONGEST["where"])
            place, colon, rest = whole.partition(": ")
            text = f"{names.get(place, place)}{colon}{rest}: {text}"
        if self.found is not None:
            text += f", found {on_one_line(_QUOTED.repr(self.found), _LONGEST['found'])}"
        if self.allowed is not None:
            known = _AS_THEY_ARE if isinstance(self.allowed, Verbatim) else names
            text += f"; allowed: {_called(on_one_line(self.allowed, _LONGEST['allowed']), known)}"
        return text


@contextmanager
def naming(place: str, kind: type[PnetError] = PnetError) -> Iterator[None]:
    """Put ``place`` before what an error of ``kind`` raised in the block says."""
    try:
        yield
    except kind as error:
        raise error.at(place) from None


def _called(text: str, names: Mapping[str, str]) -> str:
    """Return ``text`` with the parameters that ``names`` knows called as it says."""

    def called(found: re.Match[str]) -> str:
        name = names.get(found[1] or found[3])
        return found[0] if name is None else f"{name} " if found[2] else name

    return _PARAMETER.sub(called, text)


class TooLarge(str):
    """What is wrong where it is the size: something smaller may do."""

    __slots__ = ()


class SpecError(PnetError):
    """An expression, a parameter, an option or a spec file is wrong."""

    exit_code = 2


class InfeasibleError(SpecError):
    """What has to be carried is more than fits into the network."""


class TopologyError(PnetError):
    """A network cannot be built or read as described."""

    exit_code = 2


class TrafficError(PnetError):
    """A traffic matrix is wrong, or does not fit its network."""

    exit_code = 2


class WorkloadError(PnetError):
    """Flows are wrong, or do not fit their network."""

    exit_code = 2


class RoutingError(PnetError):
    """A routing cannot be applied to the network."""

    exit_code = 2


class SolverError(PnetError):
    """A solver is missing, failed, or the problem is too big for it."""


class UnsolvedError(SolverError):
    """A solver gave up a problem that has a solution, as some do where numbers are far apart."""


class TimeLimitError(PnetError):
    """The time that was given is over, and there is nothing yet to report."""


class CertificateError(PnetError):
    """A stored result does not prove what it claims."""


class OutputError(PnetError):
    """A file cannot be written."""


class SimulationError(PnetError):
    """A simulation failed."""
