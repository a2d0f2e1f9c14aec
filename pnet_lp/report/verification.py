"""What the check of a stored result found."""

from __future__ import annotations

from typing import Any

from pnet_lp.throughput.verify import Verification
from pnet_lp.units import format_gbps


def verification_document(verification: Verification) -> dict[str, Any]:
    """Return the JSON document of ``pnet-lp verify``."""
    interval = verification.interval
    return {
        "file": verification.path,
        "verified": True,
        "status": verification.status,
        "lower_bound_gbps": interval.lower,
        "upper_bound_gbps": interval.upper,
        "relative_gap": interval.gap,
        "checks": list(verification.checks),
    }


def verification_report(verification: Verification) -> str:
    """Return the outcome in one sentence."""
    interval = verification.interval
    return (
        f"{verification.path} holds in all {len(verification.checks)} checks: "
        f"at least {format_gbps(interval.lower)}, at most {format_gbps(interval.upper)} Gb/s per unit demand "
        f"({verification.status})"
    )
