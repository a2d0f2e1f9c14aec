"""CSV: a header ``src,dst,bytes,start_s`` with further columns in any order, then one flow per line.

    id                  what ``after`` calls the flow; default: its number, from 0
    after               ids, with blanks between: the flow starts ``start_s`` after the last of them has arrived
    after_acknowledged  the same, after their sources know that they have arrived
    pause_s             for each id in these two columns, in order: how long after it; default: 0
    earliest_s          a time that a flow with ids in these waits for too; default: 0
    enough              how many of the flows with ids in these have to be done, whichever are first; default: all
    connection          flows with the same one share it, in either direction; default: each has its own
    connects            whether the flow begins with the connection's handshake: true (default) or false
    task                flows with the same one are one piece of work; default: each is its own
    stage               name of the stage of a job that the flow is in; default: there are none
    weight              of the flow where it shares links with others, in a fluid; default: 1
    transport           of the flow, an expression; default: that of the run

Blank lines are skipped, and so are lines that begin with ``#`` before the header.  Hosts are names of the network
throughout a file, or else indices from 0 throughout.  Blanks around a field do not count.  Starts are rounded to
picoseconds.
"""

from __future__ import annotations

from collections.abc import Iterable

from pnet_lp.errors import WorkloadError
from pnet_lp.formats import LAST
from pnet_lp.layouts import csv_text, parse_records
from pnet_lp.model import Network, Workload
from pnet_lp.model.workload import LEAST_WEIGHT, MOST_WEIGHT
from pnet_lp.units import parse_number
from pnet_lp.workload.io.flows import parse_size, parse_time
from pnet_lp.workload.io.format import WORKLOAD_FORMATS
from pnet_lp.workload.io.table import COLUMNS, REQUIRED, TableRow, cells_of, check_columns, flows_of, parse_enough

_TRUTH = {"true": True, "false": False, "1": True, "0": False}


def _parse(text: str, where: str, network: Network) -> Workload:
    rows = parse_records(text, where, WorkloadError, REQUIRED, check_columns)
    return workload_of_cells(rows, network, where)


def workload_of_cells(rows: Iterable[tuple[str, dict[str, str]]], network: Network, where: str) -> Workload:
    """Return the workload of a table: what each row is called, and its cells by column."""
    return flows_of(_row(*row) for row in rows).workload(network, where)


def _row(where: str, cells: dict[str, str]) -> TableRow:
    truth = cells.get("connects", "").lower()
    if truth and truth not in _TRUTH:
        raise WorkloadError("invalid value of connects", where=where, found=cells["connects"], allowed="true or false")
    return TableRow(
        where,
        cells["src"],
        cells["dst"],
        parse_size(cells["bytes"], where),
        parse_time(cells["start_s"], 12, where),
        cells.get("id") or None,
        tuple(cells.get("after", "").split()),
        tuple(cells.get("after_acknowledged", "").split()),
        tuple(parse_time(pause, 12, where) for pause in cells.get("pause_s", "").split()),
        parse_time(cells.get("earliest_s") or "0", 12, where),
        parse_enough(cells.get("enough") or None, where),
        cells.get("connection") or None,
        _TRUTH.get(truth, True),
        cells.get("task") or None,
        cells.get("stage") or None,
        _weight(cells.get("weight", ""), where),
        cells.get("transport", ""),
    )


def _weight(token: str, where: str) -> float:
    value = parse_number(token) if token else 1.0
    if not LEAST_WEIGHT <= value <= MOST_WEIGHT:
        raise WorkloadError(
            "invalid flow weight", where=where, found=token, allowed=f"{LEAST_WEIGHT:g} to {MOST_WEIGHT:g}"
        )
    return value


def _render(workload: Workload, network: Network) -> str:
    cells = cells_of(workload, network)
    columns = [[_cell(value) for value in cells[name]] for name in COLUMNS if name in cells]
    return csv_text([name for name in COLUMNS if name in cells], zip(*columns, strict=True))


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


WORKLOAD_FORMATS.add_text(
    "csv",
    (".csv",),
    "columns src, dst, bytes, start_s and optional ones",
    _parse,
    _render,
    recognise=lambda _: True,
    order=LAST,
)
