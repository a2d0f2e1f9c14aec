"""Parquet: columns ``src``, ``dst`` and ``demand``; endpoints are names, or indices as whole numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pnet_lp.errors import TrafficError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import Format, entries
from pnet_lp.traffic.io.lines import Line, check_demand, matrix_of

if TYPE_CHECKING:
    import pyarrow as pa

_COLUMNS = ("src", "dst", "demand")


def _parse(data: bytes, where: str, network: Network, level: Level) -> TrafficMatrix:
    import pyarrow as pa  # noqa: PLC0415 - takes longer to load than all other formats together
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        # Checksums and limits, because a length in a broken file is not to be believed.
        file = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)
        names = file.schema_arrow.names
        columns = {
            name: file.read([name]).column(name).combine_chunks() for name in _COLUMNS if name in names
        }
    except (pa.ArrowException, OSError, ValueError, TypeError, MemoryError, OverflowError) as error:
        problem = str(error).split("\n", maxsplit=1)[0] or type(error).__name__
        raise TrafficError(f"not Parquet ({problem})", where=where) from None
    for name in _COLUMNS:
        if name not in columns:
            raise TrafficError(
                f"column {name!r} is missing",
                where=where,
                found=", ".join(names),
                allowed=", ".join(_COLUMNS),
            )
    src, dst = (_endpoints(columns[name], name, where) for name in ("src", "dst"))
    if not (pa.types.is_floating(columns["demand"].type) or pa.types.is_integer(columns["demand"].type)):
        raise TrafficError("demand does not hold numbers", where=where, found=str(columns["demand"].type))
    rows = zip(src, dst, _values(columns["demand"], "demand", where), strict=True)
    lines = [
        Line(f"{where}: row {i}", s, t, check_demand(float(d), d, f"{where}: row {i}"))
        for i, (s, t, d) in enumerate(rows)
    ]
    return matrix_of(lines, network, level, where)


def _endpoints(column: pa.Array, name: str, where: str) -> list[Any]:
    import pyarrow as pa  # noqa: PLC0415

    kind = column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind)):
        raise TrafficError(
            f"{name} does not hold endpoints", where=where, found=str(kind), allowed="text or whole numbers"
        )
    return _values(column, name, where)


def _values(column: pa.Array, name: str, where: str) -> list[Any]:
    if column.null_count:
        raise TrafficError(f"{name} has empty fields", where=where, found=column.null_count)
    try:
        values: list[Any] = column.to_pylist()
    except ValueError as error:
        raise TrafficError(f"{name} does not hold text", where=where, found=str(error)) from None
    return values


def _write(traffic: TrafficMatrix, names: tuple[str, ...], path: Path) -> None:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    rows = entries(traffic)
    table = pa.table(
        {
            "src": pa.array([names[s] for s, _, _ in rows], pa.string()),
            "dst": pa.array([names[t] for _, t, _ in rows], pa.string()),
            "demand": pa.array(traffic.demand, pa.float64()),
        }
    )
    pq.write_table(table, path, write_page_checksum=True)


FORMAT = Format("Parquet", (".parquet",), lambda head: head.startswith(b"PAR1"), _parse, _write)
