"""What a network is made of, as a table to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pnet_lp.tables import text_table
from pnet_lp.throughput.bounds import Bisection
from pnet_lp.topology import Description, PlaneDescription
from pnet_lp.units import format_gbps
from pnet_lp.wording import counted

if TYPE_CHECKING:
    from rich.table import Table

_BOXES: tuple[tuple[str, Callable[[PlaneDescription], int]], ...] = (
    ("boxes", lambda plane: plane.switches if plane.boxes is None else plane.boxes),
    (
        "cables between boxes",
        lambda plane: plane.cables if plane.cables_between_boxes is None else plane.cables_between_boxes,
    ),
)
"""Shown where a plane has boxes."""

_LINES: tuple[tuple[str, Callable[[PlaneDescription], str]], ...] = (
    ("from", lambda plane: plane.label),
    ("switches", lambda plane: f"{plane.switches:,}{_tiers(plane)}"),
    ("hosts", lambda plane: f"{plane.hosts:,}"),
    ("racks", lambda plane: f"{plane.racks:,}"),
    ("cables between switches", lambda plane: f"{plane.cables:,}"),
    ("degree", lambda plane: f"{_range(plane.degree_min, plane.degree_max)} (mean {plane.degree_mean:.4g})"),
    ("ports used", lambda plane: f"{_range(plane.ports_min, plane.ports_max)} ({_ports(plane)})"),
    ("connected", lambda plane: "yes" if plane.connected else "no"),
    ("diameter between racks", lambda plane: "none" if plane.diameter is None else f"{plane.diameter} hops"),
    ("mean hops between racks", lambda plane: "none" if plane.mean_hops is None else f"{plane.mean_hops:.4g}"),
    ("rack pairs without a path", lambda plane: f"{plane.disconnected_pairs:,}"),
    ("link speeds", lambda plane: _speeds(plane.speeds)),
    ("access link speeds", lambda plane: _speeds(plane.access_speeds)),
)


def topology_headline(description: Description) -> str:
    """Return the network in one line."""
    return (
        f"{description.variant} network of {counted(len(description.planes), 'plane')}: "
        f"{counted(description.switches, 'switch')}, {counted(description.hosts, 'host')}, "
        f"{counted(description.cables, 'cable')}, "
        f"{format_gbps(description.capacity_gbps)} Gb/s between switches"
    )


def topology_table(description: Description) -> Table:
    """Return the planes as a table, one column for all planes that are the same."""
    groups: dict[str, list[int]] = {}
    for i, plane in enumerate(description.planes):
        groups.setdefault(plane.fingerprint, []).append(i)
    table = text_table(padding=(0, 2, 0, 0), pad_edge=True)
    table.add_column()
    for members in groups.values():
        table.add_column(f"plane{'s' if len(members) > 1 else ''} {', '.join(map(str, members))}")
    shown = [description.planes[members[0]] for members in groups.values()]
    for name, line in _LINES:
        table.add_row(name, *(line(plane) for plane in shown))
    if any(plane.boxes is not None for plane in shown):
        for name, count in _BOXES:
            table.add_row(name, *(f"{count(plane):,}" for plane in shown))
    return table


def servers_line(description: Description) -> str:
    """Return what is inside servers as a line to read, empty where there are none."""
    inside = description.servers
    if inside is None:
        return ""
    rails = f"{inside.rails} rails" if inside.rails > 1 else "every NIC in every plane"
    return (
        f"servers: {inside.count:,} of {inside.size} accelerators behind {inside.scale_up.label} "
        f"({_speeds(inside.scale_up_gbps)}), {rails}, {inside.ports:,} ports of NICs ({_speeds(inside.nic_gbps)} in "
        f"all), relay {inside.relay}"
    )


def bisection_line(found: Bisection | None, *, looked: bool) -> str:
    """Return the bisection as a line to read."""
    if not looked:
        return "bisection: not looked for in a network of this size (pnet-lp bounds --bound bisection does)"
    if found is None:
        return "bisection: none, as there are no two halves"
    how = "proved narrowest" if found.proved else "the narrowest found"
    return f"bisection: {format_gbps(found.gbps)} Gb/s between halves of the endpoints ({how})"


def _ports(plane: PlaneDescription) -> str:
    """Return how many ports are used in all, and how many are free if that is known."""
    used = f"{plane.ports_used:,} in all"
    return used if plane.ports_free is None else f"{used}, {plane.ports_free:,} free"


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _tiers(plane: PlaneDescription) -> str:
    if len(plane.switches_per_tier) == 1:
        return ""
    return f" ({' + '.join(map(str, plane.switches_per_tier))} from the hosts upwards)"


def _speeds(speeds: tuple[tuple[float, int], ...]) -> str:
    return ", ".join(f"{count:,} of {format_gbps(gbps)} Gb/s" for gbps, count in speeds) or "none"
