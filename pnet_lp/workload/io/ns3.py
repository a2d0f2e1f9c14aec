"""The flow file of the ns-3 simulators of HPCC and SimAI: the number of flows, then ``src dst pg dport size start_s``.

Parsimon's copy of the simulator puts the flow's number before each line; both are read.  Hosts are nodes of the
network's ``topology.txt``.  Priority groups and ports are not kept; 3 and 100 are written, as in the programs'
examples.  These read no further than the last flow, so that words may follow, but not more flows.  Starts are rounded
to picoseconds; the programs, which want flows in the order of their starts, round them to nanoseconds.
"""

from __future__ import annotations

import itertools
import re

import numpy as np

from pnet_lp.errors import WorkloadError
from pnet_lp.layouts import ns3_hosts, whole, word_lines
from pnet_lp.model import Network, Workload
from pnet_lp.model.arrays import rows
from pnet_lp.workload.io.flows import FlowList, format_time, parse_size, parse_time
from pnet_lp.workload.io.format import WORKLOAD_FORMATS, check_plain, refusal

_WHAT = "flow files of ns-3"
_FLOW = "src dst pg dport size start_s"
_FIRST = re.compile(r"[0-9]{1,9}[ \t\r]*(?:\n|$)")
_LARGEST = (1 << 32) - 1
"""Bytes of a flow: the programs read 32 bits."""


def _parse(text: str, where: str, network: Network) -> Workload:
    body = word_lines(text, where)
    here, first = next(body, (where, []))
    count = whole(first[0]) if len(first) == 1 else None
    if count is None:
        raise WorkloadError(
            "invalid first line", where=here, found=" ".join(first) or None, allowed="the number of flows"
        )
    places: list[str] = []
    found = FlowList(places.__getitem__)
    for here, words in itertools.islice(body, count):
        if len(words) not in (6, 7) or None in map(whole, words[:-2]):
            raise WorkloadError("not a flow", where=here, found=" ".join(words), allowed=_FLOW)
        src, dst, _, _, size, start = words[-6:]
        found.add(src, dst, parse_size(size, here), parse_time(start, 12, here))
        places.append(here)
    if len(places) < count:
        raise WorkloadError(f"there are {len(places)} flows instead of {count}", where=where, allowed=_FLOW)
    for here, words in body:
        if len(words) in (6, 7) and None not in map(whole, words[:2]):
            raise WorkloadError(f"there are more flows than {count}", where=here, found=" ".join(words))
    return found.workload(network, where)


def _render(workload: Workload, network: Network) -> str:
    check_plain(workload, _WHAT)
    if np.any(large := workload.size > _LARGEST):
        raise refusal(workload, _WHAT, f"flows of more than {_LARGEST} bytes", large)
    if np.any(early := np.diff(workload.start_ps, prepend=0) < 0):
        raise refusal(workload, _WHAT, "flows that are not in the order of their starts", early)
    number = ns3_hosts(network.planes[0].switch_names, network.host_names)
    flows = rows(workload.src, workload.dst, workload.size, workload.start_ps)
    lines = [str(workload.flow_count)]
    lines += [f"{number[s]} {number[t]} 3 100 {size} {format_time(start, 12)}" for s, t, size, start in flows]
    return "\n".join(lines) + "\n"


WORKLOAD_FORMATS.add_text("ns3", (".txt",), "flows of HPCC and SimAI", _parse, _render, recognise=_FIRST.match)
