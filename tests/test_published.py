"""Published numbers, through the command line as a user would ask for them."""

import json

import pytest
from click.testing import CliRunner

from pnet_lp.cli import main

PLANES = {
    "pnet-jellyfish-k8-plane1": 0.318447564,
    "pnet-jellyfish-k8-plane2": 0.319196072,
    "pnet-jellyfish-k8": 0.742782533,
}
"""P-Net artifact, commercial solver: Gb/s per pair of the 80 racks at 10 Gb/s a link."""

CLOSED_FORMS = {
    "complete:n=8": 1.0,
    "ring:n=8": 1 / 8,
    "ring:n=9": 1 / 10,
    "hypercube:d=4": 2 / 16,
    "torus:dims=4x4": 8 / (16 * 4),
    "torus:dims=5x5": 8 * 5 / (25 * 24),
    "torus:dims=3x3x3": 8 * 3 / (27 * 8),
    "star:n=7": 1 / 7,
    # The bound by path lengths is not tight for these three.
    "torus:dims=4x8": 1 / 32,
    "path:n=6": 1 / 9,
    "mesh:dims=4x4": 1 / 16,
}
"""All-to-all between switches, unit capacity per direction."""


def throughput(*arguments: str) -> dict[str, object]:
    result = CliRunner().invoke(main, ["throughput", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    document: dict[str, object] = json.loads(result.stdout)
    assert document["status"] == "certified"
    return document


@pytest.mark.parametrize(
    ("planes", "solver"),
    # An interior point takes seconds for each.
    [
        *((planes, solver) for planes in PLANES for solver in ("auto", "columns")),
        ("pnet-jellyfish-k8-plane1", "highs-ipx"),
    ],
)
def test_planes_of_the_pnet_artifact(planes: str, solver: str) -> None:
    document = throughput(
        planes, *("--level", "rack", "--traffic", "all-to-all", "--tolerance", "1e-6", "--solver", solver)
    )
    assert document["throughput_gbps"] == pytest.approx(PLANES[planes], rel=1e-6)


@pytest.mark.parametrize("solver", ["columns", "structured", "highs-ipx"])
@pytest.mark.parametrize("topology", CLOSED_FORMS)
def test_closed_forms(topology: str, solver: str) -> None:
    document = throughput(
        topology, *("--link-gbps", "1", "--traffic", "all-to-all", "--tolerance", "1e-7", "--solver", solver)
    )
    assert document["throughput_gbps"] == pytest.approx(CLOSED_FORMS[topology], rel=1e-6)


@pytest.mark.parametrize(
    ("traffic", "expected"),
    [("permutation", 1.0), ("permutation:kind=pairs", 1.0), ("stride:s=5", 1.0), ("all-to-all", 1 / 15)],
)
def test_fat_tree_carries_every_permutation(traffic: str, expected: float) -> None:
    document = throughput("fat-tree:k=4", "--link-gbps", "1", "--traffic", traffic, "--seed", "7")
    assert document["throughput_gbps"] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("options", "planes"), [((), 1), (("--planes", "4"), 4), (("--planes", "2", "--variant", "heterogeneous"), 2)]
)
def test_jellyfish_all_to_all_between_hosts_is_bound_by_access(options: tuple[str, ...], planes: int) -> None:
    document = throughput("jellyfish:k=8", "--link-gbps", "10", "--traffic", "all-to-all", *options)
    assert document["throughput_gbps"] == pytest.approx(planes * 10 / 127, rel=1e-4)
    assert document["binding"] == "access link"
