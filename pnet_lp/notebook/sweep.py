"""Many queries in one call, as one table."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pnet_lp.errors import SpecError
from pnet_lp.executors.base import DEFAULT_EXECUTOR, parse_executor
from pnet_lp.experiment import Experiment, Store, load_experiment, run_experiment
from pnet_lp.experiment.finished import find_experiment, is_experiment
from pnet_lp.experiment.variation import load_variation
from pnet_lp.experiment.varied import varied_experiment, varied_spec
from pnet_lp.extras import load
from pnet_lp.questions.base import DEFAULT_QUESTION
from pnet_lp.report.experiment import compare, draw_table
from pnet_lp.tables import union
from pnet_lp.threads import check_threads

if TYPE_CHECKING:
    import pandas as pd


def sweep(
    topology: str | Path | Sequence[str | Path] | None = None,
    *,
    vary: Mapping[str, Sequence[Any]] | None = None,
    question: str = DEFAULT_QUESTION,
    baseline: Mapping[str, Any] | None = None,
    change: Mapping[str, Any] | None = None,
    draws: int | None = None,
    seed: int | None = None,
    mean: bool = False,
    results: str | Path | None = None,
    jobs: int | None = None,
    executor: str = DEFAULT_EXECUTOR,
    threads: int = 0,
    **fixed: Any,
) -> pd.DataFrame:
    """Answer every combination of some values, and return a table with one row per draw.

    Examples:
        >>> import pnet_lp as pn
        >>> pn.sweep("jellyfish:k=8", vary={"planes": [1, 2, 4], "routing": ["ecmp", "ksp:8"]}, draws=10, level="rack")

    Args:
        topology: an expression, a file or a name, or several with one plane each.  Without ``vary``, the name or the
            folder of an experiment.
        vary: lists of values by key, for any key of the question's cases, ``topology`` included.
        question: what is asked: ``throughput``, ``hops``, ``cost``, ``simulate`` or another registered question.
        baseline: values of some axes.  With ``mean``, the column ``percent`` compares each row with the row that has
            these values and is otherwise equal.
        change: values by key that take the place of the experiment's, as ``pnet-lp sweep --set`` does; a list is of
            several.
        draws: number of seeds for each combination; default: 1, or the experiment's.
        seed: the first seed; default: 0, or the experiment's.
        mean: whether the table has one row per combination, with the mean and the spread of its draws.
        results: folder in which draws are kept and found again; default: none.
        jobs: number of parallel processes.  With more than one, a script must call this below
            ``if __name__ == "__main__"``.
        executor: where draws are computed, as of ``pnet-lp sweep --executor``.
        threads: threads of each solve; 0 for all cores, divided among the jobs.
        fixed: keys that all combinations share, such as ``traffic="permutation"``.

    Raises:
        PnetError: a key or value is wrong; the text says which, what was found and what is allowed.
    """
    pandas = load("pandas", "sweep")
    experiment = (
        _shipped(topology, question, baseline, fixed, draws, seed, change)
        if vary is None
        else varied_experiment(varied_spec(question, _common(topology, fixed, draws, seed), vary, baseline=baseline))
    )
    if vary is not None and change is not None:
        raise SpecError("has no meaning with vary", where="change", allowed="an experiment")
    if baseline is not None and not mean:
        raise SpecError("compares means", where="baseline", allowed="mean=True with it")
    check_threads(threads, 1 if jobs is None else jobs)
    where = parse_executor(executor, jobs)
    with tempfile.TemporaryDirectory() if results is None else nullcontext(str(results)) as folder:
        store = Store(Path(folder) / experiment.folder)
        records = list(run_experiment(experiment, store, executor=where, threads=threads))
    rows = [row.to_json() for row in compare(experiment, records)] if mean else []
    frame: pd.DataFrame = pandas.DataFrame(union(rows) if mean else draw_table(experiment, records))
    return frame


def _common(
    topology: str | Path | Sequence[str | Path] | None, fixed: Mapping[str, Any], draws: int | None, seed: int | None
) -> dict[str, Any]:
    """Return the keys that all combinations share."""
    given = {"draws": draws, "seed": seed}
    if topology is not None:
        items = list(topology) if isinstance(topology, list | tuple) else [topology]
        for item in items:
            if not isinstance(item, str | Path):
                # Draws are stored by what their network is called, and made again from it in other processes.
                raise SpecError(
                    "a sweep takes networks as strings",
                    where="topology",
                    found=type(item).__name__,
                    allowed="expressions, files and names; solve takes graphs, arrays and tables too",
                )
        names = [str(item) for item in items]
        given["topology"] = names if isinstance(topology, list | tuple) else names[0]  # type: ignore[assignment]
    return {**fixed, **{key: value for key, value in given.items() if value is not None}}


def _shipped(
    place: str | Path | Sequence[str | Path] | None,
    question: str,
    baseline: Mapping[str, Any] | None,
    fixed: Mapping[str, Any],
    draws: int | None,
    seed: int | None,
    change: Mapping[str, Any] | None,
) -> Experiment:
    """Return the experiment in a folder, which says all the rest itself."""
    if not isinstance(place, str | Path) or not is_experiment(place):
        raise SpecError(
            "nothing varies", where="vary", allowed="values by key, or the name or the folder of an experiment"
        )
    given = {"question": question != DEFAULT_QUESTION, "baseline": baseline is not None, **fixed}
    for key in (key for key, value in given.items() if value):
        raise SpecError("has no meaning without vary", where=key, found=fixed.get(key))
    folder = find_experiment(place)
    if change is None:
        return load_experiment(folder, seed=seed).reduced(draws=draws)
    settings = {key: value if isinstance(value, list | tuple) else [value] for key, value in change.items()}
    return load_variation(folder, settings, seed=seed).reduced(draws=draws)
