"""The lesson in a headless Chromium, from a server of its own; every page is watched for errors and for requests."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Iterator

import pytest
from lab import SITE
from playwright.sync_api import Browser, Page, sync_playwright

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
PATIENCE_MS = 120_000
"""How long something may take on a busy machine before it counts as not happening."""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files as a plain host does, and says nothing."""

    extensions_map = {  # noqa: RUF012 - as the base class has it
        ".html": "text/html",
        ".js": "text/javascript",
        ".css": "text/css",
        ".json": "application/json",
        ".wasm": "application/wasm",
    }

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class has it
        """Say nothing."""


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where the lesson is."""
    assert (SITE / "lesson" / "index.html").is_file(), "the site is not built: make site"
    handler = functools.partial(Quiet, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        host, port = server.server_address[:2]
        yield f"http://{host}:{port}/lesson/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The Chromium of this machine."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    assert found, "there is no Chromium on PATH: apt-get install chromium"
    # Root's processes have no sandbox to go into.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The lesson, loaded; in the end nothing was requested from other hosts, and nothing went wrong."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    requests: list[str] = []
    wrong: list[str] = []
    context.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: wrong.append(message.text) if message.type != "log" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    yield page
    assert not wrong
    away = [url for url in requests if not url.startswith((address, "blob:", "data:"))]
    assert not away, "requests leave the page"
    context.close()
