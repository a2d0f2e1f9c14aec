"""From the flows that a file lists to a workload: what all formats have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from pnet_lp.errors import WorkloadError
from pnet_lp.memory import check_fits
from pnet_lp.model import Network, Workload
from pnet_lp.model.workload import LONGEST_PS
from pnet_lp.registry import nearest

LARGEST_BYTES = (1 << 59) - 1
"""Of a flow, as :class:`~pnet_lp.model.Workload` has it."""

BYTES_PER_FLOW = 1000
"""While a file is read."""


@dataclass
class FlowList:
    """The flows that a file lists, in its order.

    Attributes:
        where: returns what a flow is called, file and line, by its number.
        src, dst: text is a name, or an index where not every host of the file is a name; a number is an index.
        size: bytes.
        start_ps: picoseconds.
        waits: flow, flow it waits for, whether until its source knows that that has arrived, and how long after that.
        earliest_ps: picoseconds; empty where there are none.
        enough: how many of the flows that it waits for have to be done; empty where all have.
        connection, connects, task, stage, weight, transport: as in a workload; empty where each flow has its own, or
            there are no stages, weights or transports.
    """

    where: Callable[[int], str]
    src: list[str | int] = field(default_factory=list)
    dst: list[str | int] = field(default_factory=list)
    size: list[int] = field(default_factory=list)
    start_ps: list[int] = field(default_factory=list)
    waits: list[tuple[int, int, bool, int]] = field(default_factory=list)
    earliest_ps: list[int] = field(default_factory=list)
    enough: list[int] = field(default_factory=list)
    connection: list[int] = field(default_factory=list)
    connects: list[bool] = field(default_factory=list)
    task: list[int] = field(default_factory=list)
    stage: list[str] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)
    transport: list[str] = field(default_factory=list)

    def add(self, src: str | int, dst: str | int, size: int, start_ps: int) -> None:
        """Add a flow."""
        self.src.append(src)
        self.dst.append(dst)
        self.size.append(size)
        self.start_ps.append(start_ps)

    def workload(self, network: Network, label: str) -> Workload:
        """Return the checked workload.

        Hosts are names of the network throughout a file, or else indices from 0 throughout: choosing per line would mix
        up networks that call their first host "1".

        Raises:
            WorkloadError: no flow, an unknown host, a flow from a host to itself, or what
                :meth:`~pnet_lp.model.Workload.from_flows` raises.
        """
        ends = _indices({*self.src, *self.dst}, network.host_names)
        for number, (src, dst) in enumerate(zip(self.src, self.dst, strict=True)):
            for end in (src, dst):
                if isinstance(problem := ends[end], str):
                    raise WorkloadError(
                        problem,
                        where=self.where(number),
                        found=end,
                        allowed=f"0 to {network.host_count - 1}, or names of hosts throughout the file",
                    )
            if ends[src] == ends[dst]:
                raise WorkloadError(f"host {str(src)!r} sends to itself", where=self.where(number))
        child, parent, acknowledged, pauses = zip(*self.waits, strict=True) if self.waits else ((), (), (), ())
        return Workload.from_flows(
            network.host_count,
            [ends[end] for end in self.src],
            [ends[end] for end in self.dst],
            self.size,
            self.start_ps,
            after=(child, parent) if child else None,
            acknowledged=acknowledged if child else False,
            pause_ps=pauses if child else 0,
            earliest_ps=self.earliest_ps or 0,
            enough=self.enough or None,
            connection=self.connection or None,
            connects=self.connects or True,
            task=self.task or None,
            stage=self.stage or None,
            weight=self.weight or 1.0,
            transport=self.transport or "",
            label=label,
            place=self.where,
        )


def _indices(tokens: set[str | int], names: Sequence[str]) -> dict[str | int, int | str]:
    """Return the index of the host that each token is, or what is wrong with it."""
    index: dict[str | int, int | str] = {name: i for i, name in enumerate(names)}
    if index.keys() >= tokens:
        return index
    if all(isinstance(token, int) or (token.isascii() and token.isdigit()) for token in tokens):
        # Python refuses to convert thousands of digits.
        digits = {token: str(token).lstrip("0") or "0" for token in tokens if len(str(token)) <= 40}
        return {
            token: int(digits[token])
            if token in digits and int(digits[token]) < len(names)
            else f"the network has {len(names)} hosts"
            for token in tokens
        }
    return {token: index.get(token, f"unknown host{nearest(str(token), dict.fromkeys(names))}") for token in tokens}


def check_count(count: int, where: str) -> None:
    """Raise WorkloadError where so many flows do not fit into memory."""
    check_fits(count * BYTES_PER_FLOW, f"{where} with {count:,} flows", WorkloadError, allowed="fewer flows")


def parse_size(token: str, where: str) -> int:
    """Return the whole number of bytes that ``token`` is, or raise WorkloadError."""
    digits = token.lstrip("0")
    if token.isascii() and token.isdigit() and 0 < len(digits) <= 18 and int(digits) <= LARGEST_BYTES:
        return int(digits)
    raise WorkloadError("invalid flow size in bytes", where=where, found=token, allowed=f"1 to {LARGEST_BYTES}")


def parse_time(token: str, digits: int, where: str) -> int:
    """Return picoseconds, to the nearest, that ``token`` is in units of ``10**digits``, or raise WorkloadError."""
    try:
        value = Decimal(token).scaleb(digits)
        if 0 <= value <= LONGEST_PS:
            return int(value.to_integral_value())
    except (ArithmeticError, ValueError):
        pass
    raise WorkloadError(
        "invalid flow start",
        where=where,
        found=token,
        allowed=f"0 to {Decimal(LONGEST_PS).scaleb(-digits).normalize():f}",
    )


def format_time(time_ps: int, digits: int) -> str:
    """Return the token from which :func:`parse_time` gives ``time_ps`` back."""
    return f"{Decimal(time_ps).scaleb(-digits).normalize():f}"
