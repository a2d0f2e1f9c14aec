"""Price books and power books."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.cost import Part, load_book, read_book, shipped_books
from pnet_lp.errors import SpecError
from pnet_lp.files import parse_yaml


def written(folder: Path, text: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("quantity", ["price", "power"])
def test_shipped_entries_have_date_and_source(quantity: Any) -> None:
    books = shipped_books(quantity)
    assert "example" in books
    for name, path in books.items():
        for part, rate in read_book(path, quantity).rates.items():
            assert rate.date, (name, part)
            assert rate.source, (name, part)
            assert rate.example == ("example" in rate.source), (name, part)


def test_published_prices_come_first() -> None:
    book = load_book("price")
    assert not book.rate(Part("switch", 10, 64)).example
    assert book.rate(Part("switch", 100, 64)).example
    assert book.rate(Part("switch", 10, 64)).of(Part("switch", 10, 64)) == 30_000


def test_a_file_overrides_single_entries(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "over: [hybrid-list, example]\n"
        "entries:\n  switch-64x10g: 12345\n  chip: {usd_per_gbps: 0.5, usd: 100, date: 2026, source: us}\n",
    )
    book = load_book("price", [path])
    assert book.label == f"{path} over hybrid-list over example"
    assert book.rate(Part("switch", 10, 64)).of(Part("switch", 10, 64)) == 12_345
    chip = Part("chip", 100, 128)
    assert book.rate(chip).of(chip) == 100 + 0.5 * 12_800
    assert (book.rate(chip).date, book.rate(chip).example) == ("2026", False)
    assert book.rate(Part("transceiver-lr", 10)).of(Part("transceiver-lr", 10)) == 1600


def test_later_names_win(tmp_path: Path) -> None:
    path = written(tmp_path, "entries: {ocs-port: 1}\n")
    port = Part("ocs-port")
    assert load_book("price", [path]).rate(port).of(port) == 1
    assert load_book("price", [path, "hybrid-list"]).rate(port).of(port) == 340
    assert load_book("price", ["hybrid-list", path]).rate(port).of(port) == 1
    assert load_book("price", path).rate(port).of(port) == 1


def test_a_file_that_is_over_no_other_book_has_all_parts_or_names_the_missing_one(tmp_path: Path) -> None:
    text = "entries: {ocs-port: 1}\n"
    path, port, switch = written(tmp_path, text), Part("ocs-port"), Part("switch", 100, 64)
    assert load_book("price", path).rate(port).of(port) == 1
    with pytest.raises(SpecError) as caught:
        load_book("price", path).rate(switch)
    assert str(caught.value) == (
        f"{path}: no price for part 'switch-64x100g'; the book has ocs-port; "
        "allowed: an entry 'switch-64x100g' or 'switch', or 'over: example' in the file"
    )
    assert load_book("price", ["example", path]).rate(switch).example
    assert load_book("price", written(tmp_path, f"over: example\n{text}")).rate(switch).example
    # A book named before the file is what it is over.
    with pytest.raises(SpecError, match="no price for part 'chassis'"):
        load_book("price", ["hybrid-list", path]).rate(Part("chassis"))


def test_a_book_is_parsed_once_for_each_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def counted(text: str, where: str) -> Any:
        parsed.append(text)
        return parse_yaml(text, where)

    monkeypatch.setattr("pnet_lp.cost.books.parse_yaml", counted)
    port = Part("ocs-port")
    for usd in (3, 3, 4):
        path = written(tmp_path, f"entries: {{ocs-port: {usd}}}\n")
        assert read_book(path, "price").rate(port).of(port) == usd
    assert parsed == ["entries: {ocs-port: 3}\n", "entries: {ocs-port: 4}\n"]


def test_a_part_without_a_price() -> None:
    with pytest.raises(SpecError) as caught:
        load_book("price", ["hybrid-list"]).rate(Part("switch", 100, 64))
    assert str(caught.value) == (
        "hybrid-list: no price for part 'switch-64x100g'; the book has switch-64x10g, switch-48x1g, switch-24x1g; "
        "allowed: an entry 'switch-64x100g' or 'switch'"
    )
    with pytest.raises(SpecError) as caught:
        load_book("price", ["hybrid-list"]).rate(Part("chassis"))
    assert str(caught.value) == (
        "hybrid-list: no price for part 'chassis'; the book has switch-64x10g, transceiver-sr-10g, "
        "transceiver-lr-10g, ocs-port, switch-48x1g, switch-24x1g, fiber-mm, fiber-sm, copper-1g; "
        "allowed: an entry 'chassis'"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("entries: {swich: 3}", ": unknown part 'swich' (did you mean 'switch'?); allowed: switch, chassis, chip, "),
        ("entries: {switch-64x10: 3}", ": unknown part 'switch-64x10'"),
        ("entries: {switch-8x100g+2: 3}", ": unknown part 'switch-8x100g+2'"),
        ("entries: {copper-8x100g+2x400g: 3}", ": unknown part 'copper-8x100g+2x400g'"),
        (
            "entries: {switch-8x100g+2x400g: 3, switch-2x400g+8x100g: 4}",
            ": part 'switch-2x400g+8x100g' is given twice, found 'switch-2x400g+8x100g'",
        ),
        ("entries: {switch: -3}", ": switch: usd: input should be greater than or equal to 0, found -3"),
        ("entries: {switch: .nan}", ": switch: usd: input should be a finite number, found nan"),
        ("entries: {switch: {usd: true}}", ": switch: usd: true and false are not numbers, found True"),
        ("entries: {switch: .inf}", ": switch: usd: input should be a finite number, found inf"),
        ("entries: {switch: {usd: cheap}}", ": switch: usd: input should be a valid number"),
        ("entries: {switch: {source: us}}", ": switch: an entry needs an amount"),
        ("entries: {switch: {watts: 3}}", ": switch: unknown parameter 'watts'"),
        ("entries: {switch: [3]}", ": switch: usd: input should be a valid number, found [3]"),
        ("entries: []", ": not a book; allowed: a mapping with entries by part"),
        ("switch: 3", ": not a book; allowed: a mapping with entries by part"),
        ("currency: EUR\nentries: {switch: 3}", ": unknown key 'currency'; allowed: description, over, entries"),
        ("over: exmaple\nentries: {switch: 3}", ": over: unknown price book 'exmaple' (did you mean 'example'?)"),
        ("over: [{a: b}]\nentries: {switch: 3}", ": over: unknown price book \"{'a': 'b'}\""),
        ("entries: {switch: 3, switch: 4}", ":1: not YAML: key 'switch' is given twice"),
    ],
)
def test_broken_books(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text + "\n")
    with pytest.raises(SpecError) as caught:
        load_book("price", [path])
    assert str(caught.value).startswith(path + message)


def test_unknown_books() -> None:
    with pytest.raises(SpecError) as caught:
        load_book("price", ["exmaple"])
    assert str(caught.value) == (
        "unknown price book 'exmaple' (did you mean 'example'?); allowed: deepseek, example, hybrid-list, or a YAML "
        "file"
    )
    with pytest.raises(SpecError, match=r"missing\.yaml: cannot read the file"):
        load_book("power", ["missing.yaml"])


@given(usd=st.floats(0, 1e6), per_gbps=st.floats(0, 1e3), gbps=st.floats(1, 1e3), ports=st.integers(1, 512))
def test_amounts_add_up(usd: float, per_gbps: float, gbps: float, ports: int) -> None:
    from pnet_lp.cost.books import PriceRate

    rate = PriceRate(usd=usd, usd_per_gbps=per_gbps)
    assert rate.of(Part("switch", gbps, ports)) == usd + per_gbps * (gbps * ports)
    assert rate.of(Part("chassis")) == usd
