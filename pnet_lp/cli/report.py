"""``pnet-lp report``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pnet_lp.cli.command import Command, json_option
from pnet_lp.cli.experiment_options import chosen_experiments, experiment_options
from pnet_lp.cli.options import say
from pnet_lp.cli.output import OutputFolder, print_json, print_report
from pnet_lp.errors import SpecError
from pnet_lp.experiment import Size, load_experiment
from pnet_lp.experiment.finished import name_of, read_run
from pnet_lp.report.page import write_page
from pnet_lp.report.published import Publication
from pnet_lp.writing import naming_output, write_text

PAGE = "index.html"


@click.command(cls=Command, example="pnet-lp report --all")
@click.argument("experiment", required=False)
@experiment_options
@click.option(
    "--to",
    type=OutputFolder(),
    default=Path("report"),
    show_default=True,
    help="Folder for the page, with a folder for each experiment.",
)
@json_option
def command(*, experiment: str | None, every: bool, size: Size, results: Path, to: Path, as_json: bool) -> None:
    """Write up the results of sweeps: tables, figures, and one page with every claim and its verdict.

    Nothing is computed.  Experiments without results are named.
    """
    found: list[Publication] = []
    missing: dict[str, str] = {}
    for place in chosen_experiments(experiment, every):
        spec = load_experiment(place, size=size)
        typed = f"pnet-lp sweep {name_of(place)}{'' if spec.size == 'paper' else f' --size {spec.size}'}"
        finished = read_run(spec, results)
        if finished is not None:
            found.append(Publication.of(finished, typed))
        elif every:
            missing[spec.name] = typed
        else:
            raise SpecError(f"no results in {results} of a complete run", where=spec.name, allowed=f"{typed} first")
    files = [path for one in found for path in one.write(to / one.experiment.folder)]
    page = to / PAGE
    with naming_output(to):
        to.mkdir(parents=True, exist_ok=True)
    write_text(page, write_page(found, missing))
    files.append(page)
    if as_json:
        print_json(
            {
                "size": size,
                "experiments": [_document(one) for one in found],
                "missing": missing,
                "files": [str(path) for path in files],
            }
        )
        return
    print_report(*(_sentence(one) for one in found), f"page: {page}")
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
    }


def _sentence(one: Publication) -> str:
    counts = ", ".join(f"{verdict} {count}" for verdict, count in one.verdicts.items())
    return f"{one.experiment.name}: {counts or 'no claims'}. {one.missing}".rstrip()
