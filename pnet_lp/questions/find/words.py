"""What a search for networks found, to read and as files."""

from __future__ import annotations

from pathlib import Path

from pnet_lp.plot import write_figure
from pnet_lp.questions.find.answer import FindAnswer
from pnet_lp.questions.find.front import find_lines, front_chart
from pnet_lp.tables import Document, Report, table_of, write_table


def report(document: Document) -> Report:
    """Return the front to read, best first, and how the other candidates were ruled out."""
    table = table_of(
        document["front"],
        ("network", "{command}"),
        ("Gb/s per host", "{gbps_per_host:short}"),
        ("USD", "{total_usd:,.0f}"),
        ("USD per host", "{usd_per_host:,.0f}"),
        ("watts", "{watts:,.0f}"),
        ("switches", "{switches:,g}"),
        texts=("network",),
    )
    return [table, *find_lines(document)]


def write_candidates(answer: FindAnswer, path: Path) -> None:
    """Write the table of all candidates."""
    write_table(answer.candidate_table(), path)


def write_plot(answer: FindAnswer, _: str, path: Path) -> None:
    """Write the chart of the front."""
    write_figure(front_chart(answer.document), path)
