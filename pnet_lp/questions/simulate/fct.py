"""``fct.txt``, as the ns-3 simulators of HPCC and SimAI write it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pnet_lp.layouts import ns3_hosts
from pnet_lp.model.arrays import rows
from pnet_lp.questions.simulate.answer import SimulateAnswer
from pnet_lp.sim import SimulationResult
from pnet_lp.writing import write_text

_FIRST_PORT, _PORTS, _DESTINATION_PORT = 10_000, 1 << 16, 100
_NETWORK = 0x0B000001
"""The address of node 0; the next bytes are those of a node's number."""


def write_fct(answer: SimulateAnswer, path: Path) -> None:
    """Write ``sip dip sport dport bytes start fct ideal`` of each complete flow of the first run, in the order of ends.

    Addresses are those that the programs give to nodes, in hexadecimal digits; times are rounded to nanoseconds.  A
    source counts its ports up from 10000 in the order of its flows' starts.

    Raises:
        OutputError: it cannot be written.
    """
    result = answer.results[0]
    network, flow = result.places.network, result.flow
    numbers = np.array(ns3_hosts(network.planes[0].switch_names, network.host_names))
    address = _NETWORK + numbers // 256 * (1 << 16) + numbers % 256 * (1 << 8)
    done = np.flatnonzero(result.done)
    done = done[np.argsort(flow["end_ps"][done], kind="stable")]
    columns = rows(
        address[flow["src"][done]],
        address[flow["dst"][done]],
        _ports(result)[done],
        flow["bytes"][done],
        *((times[done] + 500) // 1000 for times in (flow["start_ps"], result.completion_ps, flow["ideal_ps"])),
    )
    lines = [
        f"{src:08x} {dst:08x} {port} {_DESTINATION_PORT} {size} {start} {fct} {ideal}\n"
        for src, dst, port, size, start, fct, ideal in columns
    ]
    write_text(path, "".join(lines))


def _ports(result: SimulationResult) -> np.typing.NDArray[np.int64]:
    """Return the source port of each flow."""
    order = np.lexsort((result.flow["start_ps"], result.flow["src"]))
    src = result.flow["src"][order]
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - np.searchsorted(src, src)
    return (_FIRST_PORT + rank) % _PORTS
