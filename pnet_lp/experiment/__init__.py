"""Experiments: a folder with ``spec.yaml`` in, a folder of records out.

``spec`` holds what an experiment asks, ``store`` what a run leaves behind, ``runner`` the way from one to
the other.
"""

from pnet_lp.experiment.runner import run_experiment
from pnet_lp.experiment.spec import Case, Claim, Experiment, load_experiment
from pnet_lp.experiment.store import Record, Store

__all__ = ["Case", "Claim", "Experiment", "Record", "Store", "load_experiment", "run_experiment"]
