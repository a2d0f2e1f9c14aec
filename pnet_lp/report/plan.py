"""What experiments will take, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from pnet_lp.experiment.plan import Planned
from pnet_lp.units import format_bytes, format_seconds


def plan_table(planned: Sequence[Planned]) -> Table:
    """Return the order of experiments with time and memory of one process."""
    table = Table(
        title="What is to be run, longest first",
        title_justify="left",
        caption="time and memory of one process, from the last whole run of each; unknown where there was none",
        caption_justify="left",
    )
    for name in ("experiment", "cases", "draws", "time", "memory", "measured on", "left out"):
        table.add_column(name, justify="right" if name in ("cases", "draws", "time", "memory") else "left")
    for one in planned:
        found = one.estimate
        table.add_row(
            one.name,
            str(len(found.experiment.cases)),
            str(found.experiment.draws),
            "unknown" if found.seconds is None else format_seconds(found.seconds),
            "unknown" if found.peak_bytes is None else format_bytes(found.peak_bytes),
            found.machine,
            one.left_out,
        )
    return table
