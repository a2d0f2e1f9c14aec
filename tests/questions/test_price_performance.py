"""What networks carry for their price and power, against sums by hand."""

from pathlib import Path

import pytest

from pnet_lp.cost import TopologyOptions, TopologySettings, design, load_book, quote, quote_network
from pnet_lp.errors import PnetError
from pnet_lp.experiment import Record, Store, load_experiment, run_experiment
from pnet_lp.registry import validate
from pnet_lp.topology import build_network

BOOK = "entries: {switch: 100, transceiver-lr: 10, transceiver-sr: 8, fiber-sm: 5, fiber-mm: 4, copper: 1}"
FREE = "entries: {switch: 0, transceiver-lr: 0, transceiver-sr: 0, fiber-sm: 0, fiber-mm: 0, copper: 0}"


def answered(folder: Path, cases: str, book: str = BOOK) -> dict[str, Record]:
    (folder / "book.yaml").write_text(book)
    common = f"{{prices: '{folder / 'book.yaml'}', powers: '{folder / 'book.yaml'}', tolerance: 1.0e-6}}"
    (folder / "spec.yaml").write_text(f"title: T\nquestion: price-performance\ncommon: {common}\ncases: {cases}\n")
    experiment = load_experiment(folder)
    return {record.case: record for record in run_experiment(experiment, Store(folder / "results"))}


def test_a_ring_for_a_thousand(tmp_path: Path) -> None:
    """Eight switches, eight long cables with two transceivers each: 1,000 USD, and 1,000 W by the same numbers.

    All-to-all gives an eighth of a link, 12.5 Gb/s, to each of 56 pairs.
    """
    [draw] = answered(tmp_path, "{a: {topology: 'ring:n=8'}}")["a"].draws
    assert draw.answer.columns["total_usd"] == draw.answer.columns["watts"] == 8 * 100 + 16 * 10 + 8 * 5
    headline = draw.answer.headline
    assert headline.lower == headline.value == pytest.approx(700, rel=1e-5)
    assert headline.upper == pytest.approx(700, rel=1e-5)
    assert draw.answer.columns["gbps_per_watt"] == pytest.approx(0.7, rel=1e-5)
    assert draw.answer.columns["mean_hops"] == pytest.approx((1 + 1 + 2 + 2 + 3 + 3 + 4) / 7)


def test_planes_of_several_families_cost_what_each_does(tmp_path: Path) -> None:
    tree, graph = "fat-tree:k=4", "jellyfish:k=4,seed=1"
    found = answered(tmp_path, f"{{tree: {{topology: '{tree}'}}, graph: {{topology: '{graph}'}}, "
                     f"both: {{topology: ['{tree}', '{graph}']}}}}")  # fmt: skip
    usd = {name: record.mean("total_usd").value for name, record in found.items()}
    assert usd["both"] == usd["tree"] + usd["graph"]
    # 16 access cables; the tree has 16 short and 16 long ones, the graph 32 long ones, over 20 switches each.
    assert usd["tree"] == 20 * 100 + 16 + 16 * (2 * 8 + 4) + 16 * (2 * 10 + 5)
    assert usd["graph"] == 20 * 100 + 16 + 32 * (2 * 10 + 5)
    assert found["both"].mean("hosts").value == 16


def test_what_fails_has_been_bought(tmp_path: Path) -> None:
    found = answered(
        tmp_path,
        "{whole: {topology: 'fat-tree:k=4', planes: 2}, half: {topology: 'fat-tree:k=4', planes: 2, fail_planes: [1]}}",
        f"over: example\n{BOOK}",
    )
    assert found["half"].mean("total_usd").value == found["whole"].mean("total_usd").value
    assert found["half"].mean().value == pytest.approx(found["whole"].mean().value / 2, rel=1e-4)


def test_a_network_is_priced_as_its_topology() -> None:
    books = load_book("price"), load_book("power")
    found = quote_network(build_network("fat-tree:k=4", planes=4), *books, ports=8)
    options = TopologyOptions(validate(TopologySettings, {"planes": 4, "ports": 8}))
    assert found == quote(design("fat-tree:k=4", options).bill, *books)


@pytest.mark.parametrize(
    ("case", "book", "message"),
    [
        (
            "{topology: ['fat-tree:k=4', 'jellyfish:k=4'], separate: true}",
            BOOK,
            "a: separate: no two planes share boxes or cables anyway; allowed: identical planes",
        ),
        (
            "{topology: 'fat-tree:k=4', ports: 3}",
            BOOK,
            "a: a switch has more cables than ports, found 4; allowed: at most 3",
        ),
        ("{topology: 'fat-tree:k=4'}", FREE, "a: prices: every part is free, so the ratio is not defined"),
        ("{topology: 'fat-tree:k=4', prices: cheap}", BOOK, "unknown price book 'cheap'"),
    ],
)
def test_refused(case: str, book: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(PnetError) as caught:
        answered(tmp_path, f"{{a: {case}}}", book)
    assert message in str(caught.value)
