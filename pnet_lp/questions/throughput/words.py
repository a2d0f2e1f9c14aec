"""A throughput answer to read, and as tables."""

from __future__ import annotations

from pathlib import Path

from pnet_lp.questions.throughput.answer import ThroughputAnswer
from pnet_lp.questions.throughput.links import link_table, rate_table
from pnet_lp.questions.throughput.sentences import throughput_lines
from pnet_lp.questions.throughput.splits import splits_table
from pnet_lp.tables import Columns, Document, Report, fact_grid, write_table


def report(document: Document) -> Report:
    """Return a result, given as its JSON document, as lines to read."""
    return [fact_grid(throughput_lines(document))]


def table(answer: ThroughputAnswer) -> Columns:
    """Return a row per demand, with its rate."""
    return rate_table(answer.network, answer.traffic, answer.result)


def write_save(answer: ThroughputAnswer, path: Path) -> None:
    """Write the result with its proof."""
    answer.save(path)


def write_paths(answer: ThroughputAnswer, path: Path) -> None:
    """Write a row per demand and path."""
    write_table(splits_table(answer.network, answer.traffic, answer.result, answer.rounded), path)


def write_links(answer: ThroughputAnswer, path: Path) -> None:
    """Write a row per directed link."""
    write_table(link_table(answer.network, answer.traffic, answer.result), path)
