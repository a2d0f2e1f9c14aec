"""What ``sweep`` and ``report`` have in common: which experiments, at which size, where their results are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from pnet_lp.cli.output import OutputFolder
from pnet_lp.experiment.finished import all_experiments, find_experiment


def experiment_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add ``--all``, ``--size`` and ``--results``, as ``every``, ``size`` and ``results``."""
    for decorate in (
        click.option(
            "--results",
            type=OutputFolder(),
            default=Path("results"),
            show_default=True,
            help="Folder of results, with a folder for each experiment.",
        ),
        click.option(
            "--size",
            type=click.Choice(["paper", "quick"]),
            default="paper",
            show_default=True,
            help="Cases as in the spec, or reduced as its key quick says.",
        ),
        click.option("--all", "every", is_flag=True, help="All experiments in experiments/."),
    ):
        function = decorate(function)
    return function


def chosen_experiments(experiment: str | None, every: bool, missing: str = "no experiment") -> list[Path]:
    """Return the folders of the experiments that are asked for; ``missing`` is as of :func:`find_experiment`.

    Raises:
        SpecError: there are none.
    """
    if (experiment is not None) == every:
        raise click.UsageError("give either EXPERIMENT or --all", click.get_current_context())
    return all_experiments() if experiment is None else [find_experiment(experiment, missing)]
