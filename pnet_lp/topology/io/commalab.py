"""Instances of min-cost multicommodity flow of CommaLab, grids and planar graphs: arcs, and what commodities demand.

    NODES
    ARCS
    COMMODITIES
    from to cost capacity      an arc a line, one-way
    origin destination demand  a commodity a line

Nodes are numbers from 1 and racks, and capacities are taken as Gb/s.  An arc without one back carries nothing in that
direction.  What a Gb/s costs may be taken as a metric, or by ``min-cost:costs=unit_cost``.

Mnetgen's layout, of four files, is known by that of arcs and refused: PDS and Mnetgen's own instances have capacities,
costs and arcs for single commodities.

    arc from to commodity cost capacity mutual    commodity -1: any; mutual 0: no capacity of all together
"""

from __future__ import annotations

import re

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import COMMALAB, parse_commalab
from pnet_lp.memory import check_fits
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import NETWORK_FORMATS, joined, left_out_loops, parse_speed
from pnet_lp.units import parse_number

# No list of neighbours begins so: it would join a switch to itself.
_MNETGEN = re.compile(
    r"1(?:[^\S\n]++[0-9]++){2}[^\S\n]++-?1(?:[^\S\n]++-?[0-9.]++){2}[^\S\n]++[0-9]++[^\S\n]*+$", re.MULTILINE
)

_NODE = 1000


def _parse(text: str, where: str, _: float) -> Plane:
    if _MNETGEN.match(text):
        raise TopologyError(
            "an instance of Mnetgen's layout, such as PDS, whose arcs have capacities for single commodities",
            where=where,
            allowed="arcs with one capacity and one cost for all, as CommaLab's grids and planar graphs have them",
        )
    nodes, rows, _commodities = parse_commalab(text, where, TopologyError)
    check_fits(nodes * _NODE, f"{where} with {nodes:,} nodes", TopologyError, allowed="a smaller network")
    arcs = [
        (int(u) - 1, int(v) - 1, [parse_speed(capacity, here), parse_number(cost)])
        for here, (u, v, cost, capacity) in rows
    ]
    cables = joined(arc for arc in arcs if arc[0] != arc[1])
    return Plane.from_cables(
        [str(node) for node in range(1, nodes + 1)],
        [u for u, *_ in cables],
        [v for _, v, *_ in cables],
        [there[0] for *_, there, _ in cables],
        capacity_back_gbps=[back[0] if back else 0.0 for *_, back in cables],
        label=where,
        attributes={"unit_cost": [(there[1], (back or there)[1]) for *_, there, back in cables]} if cables else None,
        warnings=left_out_loops((str(u + 1) for u, v, _ in arcs if u == v), where),
    )


NETWORK_FORMATS.add_text(
    "commalab",
    (),
    "an instance of CommaLab, grid or planar, only read",
    _parse,
    None,
    recognise=lambda head: COMMALAB.match(head) or _MNETGEN.match(head),
)
