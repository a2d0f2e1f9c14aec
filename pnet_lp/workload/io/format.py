"""The registry of formats of workloads, and what several formats cannot hold."""

from __future__ import annotations

import numpy as np

from pnet_lp.errors import WorkloadError
from pnet_lp.formats import Formats
from pnet_lp.model import Workload

WORKLOAD_FORMATS: Formats[Workload] = Formats(
    "workload",
    WorkloadError,
    package="pnet_lp.workload.io",
    group="pnet_lp.workload_formats",
    difference=lambda workload, again: None if workload.fingerprint == again.fingerprint else "",
)
"""``parse(text, where, network) -> workload``, ``render(workload, network) -> text``."""


def check_plain(workload: Workload, what: str, *, waits: bool = False) -> None:
    """Raise WorkloadError where flows share tasks or connections, have stages, weights or transports, or wait.

    ``what`` cannot hold these, but for waits where it has ``waits``; it is the subject of the sentence.
    """
    own = np.arange(workload.flow_count)
    if len(workload.after) and not waits:
        raise refusal(workload, what, "flows that wait for others", np.diff(workload.after_ptr) > 0)
    if np.any(other := workload.task != own):
        raise refusal(workload, what, "tasks of several flows", other)
    if workload.stages:
        raise refusal(workload, what, "stages", own >= 0)
    if workload.is_weighted:
        raise refusal(workload, what, "weights of flows", workload.weight != 1)
    if workload.transports:
        raise refusal(workload, what, "transports of flows", workload.transport >= 0)
    if np.any(other := (workload.connection != own) | ~workload.connects):
        raise refusal(workload, what, "flows over an existing connection", other)


def refusal(workload: Workload, what: str, obstacle: str, flows: np.typing.NDArray[np.bool_]) -> WorkloadError:
    """Return the error that ``what`` cannot hold the ``obstacle`` that the first of ``flows`` is."""
    return WorkloadError(
        f"{what} cannot hold {obstacle}",
        where=f"{workload.label or 'workload'}: flow {int(np.argmax(flows))}",
        allowed="CSV or Parquet",
    )
