"""Instances of min-cost multicommodity flow of CommaLab, grids and planar graphs: arcs, and what commodities demand.

    NODES
    ARCS
    COMMODITIES
    from to cost capacity      an arc a line, one-way
    origin destination demand  a commodity a line

Nodes are numbers from 1 and racks, and capacities are taken as Gb/s.  An arc without one back carries nothing in that
direction.  What a Gb/s costs may be taken as a metric, or by ``min-cost:costs=unit_cost``.
"""

from __future__ import annotations

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import COMMALAB, parse_commalab
from pnet_lp.memory import check_fits
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import NETWORK_FORMATS, joined, left_out_loops, parse_speed
from pnet_lp.units import parse_number

_NODE = 1000


def _parse(text: str, where: str, _: float) -> Plane:
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
    "commalab", (), "an instance of CommaLab, grid or planar, only read", _parse, None, recognise=COMMALAB.match
)
