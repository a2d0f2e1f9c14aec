"""ASTRA-sim's network.yml: a grid by hand, the shapes, what is refused and how."""

from pathlib import Path

import pytest

from pnet_lp.errors import TopologyError
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network, build_plane, write_plane
from pnet_lp.topology.io.files import parse_plane
from pnet_lp.traffic import build_traffic

DATA = Path(__file__).parents[1] / "data"


def test_a_grid_by_hand() -> None:
    """Accelerator i is at i % 2, i // 2 % 2, i // 4."""
    network = build_network(str(DATA / "grid.astra-sim"))
    (plane,) = network.planes
    assert plane.switch_names[:13] == (*map(str, range(12)), "dim2.0")
    assert plane.rack_switch.tolist() == list(range(12))
    cables = list(zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True))
    assert cables[:6] == [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9), (10, 11)]
    assert cables[6:12] == [(0, 2), (1, 3), (4, 6), (5, 7), (8, 10), (9, 11)]
    assert cables[12:] == [(4 * layer + row, 12 + row) for row in range(4) for layer in range(3)]
    assert plane.delay_ns is not None
    assert plane.capacity_uv_gbps.tolist() == [1600.0] * 6 + [800.0] * 6 + [400.0] * 12
    assert plane.delay_ns.tolist() == [50.0] * 6 + [500.0] * 6 + [2000.0] * 12
    # Each accelerator sends 8 shares out of its layer over its 400 Gb/s.
    result = solve(network, build_traffic("all-to-all", network, "rack"))
    assert result.throughput_gbps == pytest.approx(400 / 8, rel=1e-6)


def network_of(shape: str, n: int) -> str:
    return f"topology: [ {shape} ]\nnpus_count: [ {n} ]\nbandwidth: [ 12.5 ]\nlatency: [ 500 ]\n"


@pytest.mark.parametrize(
    ("shape", "n", "family"),
    [
        ("Ring", 5, "ring:n=5"),
        ("Ring", 2, "path:n=2"),
        ("FullyConnected", 6, "complete:n=6"),
        ("Switch", 4, "star:n=4"),
        ("Switch", 1, "path:n=2"),
    ],
)
def test_each_shape_is_a_family(shape: str, n: int, family: str) -> None:
    plane, same = parse_plane(network_of(shape, n).encode(), "f"), build_plane(family)
    assert sorted(plane.degree.tolist()) == sorted(same.degree.tolist())
    assert plane.cable_count == same.cable_count
    assert set(plane.capacity_uv_gbps.tolist()) == {100.0}


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "[ Ring ]",
            "[ Torus ]",
            "unknown topology of a dimension, found 'Torus'; allowed: Ring, FullyConnected, Switch",
        ),
        ("[ Ring ]", "Ring", "topology is not a list, found 'Ring'; allowed: a value for each dimension"),
        ("[ 500 ]", "[ 500, 1 ]", "latency has 2 of 1 values, found [500, 1]; allowed: a value for each dimension"),
        ("[ 5 ]", "[ 2.5 ]", "invalid npus_count, found 2.5; allowed: whole numbers from 1"),
        ("[ 12.5 ]", "[ -1 ]", "invalid bandwidth, found -1; allowed: GB/s"),
        ("[ 12.5 ]", "[ fast ]", "invalid bandwidth, found 'fast'; allowed: GB/s"),
        ("[ 500 ]", "[ true ]", "invalid latency, found True; allowed: 0 to 1e+09 ns"),
        (
            "latency: [ 500 ]\n",
            "",
            "not a network of ASTRA-sim, found 'topology, npus_count, bandwidth'; allowed: topology",
        ),
        (
            "[ Ring ]\nnpus_count: [ 5 ]",
            "[ FullyConnected ]\nnpus_count: [ 9999999 ]",
            "f with 49,999,985,000,001 cables",
        ),
    ],
)
def test_faults_are_named(old: str, new: str, sentence: str) -> None:
    text = network_of("Ring", 5)
    assert old in text
    with pytest.raises(TopologyError) as caught:
        parse_plane(text.replace(old, new).encode(), "f")
    assert sentence in str(caught.value)


def test_it_is_only_read(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match=r"unknown network format, found '\.astra-sim'"):
        write_plane(build_plane("ring:n=4"), tmp_path / "net.astra-sim")
