"""The one tree of errors.

Every message is one sentence that says where the fault is (file and line, or key), what was found and what is
allowed; the command line prints it as it stands.  Input errors end a command with exit code 2, failures while
working with 1.
"""

from __future__ import annotations

from typing import ClassVar


class PnetError(Exception):
    """Base of every error that pnet-lp raises on purpose.

    Args:
        problem: what is wrong, without a full stop.
        where: the file and line (``"net.txt:3"``) or the key (``"fat-tree: k"``) at fault.
        found: the offending value, as the user wrote it.
        allowed: what would have been accepted.
    """

    exit_code: ClassVar[int] = 1

    def __init__(
        self, problem: str, *, where: str | None = None, found: object = None, allowed: str | None = None
    ) -> None:
        self.problem = problem
        self.where = where
        self.found = found
        self.allowed = allowed
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        text = f"{self.where}: {self.problem}" if self.where else self.problem
        if self.found is not None:
            text += f", found {self.found!r}"
        if self.allowed is not None:
            text += f"; allowed: {self.allowed}"
        return text


class SpecError(PnetError):
    """An expression, a parameter, an option or a spec file is wrong."""

    exit_code = 2


class TopologyError(PnetError):
    """A network cannot be built or read as described."""

    exit_code = 2


class TrafficError(PnetError):
    """A traffic matrix is wrong, or does not fit its network."""

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
