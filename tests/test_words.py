"""Names, messages, comments and pages use the words of the field, as docs/glossary.md does, and none of :data:`RULES`.

A name is split into its words first, ``LinksOfWays`` and ``LINKS_OF_WAYS`` into ``links of ways``.  Names are, of
Python, those that are defined (classes, functions, arguments, variables), of Rust all, and those of files.  Fenced
blocks of pages are left out: they show what a command prints.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest

from .test_house import ROOT, committed, text_of

PENDING: tuple[str, ...] = (
    "crates/pnet-core/examples/packets.rs",
    "crates/pnet-core/src/mcf/",
    "crates/pnet-core/src/sim/",
    "crates/pnet-core/tests/",
    "crates/pnet-py/src/",
)
"""Folders and files that are still to be reworded; one without a hit must go from this list, which ends empty."""

NAMES, STRINGS, COMMENTS, PAGES = "name", "string", "comment", "page"
PROSE = (STRINGS, COMMENTS, PAGES)
EVERYWHERE = (NAMES, *PROSE)


@dataclass(frozen=True)
class Rule:
    """A word, and what to write instead.

    Attributes:
        pattern: matches the word, in any case.
        instead: what the field says.
        kinds: where it is looked for.
        allowed: matches contexts in which it means something else.
        within: path prefixes below which it is looked for.
        without: path prefixes below which it is not, since it means something else there.
    """

    pattern: str
    instead: str
    kinds: tuple[str, ...] = EVERYWHERE
    allowed: str = r"(?!)"
    within: tuple[str, ...] = ("",)
    without: tuple[str, ...] = ()

    def hits(self, kind: str, path: str, text: str) -> Iterator[re.Match[str]]:
        """Yield each match that no allowed context covers."""
        if kind not in self.kinds or not path.startswith(self.within) or path.startswith(self.without):
            return
        covered = [match.span() for match in re.finditer(self.allowed, text, re.IGNORECASE)]
        for match in re.finditer(self.pattern, text, re.IGNORECASE):
            if not any(start <= match.start() and match.end() <= end for start, end in covered):
                yield match


PICTURES = (
    "benchmarks/growth.py",
    "docs/drawing.md",
    "pnet_lp/cli/draw.py",
    "pnet_lp/cli/output.py",
    "pnet_lp/drawing/",
    "pnet_lp/notebook/",
    "pnet_lp/plot.py",
    "pnet_lp/questions/",
    "pnet_lp/report/",
    "site/",
    "tests/drawing/",
    "tests/notebook/",
    "tests/report/",
)
SOLVING = ("pnet_lp/throughput/", "crates/pnet-core/src/mcf/", "tests/throughput/", "docs/")

RULES = (
    Rule(r"\bways?\b", "path, paths; or direction", (NAMES,), r"\b(one|two|half)[ _]ways?\b"),
    Rule(
        r"\bways?\b",
        "path, paths",
        PROSE,
        r"\b(another|other|same|this|that|either|under|by|gives?|given|in the|in no|in a|in its|by the|half|both|each)"
        r"[ \n]ways?\b"
        r"|\b\w+-ways?\b"
        r"|\bon (the|its|their) way\b(?! (of|back))"
        r"|\bin (\w+ ){1,3}ways?\b"
        r"|\bways? (to(?! (the|a|its|it|each|every|`))|in which|of \w+ing)\b"
        r"|(?<!has )(?<!have )(?<!with )\bone way(?! for)\b",
    ),
    Rule(r"\balike\b", "equivalent, symmetric, identical or twin", allowed=r"^alike$|`alike`"),
    Rule(
        r"colou?r\w*",
        "equivalence class, quotient; colour refinement is the algorithm that finds the classes",
        allowed=r"colou?r[ -]refinement|colou?r(s|ed) (cables )?by\b|in two colours|differ in colour|`colours`"
        r"|^colours?$|no_color",
        without=PICTURES,
    ),
    Rule(r"\bclimb(s|ed|ing|er)?\b", "levels of max-min"),
    Rule(r"\bstuck\b", "saturated, fixed", allowed=r"`stuck`", within=SOLVING),
    Rule(r"\ba hair\b", "relaxation, or reduced by rounding", PROSE),
    Rule(r"\bhasten(s|ed|ing)?\b", "reschedule earlier"),
    Rule(r"\bbeginning\b", "warm start", (NAMES,)),
    Rule(
        r"\b(go(es|ing)?|went) on\b|\b(start|begin)(s|ning)? again\b",
        "continue; warm start, cold start",
        within=SOLVING,
    ),
    Rule(r"\bheld\b", "fixed (a demand)", (NAMES,), within=SOLVING),
    Rule(
        r"\b(held|left|free) (demand|commodit)\w*|\bdemands? ((that|are|is|still) )*(held|free|left)\b(?! out)",
        "fixed, remaining or active demands",
        PROSE,
    ),
    Rule(r"\b(asked|wanted)\b", "requested, expected", (NAMES,)),
    Rule(r"\bwhoever has words\b|\bhas words\b", "strings, text form", PROSE),
    Rule(r"\bis wrong\b", "invalid, not a valid ...: say what is allowed", (STRINGS, PAGES)),
    Rule(
        r"(?<!there )\b(is|are|was|were) no (?!(more|less|fewer|other|better|slower|nearer|cheaper|later|earlier"
        r"|higher|lower|(long|short|larg|small|great|wid|fast)er)\b)\w+",
        "is not a ...",
        (STRINGS, PAGES),
    ),
    Rule(r"\bhave no sum\b", "cannot be added: different endpoints", (STRINGS, PAGES)),
    Rule(r"\bsays? nothing (of|about)\b|\bhas to be said\b", "is not defined for; needs a baseline", (STRINGS, PAGES)),
    Rule(r"\b(so called|called so)\b", "the name is already used by", PROSE),
    Rule(r"\bdear(er|est)?\b|\bequal optics\b", "expensive", allowed=r"`dear-optics-[\w*-]*`"),
    Rule(r"\b(meals?|feeding|courses)\b", "large inputs"),
    Rule(r"\ba word of\b", "independent of each other", PROSE),
)


ANY = {
    kind: re.compile("|".join(f"(?:{rule.pattern})" for rule in RULES if kind in rule.kinds), re.IGNORECASE)
    for kind in EVERYWHERE
}
"""By kind, what has a hit of some rule, allowed or not: most texts have none."""


@dataclass(frozen=True)
class Piece:
    """A name or a text of a file, and the line that it begins in."""

    kind: str
    line: int
    text: str


@cache
def split_name(name: str) -> str:
    """Return the words of a name."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return re.sub(r"[_\W]+", " ", spaced).strip()


PYTHON = re.compile(
    r"(?P<quotes>\"{3}|'{3})(?:\\.|.)*?(?P=quotes)"
    r'|"(?:\\.|[^"\\])*"'
    r"|'(?:\\.|[^'\\])*'"
    r"|(?P<comment>#[^\n]*)",
    re.DOTALL,
)


def python_pieces(source: str) -> Iterator[Piece]:
    """Yield defined names, docstrings and comments, and all other strings."""
    docstrings = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docstrings.add(node.value)
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield Piece(NAMES, node.lineno, split_name(name))
            case ast.arg(arg=name):
                yield Piece(NAMES, node.lineno, split_name(name))
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield Piece(NAMES, node.lineno, split_name(name))
            case ast.Constant(value=str(text)):
                yield Piece(COMMENTS if node in docstrings else STRINGS, node.lineno, text)
    line, place = 1, 0
    for match in PYTHON.finditer(source):
        if match["comment"]:
            line, place = line + source.count("\n", place, match.start()), match.start()
            yield Piece(COMMENTS, line, match[0])


RUST = re.compile(
    r"(?P<comment>//[^\n]*(?:\n\s*//[^\n]*)*|/\*.*?\*/)"
    r"|(?P<char>b?'(?:\\.[^']*|[^\\'])')"
    r'|r(?P<hash>#*)"(?P<raw>.*?)"(?P=hash)'
    r'|"(?P<string>(?:\\.|[^"\\])*)"'
    r"|(?P<name>[A-Za-z_]\w*)",
    re.DOTALL,
)


def rust_pieces(source: str) -> Iterator[Piece]:
    """Yield names, comments and strings."""
    line, place = 1, 0
    for match in RUST.finditer(source):
        line, place = line + source.count("\n", place, match.start()), match.start()
        if match["name"]:
            yield Piece(NAMES, line, split_name(match["name"]))
        elif match["comment"]:
            yield Piece(COMMENTS, line, re.sub(r"\n\s*//[/!]?", "\n", match["comment"]))
        elif (text := match["string"] or match["raw"]) is not None:
            yield Piece(STRINGS, line, text)


def page_pieces(source: str) -> Iterator[Piece]:
    """Yield paragraphs outside fenced blocks."""
    unfenced = re.sub(r"^```.*?^```", lambda match: "\n" * match[0].count("\n"), source, flags=re.M | re.S)
    for match in re.finditer(r"(?:[^\n]+\n?)+", unfenced):
        yield Piece(PAGES, unfenced.count("\n", 0, match.start()) + 1, match[0])


READERS = {
    ".py": python_pieces,
    ".pyi": python_pieces,
    ".rs": rust_pieces,
    ".md": page_pieces,
    ".html": page_pieces,
    ".js": page_pieces,
}
LEFT_OUT = ("CHANGELOG.md", "results/", "tests/test_words.py")
"""What was said before, what runs wrote, and this table."""


def hits() -> dict[str, list[str]]:
    """Return by file what its hits are, one sentence each."""
    found: dict[str, list[str]] = {}
    for path in sorted(committed()):
        name = path.relative_to(ROOT).as_posix()
        text = text_of(path) if path.suffix in READERS and not name.startswith(LEFT_OUT) else None
        if text is None:
            continue
        pieces = [Piece(NAMES, 1, split_name(path.stem)), *READERS[path.suffix](text)]
        for piece in pieces:
            for rule in RULES if ANY[piece.kind].search(piece.text) else ():
                for match in rule.hits(piece.kind, name, piece.text):
                    line = piece.line + piece.text.count("\n", 0, match.start())
                    around = piece.text[max(0, match.start() - 40) : match.end() + 30].replace("\n", " ")
                    found.setdefault(name, []).append(
                        f"{name}:{line}: {piece.kind} ...{around}...: not {match[0]!r} but {rule.instead}"
                    )
    return found


def test_words_of_the_field() -> None:
    found = hits()
    new = [line for name, lines in found.items() if not name.startswith(PENDING) for line in lines]
    assert not new, "\n".join(["words that the field has others for:", *new])
    done = [folder for folder in PENDING if not any(name.startswith(folder) for name in found)]
    assert not done, f"nothing is left to reword there: remove it from PENDING: {done}"


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        (NAMES, "LINKS_OF_WAYS", ["WAYS"]),
        (NAMES, "one_way", []),
        (NAMES, "ColourCertificate", ["Colour"]),
        (COMMENTS, "each demand has one way only", ["way"]),
        (COMMENTS, "in the same way, the other way round, a way to solve it, on its way, under way", []),
        (PAGES, "colour refinement merges the hosts that are alike", ["alike"]),
        (STRINGS, "'x' is no speed, there is no speed, it is no longer than that", ["is no speed"]),
        (STRINGS, "a weight is no number", ["is no number"]),
        (STRINGS, "demands that are still free, demands that are left out", ["demands that are still free"]),
        (PAGES, "the dear ones", ["dear"]),
    ],
)
def test_rules(kind: str, text: str, words: list[str]) -> None:
    text = split_name(text) if kind == NAMES else text
    assert [match[0] for rule in RULES for match in rule.hits(kind, "docs/page.md", text)] == words


def test_names_and_texts_are_found() -> None:
    python = '"""Doc."""\nclass AWay:  # note\n    def f(self, ways=1):\n        self.held = f"is wrong {ways}"\n'
    assert [(piece.kind, piece.text) for piece in python_pieces(python)].count((NAMES, "held")) == 1
    assert {(piece.kind, piece.text) for piece in python_pieces(python)} >= {
        (COMMENTS, "Doc."),
        (NAMES, "A Way"),
        (COMMENTS, "# note"),
        (NAMES, "ways"),
        (STRINGS, "is wrong "),
    }
    rust = '/// A way\n/// alike.\nlet held = \'"\'; let x = "is wrong"; fn of_ways<\'a>() {} r#"a "raw" one"#'
    assert [(piece.kind, piece.text) for piece in rust_pieces(rust)][:2] == [
        (COMMENTS, "/// A way\n alike."),
        (NAMES, "let"),
    ]
    assert {(STRINGS, "is wrong"), (NAMES, "of ways"), (STRINGS, 'a "raw" one')} <= {
        (piece.kind, piece.text) for piece in rust_pieces(rust)
    }
    page = "one\n```console\n$ alike\n```\ntwo\n"
    assert [(piece.line, piece.text.strip()) for piece in page_pieces(page)] == [(1, "one"), (5, "two")]
