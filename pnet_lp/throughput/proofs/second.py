"""Types of :mod:`pnet_lp.verification.second`, for max-min."""

from pnet_lp.verification.second import SavedAnswer, SecondProblem

__all__ = ["SavedAnswer", "SecondProblem"]
