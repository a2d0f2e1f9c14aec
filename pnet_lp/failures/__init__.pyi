from .draw import FailureModel, fail, rounded_away
from .groups import RiskGroup, read_groups
from .interval import CONFIDENCE, mean_interval, share_interval
from .mask import Mask, apply_mask
from .portion import Portion, count_of, in_words, is_count, plural, portion_of, share_of
from .settings import DRAWN, FAILING, DrawnFailureSettings, FailureSettings
from .single import Each, Part, SingleFailure, single_failures
from .spec import Failures

__all__ = [
    "CONFIDENCE",
    "DRAWN",
    "FAILING",
    "DrawnFailureSettings",
    "Each",
    "FailureModel",
    "FailureSettings",
    "Failures",
    "Mask",
    "Part",
    "Portion",
    "RiskGroup",
    "SingleFailure",
    "apply_mask",
    "count_of",
    "fail",
    "in_words",
    "is_count",
    "mean_interval",
    "plural",
    "portion_of",
    "read_groups",
    "rounded_away",
    "share_interval",
    "share_of",
    "single_failures",
]
