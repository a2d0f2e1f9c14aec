"""Every command and Python block of README.md, docs/ and the other pages runs and prints what the page shows.

How a page is read:

- ```` ```console ````: a line ``$ command`` is run in a folder of the page's own, in which the data folders of the
  repository are found; a backslash at the end continues it.  It must end with exit code 0, or with n after ``# exit
  n``.  The lines after it must appear in the output, in order, from its first line on.  The first block of the first
  README.md is run by bash; elsewhere pnet-lp is called in this process, and what follows a | is bash's.
- ```` ```python ````: run in this process, with no names of others; a ```` ```text ```` block right after it holds what
  it prints.
- ``...`` on a line of its own stands for any lines, inside a line for any text.  Numbers need to agree to
  5e-4, whole numbers exactly, gaps (below 1e-3) not at all; nor are seconds and what has a ``~`` in front.  A
  command without shown output may print anything.
- ``<!-- file: NAME -->`` before a block writes the block to that file first.
- The code cells of a notebook are run one after the other, and have to assert what the notebook says.
- ``<!-- not run: reason -->`` before a block leaves it out.  So is a sweep of an experiment at quick size that shows no
  output: `make experiments` runs all of these, and the tests of experiments run each in a smaller size.  Of a sweep at
  the size of the paper that shows none, draws and cases are looked for in the experiment where those tests compute it.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import shlex
import subprocess
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot
import pytest
from click.testing import CliRunner

from pnet_lp.cli import main
from pnet_lp.experiment import load_experiment

from .experiment.test_shipped import FIGURES
from .test_house import REGISTRIES

ROOT = Path(__file__).resolve().parent.parent
DATA = ("experiments", "topologies", "traffic_matrices")
FOLDERS = ("docs", *DATA, "benchmarks", "results/published")
PAGES = sorted([*ROOT.glob("*.md"), *(page for folder in FOLDERS for page in ROOT.glob(f"{folder}/**/*.md"))])
NOTEBOOKS = sorted(ROOT.glob("docs/notebooks/*.ipynb"))
SECONDS_PER_COMMAND = 120
SMALL = 1e-3

QUICK = re.compile(r"pnet-lp sweep experiments/[a-z0-9-]+ --size quick")
PAPER = re.compile(r"pnet-lp sweep experiments/([a-z0-9-]+)((?: --draws \d+| --case '[^']+')*)")
COMPUTED = {name for name, *_ in FIGURES}
FENCE = re.compile(r"^```(\w*)\s*$")
NOTE = re.compile(r"^<!--\s*(file|not run):\s*(.*?)\s*-->$")
TOKEN = re.compile(
    r"(?P<any>\.\.\.|…)"
    r"|(?P<about>~\d+(?:\.\d+)?)"
    r"|(?P<seconds>(?<![\w.])\d+(?:\.\d+)?(?:e[-+]?\d+)?(?= ?(?:s|ms|min)\b))"
    r"|(?P<number>(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w]))"
    r"|(?P<space>\s+)",
    re.IGNORECASE,
)
NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"


@dataclass(frozen=True)
class Block:
    """One fenced block: where it begins, what it is, and the note in front of it."""

    line: int
    language: str
    lines: list[str]
    note: tuple[str, str] | None


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page."""
    found: list[Block] = []
    note = language = None
    start, body = 0, []
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if language is not None:
            if fence:
                found.append(Block(start, language, body, note))
                language = note = None
            else:
                body.append(line)
        elif fence:
            language, start, body = fence[1], number, []
        elif match := NOTE.match(line):
            note = (match[1], match[2])
        elif line.strip():
            note = None
    assert language is None, f"the block of line {start} is not closed"
    return found


def agree(shown: str, printed: str) -> bool:
    """Whether a printed line is what the page shows, numbers within the tolerance."""
    pattern, numbers, end = "", [], 0
    shown, printed = shown.strip(), printed.strip()
    for token in TOKEN.finditer(shown):
        pattern += re.escape(shown[end : token.start()])
        end = token.end()
        match token.lastgroup:
            case "any":
                pattern += ".*?"
            case "about" | "seconds":
                pattern += NUMBER
            case "number":
                pattern += f"({NUMBER})"
                numbers.append(token[0])
            case _:
                pattern += r"\s+"
    match = re.fullmatch(pattern + re.escape(shown[end:]), printed)
    return match is not None and all(map(_close, numbers, match.groups()))


def _close(shown: str, printed: str) -> bool:
    if re.fullmatch(r"-?\d+", shown):
        return shown == printed
    if 0 <= float(shown) < SMALL:
        return 0 <= float(printed) < SMALL
    return math.isclose(float(shown), float(printed), rel_tol=5e-4)


def check_output(shown: list[str], printed: str, where: str) -> None:
    """Fail unless the lines shown appear in what was printed, in order."""
    lines = [line for line in printed.splitlines() if line.strip()]
    position, anywhere = 0, False
    for line in filter(str.strip, shown):
        if line.strip() in {"...", "…"}:
            anywhere = True
            continue
        candidates = range(position, len(lines) if anywhere else min(position + 1, len(lines)))
        hit = next((i for i in candidates if agree(line, lines[i])), None)
        assert hit is not None, f"{where}: shows\n  {line}\nbut the output, from there on, is\n" + "\n".join(
            f"  {text}" for text in lines[position : position + 40]
        )
        position, anywhere = hit + 1, False


def commands(block: Block) -> list[tuple[str, int, list[str]]]:
    """Return ``(command, exit code, output shown)`` for each command of a console block."""
    found: list[tuple[str, int, list[str]]] = []
    continued = False
    for line in block.lines:
        if continued:
            command, code, shown = found.pop()
            found.append((command + "\n" + line, code, shown))
        elif line.startswith("$ "):
            found.append((line[2:], 0, []))
        elif found:
            found[-1][2].append(line)
        else:
            pytest.fail(f"line {block.line}: a console block begins with '$ '")
        continued = line.endswith("\\") and (continued or line.startswith("$ "))
    codes = [re.search(r"#\s*exit (\d+)\s*$", command) for command, _, _ in found]
    return [(c, int(code[1]) if code else 0, shown) for (c, _, shown), code in zip(found, codes, strict=True)]


ENVIRONMENT = {
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "COLUMNS": "110",
    "NO_COLOR": "1",
    "MPLBACKEND": "agg",
}
"""A terminal of 110 columns."""


def run(arguments: list[str], given: str = "") -> tuple[int, str]:
    """Return the exit code and the output, errors included, of a process that is ``given`` some input."""
    done = subprocess.run(
        arguments,
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS_PER_COMMAND,
        check=False,
    )
    return done.returncode, done.stdout


def run_here(command: str) -> tuple[int, str]:
    """Return what :func:`run` does for ``pnet-lp WORDS`` or ``pnet-lp WORDS | FILTER``, pnet-lp being this process."""
    own, _, rest = command.partition(" | ")
    words = shlex.split(own.replace("\\\n", " "), comments=True)
    done = CliRunner().invoke(main, words[1:], prog_name="pnet-lp")
    return run(["bash", "-c", rest], done.stdout) if rest else (done.exit_code, done.output)


def run_python(code: str, where: str) -> str:
    """Return what a script prints."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed), warnings.catch_warnings():
        warnings.simplefilter("default")
        exec(compile(code, where, "exec"), {"__name__": "__main__"})
    return printed.getvalue()


def is_computed(command: str) -> bool:
    """Return whether the tests of experiments compute a sweep at the size of the paper, whose cases have to exist."""
    sweep = PAPER.fullmatch(command)
    if sweep is None or sweep[1] not in COMPUTED:
        return False
    draws = re.search(r"--draws (\d+)", sweep[2])
    cases = re.findall(r"--case '([^']+)'", sweep[2])
    return bool(load_experiment(f"experiments/{sweep[1]}").reduced(draws=draws and int(draws[1]), cases=cases).cases)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in DATA:
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    for registry in REGISTRIES:
        # What a page registers is not there on others.
        registry.names()
        monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    printed: str | None = None
    typed = False
    for block in blocks(page.read_text()):
        where = f"{page.relative_to(ROOT)}:{block.line}"
        kind, value = block.note or ("", "")
        before, printed = printed, None
        if kind == "file":
            Path(value).write_text("\n".join(block.lines) + "\n")
        elif kind == "not run":
            continue
        elif block.language in {"console", "bash", "sh"}:
            for command, expected, shown in commands(block):
                if {*shown} <= {"...", ""} and (QUICK.fullmatch(command) or is_computed(command)):
                    continue
                here = (page != ROOT / "README.md" or typed) and command.startswith("pnet-lp ")
                code, output = run_here(command) if here else run(["bash", "-c", command])
                assert code == expected, f"{where}: '{command}' ended with {code}:\n{output}"
                check_output(shown, output, where)
            typed = True
        elif block.language == "python":
            printed = run_python("\n".join(block.lines), where)
        elif block.language == "text" and before is not None:
            check_output(block.lines, before, where)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_notebook(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    names: dict[str, object] = {"__name__": "__main__"}
    cells = [cell for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert any("assert" in line for cell in cells for line in cell["source"]), "a notebook asserts what it says"
    for cell in cells:
        exec(compile("".join(cell["source"]), str(notebook), "exec"), names)
    matplotlib.pyplot.close("all")


def test_little_is_left_out() -> None:
    left_out = [
        f"{page.relative_to(ROOT)}:{block.line}: {block.note[1]}"
        for page in PAGES
        for block in blocks(page.read_text())
        if block.note and block.note[0] == "not run"
    ]
    # An experiment runs at reduced size among the tests of experiments, the lesson's page in those of `make site-test`.
    elsewhere = ("experiments/", "docs/lesson.md")
    assert len([entry for entry in left_out if not entry.startswith(elsewhere)]) <= 5, left_out
    assert all(not entry.endswith(": ") for entry in left_out), "each block left out needs a reason"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        file = (page.parent / path) if path else page
        assert file.exists(), f"{page.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text(), re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in slugs, f"{page.name} links to {target}; headings are {sorted(slugs)}"


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("K = 0.12500 Gb/s", "K =  0.1249999 Gb/s", True),
        ("K = 0.12500 Gb/s", "K = 0.1260 Gb/s", False),
        ("80 switches", "81 switches", False),
        ("80 switches", "80.0 switches", False),
        ("solved in 0.31 s", "solved in 2.7 s", True),
        ("gap 1.2e-06 after ~0.3", "gap 8.9e-05 after 1.25", True),
        ("gap 1.2e-06 after ~0.3", "gap 0.12 after 1.25", False),
        ("sha256:1f... of x", "sha256:1f9c4e of x", True),
        ("sha256:1f... of x", "sha256:2f9c4e of x", False),
        ("plane1 0.5", "plane2 0.5", False),
    ],
)
def test_what_agrees(shown: str, printed: str, same: bool) -> None:
    assert agree(shown, printed) is same
