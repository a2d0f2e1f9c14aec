"""The registry of formats of traces."""

from __future__ import annotations

from pnet_lp.errors import WorkloadError
from pnet_lp.formats import Formats
from pnet_lp.workload.traces.trace import Trace

TRACE_FORMATS: Formats[Trace] = Formats(
    "trace", WorkloadError, package="pnet_lp.workload.traces", group="pnet_lp.trace_formats"
)
"""``parse(text, where, ranks) -> trace``; ``ranks`` are those of a trace that does not say how many it is for."""
