"""Networks that the laboratory opens and shares: files with the command line's sentences, links that are only data."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from string import ascii_letters, digits
from typing import Any

import pytest
from click.testing import CliRunner
from lab import choose, known, saved, settle
from playwright.sync_api import Browser, Page

from pnet_lp.cli import main
from pnet_lp.errors import TopologyError
from pnet_lp.topology.io.files import parse_plane

BROKEN = {
    "one-word.edges": "a b 10\nc\n",
    "loop.edges": "a a 10\n",
    "word.edges": "a b 10\nb c ten\n",
    "negative.edges": "a b -1\n",
    "many.edges": "a b 1 2 3\n",
    "property.edges": "#: switch a floor=1\na b 1\n",
    "twice.edges": "#: switch a\n#: switch a\na b 1\n",
    "gizmo.edges": "#: gizmo a\na b 1\n",
    "empty.edges": "\n",
    "nothing.edges": "# nothing\n",
    "place.edges": "#: switch a at=1\na b 1\n",
    "delay.edges": "a b 1 delay=x\n",
    "metric.edges": "a b 1 metric=x\n",
    "some.edges": "a b 1 metric=2\nb c 1\n",
    "racks.edges": "#: switch a rack=0\n#: switch b rack=0\na b 1\n",
    "lost.edges": "#: host h a 1\nb c 1\n",
    "quote.edges": "a b o'clock\n",
    "list.json": "[]",
    "nodes.json": '{"nodes": 1}',
    "ids.json": '{"nodes": [{"id": 1}, {"id": 1}], "edges": []}',
    "target.json": '{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": 2}]}',
    "speed.json": '{"nodes": [{"id": 1}, {"id": 2}], "edges": [{"source": 1, "target": 2, "capacity_gbps": "x"}]}',
    "both.json": '{"nodes": [{"id": 1}, {"id": 2}],'
    ' "edges": [{"source": 1, "target": 2, "capacity": 1, "bandwidth": 2}]}',
    "tier.json": '{"nodes": [{"id": 1, "tier": -1}, {"id": 2}], "edges": [{"source": 1, "target": 2}]}',
    "pos.json": '{"nodes": [{"id": 1, "pos": [1]}, {"id": 2}], "edges": [{"source": 1, "target": 2}]}',
}
"""Files that the command line refuses, by name."""


def opened(page: Page, **files: str) -> str:
    """Open files by the names of the arguments, ``_`` standing for a dot; return what the page says of them."""
    payloads: list[Any] = [
        {"name": name.replace("_", "."), "mimeType": "text/plain", "buffer": text.encode()}
        for name, text in files.items()
    ]
    page.evaluate("document.getElementById('opened').textContent = 'waiting'")
    page.set_input_files("#files", payloads)
    wait_while(page, "document.getElementById('opened').textContent", "waiting")
    settle(page)
    said: str = page.evaluate("document.getElementById('opened').textContent")
    return said


def wait_while(page: Page, expression: str, value: object) -> None:
    """Wait, 10 s at most; the page's policy forbids what ``wait_for_function`` evaluates."""
    for _ in range(500):
        if page.evaluate(expression) != value:
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"{expression} is still {value!r}")


def answer(folder: Path, *words: str) -> dict[str, Any]:
    """Return what ``pnet-lp throughput`` answers about files in a folder."""
    paths = [str(folder / word) if word.endswith((".edges", ".json")) else word for word in words]
    done = CliRunner().invoke(main, ["throughput", *paths, "--tolerance", "1e-5", "--json"])
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def link(document: object, version: int = 1) -> str:
    """Return the fragment of an address that holds a document."""
    packer = zlib.compressobj(wbits=-15)
    data = packer.compress(json.dumps(document).encode()) + packer.flush()
    return f"#net={version}.{base64.urlsafe_b64encode(data).decode().rstrip('=')}"


DOCUMENT = {"traffic": "all-to-all", "seed": 0, "dead": [False], "planes": ["a b 10\nb c 10\nc a 10\n"]}


@pytest.fixture
def fresh(browser: Browser) -> Iterator[Page]:
    """A page that has not been loaded yet, where copying is allowed."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    yield page
    assert not wrong
    context.close()


def visit(page: Page, url: str) -> str:
    """Load an address and return what the page says of the network in it."""
    page.goto("about:blank")
    page.goto(url)
    page.wait_for_selector("html[data-ready]")
    settle(page)
    said: str = page.evaluate("document.getElementById('opened').textContent")
    return said


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_refused_with_the_sentence_of_the_command_line(page: Page, name: str) -> None:
    with pytest.raises(TopologyError) as error:
        parse_plane(BROKEN[name].encode(), name, link_gbps=100)
    before = page.evaluate("JSON.stringify(lesson.lab.network)")
    assert opened(page, **{name.replace(".", "_"): BROKEN[name]}) == f"The network was not opened. {error.value}"
    assert page.locator("#opened").is_visible()
    assert page.evaluate("JSON.stringify(lesson.lab.network)") == before


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("net.edges", "a b 40 10\n", "net.edges:1: cable 'a' - 'b' has two speeds, and the lesson draws one"),
        ("net.edges", "a b 0\n", "net.edges:1: cable 'a' - 'b' has a speed beyond the lesson, found 0"),
        ("net.edges", "#: switch a\n", "net.edges: traffic needs at least two racks, found 1"),
        ("net.edges", f"{'a' * 61} b 1\n", "has 61 characters; allowed: at most 60"),
        ("net.edges", "".join(f"{i} {i + 1}\n" for i in range(300)), "net.edges: 301 switches are more than"),
        ("net.json", "{", "net.json: not JSON: "),
        ("net.json", '{"directed": true, "nodes": [], "edges": []}', "net.json: the lesson reads undirected graphs"),
    ],
)
def test_what_the_lesson_cannot_draw_is_said(page: Page, name: str, text: str, said: str) -> None:
    answered = opened(page, **{name.replace(".", "_"): text})
    assert answered.startswith("The network was not opened. ")
    assert said in answered


@pytest.mark.parametrize("suffix", ["edges", "json"])
@pytest.mark.parametrize(
    "expression", ["leaf-spine:leaves=4,spines=2,hosts_per_leaf=2", "slim-fly:q=5", "xpander:d=3,k=4"]
)
def test_files_of_the_command_line_give_its_numbers(page: Page, tmp_path: Path, expression: str, suffix: str) -> None:
    file = tmp_path / f"net.{suffix}"
    written = CliRunner().invoke(main, ["topology", expression, "--out", str(file)])
    assert written.exit_code == 0, written.output
    page.select_option("#pattern", "all-to-all")
    said = opened(page, **{file.name.replace(".", "_"): file.read_text()})
    assert said in ("", "Hosts are left out: traffic is between racks here.")
    found, expected = known(page), answer(tmp_path, file.name, "--level", "rack")
    for key in ("lower", "upper"):
        assert found[key] == pytest.approx(expected[f"{key}_bound_gbps"], rel=1e-4)
    saved(page, "save-edges", tmp_path)
    assert answer(tmp_path, "network.edges")["lower_bound_gbps"] == pytest.approx(found["lower"], rel=1e-4)


def test_two_files_are_two_planes_matched_by_name(page: Page, tmp_path: Path) -> None:
    files = {"one_edges": "a b 10\nb c 10\nc d 10\nd a 10\n", "two_edges": "c a 20\nd b 20\na d 20\n"}
    page.select_option("#pattern", "next")
    assert opened(page, **files) == ""
    for name, text in files.items():
        (tmp_path / name.replace("_", ".")).write_text(text)
    expected = answer(tmp_path, "one.edges", "two.edges", "--traffic", "stride:s=1")
    assert known(page)["lower"] == pytest.approx(expected["lower_bound_gbps"], rel=1e-4)
    said = opened(page, one_edges="a b 1\n", two_edges="a c 1\n")
    assert "planes 'one.edges' and 'two.edges' have no common racks: only one has 'b'" in said


def test_what_a_file_leaves_open_is_said(page: Page, tmp_path: Path) -> None:
    text = "a b\nb c 50\nc a metric=1\n"
    assert "only some cables have a metric" in opened(page, net_edges=text)
    assert opened(page, net_edges="a b\nb c 50\n") == "net.edges: 1 of 2 cables have no speed and get 100 Gb/s."
    nodes = [{"id": "New York"}, {"id": "Rome"}]
    edges = [{"source": "New York", "target": "Rome", "igp_metric": 7}]
    said = opened(page, net_json=json.dumps({"nodes": nodes, "edges": edges}))
    assert said == (
        "Blanks in names are written _. net.json: 1 of 1 cables have no speed and get 100 Gb/s. "
        "Metrics are left out: ECMP here goes by hops."
    )
    saved(page, "save-edges", tmp_path)
    assert "New_York Rome 100" in (tmp_path / "network.edges").read_text()


def test_ranks_of_racks_survive_saving(page: Page, tmp_path: Path) -> None:
    text = "#: switch a rack=2\n#: switch b rack=0\n#: switch c rack=1\n#: switch d rack=3\na b 10\nb c 20\nc d 10\n"
    (tmp_path / "net.edges").write_text(text)
    page.select_option("#pattern", "next")
    assert opened(page, net_edges=text) == ""
    expected = answer(tmp_path, "net.edges", "--traffic", "stride:s=1")["lower_bound_gbps"]
    saved(page, "save-edges", tmp_path)
    assert known(page)["lower"] == pytest.approx(expected, rel=1e-4)
    assert answer(tmp_path, "network.edges", "--traffic", "stride:s=1")["lower_bound_gbps"] == pytest.approx(expected)


def test_names_are_never_markup(page: Page) -> None:
    text = '<img/src=x/onerror="document.title=1"> b 10\nb c 10\n'
    before = page.title()
    assert opened(page, net_edges=text) == ""
    page.locator("#cables").evaluate("(details) => (details.open = true)")
    page.locator("#rows tr").nth(1).wait_for()
    assert page.locator("#lab img").count() == 0
    assert page.title() == before
    page.locator("#cables").evaluate("(details) => (details.open = false)")
    assert "<img" in opened(page, **{"<img src=x>_edges": "a\n"})
    assert page.locator("#lab img").count() == 0


@pytest.mark.parametrize(("family", "pattern"), [("ring", "all-to-all"), ("fat-tree", "hotspot"), ("large", "incast")])
def test_link_of_a_network_of_the_page_brings_its_command_back(
    fresh: Page, address: str, family: str, pattern: str
) -> None:
    visit(fresh, address)
    choose(fresh, family, None, pattern)
    before, command = known(fresh), fresh.input_value("#command")
    fresh.click("#copy-link")
    fresh.get_by_text("The link is copied").wait_for()
    url = fresh.evaluate("navigator.clipboard.readText()")
    assert url == fresh.url
    assert len(url) < 4000
    assert visit(fresh, url) == ""
    assert fresh.input_value("#family") == family
    assert fresh.input_value("#command") == command
    assert known(fresh)["lower"] == pytest.approx(before["lower"], rel=1e-6)


def test_link_of_an_edited_network_with_a_dead_plane(fresh: Page, address: str) -> None:
    visit(fresh, address)
    choose(fresh, "different", 0)
    fresh.evaluate("lesson.lab.cut(0, 0)")
    settle(fresh)
    fresh.locator("#lab").get_by_role("button", name="Kill plane 2").click()
    settle(fresh)
    before = known(fresh)
    fresh.click("#copy-link")
    fresh.get_by_text("The link is copied").wait_for()
    assert visit(fresh, fresh.url) == ""
    assert known(fresh)["lower"] == pytest.approx(before["lower"], rel=1e-6)
    fresh.locator("#lab").get_by_role("button", name="Repair plane 2").click()
    settle(fresh)
    assert known(fresh)["lower"] > before["lower"]


def test_another_link_is_opened_without_loading_the_page_again(fresh: Page, address: str) -> None:
    assert visit(fresh, address + link(DOCUMENT)) == ""
    # Three racks in a ring send to two others each: on the direct cable of 10 Gb/s.
    assert known(fresh)["lower"] == pytest.approx(10)
    fresh.evaluate("(fragment) => (location.hash = fragment)", link({**DOCUMENT, "planes": ["a b 40\n"]}))
    wait_while(fresh, "lesson.lab.network.planes[0].switches.length", 3)
    settle(fresh)
    assert known(fresh)["lower"] == pytest.approx(40)


@pytest.mark.parametrize(
    ("fragment", "said"),
    [
        ("#net=", "The link is broken, found '#net='"),
        ("#net=1.<script>", "The link is broken, found '#net=1."),
        ("#net=2.abc", "The link has version 2; allowed: 1."),
        ("#net=1.abc", "The link is broken: a part of it is missing or was changed."),
        (link(DOCUMENT)[:-9], "The link is broken: a part of it is missing or was changed."),
        ("#net=1." + "a" * 16_000, "The link has 16007 characters; allowed: at most 16000."),
        (link("x" * 2_000_000), "The link holds more than 400000 bytes; allowed: at most 400000."),
        (link(None), "The link's traffic is unknown, found undefined"),
        (link({**DOCUMENT, "traffic": "constructor"}), "The link's traffic is unknown, found 'constructor'"),
        (link({**DOCUMENT, "seed": -1}), "The link's seed is out of range, found -1"),
        (link({**DOCUMENT, "planes": []}), "The link holds no planes"),
        (link({**DOCUMENT, "planes": ["a a\n"]}), "plane 1:1: a cable joins switch 'a' to itself"),
        (link({**DOCUMENT, "planes": ["a b\n"] * 9}), "too many planes, found 9; allowed: at most 8"),
        (link({**DOCUMENT, "dead": [True]}), "The link does not say which planes have failed"),
    ],
)
def test_broken_links_are_refused(fresh: Page, address: str, fragment: str, said: str) -> None:
    answered = visit(fresh, address + fragment)
    assert answered.startswith("The network was not opened. ")
    assert said in answered
    assert fresh.input_value("#command") == "pnet-lp throughput ring:n=8"


def test_network_too_large_for_a_link_is_told(fresh: Page, address: str) -> None:
    visit(fresh, address)
    random = Random(1)
    # Names and speeds that no packing makes shorter, on a path, which is solved at once.
    names = ["".join(random.choices(ascii_letters + digits, k=60)) for _ in range(250)]
    cables = [f"{u} {v} {random.uniform(1, 1000)!r}" for u, v in pairwise(names)]
    fresh.select_option("#pattern", "next")
    assert opened(fresh, net_edges="\n".join(cables)) == ""
    fresh.click("#copy-link")
    fresh.wait_for_selector("#opened:not([hidden])")
    assert fresh.inner_text("#opened").startswith("The network is too large for a link: ")
    assert "#net=" not in fresh.url
