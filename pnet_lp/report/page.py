"""Pages of everything that was measured: claims by paper with their verdicts, figures, what they depend on.

An index, and a page for each paper where there are several.  They ask no other host for anything.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pnet_lp import __version__
from pnet_lp.errors import printable
from pnet_lp.experiment.claims import VERDICTS
from pnet_lp.report.claims import NOT_RUN
from pnet_lp.report.published import Publication
from pnet_lp.report.totals import ALL, heading_of, in_order, totals
from pnet_lp.units import format_bytes, format_seconds

_SIGNS = dict(zip((*VERDICTS, NOT_RUN), "✓~✗–·", strict=True))
"""Verdicts are told apart by more than their colour."""

INDEX = "index.html"
"""The file of the first page."""

_LONGEST_FILE = 60
"""Characters of a paper in the name of a file."""


@dataclass(frozen=True)
class _Item:
    """A publication as the page shows it."""

    shown: Publication
    figure: str
    verdicts: Mapping[str, int]
    facts: Sequence[tuple[str, str]]


def write_pages(publications: Sequence[Publication], missing: Mapping[str, str]) -> dict[str, str]:
    """Return the pages as HTML, by the names of their files, the index first.

    Of one paper everything is in the index.

    Args:
        publications: what was measured.
        missing: experiments that have no results, and the commands that make them.
    """
    from jinja2 import Environment, PackageLoader  # noqa: PLC0415 - slow to load

    papers: dict[str, list[_Item]] = {}
    for one in publications:
        papers.setdefault(heading_of(one.experiment), []).append(_item(one))
    environment = Environment(
        loader=PackageLoader("pnet_lp", "report"),
        autoescape=True,
        finalize=lambda value: printable(value) if isinstance(value, str) else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.get_template("page.html")
    papers = {paper: papers[paper] for paper in sorted(papers, key=str.casefold)}
    several = len(papers) > 1
    files = {paper: _file_of(paper, papers) if several else "" for paper in papers}
    file_of = {item.shown.experiment.name: files[paper] for paper, items in papers.items() for item in items}
    common = {
        "papers": papers,
        "files": files,
        "file_of": file_of,
        "totals": totals(publications),
        "all_papers": ALL,
        "signs": _SIGNS,
        "size": publications[0].experiment.size if publications else "paper",
        "version": __version__,
        "index": INDEX,
    }
    unlike = [(one, line) for one in publications for line in _unlike(one)]
    pages = {INDEX: template.render(**common, part="", shown={} if several else papers, unlike=unlike, missing=missing)}
    for paper, items in papers.items() if several else ():
        found = [(one, line) for one, line in unlike if file_of[one.experiment.name] == files[paper]]
        shown = {paper: items}
        pages[files[paper]] = template.render(**common, part=paper, shown=shown, unlike=found, missing={})
    return pages


def _file_of(paper: str, papers: Mapping[str, object]) -> str:
    """Return the name of the file of a paper's page, another one for each."""
    slugs = {one: re.sub(r"[^a-z0-9]+", "-", one.lower())[:_LONGEST_FILE].strip("-") for one in papers}
    alone = [*slugs.values()].count(slugs[paper]) == 1 and slugs[paper]
    return f"claims-{slugs[paper] if alone else [*papers].index(paper) + 1}.html"


def _unlike(one: Publication) -> list[tuple[str, ...]]:
    """Return the lines of the claims that measured values do not bear out."""
    header, *lines = one.claims
    return [line for line in lines if line[header.index("verdict")] in ("differs", "trend only")]


def _item(one: Publication) -> _Item:
    return _Item(one, base64.b64encode(one.svg.encode()).decode(), in_order(one.verdicts), _facts(one))


def _facts(one: Publication) -> list[tuple[str, str]]:
    """Return what the results depend on, in words."""
    manifest: Mapping[str, Any] = one.finished.manifest
    machine = manifest["machine"]
    seeds = {draw.settings["seed"] for record in one.finished.records for draw in record.draws[:1]}
    draws = sorted({len(record.draws) for record in one.finished.records})
    spent = [draw.spent for record in one.finished.records for draw in record.draws if draw.spent]
    peaks = [item.peak_bytes for item in spent if item.peak_bytes]
    commit = manifest["commit"] or "not from a checkout"
    return [
        ("commit", f"{commit}{', with changes' if manifest['dirty'] else ''}"),
        ("code", str(manifest["code"])),
        ("pnet-lp", f"{manifest['pnet_lp']}, {manifest['build_profile']} build, Python {manifest['python']}"),
        ("packages", ", ".join(f"{name} {version}" for name, version in manifest["packages"].items())),
        ("machine", f"{machine['processor']}, {machine['cores']} cores, {machine['system']} {machine['architecture']}"),
        (
            "seeds",
            f"{', '.join(map(str, sorted(seeds)))}; draws: {' to '.join(map(str, draws[:: max(len(draws) - 1, 1)]))}",
        ),
        ("time of all draws", format_seconds(sum(item.work_seconds for item in spent)) if spent else "unknown"),
        ("most memory of a process", format_bytes(max(peaks)) if peaks else "unknown"),
    ]
