"""JSON: ``{"level": ..., "demands": [{"src": ..., "dst": ..., "demand": ...}, ...]}``, or the list alone.

Endpoints are names as text, or indices as numbers; ``level``, if given, must be the network's.
"""

from __future__ import annotations

from typing import Any

from pnet_lp.errors import TrafficError
from pnet_lp.files import json_text
from pnet_lp.layouts import parse_json
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import MATRIX_FORMATS, entries
from pnet_lp.traffic.io.lines import DemandLine, check_demand, matrix_of

_SHAPE = '{"demands": [{"src": ..., "dst": ..., "demand": ...}, ...]}, or the list alone'


def _parse(text: str, where: str, network: Network, level: Level) -> TrafficMatrix:
    document = parse_json(text, where, TrafficError)
    if isinstance(document, dict):
        stated = document.get("level", level)
        if stated != level:
            raise TrafficError(f"the matrix is not between {level}s", where=f"{where}: level", found=stated)
        document = document.get("demands")
    if not isinstance(document, list):
        raise TrafficError("not a list of demands", where=where, allowed=_SHAPE)
    lines = [_line(item, f"{where}: demands[{i}]") for i, item in enumerate(document)]
    return matrix_of(lines, network, level, where)


def _line(item: object, where: str) -> DemandLine:
    if not isinstance(item, dict) or item.keys() != {"src", "dst", "demand"}:
        raise TrafficError("not a demand", where=where, found=item, allowed="an object with src, dst, demand")
    for key in ("src", "dst"):
        if not isinstance(item[key], str | int) or isinstance(item[key], bool):
            raise TrafficError(f"{key} is not an endpoint", where=where, found=item[key], allowed="a name, or an index")
    return DemandLine(where, item["src"], item["dst"], number(item["demand"], where))


def number(value: Any, where: str) -> float:
    """Return the demand that a value of a JSON document is, or raise TrafficError."""
    try:
        demand = float("nan") if isinstance(value, bool | str) else float(value)
    except (TypeError, OverflowError):
        demand = float("nan")
    return check_demand(demand, value, where)


def _render(traffic: TrafficMatrix, network: Network, level: Level) -> str:
    names = network.endpoint_names(level)
    demands = [{"src": names[s], "dst": names[t], "demand": d} for s, t, d in entries(traffic)]
    return json_text({"level": traffic.level, "demands": demands})


MATRIX_FORMATS.add_text(
    "json", (".json",), "objects with src, dst, demand", _parse, _render, begins=("{", "["), order=1
)
