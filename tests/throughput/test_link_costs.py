"""Costs of links for ``min-cost``, from files."""

from pathlib import Path

import pytest

from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.throughput import solve
from pnet_lp.throughput.objectives.link_costs import read_link_costs
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.verify import verify_file

HEADER = "plane,u,v,cost\n"


def two_ways() -> tuple[Network, TrafficMatrix]:
    """A direct link of 1 Gb/s from 0 to 1, and a path around by 2 of 3 Gb/s."""
    plane = Plane.from_cables(3, [0, 0, 2], [1, 2, 1], [1.0, 3.0, 3.0], racks=range(3))
    return Network.from_planes([plane]), TrafficMatrix.from_entries("rack", 3, [0], [1], [1.0])


@pytest.mark.parametrize("routing", ["ideal", "ksp:2"])
@pytest.mark.parametrize(
    ("rows", "rate", "cost"),
    [
        # Without a row each link costs 1: the direct one first, then two links around.
        ("", 0.5, 0.5),
        ("", 2.0, 1 + 2),
        # An expensive direct link is used only for what does not fit around it.
        ("0,0,1,5\n", 2.0, 2 * 2),
        ("0,0,1,5\n", 4.0, 3 * 2 + 5),
        # A link may be free; the direction back does not matter.
        ("0,0,2,0\n0,2,0,9\n\n0,2,1,0.5\n0,0,1,5\n", 4.0, 3 * 0.5 + 5),
    ],
)
def test_closed_forms(rows: str, rate: float, cost: float, routing: str, tmp_path: Path) -> None:
    network, traffic = two_ways()
    (tmp_path / "costs.csv").write_text(HEADER + rows)
    objective = f"min-cost:at={rate},costs={tmp_path / 'costs.csv'}"
    result = solve(network, traffic, routing=routing, objective=objective, tolerance=1e-6)
    figures = result.to_json()
    assert result.status == "certified"
    assert figures["cost_gbps_links"] == pytest.approx(cost, rel=1e-5)
    # The costs are part of the proof, and not read again.
    save_result(tmp_path / "r.json", network, traffic, result)
    (tmp_path / "costs.csv").unlink()
    assert verify_file(tmp_path / "r.json").figures["cost_gbps_links"] == pytest.approx(cost, rel=1e-5)


def test_a_fixed_split_costs_what_its_links_do(tmp_path: Path) -> None:
    network, traffic = two_ways()
    (tmp_path / "costs.csv").write_text(HEADER + "0,0,1,5\n")
    objective = f"min-cost:at=0.5,costs={tmp_path / 'costs.csv'}"
    result = solve(network, traffic, routing="ecmp", objective=objective)
    assert result.to_json()["cost_gbps_links"] == pytest.approx(2.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "costs.csv: the file is empty"),
        ("u,v\n", "costs.csv:1: not the header, found 'u,v'; allowed: plane,u,v,cost"),
        (HEADER + "0,0,1\n", "costs.csv:2: not a row, found '0,0,1'; allowed: plane,u,v,cost"),
        (HEADER + "0,0,1,1\n0,1,3,1\n", "costs.csv:3: plane 0 has no link from '1' to '3'"),
        (HEADER + "1,0,1,1\n", "costs.csv:2: plane 1 has no link from '0' to '1'"),
        (HEADER + "0,0,1,-1\n", "costs.csv:2: not a cost, found '-1'; allowed: 0, or 1e-15 to 1e+15"),
        (HEADER + "0,0,1,nan\n", "costs.csv:2: not a cost, found 'nan'; allowed: 0, or 1e-15 to 1e+15"),
        (HEADER + "0,0,1,much\n", "costs.csv:2: not a cost, found 'much'; allowed: 0, or 1e-15 to 1e+15"),
    ],
)
def test_wrong_files(text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("costs.csv").write_text(text)
    with pytest.raises(SpecError) as caught:
        read_link_costs("costs.csv", two_ways()[0])
    assert str(caught.value) == message


def test_a_missing_file_and_another_objective() -> None:
    network, traffic = two_ways()
    with pytest.raises(SpecError, match=r"nowhere\.csv: cannot read the file: No such file or directory"):
        read_link_costs("nowhere.csv", network)
    with pytest.raises(SpecError, match="total: unknown parameter 'costs'; allowed: floor"):
        solve(network, traffic, objective="total:costs=costs.csv")
