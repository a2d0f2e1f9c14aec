"""Neighbour lists: a line ``u: v w ...`` for each switch, every cable at one of its ends."""

import re

from pnet_lp.errors import TopologyError
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import NETWORK_FORMATS, check_bare

LINE = re.compile(r"(\S+):((?: \S+)*)")


def parse(text: str, where: str, link_gbps: float) -> Plane:
    """Return the plane; all its cables have the speed ``link_gbps``."""
    neighbours: dict[str, list[str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        found = LINE.fullmatch(line)
        if found is None:
            raise TopologyError("not a switch", where=f"{where}:{number}", found=line, allowed="u: v w ...")
        neighbours[found[1]] = found[2].split()
    index = {name: i for i, name in enumerate(neighbours)}
    cables = [(index[u], index.get(v, -1)) for u, others in neighbours.items() for v in others]
    return Plane.from_cables(list(index), *zip(*cables, strict=True), link_gbps, label=where)


def render(plane: Plane) -> str:
    """Return the text."""
    check_bare(plane, "neighbour lists", positions=False, speeds=False)
    lines = {name: f"{name}:" for name in plane.switch_names}
    for u, v in zip(plane.cable_u, plane.cable_v, strict=True):
        lines[plane.switch_names[u]] += f" {plane.switch_names[v]}"
    return "".join(f"{line}\n" for line in lines.values())


NETWORK_FORMATS.add_text(
    "neighbours", (".neighbours",), "neighbours of each switch", parse, render, recognise=LINE.match
)
