"""The table of flows that CSV and Parquet hold; see :mod:`~pnet_lp.workload.io.delimited` for its columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pnet_lp.errors import WorkloadError
from pnet_lp.layouts import whole
from pnet_lp.model import Network, Workload
from pnet_lp.workload.io.flows import FlowList, format_time

REQUIRED = ("src", "dst", "bytes", "start_s")
COLUMNS = (
    *REQUIRED,
    "id",
    "after",
    "after_acknowledged",
    "pause_s",
    "earliest_s",
    "enough",
    "connection",
    "connects",
    "task",
    "stage",
    "weight",
    "transport",
)


class TableRow(NamedTuple):
    """One row; what is None or empty was not given."""

    where: str
    src: str | int
    dst: str | int
    size: int
    start_ps: int
    id: str | None
    after: tuple[str, ...]
    after_acknowledged: tuple[str, ...]
    pause_ps: tuple[int, ...]
    earliest_ps: int
    enough: int | None
    connection: str | None
    connects: bool
    task: str | None
    stage: str | None
    weight: float
    transport: str


def check_columns(names: Sequence[str], where: str) -> None:
    """Raise WorkloadError where a column is missing, unknown or there twice."""
    if len(set(names)) < len(names) or not set(REQUIRED) <= set(names) <= set(COLUMNS):
        more = ",".join(COLUMNS[len(REQUIRED) :])
        raise WorkloadError(
            "invalid columns", where=where, found=",".join(names), allowed=f"{','.join(REQUIRED)} and any of {more}"
        )


def flows_of(rows: Iterable[TableRow]) -> FlowList:
    """Return the flows of a table.

    Raises:
        WorkloadError: an id that is there twice or not at all, or one that some rows have and others have not.
    """
    kept = list(rows)
    found = FlowList(lambda number: kept[number].where)
    for key in ("id", "task", "stage"):
        lacking = [row.where for row in kept if getattr(row, key) is None]
        if 0 < len(lacking) < len(kept):
            raise WorkloadError(f"a flow has no {key}, and others have one", where=lacking[0])
    ids: dict[str, int] = {}
    for number, row in enumerate(kept):
        name = str(number) if row.id is None else row.id
        if ids.setdefault(name, number) != number:
            raise WorkloadError("two flows have the same id", where=row.where, found=name)
    numbers: dict[tuple[str, str | int], int] = {}
    for number, row in enumerate(kept):
        found.add(row.src, row.dst, row.size, row.start_ps)
        awaited = [*((name, False) for name in row.after), *((name, True) for name in row.after_acknowledged)]
        if row.pause_ps and len(row.pause_ps) != len(awaited):
            raise WorkloadError(
                f"{len(awaited)} flows to wait for have {len(row.pause_ps)} values of pause_s", where=row.where
            )
        for (name, acknowledged), pause in zip(awaited, row.pause_ps or [0] * len(awaited), strict=True):
            if name not in ids:
                raise WorkloadError("unknown flow to wait for", where=row.where, found=name, allowed="an id")
            found.waits.append((number, ids[name], acknowledged, pause))
        found.earliest_ps.append(row.earliest_ps)
        found.enough.append(len(awaited) if row.enough is None else row.enough)
        # The first flow of a connection gives it its number.
        own = ("flow", number) if row.connection is None else ("connection", row.connection)
        found.connection.append(numbers.setdefault(own, number))
        found.connects.append(row.connects)
        found.weight.append(row.weight)
        found.transport.append(row.transport)
    tasks = [_task(row) for row in kept if row.task is not None]
    found.stage = [row.stage for row in kept if row.stage is not None]
    found.task = np.unique(tasks, return_inverse=True)[1].tolist()
    return found


def parse_enough(token: str | None, where: str) -> int | None:
    """Return the number in a cell of ``enough``, None for none; WorkloadError for what is no whole number."""
    number = None if token is None else whole(token)
    if token is not None and number is None:
        raise WorkloadError(
            "invalid number of flows that are enough", where=where, found=token, allowed="a whole number"
        )
    return number


def _task(row: TableRow) -> int:
    task = whole(row.task or "")
    if task is None:
        raise WorkloadError("invalid task", where=row.where, found=row.task, allowed="a whole number")
    return task


def cells_of(workload: Workload, network: Network) -> dict[str, list[Any]]:
    """Return the columns of a workload's table, its starts as text."""
    cells = workload.columns(network)
    for name, times in (("start_s", workload.start_ps), ("earliest_s", workload.earliest_ps)):
        if name in cells:
            cells[name] = [format_time(time, 12) for time in times.tolist()]
    if "pause_s" in cells:
        cells["pause_s"] = [[format_time(pause, 12) for pause in row] for row in workload.pauses()]
    return cells
