"""Traces of programs, of any of their formats, with the defaults of what they leave open.

A workload ``FILE:KEY=VALUE`` states that; see :class:`~pnet_lp.workload.traces.TraceParams`.
"""

from __future__ import annotations

from pnet_lp.formats import Format
from pnet_lp.model import Network, Workload
from pnet_lp.workload.base import WorkloadContext
from pnet_lp.workload.io.format import WORKLOAD_FORMATS
from pnet_lp.workload.traces import TRACE_FORMATS, TraceParams


def _read(data: bytes, where: str, network: Network) -> Workload:
    return TraceParams.model_validate({}).workload(data, where, WorkloadContext(network, 0, where))


WORKLOAD_FORMATS.add(
    Format(
        "trace", (), None, _read, lambda head: any(known.recognise(head) for known in TRACE_FORMATS.formats), order=2
    ),
    summary="a trace of a program, see trace formats",
)
