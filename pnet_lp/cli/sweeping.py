"""One experiment run and shown, for ``sweep`` of one and of all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pnet_lp.cli.command import BOUNDS_ONLY
from pnet_lp.cli.options import say
from pnet_lp.cli.progress import progress_line
from pnet_lp.cli.vary_options import PERCENT
from pnet_lp.errors import SpecError
from pnet_lp.executors.base import Executor
from pnet_lp.experiment import Draw, Experiment, Record, Shard, Store, run_experiment, run_shard
from pnet_lp.experiment.store import CASES, CHART, DRAWS, PACKAGE
from pnet_lp.progress import Count
from pnet_lp.questions.base import ProgressCallback, ProgressStep
from pnet_lp.report.chart import write_chart
from pnet_lp.report.claims import Comparison, compare_claims
from pnet_lp.report.experiment import (
    CaseResult,
    compare,
    comparison_table,
    draw_table,
    result_table,
    saturation_sentences,
    sweep_document,
    variation_sentences,
)
from pnet_lp.report.package import TABLES, data_package
from pnet_lp.tables import Columns, union, write_table
from pnet_lp.writing import write_json

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class SweepResult:
    """The results of a run."""

    experiment: Experiment
    records: Sequence[Record]
    rows: Sequence[CaseResult]
    claims: Sequence[Comparison]
    files: Sequence[Path]

    @property
    def code(self) -> int:
        """The exit code: whether all bounds have met."""
        return BOUNDS_ONLY if any(row.status == "bounds" for row in self.rows) else 0

    def document(self) -> dict[str, Any]:
        """Return it as a JSON document."""
        return sweep_document(self.experiment, self.records, self.rows, self.claims, [str(path) for path in self.files])

    def report(self) -> Iterator[RenderableType]:
        """Yield what is printed of it."""
        yield comparison_table(self.experiment, self.rows)
        yield from saturation_sentences(self.experiment, self.rows)
        yield from (item.sentence() for item in self.claims)
        yield from variation_sentences(self.experiment)
        yield f"chart: {self.files[0]}"

    def table(self, rows: str) -> Columns:
        """Return a row for each ``case``, or for each ``draw``."""
        if rows == "draw":
            return draw_table(self.experiment, self.records)
        return union([row.to_json() for row in self.rows])

    def draw(self, file: Path) -> None:
        """Write the chart."""
        write_chart(self.experiment, self.rows, self.claims, file)


def sweep(
    experiment: Experiment,
    results: Path,
    *,
    resume: bool,
    executor: Executor,
    threads: int,
    late: Callable[[], bool] = lambda: False,
    unit: str | None = None,
    shard: Shard | None = None,
    tables: str = "csv",
) -> SweepResult | None:
    """Run an experiment, write its tables and its chart, and return them.

    It returns None where it was too ``late`` for a case, and where only a ``shard`` was asked for, which makes neither.

    Raises:
        PnetError: a case cannot be built or solved, or its answer is not in ``unit``.
        KeyboardInterrupt: the user stopped it; what was done is stored.
    """
    say(dict.fromkeys(warning for case in experiment.cases.values() for warning in case.warnings))
    store = Store(results / experiment.folder)
    records: list[Record] = []
    done, began = 0, time.monotonic()
    all_draws = experiment.draws if shard is None else len(shard.of(range(experiment.draws)))

    def count() -> Count:
        return Count(done, all_draws, "draws done", time.monotonic() - began)

    def on_draw(draw: Draw) -> None:
        nonlocal done
        _check_unit(unit, draw.shown(experiment.column).column)
        done += 1
        line(count())

    # One process shows the bounds of its solve, too; of several only the number of draws done can be shown.
    @contextmanager
    def watch(name: str) -> Iterator[ProgressCallback]:
        yield lambda progress: line(ProgressStep(f"{count()}; {name}", progress))

    try:
        with progress_line(experiment.name) as line:
            run: dict[str, Any] = {"resume": resume, "executor": executor, "threads": threads, "watch": watch}
            run["on_note"] = lambda sentence: say([sentence])
            if shard is not None:
                for draw in run_shard(experiment, store, shard, **run):
                    on_draw(draw)
                return None
            for record in run_experiment(experiment, store, on_draw=on_draw, **run):
                records.append(record)
                if late() and len(records) < len(experiment.cases):
                    return None
    except KeyboardInterrupt:
        of = f"{done} of {all_draws} draws" if shard else f"{len(records)} of {len(experiment.cases)} cases"
        stored = f"{of} are stored in {store.folder}"
        raise KeyboardInterrupt(f"{stored}; the same command continues from there") from None
    rows, claims = compare(experiment, records), compare_claims(experiment, records)
    cases, each = (f"{Path(name).stem}.{tables}" for name in (CASES, DRAWS))
    files = [store.folder / name for name in (CHART, cases, each)]
    swept = SweepResult(experiment, records, rows, claims, files)
    swept.draw(files[0])
    written = {cases: result_table(rows), each: swept.table("draw")}
    for name, columns in written.items():
        write_table(columns, store.folder / name)
        # Those of an earlier run would be of other draws.
        for other in set(TABLES) - {tables}:
            (store.folder / name).with_suffix(f".{other}").unlink(missing_ok=True)
    write_json(store.folder / PACKAGE, data_package(experiment, written))
    return swept


def _check_unit(unit: str | None, column: str) -> None:
    """Raise SpecError where a unit is asked for that a column does not end in."""
    own = column.rpartition("_")[2]
    if unit not in (None, PERCENT, own):
        raise SpecError(f"{column} has another unit", where="unit", found=unit, allowed=f"{own} or {PERCENT}")
