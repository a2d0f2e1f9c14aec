"""Parquet: the columns of :mod:`~pnet_lp.workload.io.delimited`, ``after`` and ``after_acknowledged`` as lists.

Hosts are names, or indices as whole numbers; ids, connections, tasks, stages and transports are text or whole numbers.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pnet_lp.errors import WorkloadError
from pnet_lp.extras import load
from pnet_lp.formats import Format
from pnet_lp.model import Network, Workload
from pnet_lp.parquet import open_parquet
from pnet_lp.workload.io.flows import check_count, parse_size, parse_time
from pnet_lp.workload.io.format import WORKLOAD_FORMATS
from pnet_lp.workload.io.table import COLUMNS, REQUIRED, TableRow, cells_of, check_columns, flows_of

if TYPE_CHECKING:
    import pyarrow as pa

_LISTS = ("after", "after_acknowledged")
_TIMES = ("start_s", "earliest_s")
_TEXTS = ("id", "connection", "task", "stage", "transport")
_BYTES_PER_ROW = 2000
"""Unpacked; names are short, and few flows wait for many."""


def _parse(data: bytes, where: str, network: Network) -> Workload:
    with open_parquet(data, where, WorkloadError, row_bytes=_BYTES_PER_ROW) as file:
        names = file.schema_arrow.names
        check_columns(names, where)
        check_count(file.metadata.num_rows, where)
        table = file.read()
        columns = {name: table.column(name).to_pylist() for name in names}
    _check_types(table, where)
    count = table.num_rows
    nothing = [None] * count
    rows = zip(*(columns.get(name, nothing) for name in COLUMNS), strict=True)
    found = flows_of([_row(dict(zip(COLUMNS, row, strict=True)), f"{where}: row {i}") for i, row in enumerate(rows)])
    return found.workload(network, where)


def _check_types(table: pa.Table, where: str) -> None:
    import pyarrow as pa  # noqa: PLC0415

    def is_text(kind: pa.DataType) -> bool:
        return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind))

    def is_number(kind: pa.DataType) -> bool:
        return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind))

    for field in table.schema:
        kind = field.type
        listed = pa.types.is_list(kind) or pa.types.is_large_list(kind)
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        fits, expected = {
            **dict.fromkeys(("bytes", "enough"), (pa.types.is_integer(kind), "whole numbers")),
            **dict.fromkeys(_TIMES, (is_number(kind), "numbers")),
            "pause_s": (listed and is_number(kind.value_type), "lists of numbers"),
            "weight": (is_number(kind), "numbers"),
            "connects": (pa.types.is_boolean(kind), "truth values"),
            **dict.fromkeys(_LISTS, (listed and is_text(kind.value_type), "lists of text or whole numbers")),
        }.get(field.name, (is_text(kind), "text or whole numbers"))
        if not fits and not pa.types.is_null(kind):
            raise WorkloadError(f"{field.name} has another type", where=where, found=str(field.type), allowed=expected)


def _row(cells: dict[str, Any], where: str) -> TableRow:
    for name in REQUIRED:
        if cells[name] is None:
            raise WorkloadError(f"{name} is empty", where=where)
    after, acknowledged = (tuple(str(item) for item in cells[name] or ()) for name in _LISTS)
    own, connection, task, stage, transport = (None if cells[name] is None else str(cells[name]) for name in _TEXTS)
    return TableRow(
        where=where,
        src=cells["src"],
        dst=cells["dst"],
        size=parse_size(str(cells["bytes"]), where),
        start_ps=parse_time(str(cells["start_s"]), 12, where),
        connects=cells["connects"] is not False,
        id=own,
        after=after,
        after_acknowledged=acknowledged,
        pause_ps=tuple(parse_time(str(pause), 12, where) for pause in cells["pause_s"] or ()),
        enough=None if cells["enough"] is None else int(cells["enough"]),
        earliest_ps=0 if cells["earliest_s"] is None else parse_time(str(cells["earliest_s"]), 12, where),
        connection=connection,
        task=task,
        stage=stage,
        weight=1.0 if cells["weight"] is None else float(cells["weight"]),
        transport=transport or "",
    )


def _write(workload: Workload, temporary: Path, network: Network) -> None:
    pa, pq = load("pyarrow", str(temporary)), load("pyarrow.parquet", str(temporary))
    cells = cells_of(workload, network)
    for name in set(_TIMES) & set(cells):
        cells[name] = [float(time) for time in cells[name]]
    if "pause_s" in cells:
        cells["pause_s"] = [[float(pause) for pause in row] for row in cells["pause_s"]]
    kinds = {**dict.fromkeys(_LISTS, pa.list_(pa.int64())), "pause_s": pa.list_(pa.float64())}
    columns = {name: pa.array(cells[name], kinds.get(name)) for name in COLUMNS if name in cells}
    pq.write_table(pa.table(columns), temporary, write_page_checksum=True)


WORKLOAD_FORMATS.add(
    Format("parquet", (".parquet",), _write, _parse, lambda head: head.startswith("PAR1"), library="pyarrow"),
    summary="the columns of CSV",
)
