"""Parquet: columns ``src``, ``dst`` and ``demand``; endpoints are names, or indices as whole numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import TrafficError
from pnet_lp.extras import load
from pnet_lp.formats import Format
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.parquet import open_parquet
from pnet_lp.traffic.io.format import MATRIX_FORMATS, entries
from pnet_lp.traffic.io.lines import check_count, check_demand, matrix_of_columns
from pnet_lp.units import are_amounts

if TYPE_CHECKING:
    import pyarrow as pa

_COLUMNS = ("src", "dst", "demand")

_BYTES_PER_ROW = 1000
"""Unpacked; names of endpoints are short."""


def _parse(data: bytes, where: str, network: Network, level: Level) -> TrafficMatrix:
    pa = load("pyarrow", where)
    with open_parquet(data, where, TrafficError, row_bytes=_BYTES_PER_ROW, texts=("src", "dst")) as file:
        names = file.schema_arrow.names
        check_count(file.metadata.num_rows, len(network.endpoint_names(level)), where)
        columns = {name: file.read([name]).column(name).combine_chunks() for name in _COLUMNS if name in names}
    for name in _COLUMNS:
        if name not in columns:
            raise TrafficError(
                f"column {name!r} is missing", where=where, found=", ".join(names), allowed=", ".join(_COLUMNS)
            )
    tokens: dict[str | int, int] = {}
    src, dst = (_endpoints(columns[name], name, tokens, where) for name in ("src", "dst"))
    if not (pa.types.is_floating(columns["demand"].type) or pa.types.is_integer(columns["demand"].type)):
        raise TrafficError("demand does not hold numbers", where=where, found=str(columns["demand"].type))
    _check_full(columns["demand"], "demand", where)
    demand = columns["demand"].to_numpy(zero_copy_only=False).astype(np.float64)
    if len(bad := np.flatnonzero(~are_amounts(demand))):
        check_demand(float(demand[bad[0]]), float(demand[bad[0]]), f"{where}: row {bad[0]}")
    return matrix_of_columns(list(tokens), src, dst, demand, network, level, where, lambda row: f"{where}: row {row}")


def _endpoints(column: pa.Array, name: str, tokens: dict[str | int, int], where: str) -> npt.NDArray[np.int64]:
    """Return the place in ``tokens`` of each row's endpoint; new ones are added there."""
    import pyarrow as pa  # noqa: PLC0415

    encoded = pa.types.is_dictionary(column.type)
    kind = column.type.value_type if encoded else column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind)):
        raise TrafficError(
            f"{name} does not hold endpoints", where=where, found=str(kind), allowed="text or whole numbers"
        )
    _check_full(column, name, where)
    column = column if encoded else column.dictionary_encode()
    try:
        column.validate(full=True)
        values = column.dictionary.to_pylist()
    except ValueError as error:
        raise TrafficError(f"{name} holds broken data", where=where, found=str(error)) from None
    places = np.array([tokens.setdefault(value, len(tokens)) for value in values], dtype=np.int64)
    rows: npt.NDArray[np.int64] = places[column.indices.to_numpy(zero_copy_only=False)]
    return rows


def _check_full(column: pa.Array, name: str, where: str) -> None:
    if column.null_count:
        raise TrafficError(f"{name} has empty fields", where=where, found=column.null_count)


def _write(traffic: TrafficMatrix, temporary: Path, network: Network, level: Level) -> None:
    names = network.endpoint_names(level)
    pa, pq = load("pyarrow", str(temporary)), load("pyarrow.parquet", str(temporary))
    rows = entries(traffic)
    table = pa.table(
        {
            "src": pa.array([names[s] for s, _, _ in rows], pa.string()),
            "dst": pa.array([names[t] for _, t, _ in rows], pa.string()),
            "demand": pa.array(traffic.demand, pa.float64()),
        }
    )
    pq.write_table(table, temporary, write_page_checksum=True)


MATRIX_FORMATS.add(
    Format("parquet", (".parquet",), _write, _parse, lambda head: head.startswith("PAR1"), library="pyarrow"),
    summary="columns src, dst, demand",
)
