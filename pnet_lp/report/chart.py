"""Bar charts of an experiment's throughput."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pnet_lp.experiment import Experiment
from pnet_lp.files import replacing
from pnet_lp.report.experiment import Comparison, Row

_BAR, _PAPER = "#4c72b0", "#c44e52"


def write_bar_chart(
    experiment: Experiment, rows: Sequence[Row], claims: Sequence[Comparison], path: str | Path
) -> None:
    """Draw each row's throughput as a bar, with published values as dashes above it, into a PNG file.

    Equal rows give equal bytes with the same matplotlib: no dates or versions are written.
    """
    # Imported here, and without pyplot: it is slow to load, and a window system must never be asked for.
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(1.6 * len(rows) + 2, 4.5), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    values = {row.case: row.throughput_gbps for row in rows}
    bars = axes.bar(list(values), list(values.values()), color=_BAR, width=0.6)
    axes.bar_label(bars, ["" if row.percent is None else f"{row.percent:.0f} %" for row in rows], padding=3)
    label = "published"
    for item in claims:
        published = item.claim.percent / 100 * values[item.claim.relative_to]
        position = list(values).index(item.claim.case)
        axes.hlines(
            published, position - 0.38, position + 0.38, colors=_PAPER, linestyles="dashed", label=label
        )
        # One entry in the legend for all of them.
        label = "_published"
    if claims:
        axes.legend(title=claims[0].source, loc="upper left", fontsize="small", title_fontsize="small")
    axes.set_ylabel(experiment.unit)
    axes.set_title(experiment.title, fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(y=0.12)
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png", metadata={"Software": None})
