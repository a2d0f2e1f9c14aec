"""The linear program as a file: other readers find the same optimum under readable names."""

from pathlib import Path

import highspy
import networkx as nx
import pytest

from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane
from pnet_lp.throughput import solve
from pnet_lp.throughput.write_lp import write_lp

from .conftest import INSTANCES, Instance, all_to_all, one_switch, plane, random_hosts, random_network


def optimum_of(path: Path) -> float:
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
    highs.run()
    return float(highs.getInfo().objective_function_value)


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.name)
def test_known_optimum(instance: Instance, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"k{suffix}"
    write_lp(path, instance.network, instance.traffic)
    assert optimum_of(path) == pytest.approx(instance.optimum, rel=1e-6)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
@pytest.mark.parametrize("routing", ["ideal", "ksp:3"])
@pytest.mark.parametrize("seed", range(5))
def test_random(seed: int, routing: str, suffix: str, tmp_path: Path) -> None:
    for draw in (random_network, random_hosts):
        network, traffic = draw(seed)
        path = tmp_path / f"k{suffix}"
        write_lp(path, network, traffic, routing=routing)
        expected = solve(network, traffic, routing=routing, tolerance=1e-7)
        assert optimum_of(path) == pytest.approx(expected.throughput_gbps, rel=1e-6)


def names(path: Path) -> tuple[set[str], set[str]]:
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.readModel(str(path))
    return set(highs.getLp().col_names_), set(highs.getLp().row_names_)


def test_names(tmp_path: Path) -> None:
    ring = nx.relabel_nodes(nx.cycle_graph(3), {0: "a b", 1: "a:b", 2: "c"})
    network = Network.from_planes([Plane.from_networkx(ring, link_gbps=1.0)])
    path = tmp_path / "k.mps"
    write_lp(path, network, all_to_all(network))
    text = path.read_text()
    # Two switches get one label, so what concerns both is told apart by number.
    for name in ("flow(0,a_b,c,c)", "flow(0,a_b,c,c).2", "conserve(0,c,a_b)", "link(0,c,a_b).2", "K"):
        assert f" {name} " in text, name

    network = Network.from_planes([plane(nx.path_graph(3)), plane(nx.path_graph(3))])
    write_lp(path, network, all_to_all(network), routing="ksp:2")
    columns, rows = names(path)
    assert {"K", "path(0,2,0)", "path(0,2,1)"} < columns
    assert {"link(1,0,1)", "demand(2,0)"} < rows
    write_lp(path, network, all_to_all(network))
    columns, rows = names(path)
    assert {"K", "send(1,0,2)", "flow(1,0,1,2)"} < columns
    assert {"link(1,0,1)", "demand(2,0)", "conserve(1,0,2)"} < rows

    network = Network.from_planes([one_switch(3, [1.0, 2.0, 3.0])])
    write_lp(path, network, all_to_all(network, "host"))
    assert names(path) == ({"K"}, {f"{side}(0,h{i})" for side in ("up", "down") for i in range(3)})


def test_what_has_no_program(tmp_path: Path) -> None:
    network, traffic = random_network(0)
    with pytest.raises(SpecError, match=r"k\.txt: unknown format, found '\.txt'; allowed: \.lp, \.mps$"):
        write_lp(tmp_path / "k.txt", network, traffic)
    with pytest.raises(SpecError, match=r"no linear program where the routing fixes the split, as 'ecmp' does"):
        write_lp(tmp_path / "k.lp", network, traffic, routing="ecmp")
    apart = Network.from_planes([Plane.from_cables(4, [0, 2], [1, 3], 1.0, racks=range(4))])
    with pytest.raises(SpecError, match=r"no linear program where a demand has no path: K is 0$"):
        write_lp(tmp_path / "k.lp", apart, all_to_all(apart))
    assert not list(tmp_path.iterdir())
