"""Experiments: a folder with ``spec.yaml`` in, a folder of records out.

``spec`` holds what an experiment asks, of which ``case`` is one network under one traffic matrix, ``grid`` a shorthand
for many, and ``published`` what a paper reports.  ``record`` is what comes out, ``store`` what a run leaves behind, and
``runner`` the way from one to the other, over ``workers``.
"""

from pnet_lp.experiment.case import Case
from pnet_lp.experiment.published import Claim, Published
from pnet_lp.experiment.record import Draw, Ratio, Record, ratio
from pnet_lp.experiment.runner import run_experiment
from pnet_lp.experiment.spec import Chart, Experiment, load_experiment
from pnet_lp.experiment.store import Store

__all__ = [
    "Case",
    "Chart",
    "Claim",
    "Draw",
    "Experiment",
    "Published",
    "Ratio",
    "Record",
    "Store",
    "load_experiment",
    "ratio",
    "run_experiment",
]
