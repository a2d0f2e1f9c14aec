"""The bisection as a mixed-integer linear program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp

from pnet_lp.model.brief import brief
from pnet_lp.throughput.bounds.cutter import Cutter
from pnet_lp.throughput.bounds.search import Counts

LINKS = 320
"""Directed links up to which the program is tried."""

SWITCHES = 48
"""Switches of the distinct planes up to which it is tried."""

NODES = 1000
"""Nodes of the search tree after which it stops: a limit of nodes, not of seconds, gives the same answer everywhere."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Program:
    """What the program found.

    Attributes:
        sending: members of each group on the sending side, None if no split was found.
        at_least: a proved lower bound on the bisection, in Gb/s.
    """

    sending: Counts | None
    at_least: float


def is_small(cutter: Cutter) -> bool:
    """Whether the program is worth a try."""
    wiring = cutter.wiring
    return len(wiring.tail) <= LINKS and wiring.switch_count <= SWITCHES and len(cutter.groups.size) <= SWITCHES


def solve_program(cutter: Cutter) -> Program:
    """Return the split of the endpoints into halves that the least capacity connects, from one side to the other.

    Variables are the members of each group on the sending side, the side of each switch, and of each link, those of
    hosts included, the part that is cut: at least the difference of its ends' sides.

    Args:
        cutter: the network.
    """
    wiring, groups = cutter.wiring, cutter.groups
    n, g = wiring.switch_count, len(groups.size)
    unit = float(wiring.capacity.max()) if len(wiring.capacity) else 1.0
    group, plane = np.nonzero(groups.place >= 0)
    place = groups.place[group, plane]
    hosts = cutter.level == "host"
    size = groups.size[group].astype(np.float64)
    links = len(wiring.tail)
    access = len(group) if hosts else 0
    side, cut, up, down = g, g + n, g + n + links, g + n + links + access
    count = down + access

    cost = np.zeros(count)
    cost[cut:up] = wiring.capacity / unit
    rows = _Rows(count)
    # cut >= side of the tail - side of the head
    rows.add(np.arange(cut, up), side + wiring.tail, side + wiring.head, np.ones(links))
    if hosts:
        cost[up:down] = groups.up[group, plane] / unit
        cost[down:] = groups.down[group, plane] / unit
        # cut members >= members that send, if the switch does not; and vice versa.
        rows.add(np.arange(up, down), group, side + place, size)
        rows.add(np.arange(down, count), side + place, group, size, tail_scaled=True)
    constraints = [LinearConstraint(rows.matrix(), -np.inf, 0)]
    if not hosts:
        rack = sp.csr_array(
            (
                np.tile([1.0, -1.0], len(group)),
                np.column_stack([group, side + place]).ravel(),
                np.arange(0, 2 * len(group) + 1, 2),
            ),
            shape=(len(group), count),
        )
        constraints.append(LinearConstraint(rack, 0, 0))
    total = int(groups.size.sum())
    members = np.zeros((1, count))
    members[0, :g] = 1
    constraints.append(LinearConstraint(members, total // 2, total - total // 2))

    upper = np.concatenate([groups.size, np.ones(n), np.ones(links), np.repeat(size[None, :access], 2, 0).ravel()])
    lower = np.zeros(count)
    if _symmetric(cutter):
        # Of a split and its reverse one has the first group's larger part on the sending side.
        lower[0] = (groups.size[0] + 1) // 2
    whole = np.zeros(count, dtype=np.int32)
    whole[:g] = 1
    # With members split over both sides, a switch between them would be on both as well.
    whole[side + place] = 1
    found = milp(
        cost,
        constraints=constraints,
        bounds=Bounds(lower, upper),
        integrality=whole,
        options={"mip_rel_gap": 0.0, "node_limit": NODES},
    )
    sending = None if found.x is None else np.rint(found.x[:g]).astype(np.int64)
    proved = found.mip_dual_bound
    return Program(sending, 0.0 if proved is None or not np.isfinite(proved) else max(float(proved), 0.0) * unit)


class _Rows:
    """Rows ``scale * tail - scale * head - cut <= 0``, with the scale on one of the two sides."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._parts: list[sp.csr_array] = []

    def add(
        self, cut: np.ndarray, tail: np.ndarray, head: np.ndarray, size: np.ndarray, *, tail_scaled: bool = False
    ) -> None:
        """Add a row for each link; a switch's side counts ``size`` times towards that many members."""
        row = np.arange(len(cut))
        one = np.ones(len(cut))
        data = np.concatenate([size if tail_scaled else one, -one if tail_scaled else -size, -one])
        columns = np.concatenate([tail, head, cut])
        shape = (len(cut), self._count)
        self._parts.append(sp.csr_array(sp.coo_array((data, (np.tile(row, 3), columns)), shape=shape)))

    def matrix(self) -> sp.csr_array:
        """Return all rows."""
        return sp.csr_array(sp.vstack(self._parts))


def _symmetric(cutter: Cutter) -> bool:
    """Whether every split costs the same in both directions."""
    wiring, groups = cutter.wiring, cutter.groups
    n = wiring.switch_count
    matrix = sp.csr_array(sp.coo_array((wiring.capacity, (wiring.tail, wiring.head)), shape=(n, n)))
    return bool(abs(matrix - matrix.T).sum() == 0) and bool(np.array_equal(groups.up, groups.down))
