"""The laboratory, as tests work it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SITE = Path(__file__).resolve().parents[2] / "build" / "site"


def settle(page: Page) -> None:
    """Wait until the network shown is solved, which may take the page 20 s of a machine that it has for itself."""
    page.wait_for_selector("#lab[data-settled=true]", timeout=120_000)


def choose(page: Page, family: str, size: int | None = None, pattern: str = "all-to-all") -> None:
    """Choose a network and its traffic."""
    page.select_option("#pattern", pattern)
    page.select_option("#family", family)
    if size is not None and page.locator("#size").is_enabled():
        page.select_option("#size", str(size))
    settle(page)


def known(page: Page) -> dict[str, Any]:
    """Return what the page knows of the network shown; the arrays left out."""
    keys = "{lower, upper, iterations, ecmp, meanPath, bisection, lost}"
    keep = f"({keys}) => ({keys})"
    found: dict[str, Any] = page.evaluate(f"({keep})(lesson.lab.known)")
    return found


def saved(page: Page, button: str, folder: Path) -> list[Path]:
    """Press a button that saves files; return them."""
    expected = page.evaluate("lesson.lab.network.dead.filter((d) => !d).length") if button == "save-edges" else 1
    downloads: list[Any] = []

    def note(download: Any) -> None:
        downloads.append(download)

    page.on("download", note)
    page.click(f"#{button}")
    while len(downloads) < expected:
        page.wait_for_timeout(20)
    page.remove_listener("download", note)
    paths = []
    for download in downloads:
        path = folder / download.suggested_filename
        download.save_as(path)
        paths.append(path)
    return paths


def drag(page: Page, plane: int, u: int, v: int, *, drop: bool = True) -> None:
    """Drag from switch ``u`` of a plane to switch ``v``."""
    nodes = page.locator("#planes .picture").nth(plane).locator(".node .body")
    nodes.nth(u).scroll_into_view_if_needed()
    ends = [nodes.nth(i).bounding_box() for i in (u, v)]
    (ax, ay), (bx, by) = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in ends if box]
    page.mouse.move(ax, ay)
    page.mouse.down()
    page.mouse.move((ax + bx) / 2, (ay + by) / 2, steps=3)
    page.mouse.move(bx, by, steps=3)
    if drop:
        page.mouse.up()
        settle(page)
