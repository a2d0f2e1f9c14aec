"""What ``mkdocs`` is told beside ``mkdocs.yml``: the repository's pages where they lie, and pages made here.

Pages keep their places, so that a link that leads somewhere in the repository does so on the site.  A link to what
the site does not have becomes its text.  Made here are the reference, from docstrings, and the gallery.
"""

from __future__ import annotations

import inspect
import os
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files

import pnet_lp as pn
from pnet_lp.notebook.ask import question
from pnet_lp.questions.base import QUESTIONS
from pnet_lp.topology import topologies

ROOT = Path(__file__).resolve().parents[1]
BUILT = ROOT / "build"
DATA = ("experiments/**/*.md", "topologies/*.md", "traffic_matrices/*.md", "benchmarks/*.md", "results/published/*.md")
PAGES = ("*.md", "docs/**/*.md", "docs/**/*.svg", "docs/notebooks/*.ipynb", *DATA)
LESSON = "<!doctype html><title>Lesson</title><p>`make site` builds the lesson.</p>"
REFERENCE = {
    "Step by step": (
        "notebook.network.build_network",
        "notebook.network.build_traffic",
        "notebook.draw.draw",
        "notebook.sweep.sweep",
    ),
    "Below the questions": ("throughput.facade.solve", "throughput.bounds.base.compute_bounds", "sim.facade.simulate"),
    "Values": (
        "model.network.Network",
        "model.plane.Plane",
        "model.traffic.TrafficMatrix",
        "model.result.ThroughputResult",
        "sim.result.SimulationResult",
    ),
    "Errors": ("errors",),
}
"""What the reference holds, below ``pnet_lp``, besides the questions and their answers."""

REPOSITORY = os.environ.get("GITHUB_REPOSITORY", "")
"""``owner/name`` where a workflow builds the site; notebooks then have buttons that open them in a browser, live."""

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


@event_priority(100)  # before the plugin that takes the notebooks
def on_files(files: Files, *, config: Any) -> Files:
    """Put the repository's pages at their places, and beside them what is made."""
    found = Files([file for file in files if not file.src_uri.endswith((".md", ".ipynb", ".svg"))])

    def add(uri: str, **source: Any) -> None:
        found.append(File.generated(config, uri, **source))

    for pattern in PAGES:
        for path in sorted(ROOT.glob(pattern)):
            uri = path.relative_to(ROOT).as_posix()
            found.append(File(uri, str(ROOT), config.site_dir, config.use_directory_urls))
    for path in sorted((BUILT / "published").rglob("*")):
        if path.is_file():
            add(f"report/{path.relative_to(BUILT / 'published').as_posix()}", abs_src_path=str(path))
    lesson = BUILT / "site" / "lesson" / "index.html"
    add("lesson/index.html", content=lesson.read_text() if lesson.exists() else LESSON)
    add("docs/reference.md", content=_reference())
    add("docs/gallery.md", content=_gallery())
    for entry in topologies:
        picture = pn.build_network(entry.expression).draw()
        add(f"docs/pictures/families/{entry.name}.svg", content=picture.svg())
    return found


def on_page_markdown(markdown: str, *, page: Any, files: Files, **_: Any) -> str:
    """Lead links to folders to what these say of themselves, and leave none that leads to nothing."""
    here = posixpath.dirname(page.file.src_uri)

    def link(match: re.Match[str]) -> str:
        image, text, target = match.groups()
        path, hash_, anchor = target.partition("#")
        if "://" in target or not path:
            return match[0]
        for uri in (path, f"{path.rstrip('/')}/README.md"):
            if files.get_file_from_path(posixpath.normpath(posixpath.join(here, uri))):
                return f"{image}[{text}]({uri}{hash_}{anchor})"
        return text

    parts = re.split(r"(^```.*?^```\s*?$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else _LINK.sub(link, part) for part in parts)


def on_page_content(html: str, *, page: Any, **_: Any) -> str:
    """Put above a notebook what opens it: Binder builds the extension, Colab needs a released wheel."""
    uri = page.file.src_uri
    return f"{_buttons(REPOSITORY, uri)}{html}" if REPOSITORY and uri.endswith(".ipynb") else html


def _buttons(repository: str, uri: str) -> str:
    binder = f"https://mybinder.org/v2/gh/{repository}/HEAD?urlpath=lab/tree/{uri}"
    colab = f"https://colab.research.google.com/github/{repository}/blob/main/{uri}"
    return (
        f'<p><a class="md-button" href="{binder}">Open in Binder</a> '
        f'<a class="md-button" href="{colab}">Open in Colab</a> '
        "(in Colab, first run <code>%pip install 'pnet-lp[notebook]'</code>)</p>"
    )


def _reference() -> str:
    lines = [
        "# Reference",
        "",
        "The functions and classes of `pnet_lp`, from their docstrings. [From Python](python.md) shows them in use.",
        "",
    ]
    lines += ["## Questions", ""]
    for entry in QUESTIONS:
        function = question(entry.name)
        said, _, arguments = (inspect.getdoc(function) or "").partition("Args:\n")
        listed = re.sub(r"^ +(\w+): ", r"- `\1`: ", arguments, flags=re.MULTILINE)
        answer = f"{entry.params.__name__.removesuffix('Case')}Answer"
        lines += [_member(f"notebook.ask.{function.__name__}", 3), said, listed, ""]
        lines += [_member(f"{entry.build.__module__.removeprefix('pnet_lp.')}.{answer}", 4)]
    for title, names in REFERENCE.items():
        lines += [f"## {title}", "", *(_member(name, 3) for name in names)]
    return "\n".join(lines)


def _member(name: str, level: int) -> str:
    return f"::: pnet_lp.{name}\n    options:\n      heading_level: {level}\n"


def _gallery() -> str:
    lines = [
        "# Gallery",
        "",
        "One network of each kind, drawn by `pnet-lp draw`.  Click one for its full size;",
        "[Drawings](drawing.md) describes the layouts, and how to show cuts and loads.",
        "",
    ]
    for entry in topologies:
        family, words = entry.name, entry.expression
        file = f"pictures/families/{family}.svg"
        lines += [
            f"## {family}",
            "",
            entry.summary,
            "",
            f"[![{words}]({file}){{ width=480 }}]({file})",
            "",
            f"```console\n$ pnet-lp draw {words} -o {family}.svg\n```",
            "",
        ]
    return "\n".join(lines)
