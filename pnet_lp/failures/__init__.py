"""Failures: which links and switches of a network are down, as masks over it.

A draw is a function of the network, the :class:`Failures` asked for, a seed and the number of a trial; it gives a
:class:`Mask`.  :func:`apply_mask` makes a network of it: planes that share every array with the original but the
capacities, which are 0 where something is down, and hosts without a link where their switch is.  Links of capacity 0
lead nowhere in every part of pnet-lp, so all of them honour failures without knowing of them.
"""

from pnet_lp.failures.draw import FailureModel, fail
from pnet_lp.failures.groups import RiskGroup, read_groups
from pnet_lp.failures.interval import CONFIDENCE, mean_interval, share_interval
from pnet_lp.failures.mask import Mask, apply_mask
from pnet_lp.failures.settings import FailureSettings
from pnet_lp.failures.spec import MODES, UNITS, Failures, Mode, Unit

__all__ = [
    "CONFIDENCE",
    "MODES",
    "UNITS",
    "FailureModel",
    "FailureSettings",
    "Failures",
    "Mask",
    "Mode",
    "RiskGroup",
    "Unit",
    "apply_mask",
    "fail",
    "mean_interval",
    "read_groups",
    "share_interval",
]
