"""What ``sweep`` and ``report`` have in common: which experiments, at which size, where their results are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from pnet_lp.cli.options import option
from pnet_lp.cli.output import OutputFolder
from pnet_lp.errors import naming
from pnet_lp.experiment import Experiment, Size, load_experiment
from pnet_lp.experiment.finished import all_experiments, find_experiment
from pnet_lp.experiment.variation import load_variation, parse_settings


def experiment_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add ``--all``, ``--size``, ``--results`` and ``--set``, as ``every``, ``size``, ``results`` and ``settings``."""
    for decorate in (
        option(
            "--set",
            "settings",
            multiple=True,
            metavar="KEY=VALUE",
            excludes=("every", "vary"),
            help="Change a key of the experiment, such as draws=10 or topology=jellyfish:k=6; may be repeated. It has "
            "results of its own, and only the claims that still apply.",
        ),
        option(
            "--results",
            type=OutputFolder(),
            default=Path("results"),
            show_default=True,
            help="Folder of results, with a folder for each experiment.",
        ),
        option(
            "--size",
            type=click.Choice(["paper", "quick"]),
            default="paper",
            show_default=True,
            help="Cases as in the spec, or reduced as its key quick says.",
        ),
        option("--all", "every", is_flag=True, help="All experiments in experiments/."),
    ):
        function = decorate(function)
    return function


def read_experiment(place: Path, settings: Sequence[str], *, seed: int | None = None, size: Size) -> Experiment:
    """Return the experiment in a folder, with what ``--set`` changes of it.

    Raises:
        SpecError: as :func:`load_experiment` and :func:`load_variation`.
    """
    if not settings:
        return load_experiment(place, seed=seed, size=size)
    question = load_experiment(place).question
    with naming("--set"):
        return load_variation(place, parse_settings(settings, question), seed=seed, size=size)


def chosen_experiments(experiment: str | None, every: bool, missing: str = "no experiment") -> list[Path]:
    """Return the folders of the experiments that are asked for; ``missing`` is as of :func:`find_experiment`.

    Raises:
        SpecError: there are none.
    """
    if (experiment is not None) == every:
        raise click.UsageError("give either EXPERIMENT or --all", click.get_current_context())
    return all_experiments() if experiment is None else [find_experiment(experiment, missing)]
