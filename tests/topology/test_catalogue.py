"""Every network of the catalogue is built, and has the size that its description gives."""

from pathlib import Path

import pytest
import yaml

from pnet_lp.topology import build_network

CATALOGUE = Path(__file__).parents[2] / "topologies"

SIZES = {
    "fat-tree-16": (1, 20, 16, 32),
    "fat-tree-686": (1, 245, 686, 1372),
    "fat-tree-1024": (1, 320, 1024, 2048),
    "fat-tree-3456": (1, 720, 3456, 6912),
    "fat-tree-k8": (1, 80, 128, 256),
    "jellyfish-250": (1, 125, 250, 500),
    "jellyfish-250-heterogeneous-4x": (4, 500, 250, 2000),
    "jellyfish-686": (1, 245, 686, 1372),
    "jellyfish-686-heterogeneous-4x": (4, 980, 686, 5488),
    "jellyfish-1024": (1, 320, 1024, 2048),
    "jellyfish-k8": (1, 80, 128, 256),
    "jellyfish-k8-heterogeneous-4x": (4, 320, 128, 1024),
    # P-Net's artifact: racks without hosts.
    "pnet-jellyfish-k8": (2, 160, 0, 512),
    "pnet-jellyfish-k8-plane1": (1, 80, 0, 256),
    "pnet-jellyfish-k8-plane2": (1, 80, 0, 256),
    "tor-parallel-1024": (1, 64 + 16 + 64, 1024, 512),
    # P-Net, table 1: chips, and cables between them (tiers - 1) times the hosts in each plane.
    "pnet-table1-serial-scale-out": (1, 3584, 8192, 24_576),
    "pnet-table1-serial-chassis": (1, 3584, 8192, 24_576),
    "pnet-table1-parallel-8x": (8, 1536, 8192, 8 * 8192),
    # Hybrid optical/electrical network: 320 + 320 + 160 switches, two full steps of cables.
    "hybrid-fat-tree-10240": (1, 800, 10_240, 20_480),
}
"""Planes, switches, hosts, cables."""


def test_the_catalogue_is_the_one_tested() -> None:
    assert {path.stem for path in CATALOGUE.glob("*.yaml")} == set(SIZES)


@pytest.mark.parametrize("name", SIZES)
def test_entries_are_built_and_described(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    network = build_network([name])
    found = (network.plane_count, network.switch_count, network.host_count, network.cable_count)
    assert found == SIZES[name]
    spec = yaml.safe_load((CATALOGUE / f"{name}.yaml").read_text())
    assert spec["source"]
    assert spec["description"]


def test_names_in_folders_of_the_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "topologies" / "small").mkdir(parents=True)
    (tmp_path / "topologies" / "small" / "five.yaml").write_text("builder: ring\nparameters: {n: 5}\n")
    assert build_network(["small/five"]).switch_count == 5
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "five").write_text("a b 1\n")
    assert build_network(["small/five"]).switch_count == 2
