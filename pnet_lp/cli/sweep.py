"""``pnet-lp sweep``."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from pnet_lp.cli.command import BOUNDS_ONLY, Command, json_option
from pnet_lp.cli.options import MOST_THREADS, say, threads_option
from pnet_lp.cli.output import OutputFile, OutputFolder, print_json, print_report
from pnet_lp.cli.progress import BoundsLine, CountLine, note
from pnet_lp.experiment import Record, Size, Store, load_experiment, run_experiment
from pnet_lp.experiment.store import CASES, CHART, DRAWS
from pnet_lp.report.chart import write_chart
from pnet_lp.report.claims import compare_claims
from pnet_lp.report.experiment import (
    compare,
    comparison_table,
    draw_table,
    result_table,
    saturation_sentences,
    sweep_document,
    union,
)
from pnet_lp.report.tables import SUFFIXES, write_table
from pnet_lp.seeds import LARGEST_SEED, MOST_DRAWS


@click.command(cls=Command, example="pnet-lp sweep experiments/ideal-planes")
@click.argument("experiment", type=click.Path(path_type=Path))
@click.option(
    "--size",
    type=click.Choice(["paper", "quick"]),
    default="paper",
    show_default=True,
    help="The cases as the spec has them, or as its quick says.",
)
@click.option(
    "--results",
    type=OutputFolder(),
    default=Path("results"),
    show_default=True,
    help="Folder in which the experiment gets its own folder of results.",
)
@click.option(
    "--resume/--no-resume",
    default=True,
    show_default=True,
    help="Keep stored results of unchanged cases, or compute all again.",
)
@click.option(
    "--case",
    "cases",
    metavar="NAME",
    multiple=True,
    help="Run only this case and the baseline; * stands for any text, and the option may be repeated.",
)
@click.option(
    "--draws", type=click.IntRange(1, MOST_DRAWS), help="Seeds for every case.  [default: the spec's]"
)
@click.option(
    "--seed", type=click.IntRange(0, LARGEST_SEED), help="Use this seed in every case.  [default: the spec's]"
)
@click.option(
    "--jobs",
    type=click.IntRange(1, MOST_THREADS),
    default=1,
    show_default=True,
    help="Processes that work at the same time; results do not depend on it.",
)
@threads_option
@click.option("-o", "--out", type=OutputFile(*SUFFIXES), help="Write the comparison as a table.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    experiment: Path,
    size: Size,
    results: Path,
    resume: bool,
    cases: tuple[str, ...],
    draws: int | None,
    seed: int | None,
    jobs: int,
    threads: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run an experiment: a folder with a spec.yaml.

    Every draw is stored as it finishes, so an interrupted run goes on where it stopped.  The comparison is
    printed, next to what a paper claims, and drawn as a chart.

    Exit code 3 says that the bounds of a case have not met within its tolerance; they hold all the same.
    """
    asked = load_experiment(experiment, seed=seed, size=size).reduced(draws=draws, cases=cases)
    say(dict.fromkeys(warning for case in asked.cases.values() for warning in case.warnings))
    store = Store(results / asked.folder)
    records: list[Record] = []
    # One process shows the bounds of its solve; of several only the number of draws done can be shown.
    total = sum(case.draws for case in asked.cases.values())
    try:
        with CountLine(total, "draws") if jobs > 1 else nullcontext() as count:
            for record in run_experiment(
                asked,
                store,
                resume=resume,
                jobs=jobs,
                threads=threads,
                watch=BoundsLine,
                on_draw=(lambda draw: count(draw.case)) if count else None,
                on_note=lambda sentence: say([sentence]),
            ):
                records.append(record)
                if not count:
                    note(f"{len(records)} of {len(asked.cases)} cases done: {record.case}")
    except KeyboardInterrupt:
        done = f"{len(records)} of {len(asked.cases)} cases are stored in {store.folder}"
        raise KeyboardInterrupt(f"{done}; the same command goes on from there") from None
    rows = compare(asked, records)
    claims = compare_claims(asked, records)
    chart, table, each = (store.folder / name for name in (CHART, CASES, DRAWS))
    write_chart(asked, rows, claims, chart)
    write_table(result_table(rows), table)
    write_table(draw_table(asked, records), each)
    if out:
        write_table(union([row.to_json() for row in rows]), out)
    if as_json:
        print_json(sweep_document(asked, records, rows, claims, [str(chart), str(table), str(each)]))
    else:
        print_report(
            comparison_table(asked, rows),
            *saturation_sentences(asked, rows),
            *(item.sentence() for item in claims),
            f"chart: {chart}",
        )
    if any(row.status == "bounds" for row in rows):
        ctx.exit(BOUNDS_ONLY)
