"""Parsimon's flow lists, as its ``read_flows`` takes them: JSON, ``[{"id", "src", "dst", "size", "start"}, ...]``.

Hosts are its nodes, numbered as in ``topology.txt`` of ns-3; sizes are bytes, starts nanoseconds, all of them whole
numbers.  Ids are different, and are not kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pnet_lp.errors import WorkloadError
from pnet_lp.files import json_text
from pnet_lp.layouts import ns3_hosts, parse_json
from pnet_lp.model import Network, Workload
from pnet_lp.model.arrays import rows
from pnet_lp.workload.io.flows import FlowList, parse_size, parse_time
from pnet_lp.workload.io.format import WORKLOAD_FORMATS, check_plain, refusal

_WHAT = "Parsimon's flow lists"
_KEYS = ("id", "src", "dst", "size", "start")


def _parse(text: str, where: str, network: Network) -> Workload:
    document = parse_json(text, where, WorkloadError)
    if not isinstance(document, list):
        raise WorkloadError("not a list of flows", where=where, allowed=f"[{{{', '.join(_KEYS)}}}, ...]")
    found = FlowList(lambda number: f"{where}: [{number}]")
    ids: set[int] = set()
    for number, flow in enumerate(document):
        here = found.where(number)
        if not isinstance(flow, dict) or flow.keys() != set(_KEYS) or not all(map(_is_count, flow.values())):
            raise WorkloadError("not a flow", where=here, found=flow, allowed=f"whole numbers {', '.join(_KEYS)}")
        if flow["id"] in ids:
            raise WorkloadError("two flows have the same id", where=here, found=flow["id"])
        ids.add(flow["id"])
        size, start = parse_size(str(flow["size"]), here), parse_time(str(flow["start"]), 3, here)
        found.add(str(flow["src"]), str(flow["dst"]), size, start)
    return found.workload(network, where)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _render(workload: Workload, network: Network) -> str:
    check_plain(workload, _WHAT)
    if np.any(between := workload.start_ps % 1000 > 0):
        raise refusal(workload, _WHAT, "starts that are not whole nanoseconds", between)
    number = ns3_hosts(network.planes[0].switch_names, network.host_names)
    flows = enumerate(rows(workload.src, workload.dst, workload.size, workload.start_ps // 1000))
    values = ((i, number[src], number[dst], *others) for i, (src, dst, *others) in flows)
    return json_text([dict(zip(_KEYS, flow, strict=True)) for flow in values])


WORKLOAD_FORMATS.add_text(
    "parsimon", (".json",), "flows of Parsimon in JSON", _parse, _render, begins=("[", "{"), order=1
)
