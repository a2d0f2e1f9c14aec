"""TopoBench's edge lists: lines ``u v w ...``, switch u has a cable to each of v, w, ..., all called by numbers.

The format knows one cable at most between two switches, so a pair may be listed twice, and in either direction.  It
knows no speeds, hosts, tiers or names: every switch is a rack, every cable has the speed given by the user.  Lines of
two or three numbers are also an edge list of ours, where the third is a speed; so only lines of more
than four, and other files are known by their suffix.
"""

from __future__ import annotations

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import HEAD, whole
from pnet_lp.model import Plane
from pnet_lp.model.arrays import rows
from pnet_lp.topology.io.format import NETWORK_FORMATS, check_bare, check_numbered, numbered, refusal


def _matches(head: str) -> bool:
    lines = [line.split() for line in head.split("\n")]
    if len(head) == HEAD:  # the last line may be a part of one
        lines[-1:] = [lines[-1][:-1]]
    return any(len(words) > 4 for words in lines) and all(whole(word) is not None for words in lines for word in words)


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    cables: dict[frozenset[int], tuple[int, int]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        ends = []
        for word in line.split():
            end = whole(word)
            if end is None:
                raise TopologyError("not a switch", where=f"{where}:{number}", found=word, allowed="whole numbers >= 0")
            ends.append(end)
        if len(ends) == 1:
            raise TopologyError(
                "a line without neighbours", where=f"{where}:{number}", found=line.strip(), allowed="u v ..."
            )
        for end in ends[1:]:
            if end == ends[0]:
                raise TopologyError(f"a cable joins switch {end} to itself", where=f"{where}:{number}")
            cables.setdefault(frozenset((ends[0], end)), (ends[0], end))
    return numbered(cables.values(), link_gbps, where)


def _render(plane: Plane) -> str:
    what = "TopoBench's edge lists"
    check_bare(plane, what, positions=False, speeds=False)
    check_numbered(plane, what)
    ends = list(rows(plane.cable_u, plane.cable_v))
    if len(set(map(frozenset, ends))) < len(ends):
        raise refusal(plane, what, "parallel cables")
    return "".join(f"{plane.switch_names[u]} {plane.switch_names[v]}\n" for u, v in ends)


NETWORK_FORMATS.add_text(
    "topobench", (".topobench",), "neighbour lists of TopoBench", _parse, _render, recognise=_matches, order=2
)
