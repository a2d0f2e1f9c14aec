r"""Adjacency tokens, as in the artifact of P-Net.

A file is a list of tokens ``c2_u_v`` between blanks or line ends: switch u has a cable to switch v, both numbered from
0.  Every cable is listed in both directions, parallel cables as often as there are.  What ``c`` and its number mean is
the artifact's affair, but one file has one of them.  The format knows no speeds, hosts, tiers or names: every switch
is a rack, every cable has the speed given by the user.
"""

from __future__ import annotations

import re
from collections import deque

from pnet_lp.errors import TopologyError
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import Format

_TOKEN = re.compile(r"(c[0-9]*)_([0-9]{1,9})_([0-9]{1,9})")
_HEAD = 20  # tokens looked at to recognise the format


def _matches(text: str) -> bool:
    head = text.split(maxsplit=_HEAD)[:_HEAD]
    return 2 * sum(_TOKEN.fullmatch(token) is not None for token in head) > len(head)


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    """Return the plane of the tokens; a cable's place and first end are those of its first token."""
    cables: list[tuple[int, int]] = []
    waiting: dict[tuple[int, int], deque[int]] = {}
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
                raise TopologyError(
                    f"a cable joins switch {u} to itself", where=f"{where}:{number}", found=token
                )
            if waiting.get((v, u)):
                waiting[v, u].popleft()
            else:
                waiting.setdefault((u, v), deque()).append(number)
                cables.append((u, v))
    for (u, v), lines in waiting.items():
        if lines:
            raise TopologyError(
                f"{prefix}_{u}_{v} has no reverse {prefix}_{v}_{u}",
                where=f"{where}:{lines[0]}",
                allowed="every cable in both directions",
            )
    numbers = sorted({end for cable in cables for end in cable})
    index = {number: i for i, number in enumerate(numbers)}
    return Plane.from_cables(
        list(map(str, numbers)),
        [index[u] for u, _ in cables],
        [index[v] for _, v in cables],
        link_gbps,
        label=where,
    )


def _render(plane: Plane) -> str:
    wrong = _obstacle(plane)
    if wrong:
        raise TopologyError(
            f"adjacency tokens cannot hold {wrong}", where=plane.label or None, allowed="any other format"
        )
    ends = zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True)
    names = plane.switch_names
    return "".join(f"c2_{names[u]}_{names[v]}\nc2_{names[v]}_{names[u]}\n" for u, v in ends)


def _obstacle(plane: Plane) -> str:
    names = plane.switch_names
    if plane.host_count:
        return "hosts"
    if not all(name.isdecimal() and name.isascii() and str(int(name)) == name for name in names):
        return "switch names that are no numbers"
    if list(names) != sorted(names, key=int):
        return "switches out of order"
    if plane.degree.min() == 0:
        return "a switch without cables"
    if plane.rack_names != names:
        return "a choice of racks"
    if plane.tier.any():
        return "tiers"
    if len({*plane.capacity_uv_gbps.tolist(), *plane.capacity_vu_gbps.tolist()}) > 1:
        return "different speeds"
    return ""


FORMAT = Format("adjacency tokens", (".adj",), _matches, _parse, _render)
