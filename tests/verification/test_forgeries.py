"""Files made to pass by what rounding or a tolerance would leave to them: each claims what is false."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from pnet_lp.errors import CertificateError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.flow import build_problem
from pnet_lp.throughput.proofs.document import StoredArray
from pnet_lp.throughput.verify import Verification, verify_file
from pnet_lp.verification.distances import demand_distances

from ..throughput.test_verify_objectives import Document, change, saved


def stored(*values: float) -> Document:
    return StoredArray.of(np.array(values)).model_dump()


def checked(document: Document, path: Path) -> Verification:
    path.write_text(json.dumps(document))
    return verify_file(path)


def two_links() -> tuple[Network, TrafficMatrix]:
    """A demand on each of two links of 1 Gb/s; the first is full, the second as idle as a forger says."""
    plane = Plane.from_cables(4, [0, 2], [1, 3], 1.0)
    return Network.from_planes([plane]), TrafficMatrix.from_entries("rack", 4, [0, 2], [1, 3])


def lengths(document: Document, level: int, *values: float) -> None:
    found = np.zeros(4)
    found[[0, 2]] = values
    document["answer"]["levels"][level]["length"] = StoredArray.of(found).model_dump()


@pytest.mark.parametrize("rate", [1.0, 1 + 0.9e-9, 1 + 2.0**-52])
@pytest.mark.parametrize("huge", [1e3, 1e9, 1e15])
def test_a_huge_length_on_a_full_link_leaves_no_less_than_there_is(rate: float, huge: float, tmp_path: Path) -> None:
    """The demand on the idle link gets 0.1 and could get 1, whatever the price of the full one."""
    path = tmp_path / "r.json"
    document = saved(path, *two_links(), "max-min")
    (level,) = document["answer"]["levels"]
    document["answer"] |= {
        "rates_gbps": stored(0.1, rate),
        "levels": [
            level | {"rate": 0.1, "upper": 0.1, "demands": StoredArray.of(np.array([0], dtype=np.int32)).model_dump()},
            level
            | {"rate": rate, "upper": rate, "demands": StoredArray.of(np.array([1], dtype=np.int32)).model_dump()},
        ],
    }
    lengths(document, 0, 1.0, huge)
    lengths(document, 1, 0.0, 1.0)
    with pytest.raises(CertificateError, match=r"a demand of level 0 could get more|carries more than it can"):
        checked(document, path)


def test_levels_in_another_order_are_refused(tmp_path: Path) -> None:
    """Else a level that is not proved could hide below a wide one."""
    plane = Plane.from_cables(4, [0, 2], [1, 3], [1.0, 3.0])
    traffic = TrafficMatrix.from_entries("rack", 4, [0, 2], [1, 3])
    document = saved(tmp_path / "r.json", Network.from_planes([plane]), traffic, "max-min")
    assert [level["rate"] for level in document["answer"]["levels"]] == pytest.approx([1.0, 3.0])
    document["answer"]["levels"].reverse()
    with pytest.raises(CertificateError, match=r"levels\.1 has a rate below that of the level before"):
        checked(document, tmp_path / "r.json")


@pytest.mark.parametrize("excess", [0.9e-9, 2.0**-52])
def test_more_than_fits_proves_no_cost(excess: float, tmp_path: Path) -> None:
    """Over s - x - t it costs 2.  What does not fit cannot be carried at all, and any bound on its cost holds."""
    plane = Plane.from_cables(3, [0, 1], [1, 2], 1.0)
    traffic = TrafficMatrix.from_entries("rack", 3, [0], [2])
    path = tmp_path / "r.json"
    document = saved(path, Network.from_planes([plane]), traffic, "min-cost:at=0.999999999")
    document["objective"] = "min-cost:at=1.0"
    document["answer"]["rates_gbps"] = stored(1 + excess)
    change("certificate", "length", to=lambda old: np.where(np.arange(len(old)) == 0, 2e9, 0.0))(document)
    with pytest.raises(CertificateError, match="carries more than it can"):
        checked(document, path)


def test_many_equal_lengths_are_no_longer_than_they_are() -> None:
    """Added up one after the other, 60,001 equal numbers exceed what they are."""
    n = 60_002
    plane = Plane.from_cables(n, np.arange(n - 1), np.arange(1, n), 1.0)
    traffic = TrafficMatrix.from_entries("rack", n, [0], [n - 1])
    flow = build_problem(Network.from_planes([plane]), traffic)
    length = 1e9 + 0.1
    (found,) = demand_distances(flow, 0, np.full(len(flow.tail), length))
    exact = (n - 1) * Fraction(length)
    assert Fraction(sum([length] * (n - 1))) > exact
    assert exact * (1 - Fraction(1, 10**10)) <= Fraction(found) <= exact


@pytest.mark.parametrize("objective", ["concurrent", "total", "min-max-utilisation"])
@pytest.mark.parametrize("seed", range(8))
def test_the_exact_optimum_is_within_the_bounds(objective: str, seed: int, tmp_path: Path) -> None:
    """Of one demand over paths in parallel, whose capacities add up to K, to the last bit."""
    draw = np.random.default_rng(seed)
    speeds = 10.0 ** draw.uniform(-seed, seed, 5)
    amount = float(10.0 ** draw.uniform(-2, 2))
    network = Network.from_planes([Plane.from_cables(2, [0] * 5, [1] * 5, speeds)])
    saved(tmp_path / "r.json", network, TrafficMatrix.from_entries("rack", 2, [0], [1], amount), objective)
    most, requested = sum(map(Fraction, speeds.tolist()), Fraction(0)), Fraction(amount)
    truth = {"concurrent": most / requested, "total": min(most, requested), "min-max-utilisation": requested / most}
    found = verify_file(tmp_path / "r.json").interval
    assert Fraction(found.lower) <= truth[objective] <= Fraction(found.upper)
    assert found.upper - found.lower <= 2e-6 * found.upper


def test_a_level_is_what_its_demands_get_not_what_the_file_says(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    document = saved(path, *two_links(), "max-min")
    honest = verify_file(path).figures["levels"][0]["rate_gbps"]
    for level in (document["answer"]["levels"][0], document["levels"][0]):
        for key in level.keys() & {"rate", "rate_gbps"}:
            level[key] = honest * (1 - 0.5e-9)
    assert checked(document, path).figures["levels"][0]["rate_gbps"] == honest
