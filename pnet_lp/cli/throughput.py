"""``pnet-lp throughput``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command, given
from pnet_lp.cli.options import (
    FAILING,
    NetworkArguments,
    network_arguments,
    option,
    output_options,
    plot_option,
    solve_options,
    threads_option,
    traffic_options,
)
from pnet_lp.cli.output import Output, OutputFile
from pnet_lp.cli.progress import BoundsLine
from pnet_lp.cli.time_limit import ending_at
from pnet_lp.errors import SpecError
from pnet_lp.model import Network, ThroughputResult, TrafficMatrix
from pnet_lp.report.links import check_rates, link_table, rate_table
from pnet_lp.report.throughput import throughput_report
from pnet_lp.seeds import MOST_DRAWS
from pnet_lp.tables import TABLE_FORMATS, write_table
from pnet_lp.threads import MOST_THREADS
from pnet_lp.throughput import Interrupted, solve
from pnet_lp.throughput.objectives import CONCURRENT
from pnet_lp.throughput.settings import ObjectiveSettings
from pnet_lp.throughput.write_lp import LP_SUFFIXES, write_lp
from pnet_lp.traffic import TrafficSettings


@click.command(
    cls=Command,
    example="pnet-lp throughput jellyfish:k=8 --planes 4 --variant heterogeneous --level rack",
)
@network_arguments
@traffic_options
@solve_options
@threads_option
@option(
    "--trials",
    type=click.IntRange(1, MOST_DRAWS),
    help="Number of draws of the failures, each solved; pairs that a draw disconnects are left out and counted.",
)
@option(
    "--jobs",
    type=click.IntRange(1, MOST_THREADS),
    default=1,
    show_default=True,
    needs=("trials",),
    help="Number of processes that solve in parallel.",
)
@plot_option("the distribution of the throughput over draws", needs=("trials",))
@option(
    "--save",
    excludes=("trials",),
    type=OutputFile(),
    help="Save the result with its proof, for `pnet-lp verify`.",
)
@option(
    "--links",
    excludes=("trials",),
    type=OutputFile(TABLE_FORMATS),
    help="Write load, utilisation and length (dual price) of every directed link as a table.",
)
@option(
    "--write-lp",
    "lp_file",
    excludes=("trials",),
    type=OutputFile(suffixes=LP_SUFFIXES),
    help="Before solving, write the linear program of K for another solver.",
)
@output_options("demand, with its rate, or with --trials per draw")
def command(
    *,
    network: NetworkArguments,
    traffic: TrafficSettings,
    asked: ObjectiveSettings,
    threads: int,
    save: Path | None,
    links: Path | None,
    lp_file: Path | None,
    trials: int | None,
    jobs: int,
    plot: Path | None,
    output: Output,
) -> None:
    """Compute how much of a traffic matrix fits into a network.

    Each TOPOLOGY is one plane: an expression such as fat-tree:k=8 or jellyfish:k=8,seed=1 (`pnet-lp list
    topologies`), or a file.  The result is the largest K such that every demand d gets K d at the same time, between
    two proved bounds that `pnet-lp verify` can check without a solver.  Other objectives maximise the sum of rates or
    their fairness, or minimise cost.

    With --trials the failures are drawn many times; the result is the mean for connected pairs, with quantiles.

    Exit code 3: the bounds have not met within the tolerance; they hold all the same.
    """
    if trials is not None:
        _many(network, traffic, asked, threads, trials, jobs, plot, output)
        return
    deadline = asked.deadline()
    with ending_at(deadline, "building the network"):
        built = network.build()
    with ending_at(deadline, "building the traffic matrix"):
        matrix = traffic.matrix(built, network.seed)
    if output.out is not None:
        check_rates(matrix)
    if lp_file:
        with ending_at(deadline, "writing the linear program"):
            write_lp(
                lp_file,
                built,
                matrix,
                routing=asked.routing,
                plane_policy=asked.plane_policy,
                seed=network.seed,
                threads=threads,
            )
    with BoundsLine() as on_progress:
        try:
            result = solve(
                built,
                matrix,
                on_progress=on_progress,
                **asked.options(network.seed, threads, deadline),
            )
        except Interrupted as stopped:
            result = stopped.result
    document = result.to_json()
    output.emit(
        document,
        lambda: [throughput_report(document)],
        table=lambda: rate_table(built, matrix, result),
        files=[
            (save, lambda path: _save(path, built, matrix, result)),
            (links, lambda path: write_table(link_table(built, matrix, result), path)),
        ],
        statuses=[result.status],
    )


def _many(
    network: NetworkArguments,
    traffic: TrafficSettings,
    asked: ObjectiveSettings,
    threads: int,
    trials: int,
    jobs: int,
    plot: Path | None,
    output: Output,
) -> None:
    """Answer for many draws of the failures."""
    from pnet_lp.report.trials import (  # noqa: PLC0415 - slow to load
        trials_document,
        trials_report,
        trials_table,
        write_trials_chart,
    )
    from pnet_lp.throughput.trials import failure_trials  # noqa: PLC0415

    if not given(FAILING):
        raise SpecError("nothing fails, so that all draws are alike", where="trials", found=trials)
    if asked.objective != CONCURRENT:
        raise SpecError(
            "has no meaning with --trials", where="objective", found=asked.objective, allowed=CONCURRENT
        )
    deadline = asked.deadline()
    with ending_at(deadline, "building the network"):
        intact = network.build_intact()
    with ending_at(deadline, "building the traffic matrix"):
        matrix = traffic.matrix(intact, network.seed)
    options = asked.options(network.seed, threads, deadline)
    with ending_at(deadline, "solving the draws"):
        found = failure_trials(
            intact,
            matrix,
            network.options.failures,
            trials=trials,
            jobs=jobs,
            **options,
        )
    document = trials_document(found, intact, matrix)
    output.emit(
        document,
        lambda: [trials_report(document)],
        table=lambda: trials_table(found),
        files=[(plot, lambda path: write_trials_chart(found, ", ".join(network.topologies), path))],
        statuses=[document["status"]],
    )


def _save(path: Path, network: Network, traffic: TrafficMatrix, result: ThroughputResult) -> None:
    from pnet_lp.throughput.proofs.store import save_result  # noqa: PLC0415 - slow to load

    save_result(path, network, traffic, result)
