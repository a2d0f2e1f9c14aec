"""``pnet-lp sweep``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import BOUNDS_ONLY, Command, json_option
from pnet_lp.cli.options import threads_option
from pnet_lp.cli.output import OutputFile, print_json, print_report
from pnet_lp.cli.progress import BoundsLine, note
from pnet_lp.experiment import Record, Store, load_experiment, run_experiment
from pnet_lp.report.chart import write_bar_chart
from pnet_lp.report.experiment import compare, compare_published, comparison_table, sweep_document
from pnet_lp.report.tables import SUFFIXES, from_rows, write_table


@click.command(cls=Command, example="pnet-lp sweep experiments/ideal-planes")
@click.argument("experiment", type=click.Path(path_type=Path))
@click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
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
@click.option("--seed", type=int, help="Use this seed in every case.  [default: the spec's]")
@threads_option
@click.option("-o", "--out", type=OutputFile(*SUFFIXES), help="Write the comparison as a table.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    experiment: Path,
    results: Path,
    resume: bool,
    seed: int | None,
    threads: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run an experiment: a folder with a spec.yaml.

    Every case is stored as it finishes, so an interrupted run goes on where it stopped.  The comparison is
    printed, next to what a paper published, and drawn as a bar chart.

    Exit code 3 says that the bounds of a case have not met within its tolerance; they hold all the same.
    """
    asked = load_experiment(experiment, seed=seed)
    store = Store(results / asked.name)
    records: list[Record] = []
    try:
        for record in run_experiment(asked, store, resume=resume, threads=threads, watch=BoundsLine):
            records.append(record)
            note(f"{len(records)} of {len(asked.cases)} cases done: {record.case}")
    except KeyboardInterrupt:
        done = f"{len(records)} of {len(asked.cases)} cases are stored in {store.folder}"
        click.echo(f"{done}; the same command goes on from there", err=True)
        raise
    rows = compare(asked, records)
    claims = compare_published(asked, records)
    chart = store.folder / "throughput.png"
    write_bar_chart(asked, rows, claims, chart)
    if out:
        write_table(from_rows([vars(row) for row in rows]), out)
    if as_json:
        print_json(sweep_document(asked, rows, claims, [str(chart)]))
    else:
        print_report(comparison_table(asked, rows), *(item.sentence() for item in claims), f"chart: {chart}")
    if any(row.status == "bounds" for row in rows):
        ctx.exit(BOUNDS_ONLY)
