"""Workloads in files: one format per module, recognised by content when read and by suffix when written.

Reading raises WorkloadError for whatever is wrong with a file, and never yields a part of one.  Writing is atomic, and
a workload read back is the workload written: a format that cannot hold it refuses.
"""

from __future__ import annotations

from pathlib import Path

from pnet_lp.errors import WorkloadError
from pnet_lp.files import read_limited
from pnet_lp.model import Network, Workload
from pnet_lp.workload.base import WorkloadContext
from pnet_lp.workload.io.format import WORKLOAD_FORMATS
from pnet_lp.workload.traces import TraceParams

__all__ = ["WORKLOAD_FORMATS", "read_trace", "read_workload", "write_workload"]

_GROWS = 70
"""Bytes of memory for each byte of a file: measured are up to 62, of Parquet; of text 18."""


def read_workload(path: str | Path, network: Network) -> Workload:
    """Return the workload in a file of any of :data:`WORKLOAD_FORMATS`, recognised by its content.

    Raises:
        WorkloadError: the file is missing or broken (the message names file and line), or does not fit the network.
    """
    return WORKLOAD_FORMATS.parse(read_limited(path, WorkloadError, grows=_GROWS), str(path), network)


def read_trace(path: str | Path, params: TraceParams, context: WorkloadContext) -> Workload:
    """Return the workload in a file of any of :data:`~pnet_lp.workload.traces.TRACE_FORMATS`.

    Raises:
        WorkloadError: as of :func:`read_workload`; also for a file of a format that leaves nothing open.
        SpecError: an algorithm that does not fit the ranks of an operation.
    """
    return params.workload(read_limited(path, WorkloadError, grows=_GROWS), str(path), context)


def write_workload(workload: Workload, network: Network, path: str | Path) -> None:
    """Write ``workload``, one for ``network``, in the format of the suffix.

    :func:`read_workload` reads it back, for the same network.

    Raises:
        WorkloadError: an unknown suffix, a workload for another number of hosts, or one that the format cannot hold.
        OutputError: the file cannot be written.
    """
    if workload.hosts != network.host_count:
        raise WorkloadError(
            f"the workload is for {workload.hosts} hosts, the network has {network.host_count}", where=str(path)
        )
    WORKLOAD_FORMATS.save(workload, path, network)
