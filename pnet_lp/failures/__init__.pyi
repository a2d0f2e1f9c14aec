from .draw import FailureModel, fail
from .groups import RiskGroup, read_groups
from .interval import CONFIDENCE, mean_interval, share_interval
from .mask import Mask, apply_mask
from .portion import Portion, count_of, in_words, is_count, portion_of, share_of
from .settings import FAILING, FailureSettings
from .spec import Failures

__all__ = [
    "CONFIDENCE",
    "FAILING",
    "FailureModel",
    "FailureSettings",
    "Failures",
    "Mask",
    "Portion",
    "RiskGroup",
    "apply_mask",
    "count_of",
    "fail",
    "in_words",
    "is_count",
    "mean_interval",
    "portion_of",
    "read_groups",
    "share_interval",
    "share_of",
]
