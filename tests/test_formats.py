"""Formats of files: which one reads a file and which one writes it, and that nothing is lost between."""

from pathlib import Path

import pytest

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.formats import LAST, Format, Formats


@pytest.fixture
def lists(monkeypatch: pytest.MonkeyPatch) -> Formats[list[str]]:
    """Formats of lists of words: a general one, a special one, one for everything else, one that is only written."""
    found: Formats[list[str]] = Formats(
        "list",
        SpecError,
        package="pnet_lp.tables",
        group="pnet_lp.lists",
        difference=lambda one, other: None if one == other else f"{len(other)} words",
    )
    monkeypatch.setattr(found, "_all_loaded", True)

    def parse(text: str, _: str) -> list[str]:
        return text.removeprefix("list").removeprefix("!").removeprefix(":").split(",")

    found.add_text("any", (".any",), "any list", parse, ",".join, begins="list", order=1)
    found.add_text("bang", (".bang",), "a loud list", parse, lambda words: "list!" + ",".join(words), begins="list!")
    found.add_text(
        "plain",
        (".plain",),
        "words",
        parse,
        lambda words: ",".join(words[:2]),
        recognise=lambda head: "," in head,
        order=LAST,
        vague_suffixes=(".txt",),
    )
    written = Format[list[str]]("count", (".n",), lambda words, path: path.write_text(str(len(words))))
    found.add(written, summary="how many")
    return found


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("f", "list!a,b", "bang"),
        ("f.any", " \n# comment\nlist!a,b", "bang"),
        ("f.bang", "list:a,b", "any"),
        ("f.bang", "a,b", "bang"),
        ("f.txt", "a,b", "plain"),
        ("f.plain", "a", "plain"),
    ],
)
def test_content_counts_more_than_the_suffix(lists: Formats[list[str]], name: str, content: str, expected: str) -> None:
    assert lists.recognised(content.encode(), name).name == expected


def test_what_is_in_no_format(lists: Formats[list[str]]) -> None:
    with pytest.raises(SpecError) as caught:
        lists.parse(b"a\nb", "f.txt")
    assert str(caught.value) == (
        "f.txt: not a known list format, found 'a'; allowed: a suffix that names the format: .any, .bang, .plain"
    )
    with pytest.raises(SpecError, match="f: the file is empty"):
        lists.parse(b" \n", "f")


def test_a_value_is_written_whole_or_not_at_all(lists: Formats[list[str]], tmp_path: Path) -> None:
    lists.save(["a", "b"], tmp_path / "f.txt")
    assert (tmp_path / "f.txt").read_text() == "a,b"
    with pytest.raises(SpecError, match=r"plain cannot hold this list without loss, found '2 words'"):
        lists.save(["a", "b", "c"], tmp_path / "g.txt")
    lists.save(["a", "b", "c"], tmp_path / "h.n")
    with pytest.raises(SpecError, match=r"unknown list format, found '.x'; allowed: .any, .bang, .n, .plain, .t"):
        lists.save([], tmp_path / "h.x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.txt", "h.n"]


def test_a_library_is_needed_before_anything_is_written(
    lists: Formats[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Format[list[str]]("rare", (".rare",), lambda *_: None, library="pyarrow")
    lists.add(known, summary="with a library")
    assert lists.chosen("f.rare") is known
    monkeypatch.setattr("pnet_lp.extras.installed", lambda _: False)
    with pytest.raises(PnetError, match=r"f\.rare: pyarrow is not installed: install it with `pip install"):
        lists.chosen("f.rare")
