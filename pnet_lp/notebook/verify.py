"""The check of a result in one call."""

from __future__ import annotations

from pathlib import Path

from pnet_lp.questions.throughput.answer import ThroughputAnswer
from pnet_lp.throughput.verify import Verification, verify_file


def verify(result: str | Path | ThroughputAnswer, *, full: bool = False) -> Verification:
    """Check a result without any solver, as ``pnet-lp verify`` does.

    Args:
        result: a file that ``save`` or ``pnet-lp throughput --save`` has written, or an answer of
            :func:`pnet_lp.throughput`.
        full: whether to run the checks that take long, too; otherwise ``trusted`` names what they would check.

    Raises:
        SpecError: the file cannot be read as a result.
        CertificateError: it does not prove what it claims; the message names what.
    """
    return result.verify(full=full) if isinstance(result, ThroughputAnswer) else verify_file(result, full=full)
