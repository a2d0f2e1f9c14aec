"""Traces of programs as workloads: a format of traces per module, recognised by content.

``trace`` is what every format is read to, ``expand`` makes flows of it, ``params`` holds what a trace leaves open.
Traces are only read.
"""

from pnet_lp.workload.traces.format import TRACE_FORMATS
from pnet_lp.workload.traces.params import TraceParams

__all__ = ["TRACE_FORMATS", "TraceParams"]
