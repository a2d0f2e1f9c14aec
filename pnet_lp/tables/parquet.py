"""Parquet: typed columns."""

from pathlib import Path

from pnet_lp.extras import load
from pnet_lp.formats import Format
from pnet_lp.tables import TABLE_FORMATS, Columns


def _write(columns: Columns, temporary: Path) -> None:
    arrow, parquet = load("pyarrow", str(temporary)), load("pyarrow.parquet", str(temporary))
    parquet.write_table(arrow.table(dict(columns)), temporary)


TABLE_FORMATS.add(Format("parquet", (".parquet",), _write, library="pyarrow"), summary="typed columns")
