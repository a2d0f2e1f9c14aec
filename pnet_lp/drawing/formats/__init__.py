"""Formats of pictures of networks, chosen by suffix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pnet_lp.errors import SpecError
from pnet_lp.formats import Formats

if TYPE_CHECKING:
    from pnet_lp.drawing.sheet import Drawn

PICTURE_FORMATS: Formats[Drawn] = Formats(
    "picture", SpecError, package="pnet_lp.drawing.formats", group="pnet_lp.picture_formats"
)
"""``write(drawn, path, title)``."""
