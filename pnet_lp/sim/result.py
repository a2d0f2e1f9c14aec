"""What a run leaves behind: records of flows and ports as columns and as tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.extras import load
from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.brief import brief
from pnet_lp.model.frozen import freeze
from pnet_lp.model.workload import LongArray
from pnet_lp.sim.ports import Ports

if TYPE_CHECKING:
    import pyarrow as pa

End: TypeAlias = Literal[
    "complete", "no events left", "time limit", "event limit", "end of clock", "interrupted", "deadlock", "cut off"
]
"""Why a run ended: all flows were complete; nothing was left to happen, though they were not; a limit; the latest time
that the simulator counts to; Ctrl-C; paused ports that wait for each other; all paths of what is left stay down."""


@brief("end", "flow_count", "completed", "time_ps", "events")
@dataclass(frozen=True, eq=False)
class SimulationResult:
    """The records of one run.

    Attributes:
        end: why it ended.
        time_ps: simulated time at its end.
        events: what the simulator did.
        packet_hops: packets times the links they crossed; None in a fluid.
        seconds: what the run took, on a clock.
        seed: its seed.
        flow: by name, int64 ``[f]``, in the order of the workload, -1 for what never happened; see :attr:`flows`.
        plane_bytes: int64 ``[f, planes]``, bytes of data sent into each plane, with servers last over links inside
            these: by the port by which they leave their source.
        subflow_bytes: int64 ``[f, subflows]``, bytes of data sent by each subflow.
        task, stage: int32 ``[f]``, as in the workload.
        stages: what these are called; empty where nothing is known of any.
        transport: int32 ``[f]``, what a flow is sent by, by index into ``transports``.
        transports: expressions; empty of a fluid.
        is_job: whether flows wait for others or are tasks together.
        port: by name, int64, one entry for each of :attr:`places`; see :attr:`ports`.
        places: the network's ports.
        link_delay_ps: how long a bit travels on links of which the network does not say.
        traces: by sort, what was traced, by column; none in a fluid.
        settings: what the run depended on beside network and workload, as a JSON object of expressions.
        network, workload: summaries, as JSON objects.
        warnings: one sentence each.
    """

    end: End
    time_ps: int
    events: int
    packet_hops: int | None
    seconds: float
    seed: int
    flow: Mapping[str, LongArray]
    plane_bytes: LongArray
    subflow_bytes: LongArray
    task: npt.NDArray[np.int32]
    stage: npt.NDArray[np.int32]
    stages: tuple[str, ...]
    transport: npt.NDArray[np.int32]
    transports: tuple[str, ...]
    is_job: bool
    port: Mapping[str, LongArray]
    places: Ports
    link_delay_ps: int
    traces: Mapping[str, Mapping[str, npt.NDArray[Any]]]
    settings: Mapping[str, Any]
    network: Mapping[str, Any]
    workload: Mapping[str, Any]
    warnings: tuple[str, ...]

    def __post_init__(self) -> None:
        freeze(self, "flow", "port", "traces", "settings", "network", "workload")

    @property
    def is_mixed(self) -> bool:
        """Whether flows have different transports."""
        return len(self.transports) > 1

    @property
    def flow_count(self) -> int:
        """Number of flows, unfinished ones included."""
        return len(self.flow["flow"])

    @cached_property
    def done(self) -> npt.NDArray[np.bool_]:
        """Bool ``[f]``, whether a flow was complete at the end."""
        return self.flow["end_ps"] >= 0

    @property
    def completed(self) -> int:
        """Number of complete flows."""
        return int(self.done.sum())

    @cached_property
    def completion_ps(self) -> LongArray:
        """int64 ``[f]``, from start to end; -1 for a flow that is not complete."""
        return np.where(self.done, self.flow["end_ps"] - self.flow["start_ps"], -1)

    @cached_property
    def slowdown(self) -> FloatArray:
        """float64 ``[f]``, completion time over the ideal one; NaN for a flow that is not complete."""
        return np.where(self.done, self.completion_ps / np.maximum(self.flow["ideal_ps"], 1), np.nan)

    @cached_property
    def goodput_gbps(self) -> FloatArray:
        """float64 ``[f]``, payload over completion time; NaN for a flow that is not complete."""
        return np.where(self.done, self.flow["bytes"] * 8000.0 / np.maximum(self.completion_ps, 1), np.nan)

    @cached_property
    def task_ps(self) -> LongArray:
        """int64 ``[complete tasks]``, from the start of a task's first flow to the end of its last."""
        return self._lasting(self.task)

    @property
    def makespan_ps(self) -> int | None:
        """From the start of the first flow to the end of the last; None where not all are complete."""
        return int(self.flow["end_ps"].max() - self.flow["start_ps"].min()) if self.done.all() else None

    @property
    def job_ps(self) -> int | None:
        """The same, where flows are a job; else None."""
        return self.makespan_ps if self.is_job else None

    def stage_ps(self, stage: int) -> tuple[int | None, LongArray]:
        """Return how long a stage took, and int64 ``[complete tasks]`` how long what tasks do in it.

        Either lasts from the start of a first flow to the end of a last; a stage that is not complete took None.
        """
        chosen = self.stage == stage
        whole = self._lasting(np.where(chosen, 0, -1))
        return int(whole[0]) if len(whole) else None, self._lasting(np.where(chosen, self.task, -1))

    def _lasting(self, group: npt.NDArray[np.integer[Any]]) -> LongArray:
        """Return for each group of flows that is complete the time from its first start to its last end; -1 is none."""
        names, place = np.unique(group, return_inverse=True)
        first, last = np.full(len(names), np.iinfo(np.int64).max), np.zeros(len(names), dtype=np.int64)
        np.minimum.at(first, place, self.flow["start_ps"])
        np.maximum.at(last, place, self.flow["end_ps"])
        complete = (np.bincount(place, ~self.done) == 0) & (names >= 0)
        taken: LongArray = (last - first)[complete]
        return taken

    @cached_property
    def flows(self) -> pa.Table:
        """One row for each flow, in the order of the workload; null stands for what never happened.

        ``bytes`` is payload; ``arrived_ps`` is when the last byte was at the destination, ``end_ps`` when the source
        knew so; ``ideal_ps`` is the least time alone in the network; packets are counted in both
        directions, handshakes and acknowledgements included, ``data_packets`` are those with payload.
        """
        pa = load("pyarrow", "flows")
        names = pa.array(self.places.network.host_names, pa.string())
        flow = dict(self.flow)
        ends = {key: pa.DictionaryArray.from_arrays(flow.pop(key).astype(np.int32), names) for key in ("src", "dst")}
        columns: dict[str, Any] = {
            "flow": flow.pop("flow"),
            "task": self.task,
            **({"stage": _named(self.stage, self.stages)} if self.stages else {}),
            **({"transport": _named(self.transport, self.transports)} if self.is_mixed else {}),
            **ends,
            "bytes": flow.pop("bytes"),
        }
        for key in ("start_ps", "arrived_ps", "end_ps", "ideal_ps"):
            columns[key] = _known(flow.pop(key))
        columns["completion_ps"] = _known(self.completion_ps)
        columns["slowdown"] = pa.array(self.slowdown, from_pandas=True)
        columns["goodput_gbps"] = pa.array(self.goodput_gbps, from_pandas=True)
        columns |= flow
        for name, table in (("plane", self.plane_bytes), ("subflow", self.subflow_bytes)):
            if table.shape[1] > 1:
                columns |= {f"{name}_{i}_bytes": column for i, column in enumerate(table.T)}
        if self.places.wiring is not None:
            columns["server_bytes"] = columns.pop(f"plane_{self.places.network.plane_count}_bytes")
        return pa.table(columns)

    @cached_property
    def ports(self) -> pa.Table:
        """One row for each direction of every link: its place, what it carried and how full its queue was.

        ``mean_packets`` is the queue's mean over the run, the packet being sent included.
        """
        return self.places.table(dict(self.port), self.time_ps, self.link_delay_ps)

    def trace(self, sort: str) -> pa.Table:
        """Return what was traced of ``sort``: ``queues``, ``windows`` or ``arrivals``."""
        pa = load("pyarrow", sort)
        columns: dict[str, Any] = dict(self.traces[sort])
        if "port" in columns:
            port = columns.pop("port")
            columns["plane"] = self.places.plane[port]
            columns |= {side: pa.array(self.places.named[side][port], pa.string()) for side in "uv"}
        return pa.table(columns)


def _named(index: npt.NDArray[np.int32], names: tuple[str, ...]) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415

    return pa.DictionaryArray.from_arrays(index, pa.array(names, pa.string()))


def _known(values: LongArray) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415

    return pa.array(values, mask=values < 0)
