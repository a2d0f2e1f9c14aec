"""What is claimed of the cases of an experiment, in a paper or elsewhere, and what measured values say of it.

``base`` says what a claim is; each kind has a file; ``file`` lists the kinds, and reads claims.
"""

from pnet_lp.experiment.claims.base import VERDICTS, CaseClaim, Claim, Judgement, Measured, Measurements, Size, Verdict
from pnet_lp.experiment.claims.bound import BoundClaim, ExcessClaim, PercentileClaim
from pnet_lp.experiment.claims.file import KINDS, Claims
from pnet_lp.experiment.claims.ordering import OrderingClaim
from pnet_lp.experiment.claims.trend import TrendClaim
from pnet_lp.experiment.claims.value import ValueClaim

__all__ = [
    "KINDS",
    "VERDICTS",
    "BoundClaim",
    "CaseClaim",
    "Claim",
    "Claims",
    "ExcessClaim",
    "Judgement",
    "Measured",
    "Measurements",
    "OrderingClaim",
    "PercentileClaim",
    "Size",
    "TrendClaim",
    "ValueClaim",
    "Verdict",
]
