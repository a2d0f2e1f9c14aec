"""Repetita's ``.demands`` files: ``DEMANDS n``, a header ``label src dest bw``, and n rows.

``src`` and ``dest`` count the nodes of the ``.graph`` file from 0, ``bw`` is in kbit/s.
"""

from __future__ import annotations

from pnet_lp.errors import TrafficError
from pnet_lp.layouts import parse_tables, scaled, unscaled, whole
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import MATRIX_FORMATS, entries
from pnet_lp.traffic.io.lines import DemandLine, check_demand, matrix_of

_HEADERS = {"DEMANDS": "label src dest bw"}


def _parse(text: str, where: str, network: Network, level: Level) -> TrafficMatrix:
    tables = parse_tables(text, _HEADERS, where, TrafficError)
    return matrix_of([_line(*row) for row in tables["DEMANDS"]], network, level, where)


def _line(where: str, words: list[str]) -> DemandLine:
    src, dst = (whole(word) for word in words[1:3])
    if src is None or dst is None:
        raise TrafficError(
            "an endpoint is not a number", where=where, found=" ".join(words[1:3]), allowed="whole numbers >= 0"
        )
    return DemandLine(where, src, dst, check_demand(scaled(words[3], 6), words[3], where))


def _render(traffic: TrafficMatrix, _: Network, __: Level) -> str:
    lines = [f"DEMANDS {traffic.demand_count}", _HEADERS["DEMANDS"]]
    lines += [f"demand_{i} {s} {t} {unscaled(d, 6)}" for i, (s, t, d) in enumerate(entries(traffic))]
    return "\n".join(lines) + "\n"


MATRIX_FORMATS.add_text("repetita", (".demands",), "demands of Repetita", _parse, _render, begins="DEMANDS")
