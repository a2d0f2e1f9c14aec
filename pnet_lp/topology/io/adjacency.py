r"""Adjacency tokens, as in the artifact of P-Net.

A file is a list of tokens ``c2_u_v`` between blanks or line ends: switch u has a cable to switch v, both numbered from
0.  Every cable is listed in both directions, parallel cables as often as there are.  What ``c`` and its number mean is
the artifact's affair, but one file has one of them.  The format knows no speeds, hosts, tiers or names: every switch
is a rack, every cable has the speed given by the user.
"""

from __future__ import annotations

import re

from pnet_lp.errors import TopologyError
from pnet_lp.model import Plane
from pnet_lp.model.arrays import rows
from pnet_lp.topology.io.format import NETWORK_FORMATS, check_bare, check_numbered, numbered, paired

_TOKEN = re.compile(r"(c[0-9]*)_([0-9]{1,9})_([0-9]{1,9})")
_FIRST = 20  # tokens looked at to recognise the format


def _matches(head: str) -> bool:
    tokens = head.split(maxsplit=_FIRST)[:_FIRST]
    return 2 * sum(_TOKEN.fullmatch(token) is not None for token in tokens) > len(tokens)


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    """Return the plane of the tokens; a cable's place and first end are those of its first token."""
    arcs: list[tuple[int, int, float, str]] = []
    prefix = ""
    for number, line in enumerate(text.split("\n"), 1):
        for token in line.split():
            match = _TOKEN.fullmatch(token)
            if match is None or (prefix and match[1] != prefix):
                raise TopologyError(
                    "not an adjacency token",
                    where=f"{where}:{number}",
                    found=token,
                    allowed=f"{prefix or 'c2'}_u_v, u and v the numbers of two switches",
                )
            prefix = match[1]
            u, v = int(match[2]), int(match[3])
            if u == v:
                raise TopologyError(f"a cable joins switch {u} to itself", where=f"{where}:{number}", found=token)
            arcs.append((u, v, link_gbps, f"{where}:{number}"))
    cables = paired(arcs, lambda u, v: f"{prefix}_{u}_{v}")
    return numbered([(u, v) for u, v, *_ in cables], link_gbps, where)


def _render(plane: Plane) -> str:
    check_bare(plane, "adjacency tokens", positions=False, speeds=False)
    check_numbered(plane, "adjacency tokens")
    ends = rows(plane.cable_u, plane.cable_v)
    names = plane.switch_names
    return "".join(f"c2_{names[u]}_{names[v]}\nc2_{names[v]}_{names[u]}\n" for u, v in ends)


NETWORK_FORMATS.add_text(
    "adjacency", (".adj",), "tokens c2_u_v, as in the artifact of P-Net", _parse, _render, recognise=_matches, order=2
)
