"""The one tree of errors.

Every message is one sentence that says where the fault is (file and line, or key), what was found and what is
allowed.  Parameters are named as a function's are, ``fail_links``; the command line prints the sentence with its own
names for them, ``--fail-links``.  Input errors end a command with exit code 2, failures while working with 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Self

_AS_THEY_ARE: Mapping[str, str] = MappingProxyType({})

# A value for a parameter, ``level=rack``; within an expression, as in ``jellyfish:k=8,seed=1``, it is another one.
_VALUE = re.compile(r"(?<![\w:,])([a-z_]+)=")


class PnetError(Exception):
    """Base of every error that pnet-lp raises on purpose.

    Args:
        problem: what is wrong, without a full stop.
        where: the file and line (``"net.txt:3"``), the key (``"fat-tree: k"``) or the parameter (``"fail_links"``) at
            fault.
        found: the offending value, as the user wrote it.
        allowed: what would have been accepted; another value of a parameter as ``level=rack``.
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
        """Return this error, found at ``place``: a file, an entry or a case."""
        where = f"{place}: {self.where}" if self.where else place
        return type(self)(self.problem, where=where, found=self.found, allowed=self.allowed)

    def sentence(self, names: Mapping[str, str] = _AS_THEY_ARE) -> str:
        """Return the message, with the parameters that ``names`` knows called as it says."""
        text = self.problem
        if self.where:
            place, colon, rest = self.where.partition(": ")
            text = f"{names.get(place, place)}{colon}{rest}: {text}"
        if self.found is not None:
            text += f", found {self.found!r}"
        if self.allowed is not None:
            allowed = _VALUE.sub(lambda value: _named(value, names), self.allowed)
            text += f"; allowed: {allowed}"
        return text


def _named(value: re.Match[str], names: Mapping[str, str]) -> str:
    name = names.get(value[1])
    return value[0] if name is None else f"{name} "


class SpecError(PnetError):
    """An expression, a parameter, an option or a spec file is wrong."""

    exit_code = 2


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


class CertificateError(PnetError):
    """A stored result does not prove what it claims."""


class SimulationError(PnetError):
    """A simulation failed."""
