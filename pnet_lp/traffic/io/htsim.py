"""htsim's connection matrices ``.cm``: ``Nodes n``, ``Connections m``, and m lines ``SRC->DST start T size S ...``.

The demand of a pair is the number of its connections: sizes and times belong to packet-level simulation, and a flow is
given as much as fits.  Lines ``trigger`` and ``failure``, and what else a connection has, are passed over.  Endpoints
are indices.
"""

from __future__ import annotations

import re

from pnet_lp.errors import TrafficError
from pnet_lp.layouts import count_line, word_lines
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import MATRIX_FORMATS, entries
from pnet_lp.traffic.io.lines import DemandLine, check_size, matrix_of

_MOST = 10_000_000  # connections that are written
_CONNECTION = re.compile(r"([0-9]{1,9})->([0-9]{1,9})")
_COUNTS = ("Nodes", "Connections", "Triggers", "Failures")
_VALUED = {"start", "size", "id", "trigger", "send_done_trigger", "recv_done_trigger", "prio"}
_BARE = {"addon"}
_FIRST = re.compile(r"(?:Nodes|Connections)\s")


def _parse(text: str, where: str, network: Network, level: Level) -> TrafficMatrix:
    counts: dict[str, int] = {}
    lines: list[DemandLine] = []
    for here, words in word_lines(text, where):
        if words[0] in _COUNTS:
            count_line(words, counts, here, TrafficError)
        elif words[0] not in {"trigger", "failure"}:
            lines.append(_line(words, here))
    for key in _COUNTS[:2]:
        if key not in counts:
            raise TrafficError(f"{key} is missing", where=where, allowed="Nodes n, Connections m")
    if len(lines) != counts["Connections"]:
        raise TrafficError(f"{len(lines)} connections instead of {counts['Connections']}", where=where)
    check_size(counts["Nodes"], len(network.endpoint_names(level)), level, where)
    return matrix_of(lines, network, level, where)


def _line(words: list[str], where: str) -> DemandLine:
    match = _CONNECTION.fullmatch(words[0])
    if match is None:
        raise TrafficError("not a connection", where=where, found=words[0], allowed="SRC->DST start T size S")
    rest = iter(words[1:])
    for word in rest:
        if word in _BARE:
            continue
        value = next(rest, "") if word in _VALUED else ""
        if not re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", value):
            raise TrafficError(
                "not a property of a connection",
                where=where,
                found=f"{word} {value}".strip(),
                allowed=", ".join(sorted(_VALUED)),
            )
    return DemandLine(where, int(match[1]), int(match[2]), 1.0)


def _render(traffic: TrafficMatrix, _: Network, __: Level) -> str:
    rows = entries(traffic)
    wrong = next((demand for _, _, demand in rows if demand != int(demand)), None)
    if wrong is not None or traffic.total > _MOST:
        raise TrafficError(
            "a connection matrix holds whole numbers of connections",
            found=traffic.total if wrong is None else wrong,
            allowed=f"at most {_MOST} in all",
        )
    # Size 0 is a flow without end, which is what a demand means.
    pairs = [f"{s}->{t}" for s, t, demand in rows for _ in range(int(demand))]
    lines = [f"Nodes {traffic.endpoints}", f"Connections {len(pairs)}"]
    lines += [f"{pair} id {i} start 0 size 0" for i, pair in enumerate(pairs, 1)]
    return "\n".join(lines) + "\n"


MATRIX_FORMATS.add_text("htsim", (".cm",), "a connection matrix of htsim", _parse, _render, recognise=_FIRST.match)
