"""Experiments: a folder with ``spec.yaml`` in, a folder of records out.

``spec`` holds what an experiment asks, ``grid`` a shorthand for many cases, and ``claims`` what papers and others claim
of them.  ``record`` is what comes out, ``store`` what a run leaves behind, and ``runner`` goes from one to the other.
No question is known by name here: see :mod:`pnet_lp.questions`.
"""

from pnet_lp.experiment.claims import (
    BoundClaim,
    CaseClaim,
    Claim,
    Claims,
    Judgement,
    Measured,
    OrderingClaim,
    Size,
    TrendClaim,
    ValueClaim,
)
from pnet_lp.experiment.record import Draw, Record, RecordedAnswer, Spread, ratio
from pnet_lp.experiment.runner import Shard, run_experiment, run_shard
from pnet_lp.experiment.spec import Chart, Experiment, load_experiment, state_experiment
from pnet_lp.experiment.store import Store

__all__ = [
    "BoundClaim",
    "CaseClaim",
    "Chart",
    "Claim",
    "Claims",
    "Draw",
    "Experiment",
    "Judgement",
    "Measured",
    "OrderingClaim",
    "Record",
    "RecordedAnswer",
    "Shard",
    "Size",
    "Spread",
    "Store",
    "TrendClaim",
    "ValueClaim",
    "load_experiment",
    "ratio",
    "run_experiment",
    "run_shard",
    "state_experiment",
]
