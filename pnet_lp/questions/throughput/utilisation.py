"""How full links are, as a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pnet_lp.plot import COLOURS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_STYLES = ("-", "--", "-.", ":")
"""Lines that lie on each other are both seen, also in grey."""

_MOST_LINES = 8
"""As many as there are colours that all can tell apart; more planes are one line."""


def draw_utilisation(axes: Axes, links: pd.DataFrame, title: str) -> None:
    """Draw which part of the links between switches is at most how full, a line per plane, and one for access links.

    Args:
        axes: where to.
        links: as of :func:`~pnet_lp.questions.throughput.links.link_table`.
        title: above it.
    """
    core = links[links["kind"] == "core"]
    groups = [(f"plane {plane}", group) for plane, group in core.groupby("plane")]
    access = links[links["kind"] == "access"]
    if len(groups) + bool(len(access)) > _MOST_LINES:
        groups = [(f"all {len(groups)} planes", core)]
    groups += [("access links", access)] if len(access) else []
    fullest = max(100.0, 100 * float(links["utilisation"].max())) if len(links) else 100.0
    for i, (label, group) in enumerate(groups):
        used = np.sort(100 * group["utilisation"].to_numpy())
        part = 100 * np.arange(len(used) + 1) / max(len(used), 1)
        axes.step(
            np.r_[0, used],
            part,
            where="post",
            label=label,
            color=COLOURS[i % len(COLOURS)],
            linestyle=_STYLES[i % len(_STYLES)],
        )
    axes.set(
        xlabel="utilisation, %", ylabel="links that are at most so full, %", xlim=(0, 1.02 * fullest), ylim=(0, 102)
    )
    axes.set_title(title, fontsize="small", wrap=True)
    axes.legend(frameon=False, fontsize="small")
