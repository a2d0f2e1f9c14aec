from .draw import FailureModel, fail
from .groups import RiskGroup, read_groups
from .interval import CONFIDENCE, mean_interval, share_interval
from .mask import Mask, apply_mask
from .settings import FAILING, FailureSettings
from .spec import Failures

__all__ = [
    "CONFIDENCE",
    "FAILING",
    "FailureModel",
    "FailureSettings",
    "Failures",
    "Mask",
    "RiskGroup",
    "apply_mask",
    "fail",
    "mean_interval",
    "read_groups",
    "share_interval",
]
