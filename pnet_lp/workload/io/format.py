"""What a file format of workloads is, and what formats refuse alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pnet_lp.errors import WorkloadError
from pnet_lp.model import Network, Workload


@dataclass(frozen=True)
class Format:
    """One file format.

    Attributes:
        name: for messages.
        suffixes: of files in this format, lower case.
        matches: whether the content of a file is in this format, broken or not, by its
            :func:`~pnet_lp.layouts.opening_bytes`; in time linear in that.
        parse: ``(content, where, network) -> workload``; ``where`` is the file.  Raises WorkloadError, naming file and
            line where the format has lines, and nothing else.
        write: ``(workload, network, path)``, such that ``parse`` gives the same workload back; raises WorkloadError
            where the format cannot hold the workload.
    """

    name: str
    suffixes: tuple[str, ...]
    matches: Callable[[bytes], bool]
    parse: Callable[[bytes, str, Network], Workload]
    write: Callable[[Workload, Network, Path], None]


def check_plain(workload: Workload, what: str, *, waits: bool = False) -> None:
    """Raise WorkloadError where flows share tasks or connections, have stages or weights, or wait without ``waits``.

    Args:
        workload: the workload to be written.
        what: can hold no more, the subject of the sentence.
        waits: whether it can hold flows that wait for others.
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
    if np.any(other := (workload.connection != own) | ~workload.connects):
        raise refusal(workload, what, "flows over a connection that is there", other)


def refusal(
    workload: Workload, what: str, obstacle: str, flows: np.typing.NDArray[np.bool_]
) -> WorkloadError:
    """Return the error that ``what`` cannot hold the ``obstacle`` that the first of ``flows`` is."""
    return WorkloadError(
        f"{what} cannot hold {obstacle}",
        where=f"{workload.label or 'workload'}: flow {int(np.argmax(flows))}",
        allowed="CSV or Parquet",
    )
