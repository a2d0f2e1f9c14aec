"""What is published of an experiment: tables in a language and as CSV, its figure in three formats, its records."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pnet_lp.experiment import Experiment
from pnet_lp.experiment.finished import FinishedRun
from pnet_lp.experiment.store import CASES, CHART, DRAWS, MANIFEST, RECORDS, write_records
from pnet_lp.report.chart import caption, chart_svg, write_chart
from pnet_lp.report.claims import Comparison, claim_cells, compare_claims
from pnet_lp.report.documents import LANGUAGES, Document
from pnet_lp.report.experiment import (
    CaseResult,
    compare,
    comparison_cells,
    draw_table,
    result_table,
    variation_sentences,
)
from pnet_lp.tables import write_table
from pnet_lp.writing import naming_output, write_json, write_text

CLAIMS, TABLES = "claims.csv", "tables"


@dataclass(frozen=True)
class Publication:
    """A finished experiment with everything that is shown of it.

    Attributes:
        finished: the experiment and its records.
        command: what is to be typed to run it.
        rows: one for each record.
        comparisons: claims with what was measured.
        claims: header and lines of a table of all claims.
        caption: of the figure; empty where nothing was measured.
    """

    finished: FinishedRun
    command: str
    rows: Sequence[CaseResult]
    comparisons: Sequence[Comparison]
    claims: Sequence[tuple[str, ...]]
    caption: str

    @classmethod
    def of(cls, finished: FinishedRun, command: str) -> Publication:
        """Return it for a finished experiment and the command that runs it."""
        experiment, records = finished.experiment, finished.records
        rows, comparisons = compare(experiment, records), compare_claims(experiment, records)
        words = caption(experiment, rows, comparisons) if rows else ""
        return cls(finished, command, rows, comparisons, claim_cells(experiment, records), words)

    @property
    def experiment(self) -> Experiment:
        """The experiment."""
        return self.finished.experiment

    @cached_property
    def svg(self) -> str:
        """The figure as SVG; empty where nothing was measured."""
        return chart_svg(self.experiment, self.rows, self.comparisons) if self.rows else ""

    @property
    def cases(self) -> Sequence[tuple[str, ...]]:
        """Header and lines of a table of cases to read."""
        return comparison_cells(self.experiment, self.rows, seconds=False) if self.rows else []

    @property
    def judged(self) -> list[str]:
        """The verdict on each claim."""
        header, *lines = self.claims
        return [line[header.index("verdict")] for line in lines]

    @property
    def verdicts(self) -> Counter[str]:
        """How many claims there are of each verdict."""
        return Counter(self.judged)

    @property
    def missing(self) -> str:
        """What the run has not, in a sentence; empty where it has everything."""
        names = self.finished.missing
        if not names:
            return ""
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        return f"No result, or one of another spec, of {len(names)} of {len(self.experiment.cases)} cases: {shown}."

    def write(self, folder: Path, language: str = "md") -> list[Path]:
        """Write everything into a folder, which is made, and return the files.

        Equal records give equal bytes.

        Args:
            folder: where to.
            language: of the tables to read, of :data:`LANGUAGES`.

        Raises:
            OutputError: a file cannot be written.
        """
        with naming_output(folder):
            folder.mkdir(parents=True, exist_ok=True)
        suffix, written = LANGUAGES[language]
        files = [folder / name for name in (CASES, DRAWS, CLAIMS, TABLES + suffix, MANIFEST, RECORDS)]
        cases, draws, claims, tables, manifest, records = files
        write_table(result_table(self.rows), cases)
        write_table(draw_table(self.experiment, self.finished.records), draws)
        header, *lines = self.claims
        write_table({name: [line[i] for line in lines] for i, name in enumerate(header)}, claims)
        write_json(manifest, self.finished.manifest)
        write_records(records, self.finished.records)
        write_text(tables, written(self._document))
        if not self.rows:
            return files
        figures = [(folder / CHART).with_suffix(suffix) for suffix in (".png", ".pdf", ".svg")]
        write_chart(self.experiment, self.rows, self.comparisons, *figures[:2])
        write_text(figures[2], self.svg)
        return [*files, *figures]

    @property
    def _document(self) -> Document:
        said = [*variation_sentences(self.experiment), self.missing]
        chart = CHART if self.rows else ""
        title, sentences = self.experiment.title, list(filter(None, said))
        return Document(title, self.command, sentences, chart, self.caption, self.cases, self.claims)


def write_up(run: tuple[FinishedRun, str], language: str) -> tuple[Publication, dict[str, bytes]]:
    """Return a finished experiment, given with the command that runs it, and its files by name."""
    one = Publication.of(*run)
    with tempfile.TemporaryDirectory() as folder:
        return one, {path.name: path.read_bytes() for path in one.write(Path(folder), language)}
