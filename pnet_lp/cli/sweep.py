"""``pnet-lp sweep``."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from pnet_lp.charts import CHART_FORMATS
from pnet_lp.charts.style import FigureStyle, styled
from pnet_lp.cli.command import OUTPUT, Command, Whole, json_option
from pnet_lp.cli.experiment_options import chosen_experiments, experiment_options, read_experiment
from pnet_lp.cli.options import executor_options, option, say, style_options, threads_option
from pnet_lp.cli.output import Output, OutputFile, print_json, print_report
from pnet_lp.cli.progress import progress_option
from pnet_lp.cli.sweeping import SweepResult, sweep
from pnet_lp.cli.vary_options import Varying, vary_options
from pnet_lp.errors import PnetError, SpecError
from pnet_lp.executors.base import Executor
from pnet_lp.experiment import Shard, Size
from pnet_lp.experiment.finished import is_experiment
from pnet_lp.experiment.plan import Planned, estimate, plan
from pnet_lp.experiment.varied import varied_experiment
from pnet_lp.flags import RUNNING
from pnet_lp.layouts import whole
from pnet_lp.memory import available_bytes
from pnet_lp.report.package import TABLES
from pnet_lp.report.plan import plan_table
from pnet_lp.seeds import LARGEST_SEED, MOST_DRAWS
from pnet_lp.tables import TABLE_FORMATS
from pnet_lp.topology import check_topology
from pnet_lp.units import WAIT


class _Time(click.ParamType[float]):
    """A time such as ``90s``, ``30min`` or ``2h``, in seconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds, or fail."""
        del param, ctx
        return WAIT.parse(str(value), "--budget")


class _Shard(click.ParamType[Shard]):
    """A part of the draws, as ``2/8``."""

    name = "shard"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Shard:
        """Return the shard, or fail."""
        number, count = (whole(part) for part in (*str(value).split("/"), "", "")[:2])
        if str(value).count("/") != 1 or number is None or count is None or not 0 < number <= count:
            self.fail(f"not a shard, found {str(value)!r}; allowed: I/N, such as 1/8 to 8/8", param, ctx)
        return Shard(number, count)


@click.command(
    cls=Command,
    example="pnet-lp sweep experiments/ideal-planes",
    # Options that are keys of cases are read when it is known of which question.
    context_settings={"ignore_unknown_options": True},
)
@click.argument("words", metavar="EXPERIMENT|TOPOLOGY...", nargs=-1, type=click.UNPROCESSED)
@experiment_options
@vary_options
@option(
    "--resume/--no-resume",
    default=True,
    show_default=True,
    help="Keep stored results of unchanged cases, or compute everything again.",
)
@option(
    "--case",
    "cases",
    metavar="NAME",
    multiple=True,
    excludes=("every",),
    help="Run only this case and the baseline; * stands for any text; may be repeated.",
)
@option(
    "--draws", heading=RUNNING, type=Whole(1, MOST_DRAWS), help="Number of seeds for every case.  [default: the spec's]"
)
@option(
    "--seed", heading=RUNNING, type=Whole(0, LARGEST_SEED), help="Use this seed in every case.  [default: the spec's]"
)
@executor_options()
@option(
    "--shard",
    heading=RUNNING,
    type=_Shard(),
    metavar="I/N",
    excludes=("every", "out", "chart"),
    help="Only compute and store the I-th of N parts of the draws. With the folders of all parts as one, the same "
    "command without --shard computes nothing again.",
)
@threads_option
@option(
    "--budget",
    type=_Time(),
    metavar="TIME",
    needs=("every",),
    help="Run only what fits into this time: 90s, 30min, 2h.",
)
@option(
    "--tables",
    heading=OUTPUT,
    type=click.Choice(list(TABLES)),
    default=TABLES[0],
    show_default=True,
    excludes=("shard", "write_spec"),
    help="Format of the tables in the folder of the results, which its datapackage.json describes.",
)
@option("--dry-run", is_flag=True, needs=("every",), help="Only print how long each experiment will take.")
@option(
    "-o",
    "--out",
    heading=OUTPUT,
    type=OutputFile(TABLE_FORMATS),
    excludes=("every",),
    help="Write the comparison as a table, one row per case.",
)
@option(
    "--rows",
    heading=OUTPUT,
    type=click.Choice(["case", "draw"]),
    default="case",
    show_default=True,
    needs=("out",),
    help="Whether --out has a row per case, with mean and spread, or per draw.",
)
@option(
    "--chart",
    heading=OUTPUT,
    type=OutputFile(CHART_FORMATS),
    excludes=("every",),
    help="Also write the chart to this file: {}.",
    listed=CHART_FORMATS.suffixes,
)
@style_options("chart")
@progress_option
@json_option
def command(
    *,
    words: tuple[str, ...],
    varying: Varying,
    every: bool,
    size: Size,
    results: Path,
    settings: tuple[str, ...],
    resume: bool,
    cases: tuple[str, ...],
    draws: int | None,
    seed: int | None,
    executor: Executor,
    shard: Shard | None,
    threads: int,
    figure_style: FigureStyle,
    budget: float | None,
    dry_run: bool,
    tables: str,
    out: Path | None,
    rows: str,
    chart: Path | None,
    as_json: bool,
) -> None:
    """Answer every combination of some options, or run an experiment: one table and one chart.

    With --vary, each combination of the values is answered.  TOPOLOGIES (or an ARCHITECTURE) and options are those of
    `throughput`, `hops`, `cost` or `simulate` (`pnet-lp list questions` names all questions).  The first --vary is the
    x-axis of the chart, the others make its lines.

    \b
    pnet-lp sweep jellyfish:k=8 --vary planes=1,2,4 --draws 10 -o table.csv

    EXPERIMENT is a folder with a spec.yaml, or its name below experiments/.  Its results are compared with the claims
    of a paper.  Each draw is stored when it is done, so an interrupted run continues where it stopped.  --set changes
    keys of its spec:

    \b
    pnet-lp sweep pnet-figure-7 --set topology=jellyfish:k=6 --set draws=10

    With --all every experiment is run, the longest first according to earlier runs, after an estimate of time and
    memory.

    Exit code 3: the bounds of a case have not met within its tolerance; they hold all the same.
    """  # noqa: D301 - the backslash is click's
    if varying.vary:
        spec = varying.spec(words, draws=draws, seed=seed)
        made = varied_experiment(spec)
        if varying.write_spec:
            folder = varying.written(spec)
            print_report(f"{len(made.cases):,} cases, {made.draws:,} draws: pnet-lp sweep {folder}")
            return
        experiments = [made.reduced(cases=cases)]
    else:
        experiments = [
            read_experiment(place, settings, seed=seed, size=size).reduced(draws=draws, cases=cases)
            for place in chosen_experiments(_experiment(words), every, "no experiment, and no topology,")
        ]
    run = partial(sweep, results=results, resume=resume, executor=executor, threads=threads, tables=tables)
    if every:
        planned = plan(
            [estimate(one, results) for one in experiments],
            budget_s=budget,
            jobs=executor.processes,
            free_bytes=available_bytes() if executor.shares_files else None,
        )
        if not as_json:
            print_report(plan_table(planned))
        _sweep_all(planned, run, size=size, budget_s=budget, dry_run=dry_run, as_json=as_json)
        return
    swept = run(experiments[0], unit=varying.unit, shard=shard)
    if shard is not None:
        folder, stored = results / experiments[0].folder, len(shard.of(range(experiments[0].draws)))
        document = {"shard": [shard.number, shard.count], "draws": stored, "folder": str(folder)}
        sentence = f"shard {shard.number} of {shard.count}: {stored} of {experiments[0].draws} draws are in {folder}"
        Output(as_json, None).emit(document, lambda: [sentence])
        return
    assert swept is not None

    def draw(file: Path) -> None:
        with styled(figure_style):
            swept.draw(file)

    Output(as_json, out).emit(
        swept.document(), swept.report, table=lambda: swept.table(rows), files=[(chart, draw)], code=swept.code
    )


def _experiment(words: Sequence[str]) -> str | None:
    """Return the one argument that is an experiment, or None if there is none."""
    for word in words:
        if word.startswith("-"):
            raise click.UsageError(f"no option {word.partition('=')[0]} without --vary", click.get_current_context())
    if len(words) > 1:
        raise click.UsageError("give one EXPERIMENT, or --vary too", click.get_current_context())
    if not words:
        return None
    if not is_experiment(words[0]) and _is_topology(words[0]):
        raise SpecError("nothing varies", where=words[0], allowed="--vary KEY=V,V with a TOPOLOGY")
    return words[0]


def _is_topology(text: str) -> bool:
    try:
        check_topology(text)
    except PnetError:
        return False
    return True


def _sweep_all(
    planned: Sequence[Planned],
    run: Callable[..., SweepResult | None],
    *,
    size: Size,
    budget_s: float | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Run what is planned, until the budget is spent, and leave with the exit code."""
    began = time.monotonic()

    def late() -> bool:
        return budget_s is not None and time.monotonic() - began > budget_s

    left_out = {one.name: one.left_out for one in planned if one.left_out}
    done: list[SweepResult] = []
    failed = 0
    for one in planned:
        if one.left_out or dry_run:
            continue
        try:
            swept = None if late() else run(one.estimate.experiment, late=late)
        except PnetError as error:
            # The others are not to wait until somebody looks.
            left_out[one.name], failed = str(error), error.exit_code
            continue
        if swept is None:
            left_out[one.name] = "the budget is spent; the same command continues from there"
            continue
        done.append(swept)
        if not as_json:
            print_report(*swept.report())
    if as_json:
        print_json(
            {
                "size": size,
                "estimates": [one.estimate.to_json() for one in planned],
                "experiments": [one.document() for one in done],
                "left_out": left_out,
            }
        )
    else:
        if not dry_run:
            print_report(f"{len(done)} of {len(planned)} experiments done")
        say(f"{name}: {why}" for name, why in left_out.items())
    click.get_current_context().exit(failed or max((one.code for one in done), default=0))
