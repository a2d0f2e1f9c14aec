"""Experiments: a folder with ``spec.yaml`` in, a folder of records out.

``question`` says what a kind of question is, ``questions`` holds one in each file, ``case`` and ``keys`` what their
cases have in common.  ``spec`` holds what an experiment asks, ``grid`` a shorthand for many cases, and ``claims``
what papers and others claim of them.  ``record`` is what comes out, ``store`` what a run leaves behind, ``manifest``
what that depends on, and ``runner`` the way from one to the other, over ``workers``; these know no question by name.
"""

from pnet_lp.experiment.case import Case
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
from pnet_lp.experiment.question import QUESTIONS, Answer, Headline
from pnet_lp.experiment.record import Draw, Record, Spread, ratio
from pnet_lp.experiment.runner import run_experiment
from pnet_lp.experiment.spec import Chart, Experiment, load_experiment, state_experiment
from pnet_lp.experiment.store import Store

__all__ = [
    "QUESTIONS",
    "Answer",
    "BoundClaim",
    "Case",
    "CaseClaim",
    "Chart",
    "Claim",
    "Claims",
    "Draw",
    "Experiment",
    "Headline",
    "Judgement",
    "Measured",
    "OrderingClaim",
    "Record",
    "Size",
    "Spread",
    "Store",
    "TrendClaim",
    "ValueClaim",
    "load_experiment",
    "ratio",
    "run_experiment",
    "state_experiment",
]
