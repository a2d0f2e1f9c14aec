"""What a search for networks found, to read and as files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pnet_lp.plot import write_figure
from pnet_lp.questions.find.answer import FindAnswer
from pnet_lp.questions.find.front import find_lines, front_chart
from pnet_lp.tables import Columns, from_rows, table_of, write_table
from pnet_lp.units import format_gbps

if TYPE_CHECKING:
    from rich.table import Table


def report(document: Mapping[str, Any]) -> list[Table | str]:
    """Return the front to read, and how the other candidates were ruled out."""
    return [find_table(document), *find_lines(document)]


def table(answer: FindAnswer) -> Columns:
    """Return the front, one row per network."""
    return from_rows(answer.to_json()["front"])


def write_candidates(answer: FindAnswer, path: Path) -> None:
    """Write the table of all candidates."""
    write_table(answer.candidate_table(), path)


def write_plot(answer: FindAnswer, _: str, path: Path) -> None:
    """Write the chart of the front."""
    write_figure(front_chart(answer.to_json()), path)


def find_table(document: Mapping[str, Any]) -> Table:
    """Return the front as a table to read, best first."""
    rows = (
        (
            one["command"],
            format_gbps(one["gbps_per_host"]),
            *(f"{one[key]:,.0f}" for key in ("total_usd", "usd_per_host", "watts")),
            f"{one['switches']:,g}",
        )
        for one in document["front"]
    )
    names = ("network", "Gb/s per host", "USD", "USD per host", "watts", "switches")
    return table_of(names, rows, texts=("network",))
