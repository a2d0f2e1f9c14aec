"""Traffic matrices in files: what is written is read back, and every fault is named where it is."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.errors import TrafficError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.traffic import build_traffic, read_traffic, write_traffic

from .conftest import ring_of

REPOSITORY = Path(__file__).parents[2]

printable = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=6)


@st.composite
def instances(draw: st.DrawFn) -> tuple[Network, TrafficMatrix]:
    names = draw(st.lists(printable, min_size=2, max_size=8, unique=True))
    n = len(names)
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] != pair[1])
    demands = st.floats(1e-15, 1e15)
    entries = draw(st.dictionaries(pairs, demands, max_size=20))
    src, dst = [s for s, _ in entries], [t for _, t in entries]
    return ring_of(n, names=names), TrafficMatrix.from_entries("rack", n, src, dst, list(entries.values()))


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".parquet", ".json"])
@given(instance=instances())
@settings(max_examples=25, deadline=None)
def test_what_is_written_is_read_back(suffix: str, instance: tuple[Network, TrafficMatrix]) -> None:
    network, matrix = instance
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"matrix{suffix}"
        write_traffic(matrix, network, path)
        again = read_traffic(path, network, "rack")
        first = path.read_bytes()
        write_traffic(again, network, path)
        assert path.read_bytes() == first
    assert again.fingerprint == matrix.fingerprint
    assert again.label == str(path)


def csv(folder: Path, text: str) -> Path:
    path = folder / "matrix.csv"
    path.write_text(text)
    return path


def entries(matrix: TrafficMatrix) -> list[tuple[int, int, float]]:
    return list(zip(matrix.src.tolist(), matrix.dst.tolist(), matrix.demand.tolist(), strict=True))


def test_endpoints_are_names_if_all_are(tmp_path: Path) -> None:
    network = ring_of(3, names=["1", "2", "3"])
    assert entries(read_traffic(csv(tmp_path, "src,dst,demand\n1,2,5\n"), network, "rack")) == [(0, 1, 5.0)]


def test_endpoints_are_indices_if_one_is_no_name(tmp_path: Path) -> None:
    network = ring_of(3, names=["1", "2", "3"])
    path = csv(tmp_path, "src,dst,demand\n1,2,5\n0,1,7\n")
    assert entries(read_traffic(path, network, "rack")) == [(0, 1, 7.0), (1, 2, 5.0)]


def test_csv_is_read_as_people_write_it(tmp_path: Path) -> None:
    path = csv(tmp_path, "\ufeff# mine, all mine\n\n demand, src ,dst\r\n1.5, 0 ,1\n\n0,2,2\n.5,0,1\n")
    assert entries(read_traffic(path, ring_of(3), "rack")) == [(0, 1, 2.0)]


def test_hosts_by_name(tmp_path: Path) -> None:
    path = csv(tmp_path, "src,dst,demand\nh0,h5,1\n")
    assert entries(read_traffic(path, ring_of(3, hosts_per_switch=2), "host")) == [(0, 5, 1.0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": the file is empty"),
        ("src,dst\n", ":1: invalid header, found 'src,dst'; allowed: src,dst,demand"),
        ("0,1,2\n", ":1: invalid header, found '0,1,2'; allowed: src,dst,demand"),
        ("src,dst,demand\n0,1\n", ":2: 2 fields instead of 3, found '0,1'"),
        ("src,dst,demand\n0,1,x\n", ":2: invalid demand, found 'x'; allowed: 0, or 1e-15 to 1e+15"),
        ("src,dst,demand\n0,1,1\n1,2,-1\n", ":3: invalid demand, found '-1'; allowed: 0, or 1e-15 to 1e+15"),
        ("src,dst,demand\n\n0,1,nan\n", ":3: invalid demand, found 'nan'; allowed: 0, or 1e-15 to 1e+15"),
        ("src,dst,demand\n0,1,inf\n", ":2: invalid demand, found 'inf'; allowed: 0, or 1e-15 to 1e+15"),
        ("src,dst,demand\n2,2,1\n", ":2: rack '2' has a demand to itself"),
        (
            "src,dst,demand\n0,7,1\n",
            ":2: the matrix is larger than the network: rack 7 needs 8 racks, the network has 4; allowed: 0 to 3",
        ),
        (
            "src,dst,demand\n0,1,1\n0,tor1,1\n",
            ":3: unknown rack 'tor1'; allowed: a name of the network's 4 racks, or indices throughout the file",
        ),
        ('src,dst,demand\n"0,1,1\n', ":2: not CSV (unexpected end of data)"),
    ],
)
def test_faults_of_csv_files(tmp_path: Path, text: str, message: str) -> None:
    path = csv(tmp_path, text)
    with pytest.raises(TrafficError) as caught:
        read_traffic(path, ring_of(4), "rack")
    assert str(caught.value) == f"{path}{message}"


def test_unknown_names_offer_the_nearest(tmp_path: Path) -> None:
    path = csv(tmp_path, "src,dst,demand\nleft,rihgt,1\n")
    with pytest.raises(TrafficError, match=r"matrix\.csv:2: unknown rack 'rihgt' \(did you mean 'right'\?\)"):
        read_traffic(path, ring_of(2, names=["left", "right"]), "rack")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TrafficError) as caught:
        read_traffic(path, ring_of(4), "rack")
    assert str(caught.value) == f"{path}:1: not a text file; allowed: UTF-8 text"


def test_a_dense_archive(tmp_path: Path) -> None:
    path = tmp_path / "matrix.bin"
    matrix = np.zeros((4, 4))
    matrix[1, 2] = 3
    with path.open("wb") as file:
        np.savez(file, matrix=matrix)
    assert entries(read_traffic(path, ring_of(4), "rack")) == [(1, 2, 3.0)]


def dense(value: float, at: tuple[int, int] = (1, 2), n: int = 4) -> dict[str, object]:
    matrix = np.zeros((n, n))
    matrix[at] = value
    return {"matrix": matrix}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (dense(1, n=5), ": the matrix is larger than the network: it is for 5 racks, the network has 4"),
        (dense(1, n=3), ": the matrix is smaller than the network: it is for 3 racks, the network has 4"),
        (dense(np.nan), ": matrix[1, 2]: invalid demand, found nan; allowed: 0, or 1e-15 to 1e+15"),
        (dense(-2.0), ": matrix[1, 2]: invalid demand, found -2.0; allowed: 0, or 1e-15 to 1e+15"),
        (dense(1, at=(3, 3)), ": matrix: rack 3 has a demand to itself"),
        ({"matrix": np.zeros((4, 3))}, ": matrix: a dense matrix is square, found (4, 3)"),
        ({"matrix": np.array([["a"]])}, ": matrix does not hold numbers, found '<U1'"),
        ({"src": [0], "dst": [1]}, ": array 'demand' is missing; allowed: src, dst and demand; or a square matrix"),
        (
            {"src": [0], "dst": [1, 2], "demand": [1.0]},
            ": src, dst and demand have shapes (1,), (2,), (1,); allowed: one length for all",
        ),
        (
            {"src": [0.5], "dst": [1], "demand": [1.0]},
            ": src does not hold indices, found 'float64(1,)'; allowed: integers >= 0",
        ),
        (
            {"src": [-1], "dst": [1], "demand": [1.0]},
            ": src does not hold indices, found 'int64(1,)'; allowed: integers >= 0",
        ),
        (
            {"src": [0], "dst": [6], "demand": [1.0]},
            ": the matrix is larger than the network: it is for 7 racks, the network has 4",
        ),
        (
            {"src": [0], "dst": [1], "demand": [1.0], "endpoints": [9]},
            ": the matrix is larger than the network: it is for 9 racks, the network has 4",
        ),
        ({"src": [0], "dst": [1], "demand": [1.0], "level": "host"}, ": level: the matrix is not between racks"),
        (
            {"src": [0, 1], "dst": [1, 2], "demand": [1.0, -1.0]},
            ": demand[1]: invalid demand, found -1.0; allowed: 0, or 1e-15 to 1e+15",
        ),
        ({"src": [0, 1], "dst": [1, 1], "demand": [1.0, 1.0]}, ": entry 1: rack 1 has a demand to itself"),
    ],
)
def test_faults_of_archives(tmp_path: Path, arrays: dict[str, object], message: str) -> None:
    path = tmp_path / "matrix.npz"
    np.savez(path, **{key: np.asarray(value) for key, value in arrays.items()})
    with pytest.raises(TrafficError) as caught:
        read_traffic(path, ring_of(4), "rack")
    assert str(caught.value) == f"{path}{message}"


def test_archives_with_objects_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "matrix.npz"
    np.savez(path, matrix=np.array([{"a": 1}], dtype=object))
    with pytest.raises(TrafficError, match="not a NumPy archive of plain arrays"):
        read_traffic(path, ring_of(4), "rack")


def test_broken_archives(tmp_path: Path) -> None:
    path = tmp_path / "matrix.npz"
    path.write_bytes(b"PK\x03\x04 and nothing of a zip file after it")
    with pytest.raises(TrafficError, match="not a NumPy archive of plain arrays"):
        read_traffic(path, ring_of(4), "rack")


@pytest.mark.parametrize("name", ["missing.csv", "missing.npz", "./missing", "folder/permutation"])
def test_what_looks_like_a_file_is_one(name: str) -> None:
    with pytest.raises(TrafficError, match=r"cannot read the file: No such file or directory$"):
        build_traffic(name, ring_of(4), "rack")


def test_endpoints_of_parquet_are_text_or_whole_numbers(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {"src": pa.array(np.zeros(1, np.float16)), "dst": pa.array([1]), "demand": pa.array([1.0])}
    pq.write_table(pa.table(columns), path := tmp_path / "m.parquet")
    with pytest.raises(TrafficError) as caught:
        build_traffic(str(path), ring_of(4), "rack")
    assert (
        str(caught.value) == f"{path}: src does not hold endpoints, found 'halffloat'; allowed: text or whole numbers"
    )


def test_a_registered_name_is_never_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("all-to-all").write_text("src,dst,demand\n0,1,1\n")
    assert build_traffic("all-to-all", ring_of(4), "rack").demand_count == 12
    assert build_traffic("./all-to-all", ring_of(4), "rack").demand_count == 1


def test_formats_are_chosen_by_suffix(tmp_path: Path) -> None:
    network = ring_of(4)
    matrix = build_traffic("all-to-all", network, "rack")
    with pytest.raises(TrafficError) as caught:
        write_traffic(matrix, network, tmp_path / "matrix.txt")
    assert str(caught.value) == (
        f"{tmp_path / 'matrix.txt'}: unknown matrix format, found '.txt'; allowed: "
        ".cm, .csv, .demands, .json, .npz, .parquet, .sndlib, .sndlib.xml, .topohub.json, .xml"
    )
    with pytest.raises(TrafficError, match="the matrix is for 4 racks, the network has 5"):
        write_traffic(matrix, ring_of(5), tmp_path / "matrix.csv")
    assert list(tmp_path.iterdir()) == []


def test_the_shipped_matrices_can_be_read() -> None:
    shipped = sorted((REPOSITORY / "traffic_matrices").glob("*.csv"))
    assert shipped
    for path in shipped:
        assert f"file: {path.name}" in path.with_suffix(".yaml").read_text()
        assert read_traffic(path, ring_of(8), "rack").demand_count > 0
