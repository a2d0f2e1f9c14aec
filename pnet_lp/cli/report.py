"""``pnet-lp report``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from pnet_lp.cli.command import Command, json_option
from pnet_lp.cli.experiment_options import chosen_experiments, experiment_options, read_experiment
from pnet_lp.cli.options import executor_options, option, say
from pnet_lp.cli.output import OutputFolder, print_json, print_report
from pnet_lp.cli.progress import progress_line, progress_option
from pnet_lp.errors import SpecError
from pnet_lp.executors.base import Executor
from pnet_lp.experiment import Size
from pnet_lp.experiment.finished import FinishedRun, is_experiment, name_of, read_run
from pnet_lp.experiment.variation import load_variation, stored_variation
from pnet_lp.progress import counted
from pnet_lp.report.documents import LANGUAGES
from pnet_lp.report.experiment import variation_document, variation_sentences
from pnet_lp.report.page import INDEX, write_pages
from pnet_lp.report.published import Publication, write_up
from pnet_lp.report.totals import Total, totals
from pnet_lp.writing import naming_output, output_file, write_text


@click.command(cls=Command, example="pnet-lp report --all")
@click.argument("experiment", required=False)
@experiment_options
@option(
    "--to",
    type=OutputFolder(),
    default=Path("report"),
    show_default=True,
    help="Folder for the page, with a folder for each experiment.",
)
@option(
    "--format",
    "language",
    type=click.Choice(list(LANGUAGES)),
    default="md",
    show_default=True,
    help="Language of the tables to read: Markdown, HTML, or LaTeX for a paper.",
)
@executor_options()
@progress_option
@json_option
def command(
    *,
    experiment: str | None,
    every: bool,
    size: Size,
    results: Path,
    settings: tuple[str, ...],
    to: Path,
    language: str,
    executor: Executor,
    as_json: bool,
) -> None:
    """Write up the results of sweeps: tables, figures, and one page with every claim and its verdict.

    Nothing is computed.  Experiments without results are named.  With --set, it is of the sweep with the same settings;
    EXPERIMENT may also be the name of such a sweep's folder.
    """
    runs: list[tuple[FinishedRun, str]] = []
    found: list[Publication] = []
    files: list[Path] = []
    missing: dict[str, str] = {}
    stored = None
    if experiment is not None and not settings and not is_experiment(experiment):
        stored = stored_variation(results / experiment)
    for place in chosen_experiments(stored[0].of if stored else experiment, every):
        spec = read_experiment(place, settings, size=size)
        if stored:
            spec = load_variation(place, stored[0].settings, size=stored[1])
        words = [name_of(place), *([] if spec.size == "paper" else ["--size", spec.size])]
        changed = [word for text in (spec.variation.texts if spec.variation else ()) for word in ("--set", text)]
        typed = shlex.join(["pnet-lp", "sweep", *words, *changed])
        finished = read_run(spec, results)
        if finished is not None:
            runs.append((finished, typed))
        elif every:
            missing[spec.name] = typed
        else:
            raise SpecError(f"no results in {results} of a complete run", where=spec.name, allowed=f"{typed} first")
    with progress_line() as line:
        written = executor.map(partial(write_up, language=language), runs)
        for one, content in counted(written, len(runs), "experiments written", line):
            folder = to / one.experiment.folder
            with naming_output(folder):
                folder.mkdir(parents=True, exist_ok=True)
            for name, data in content.items():
                with output_file(folder / name) as temporary:
                    temporary.write_bytes(data)
                files.append(folder / name)
            found.append(one)
    with naming_output(to):
        to.mkdir(parents=True, exist_ok=True)
    pages = {to / name: text for name, text in write_pages(found, missing).items()}
    for page, text in pages.items():
        write_text(page, text)
    files += pages
    if as_json:
        print_json(
            {
                "size": size,
                "experiments": [_document(one) for one in found],
                "papers": [asdict(one) for one in totals(found)],
                "missing": missing,
                "files": [str(path) for path in files],
            }
        )
        return
    by_paper = map(_total, totals(found)) if every else ()
    print_report(*(_sentence(one) for one in found), *by_paper, f"page: {to / INDEX}")
    say(f"{name}: no results; {typed}" for name, typed in missing.items())


def _document(one: Publication) -> dict[str, Any]:
    header, *lines = one.claims
    return {
        "experiment": one.experiment.name,
        "title": one.experiment.title,
        "size": one.experiment.size,
        "cases": len(one.rows),
        "missing_cases": list(one.finished.missing),
        "caption": one.caption,
        "claims": [dict(zip(header, line, strict=True)) for line in lines],
        **variation_document(one.experiment),
    }


def _counts(verdicts: Mapping[str, int]) -> str:
    return ", ".join(f"{verdict} {count}" for verdict, count in verdicts.items())


def _total(one: Total) -> str:
    return f"{one.paper}: {_counts(one.verdicts)}; late {one.late}."


def _sentence(one: Publication) -> str:
    parts = [
        f"{one.experiment.name}: {_counts(one.verdicts) or 'no claims'}.",
        *variation_sentences(one.experiment),
        one.missing,
    ]
    return " ".join(filter(None, parts))
