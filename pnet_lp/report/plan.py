"""What experiments will take, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from pnet_lp.experiment.plan import Estimate, Planned
from pnet_lp.units import format_bytes, format_seconds

_NUMBERS = ("cases", "draws", "time", "memory")


def plan_table(planned: Sequence[Planned]) -> Table:
    """Return the order of experiments with time and memory of one process."""
    table = Table(
        title="What is to be run, longest first",
        title_justify="left",
        caption="time and memory of one process, from the last whole run of each, else the published one; "
        "> marks a lower limit from its quick size; unknown if there is none of these",
        caption_justify="left",
    )
    for name in ("experiment", *_NUMBERS, "measured on", "left out"):
        table.add_column(name, justify="right" if name in _NUMBERS else "left")
    for one in planned:
        table.add_row(*estimate_cells(one.estimate), one.estimate.machine, one.left_out)
    return table


def estimate_cells(found: Estimate) -> tuple[str, ...]:
    """Return the name of an experiment, its cases, its draws, their time and memory."""
    sign = "> " if found.at_least else ""
    return (
        found.experiment.name,
        str(len(found.experiment.cases)),
        str(found.experiment.draws),
        "unknown" if found.seconds is None else f"{sign}{format_seconds(found.seconds)}",
        "unknown" if found.peak_bytes is None else f"{sign}{format_bytes(found.peak_bytes)}",
    )
