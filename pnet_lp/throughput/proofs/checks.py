"""Tolerances of :mod:`pnet_lp.verification.checks`, for max-min."""

from pnet_lp.verification.checks import NOISE, SAME, SLACK

__all__ = ["NOISE", "SAME", "SLACK"]
