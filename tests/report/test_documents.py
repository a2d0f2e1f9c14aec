"""Reports in languages: what is written says the same, and nothing in it is markup."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from pnet_lp.report.documents import LANGUAGES, Document

NASTY = r"50 % of a_b & {c} \d $e$ #1 ~f ^g <i>h</i> | i"

SHOWN = Document(
    f"Title: {NASTY}",
    "pnet-lp sweep trial",
    ["One case is missing."],
    "chart.png",
    f"Caption: {NASTY}",
    [("case", "Gb/s", f"% of {NASTY}"), (NASTY, "1.50 ± 0.02", ""), ("two", "2", "100.0")],
    [("claim", "verdict"), (NASTY * 3, "agrees")],
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("empty", [False, True])
def test_all_is_said(language: str, empty: bool) -> None:
    shown = Document("T", "c", [], "", "", [], [("claim", "verdict")]) if empty else SHOWN
    suffix, write = LANGUAGES[language]
    text = write(shown)
    assert suffix.startswith(".")
    assert text.endswith("\n")
    assert ("verdict" in text) != empty
    assert ("Gb/s" in text) != empty


def test_latex_compiles_as_far_as_braces_and_signs_tell() -> None:
    text = LANGUAGES["latex"][1](SHOWN)
    body = re.sub(r"^%.*$", "", text, flags=re.MULTILINE)
    for sign in "&%#_":
        cells = re.sub(r" & ", "", body)
        assert not re.search(rf"(?<!\\){sign}", cells), sign
    plain = re.sub(r"\\[{}]", "", body)
    depth = 0
    for mark in re.findall(r"[{}]", plain):
        depth += 1 if mark == "{" else -1
        assert depth >= 0
    assert depth == 0
    assert body.count(r"\begin{") == body.count(r"\end{") == 5
    assert r"1.50 $\pm$ 0.02 &  \\" in body
    assert r"\begin{tabular}{>{\raggedright\arraybackslash}p{" in body
    rows = body.split(r"\toprule")[1].split(r"\bottomrule")[0]
    assert [row.count(" & ") for row in rows.splitlines() if "&" in row] == [2, 2, 2]


def test_latex_breaks_long_tables_between_pages() -> None:
    long = replace(SHOWN, cases=[("case", "Gb/s"), *((str(i), "1") for i in range(41))])
    text = LANGUAGES["latex"][1](long)
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") == text.count(r"\endhead") == 1


def test_html_is_closed_and_shows_texts_as_they_are() -> None:
    class Read(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []
            self.seen: set[str] = set()
            self.texts: list[str] = []

        def handle_starttag(self, tag: str, attrs: object) -> None:
            del attrs
            self.seen.add(tag)
            if tag not in ("meta", "img"):
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

        def handle_data(self, data: str) -> None:
            self.texts.append(data)

    read = Read()
    read.feed(LANGUAGES["html"][1](SHOWN))
    assert not read.open
    assert "i" not in read.seen
    assert NASTY in read.texts
    assert f"Title: {NASTY}" in read.texts
