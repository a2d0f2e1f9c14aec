"""A training step of a transformer: which ranks are in which group, and the bytes that each group moves.

``model`` holds the parameters and the formulas, ``groups`` the ranks, ``step`` what is sent, as volumes and as
messages in the order of the pipeline.  Algorithms are those of ``collectives``; hosts come last.
"""

from pnet_lp.training.model import PHASES, SOURCE, Phase, TrainingParams
from pnet_lp.training.step import Step

__all__ = ["PHASES", "SOURCE", "Phase", "Step", "TrainingParams"]
