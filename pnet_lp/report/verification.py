"""What the check of a stored result found."""

from __future__ import annotations

from typing import Any

from pnet_lp.throughput.verify import Verification


def verification_document(verification: Verification) -> dict[str, Any]:
    """Return the JSON document of ``pnet-lp verify``."""
    headline = verification.headline
    leading = {
        key: verification.figures[key]
        for key in (*(headline.bounds if headline.bounded else (headline.key,)), "relative_gap")
    }
    return {
        "file": verification.path,
        "verified": True,
        "status": verification.status,
        **leading,
        "checks": list(verification.checks),
        "trusted": list(verification.trusted),
    }


def verification_report(verification: Verification) -> list[str]:
    """Return the outcome in sentences."""
    said = "; ".join(f"{label} {text}".strip() for label, text in verification.lines)
    return [
        f"{verification.path} holds in all {len(verification.checks)} checks ({verification.status}): {said}",
        *(f"on trust: {what}" for what in verification.trusted),
    ]
