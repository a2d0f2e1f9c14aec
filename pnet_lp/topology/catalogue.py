"""The catalogue: named networks in folders called ``topologies``."""

from __future__ import annotations

from pathlib import Path

from pnet_lp.files import named_files


def catalogue() -> dict[str, Path]:
    """Return the spec file of each named network; see :func:`~pnet_lp.files.named_files`."""
    return named_files("topologies")
