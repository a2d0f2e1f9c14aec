"""The site of all pages, where `make docs` has built it: nothing is requested from other hosts."""

from __future__ import annotations

import pytest
from lab import SITE
from playwright.sync_api import Browser

KINDS = ("index.html", "docs/notebooks/*.html", "docs/reference.html", "docs/gallery.html", "report/*.html")
"""A page of each kind, and all that run scripts of notebooks."""


@pytest.mark.skipif(not SITE.joinpath("index.html").is_file(), reason="not built: make docs")
def test_no_page_asks_another_host(browser: Browser, address: str) -> None:
    home = address.removesuffix("lesson/")
    context = browser.new_context()
    requests: list[str] = []
    context.on("request", lambda request: requests.append(request.url))
    page = context.new_page()
    for kind in KINDS:
        found = sorted(SITE.glob(kind))
        assert found, kind
        for path in found:
            page.goto(home + path.relative_to(SITE).as_posix(), wait_until="networkidle")
    context.close()
    assert not [url for url in requests if not url.startswith((home, "blob:", "data:"))]
