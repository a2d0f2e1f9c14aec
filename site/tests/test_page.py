"""The page as its readers use it: predictions, editing by pointer and keys, what a screen reader is told."""

from __future__ import annotations

import gzip
import re
from typing import Any

import pytest
from lab import SITE, choose, drag, known, settle
from playwright.sync_api import Browser, Page

RIGHT = [0, 1, 1, 1]
FIGURES = [("11.11", "6.25"), ("4.545", "3.125"), ("72 %", "3.292"), ("28 %", "32.07")]


def test_all_of_it_is_small() -> None:
    files = [path for path in SITE.joinpath("lesson").rglob("*") if path.is_file()]
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < 1e6


@pytest.mark.parametrize("number", range(4))
def test_predictions(page: Page, number: int) -> None:
    step = page.locator(".step").nth(number)
    assert not step.locator(".side-results").first.is_visible(), "nobody sees the answer before predicting"
    assert step.get_by_role("button", name="See").is_disabled()
    wrong = (RIGHT[number] + 1) % 3
    chosen = RIGHT[number] if number % 2 else wrong
    step.get_by_role("radio").nth(chosen).check()
    step.get_by_role("button", name="See").click()
    step.locator(".verdict").wait_for()
    said = step.locator(".outcome").inner_text()
    assert said.startswith("You predicted it." if number % 2 else "Not so. The answer is: ")
    assert all(text in said for text in FIGURES[number])


def test_plane_dies_in_the_lesson(page: Page) -> None:
    step = page.locator(".step").nth(3)
    step.get_by_role("button", name="Kill plane 2 in both").click()
    step.get_by_role("button", name="Repair it").wait_for()
    assert "A keeps 50 % of its throughput, B 39 %" in step.inner_text()
    step.get_by_role("button", name="Repair it").click()
    step.get_by_role("button", name="Kill plane 2 in both").wait_for()
    assert "A keeps" not in step.inner_text()


def test_result_follows_while_a_cable_hovers(page: Page) -> None:
    choose(page, "ring", 2)
    before = known(page)["lower"]
    drag(page, 0, 0, 4, drop=False)
    page.get_by_text("With this cable:").wait_for()
    said = re.fullmatch(r"With this cable: ([0-9.]+)(?: to ([0-9.]+))? Gb/s per pair\.", page.inner_text("#status"))
    assert said
    assert float(said[2] or said[1]) > before
    # Let go elsewhere, and it never was.
    page.mouse.move(5, 5)
    page.mouse.up()
    settle(page)
    assert known(page)["lower"] == pytest.approx(before, rel=1e-9)
    assert page.input_value("#command") == "pnet-lp throughput ring:n=8"


def test_bounds_of_a_cable_that_hovers_close_while_the_pointer_rests(page: Page) -> None:
    choose(page, "different", 4)
    page.evaluate(
        """() => {
          const { solver } = lesson.lab;
          const ask = solver.ask.bind(solver);
          globalThis.tasks = [];
          solver.ask = (task, hear) => ask(task, (news) => {
            if (news.kind === "solved") tasks.push({ tolerance: task.tolerance, iterations: news.iterations });
            hear(news);
            if (news.kind === "done") document.body.dataset.asked = task.tolerance;
          });
        }"""
    )
    drag(page, 0, 0, 7, drop=False)
    page.wait_for_selector("body[data-asked='0.001']")
    tasks: list[dict[str, float]] = page.evaluate("tasks")
    assert [one["tolerance"] for one in tasks][-2:] == [1e-2, 1e-3]
    # Iterations are what the first answer costs, on any machine: a few hundred are some 30 ms.
    assert tasks[-2]["iterations"] < 600
    said = re.fullmatch(r"With this cable: ([0-9.]+) to ([0-9.]+) Gb/s per pair\.", page.inner_text("#status"))
    assert said
    assert float(said[1]) <= float(said[2]) <= float(said[1]) * (1 + 2e-3)
    page.mouse.move(5, 5)
    page.mouse.up()
    settle(page)
    page.evaluate("delete lesson.lab.solver.ask")


def test_nothing_is_settled_while_a_newer_question_waits(page: Page) -> None:
    choose(page, "ring")
    program = """async () => {
        const settled = () => document.getElementById("lab").dataset.settled;
        const [older, newer] = [lesson.lab.solve(), lesson.lab.solve()];
        await older;
        const before = settled();
        await newer;
        return [before, settled()];
    }"""
    assert page.evaluate(program) == ["false", "true"]


def test_switches_move_without_changing_the_network(page: Page) -> None:
    choose(page, "ring", 2)
    page.get_by_role("radio", name="Move switches").check()
    place = "lesson.lab.network.planes[0].switches[0]"
    before = page.evaluate(place)
    drag(page, 0, 0, 4)
    assert page.evaluate(place) != before
    assert page.input_value("#command") == "pnet-lp throughput ring:n=8"
    page.get_by_role("radio", name="Add cables").check()


def test_cables_are_cut_until_nothing_arrives(page: Page) -> None:
    choose(page, "path", 1)
    page.get_by_role("radio", name="Cut cables").check()
    cable = page.locator("#planes .cable").first
    cable.scroll_into_view_if_needed()
    box = cable.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    settle(page)
    assert known(page)["lower"] == 0
    assert "pairs of racks have no path, so K = 0" in page.inner_text("#status")
    assert page.locator("#save-proof").is_disabled()
    page.get_by_role("button", name="Reset").click()
    page.get_by_role("radio", name="Add cables").check()
    settle(page)
    assert known(page)["lower"] > 0


def test_all_can_be_done_with_keys(page: Page) -> None:
    choose(page, "ring", 0)
    before = known(page)["lower"]
    page.locator("#planes .node[tabindex='0']").focus()
    page.keyboard.press("Enter")
    start = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert start.endswith("cable begins here")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    settle(page)
    assert len(page.evaluate("lesson.lab.network.planes[0].cables")) == 5
    page.get_by_text("Cables as a table").focus()
    page.keyboard.press("Enter")
    rows = page.locator("#rows tr")
    rows.nth(4).wait_for()
    rows.nth(4).get_by_role("button").focus()
    page.keyboard.press("Enter")
    settle(page)
    assert rows.count() == 4
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Cut cable")
    assert known(page)["lower"] == pytest.approx(before, rel=1e-9)
    page.locator("#rows input").first.select_text()
    page.keyboard.type("200")
    settle(page)
    assert page.evaluate("lesson.lab.network.planes[0].cables[0].gbps") == 200
    page.get_by_role("button", name="Add rack").click()
    settle(page)
    assert "8 pairs of racks have no path" in page.inner_text("#status")
    page.get_by_text("Cables as a table").click()


def test_bounds_over_size(page: Page) -> None:
    choose(page, "hypercube")
    page.get_by_role("button", name="Solve all sizes").click()
    page.locator("#sizes .dot.best").nth(3).wait_for()
    page.get_by_text("As a table", exact=True).click()
    page.locator("#sizes tbody tr").nth(3).wait_for()
    first = page.locator("#sizes tbody tr").first.locator("td").all_inner_texts()
    # Four switches in a square: two cables between halves for 4 pairs, of 3 to each.
    assert first[0] == first[2] == "150"
    page.select_option("#family", "ring")
    assert page.locator("#sizes table").count() == 0
    settle(page)


def test_last_plane_stays(page: Page) -> None:
    choose(page, "identical", 0)
    for plane in (1, 2):
        page.locator("#lab").get_by_role("button", name=f"Kill plane {plane}").click()
    assert page.inner_text("#status") == "One plane has to work."


def test_everything_has_a_name(page: Page) -> None:
    choose(page, "different", 0)
    page.locator("#cables").evaluate("(details) => (details.open = true)")
    session = page.context.new_cdp_session(page)
    tree: list[dict[str, Any]] = session.send("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "radio", "checkbox", "combobox", "textbox", "spinbutton", "image", "table", "link", "heading"}
    nodes = [node for node in tree if not node.get("ignored") and node["role"]["value"] in roles]
    assert len(nodes) > 50
    named = [node.get("name", {}).get("value", "") for node in nodes if node["role"]["value"] != "table"]
    assert all(named), "something that can be used has no name"
    page.locator("#cables").evaluate("(details) => (details.open = false)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_small_screens(browser: Browser, address: str, scheme: Any) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    page.goto(address)
    page.wait_for_selector("#lab[data-settled=true]")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360, "something is wider than the screen"
    paper, ink = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    assert paper != ink
    page.close()


def test_host_that_lacks_a_file_is_told(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.route("**/networks.json", lambda route: route.fulfill(status=404))
    page.goto(address)
    page.locator("#trouble").wait_for()
    assert page.inner_text("#trouble").startswith("The page could not be loaded: networks.json: 404")
    page.close()
