"""``pnet-lp draw``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command, given
from pnet_lp.cli.options import (
    NetworkArguments,
    grouped,
    network_arguments,
    option,
    output_options,
    setting,
    solve_if_given,
    threads_needing,
    traffic_if_given,
)
from pnet_lp.cli.output import Output, OutputFile
from pnet_lp.cli.progress import ProgressLine
from pnet_lp.cli.time_limit import ending_at
from pnet_lp.drawing.formats import PICTURE_FORMATS
from pnet_lp.drawing.settings import DrawSettings
from pnet_lp.throughput import Interrupted, solve
from pnet_lp.throughput.settings import ObjectiveSettings
from pnet_lp.traffic import TrafficSettings


@click.command(
    cls=Command, example="pnet-lp draw fat-tree:k=4 --cut bisection --traffic permutation -o fat-tree.svg"
)
@network_arguments
@grouped(
    "shown",
    DrawSettings,
    setting(DrawSettings, "cut"),
    setting(DrawSettings, "lengths", needs=("load", "traffic")),
    setting(DrawSettings, "layers"),
)
@option(
    "--load",
    type=click.Path(path_type=Path),
    metavar="FILE",
    excludes=("traffic",),
    help="Colour cables by their utilisation in a result of `throughput --save` or a table of "
    "`throughput --links`.",
)
@traffic_if_given(
    ("traffic", "cut"),
    default=None,
    show_default=False,
    help="Solve for this traffic matrix, and colour cables by utilisation.",
)
@solve_if_given("traffic")
@threads_needing("traffic")
@option(
    "-o",
    "--out",
    "file",
    type=OutputFile(PICTURE_FORMATS),
    required=True,
    help="File of the picture; the suffix chooses the format: {}.",
    listed=PICTURE_FORMATS.suffixes,
)
@output_options()
def command(
    *,
    network: NetworkArguments,
    shown: DrawSettings,
    load: Path | None,
    traffic: TrafficSettings,
    asked: ObjectiveSettings,
    threads: int,
    file: Path,
    output: Output,
) -> None:
    """Draw a network with its planes side by side; planes that look the same are drawn once.

    Each TOPOLOGY is one plane: an expression (`pnet-lp list topologies`) or a file.  Failed cables are dashed.  A plane
    of more than 400 switches or 2,500 cables is drawn as its tiers, with counts.

    Exit code 3: the bounds on the throughput of --traffic have not met within the tolerance.
    """
    from pnet_lp.drawing import draw  # noqa: PLC0415 - slow to load

    deadline = asked.deadline()
    with ending_at(deadline, "building the network"):
        built = network.build()
    matrix, result = None, None
    if given(["traffic"]):
        with ending_at(deadline, "building the traffic matrix"):
            matrix = traffic.matrix(built, network.seed)
        with ProgressLine() as on_progress:
            try:
                result = solve(
                    built, matrix, on_progress=on_progress, **asked.options(network.seed, threads, deadline)
                )
            except Interrupted as stopped:
                result = stopped.result
    picture = draw(
        built,
        traffic=matrix,
        load=load or result,
        level=None if matrix else traffic.level,
        title=", ".join(network.topologies),
        **shown.model_dump(),
    )
    output.emit(
        picture.document,
        lambda: [picture.title, *picture.captions],
        files=[(file, picture.save)],
        statuses=[result.status] if result else [],
    )
