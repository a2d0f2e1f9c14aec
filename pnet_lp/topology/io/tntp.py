"""Road networks of the Transportation Networks for Research (TNTP), ``NAME_net.tntp``: a row for each one-way link.

    <NUMBER OF ZONES> n   <NUMBER OF NODES> n   <FIRST THRU NODE> n   <NUMBER OF LINKS> n   <END OF METADATA>
    init_node term_node capacity length free_flow_time b power speed toll link_type ;

Nodes are numbers from 1; zones, which come first, are racks.  Capacities are vehicles an hour, and taken as Gb/s.  A
link without one back carries nothing in that direction.  Lengths, times and tolls may be taken as metrics.
"""

from __future__ import annotations

import re

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import parse_tntp, whole
from pnet_lp.memory import check_fits
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import NETWORK_FORMATS, joined, left_out_loops, parse_speed
from pnet_lp.units import parse_number

_COLUMNS = ("capacity", "length", "free_flow_time", "b", "power", "speed", "toll", "link_type")
_METRICS = ("length", "free_flow_time", "toll")
_ROW = f"init_node term_node {' '.join(_COLUMNS)} ;"
_FIRST = re.compile(r"(?:\s*+<[A-Z ]++>[^\n]*+\n|\s*+~[^\n]*+\n|\s*+\n)*?\s*+<(?:FIRST THRU NODE|NUMBER OF LINKS)>")
_CABLE = 1000


def _parse(text: str, where: str, _: float) -> Plane:
    counts, lines = parse_tntp(text, where, TopologyError)
    sizes = [counts.get(key, 0) for key in ("NUMBER OF NODES", "NUMBER OF ZONES", "FIRST THRU NODE", "NUMBER OF LINKS")]
    nodes, zones, first, links = sizes
    if not 1 <= zones <= nodes or not first:
        raise TopologyError(
            "invalid metadata",
            where=where,
            found=f"{zones} zones of {nodes} nodes",
            allowed="<NUMBER OF ZONES>, <NUMBER OF NODES> and <FIRST THRU NODE>, from 1",
        )
    if first > 1:
        raise TopologyError(
            "zones that traffic does not pass through", where=where, found=f"<FIRST THRU NODE> {first}", allowed="1"
        )
    check_fits((nodes + links) * _CABLE, f"{where} with {nodes:,} nodes", TopologyError, allowed="a smaller network")
    rows = [_row(words, nodes, here) for here, words in lines]
    if len(rows) != links:
        raise TopologyError(f"there are {len(rows)} links instead of {links}", where=where)
    loops = [str(u + 1) for u, v, _ in rows if u == v]
    cables = joined([row for row in rows if row[0] != row[1]])
    return Plane.from_cables(
        [str(node) for node in range(1, nodes + 1)],
        [u for u, *_ in cables],
        [v for _, v, *_ in cables],
        [there[0] for *_, there, _ in cables],
        capacity_back_gbps=[back[0] if back else 0.0 for *_, back in cables],
        racks=range(zones),
        label=where,
        attributes={
            name: [(there[at], (back or there)[at]) for *_, there, back in cables]
            for name in _METRICS
            for at in [_COLUMNS.index(name)]
        },
        warnings=left_out_loops(loops, where),
    )


def _row(words: list[str], nodes: int, where: str) -> tuple[int, int, list[float]]:
    if words[-1:] != [";"] or len(words) != len(_COLUMNS) + 3:
        raise TopologyError("not a link", where=where, found=" ".join(words), allowed=_ROW)
    ends = [whole(word) for word in words[:2]]
    for word, end in zip(words, ends, strict=False):
        if end is None or not 1 <= end <= nodes:
            raise TopologyError("no such node", where=where, found=word, allowed=f"1 to {nodes}")
    return int(words[0]) - 1, int(words[1]) - 1, [parse_speed(words[2], where), *map(parse_number, words[3:-1])]


NETWORK_FORMATS.add_text("tntp", (), "road networks of TNTP, only read", _parse, None, recognise=_FIRST.match)
