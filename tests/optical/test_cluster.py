"""Processes into racks: parts of equal size, never more traffic between them than consecutive processes leave."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.errors import SpecError
from pnet_lp.model import TrafficMatrix
from pnet_lp.optical import cluster
from pnet_lp.optical.cluster import between
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic


def grid(text: str, count: int) -> TrafficMatrix:
    network = build_network([f"complete:n={count}"])
    return build_traffic(text, network, "rack")


@settings(deadline=None, max_examples=40)
@given(racks=st.integers(1, 6), size=st.integers(1, 5), seed=st.integers(0, 99))
def test_balanced_and_no_worse_than_the_order_given(racks: int, size: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    n = racks * size
    dense = np.where(random.random((n, n)) < 0.3, random.random((n, n)), 0.0)
    np.fill_diagonal(dense, 0)
    traffic = TrafficMatrix.from_dense("host", dense)
    rack = cluster(traffic, racks)
    assert np.bincount(rack, minlength=racks).tolist() == [size] * racks
    assert between(traffic, rack) <= between(traffic, np.arange(n) // size) + 1e-12
    assert rack.tolist() == cluster(traffic, racks).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_hidden_groups_are_found(seed: int) -> None:
    """Cliques of processes under shuffled names, with little between them, become racks."""
    racks, size = 6, 8
    group = np.random.default_rng(seed).permutation(np.arange(racks * size) % racks)
    dense = np.where(group[:, None] == group, 1.0, 0.01)
    np.fill_diagonal(dense, 0)
    rack = cluster(TrafficMatrix.from_dense("host", dense), racks)
    pairs = set(zip(group.tolist(), rack.tolist(), strict=True))
    assert len(pairs) == racks


def test_a_shuffled_grid_is_cut_into_blocks() -> None:
    """A periodic grid of 8x8 in 4 racks: quarters leave 64 of 256 demands between racks, stripes as many."""
    traffic = grid("mpi-mg:x=8,y=8,z=1", 64)
    place = np.random.default_rng(1).permutation(64)
    shuffled = TrafficMatrix.from_entries("rack", 64, place[traffic.src], place[traffic.dst], traffic.demand)
    assert traffic.total == 256
    assert between(shuffled, np.arange(64) // 16) > 150
    assert between(shuffled, cluster(shuffled, 4)) == 64


@pytest.mark.parametrize("racks", [0, 3, 13])
def test_processes_fill_the_racks(racks: int) -> None:
    with pytest.raises(SpecError) as caught:
        cluster(grid("mpi-fft", 10), racks)
    message = "clustering: 10 processes do not fill the racks equally, found {}; allowed: a divisor of 10"
    assert str(caught.value) == message.format(racks)
