"""What the check of a stored result found."""

from __future__ import annotations

from pnet_lp.throughput.verify import Verification
from pnet_lp.units import format_gap

_IN_A_SENTENCE = 3
"""Lines of an answer that are put behind the outcome; more are put below it."""


def verification_report(verification: Verification) -> list[str]:
    """Return the outcome in sentences."""
    outcome = f"{verification.path} holds in all {len(verification.checks)} checks ({_status(verification)})"
    lines = [f"{label} {text}".strip() for label, text in verification.lines]
    if len(lines) <= _IN_A_SENTENCE:
        said = [f"{outcome}: {'; '.join(lines)}"]
    else:
        said = [f"{outcome}:", *(f"  {line}" for line in lines)]
    return [*said, *(f"on trust: {what}" for what in verification.trusted)]


def _status(verification: Verification) -> str:
    """Return the status and what it stands on."""
    gap = f"{verification.status}: gap {format_gap(verification.gap)}"
    if verification.status == "bounds" and verification.gap <= verification.tolerance:
        return f"{gap}, within the tolerance of {verification.tolerance:g} that the file names"
    return gap
