"""Tables in files and JSON that any reader accepts."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from pnet_lp.errors import SpecError
from pnet_lp.files import json_text
from pnet_lp.tables import from_rows, write_table

COLUMNS = {"u": ["a", 'b,"c"'], "plane": [0, 1], "load": [0.1, math.inf]}


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    write_table(COLUMNS, path)
    with path.open(newline="") as file:
        assert list(csv.reader(file)) == [["u", "plane", "load"], ["a", "0", "0.1"], ['b,"c"', "1", "inf"]]


def test_json_is_a_list_of_rows(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    write_table(COLUMNS, path)
    assert json.loads(path.read_text()) == [
        {"u": "a", "plane": 0, "load": 0.1},
        {"u": 'b,"c"', "plane": 1, "load": None},
    ]


@pytest.mark.parametrize("count", [0, 1, 2, 4, 5])
def test_rows_are_written_some_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr("pnet_lp.tables._ROWS", 2)
    names = [f"h{i}" for i in range(count)]
    table = {"host": np.array(names, dtype=object), "load": np.arange(count) / 2, "plane": list(range(count))}
    rows = [{"host": name, "load": i / 2, "plane": i} for i, name in enumerate(names)]
    write_table(table, tmp_path / "table.json")
    assert (tmp_path / "table.json").read_text() == json_text(rows)
    write_table(table, tmp_path / "table.csv")
    lines = ["host,load,plane", *(",".join(map(str, row.values())) for row in rows)]
    assert (tmp_path / "table.csv").read_text() == "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_columns_are_of_one_length(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        write_table({"a": [1, 2], "b": [1]}, tmp_path / f"table.{suffix}")
    assert not list(tmp_path.iterdir())


def test_parquet_keeps_types(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    write_table(COLUMNS, path)
    table = pq.read_table(path)
    assert table.to_pydict() == COLUMNS
    assert [str(kind) for kind in table.schema.types] == ["string", "int64", "double"]


def test_other_suffixes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.xlsx"
    with pytest.raises(SpecError) as caught:
        write_table(COLUMNS, path)
    assert str(caught.value) == f"{path}: unknown table format, found '.xlsx'; allowed: .csv, .json, .parquet"
    assert not path.exists()


def test_rows_become_columns() -> None:
    assert from_rows([{"a": 1, "b": 2}, {"a": 3, "b": 4}]) == {"a": [1, 3], "b": [2, 4]}
    assert from_rows([]) == {}


def test_json_text_is_strict() -> None:
    document = {"a": np.float64("nan"), "b": (np.int32(1), -math.inf), 3: np.array([1.5]), "é": None}
    text = json_text(document)
    assert json.loads(text, parse_constant=pytest.fail) == {"a": None, "b": [1, None], "3": [1.5], "é": None}
    assert text.isascii()
    assert text.endswith("}\n")
