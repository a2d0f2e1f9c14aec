"""``pnet-lp draw``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.charts.style import FigureStyle, Labels, styled
from pnet_lp.cli.command import BOUNDS_ONLY, Command, given
from pnet_lp.cli.options import build, labels_option, option, options_of, output_options, threads_needing
from pnet_lp.cli.output import Output, OutputFile
from pnet_lp.cli.progress import progress_line, progress_option
from pnet_lp.cli.time_limit import ending_at
from pnet_lp.drawing.formats import PICTURE_FORMATS
from pnet_lp.drawing.settings import DrawSettings
from pnet_lp.questions.keys import DemandKeys, MetricKeys
from pnet_lp.throughput import Interrupted, solve
from pnet_lp.throughput.settings import LoadSettings

_SOLVING = {key: {"needs": ("traffic",)} for key in LoadSettings.model_fields}


class _Keys(LoadSettings, DrawSettings, MetricKeys, DemandKeys):
    """A network, and what is shown of it."""


@click.command(cls=Command, example="pnet-lp draw fat-tree:k=4 --cut bisection --traffic permutation -o fat-tree.svg")
@options_of(
    "keys",
    _Keys,
    lengths={"needs": ("load", "traffic")},
    level={"needs": ("traffic", "cut")},
    traffic={
        "default": None,
        "show_default": False,
        "help": "Solve for this traffic matrix, and colour cables by utilisation.",
    },
    **_SOLVING,
)
@option(
    "--load",
    type=click.Path(path_type=Path),
    metavar="FILE",
    excludes=("traffic",),
    help="Colour cables by their utilisation in a result of `throughput --save` or a table of `throughput --links`.",
)
@labels_option()
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
@progress_option
@output_options()
def command(*, keys: _Keys, load: Path | None, labels: Labels | None, threads: int, file: Path, output: Output) -> None:
    """Draw a network with its planes side by side; planes that look the same are drawn once.

    Each TOPOLOGY is one plane: an expression (`pnet-lp list topologies`) or a file; 8x[TOPOLOGY] is eight.  Failed
    cables are dashed.  A plane of more than 400 switches or 2,500 cables is drawn as its tiers, with counts.

    Exit code 3: the bounds on the throughput of --traffic have not met within the tolerance.
    """
    from pnet_lp.drawing import draw  # noqa: PLC0415 - slow to load

    deadline = keys.deadline()
    with ending_at(deadline, "building the network"):
        network = build(keys)
    matrix, result = None, None
    if given(["traffic"]):
        with ending_at(deadline, "building the traffic matrix"):
            matrix = keys.demands(network, keys.seed)
        with progress_line() as on_progress:
            try:
                options = keys.options(keys.seed, threads, deadline)
                result = solve(network, matrix, on_progress=on_progress, **options)
            except Interrupted as stopped:
                result = stopped.result
    picture = draw(
        network,
        traffic=matrix,
        load=load or result,
        level=None if matrix else keys.level,
        title=", ".join(keys.topology),
        **keys.model_dump(include=set(DrawSettings.model_fields)),
    )

    def save(path: Path) -> None:
        with styled(FigureStyle(labels=labels)):
            picture.save(path)

    output.emit(
        {**picture.document, "warnings": list(network.warnings)},
        lambda: [picture.title, *picture.captions],
        files=[(file, save)],
        code=BOUNDS_ONLY if result is not None and result.status == "bounds" else 0,
    )
