"""The formats of pictures."""

from __future__ import annotations

from pathlib import Path

from pnet_lp.errors import SpecError

DRAWING_SUFFIXES = (".svg", ".pdf", ".png", ".html")


def check_suffix(path: str | Path) -> str:
    """Return the suffix of ``path``, or raise SpecError where it is none of :data:`DRAWING_SUFFIXES`."""
    if (found := Path(path).suffix.lower()) not in DRAWING_SUFFIXES:
        raise SpecError(
            "unknown picture format", where=str(path), found=found, allowed=", ".join(DRAWING_SUFFIXES)
        )
    return found
