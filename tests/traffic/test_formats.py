"""Traffic in files of other programs, and round trips through every format."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.errors import TrafficError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.topology import build_network, read_plane
from pnet_lp.traffic import build_traffic, read_traffic, write_traffic
from pnet_lp.traffic.io import FORMATS

DATA = Path(__file__).parents[1] / "data"
SMALL = Network.from_planes([Plane.from_cables(["North", "East", "South"], [0, 1], [1, 2])])


def demands(traffic: TrafficMatrix) -> dict[tuple[int, int], float]:
    return {
        (s, t): d
        for s, t, d in zip(traffic.src.tolist(), traffic.dst.tolist(), traffic.demand.tolist(), strict=True)
    }


@pytest.mark.parametrize("name", ["small.sndlib", "small.sndlib.xml"])
def test_sndlib_demands(name: str) -> None:
    network = Network.from_planes([read_plane(DATA / name)])
    found = demands(read_traffic(DATA / name, network, "rack"))
    assert set(found) == {(0, 2), (2, 0)}
    # Two demands of one pair add up, and one of two routing units counts twice: 250 + 50 against 2 x 250.
    assert found[0, 2] / found[2, 0] == pytest.approx(300 / 500)


def test_repetita_demands_are_in_kbit() -> None:
    network = Network.from_planes([read_plane(DATA / "small.graph")])
    assert demands(read_traffic(DATA / "small.demands", network, "rack")) == pytest.approx(
        {(0, 2): 0.3, (2, 0): 0.5}
    )


def test_topohub_demands_go_both_ways() -> None:
    found = demands(read_traffic(DATA / "small.topohub.json", SMALL, "rack"))
    assert len(found) == 6
    assert all(found[s, t] == found[t, s] for s, t in found)
    assert found[0, 1] / found[1, 2] == pytest.approx(195 / 179)


def test_htsim_connections() -> None:
    network = build_network(["fat-tree:k=4"])
    found = read_traffic(DATA / "tree.cm", network, "host")
    assert set(demands(found)) == {(0, 5), (3, 15), (15, 3)}
    assert demands(found)[0, 5] == 2 * demands(found)[3, 15]


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
@settings(max_examples=30, deadline=None)
@given(
    entries=st.dictionaries(
        st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda pair: pair[0] != pair[1]),
        st.one_of(st.just(1.0), st.floats(1e-3, 1e6)),
        min_size=1,
        max_size=12,
    )
)
def test_a_format_holds_a_matrix_or_refuses_it(known: object, entries: dict[tuple[int, int], float]) -> None:
    network = build_network(["ring:n=5"])
    src, dst = np.array(list(entries)).T
    traffic = TrafficMatrix.from_entries("rack", 5, src, dst, list(entries.values()))
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"traffic{known.suffixes[0]}"  # type: ignore[attr-defined]
        refused = ""
        try:
            write_traffic(traffic, network, path)
        except TrafficError as error:
            refused = str(error)
        if refused:
            assert "cannot hold" in refused or "holds whole numbers" in refused
            assert not list(Path(folder).iterdir())
            return
        assert read_traffic(path, network, "rack").fingerprint == traffic.fingerprint


def test_a_file_is_one_term_of_a_sum(tmp_path: Path) -> None:
    network = build_network(["ring:n=4"])
    write_traffic(build_traffic("stride:s=2", network, "rack"), network, tmp_path / "two.parquet")
    total = build_traffic(f"all-to-all+3*{tmp_path}/two.parquet", network, "rack")
    assert demands(total)[0, 2] == 4.0
    assert demands(total)[0, 1] == 1.0
