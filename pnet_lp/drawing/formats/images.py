"""The picture as an image, or as a web page that holds it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pnet_lp.charts.images import figure_bytes
from pnet_lp.drawing.formats import PICTURE_FORMATS
from pnet_lp.formats import Format

if TYPE_CHECKING:
    from pnet_lp.drawing.sheet import Drawn


def svg_text(drawn: Drawn, title: str) -> str:
    """Return the picture as an SVG document, whose switches and cables say what they are."""
    from pnet_lp.drawing.svg import annotated  # noqa: PLC0415 - loads matplotlib

    return annotated(figure_bytes(drawn.figure, "svg"), drawn.notes, title)


def _write_svg(drawn: Drawn, temporary: Path, title: str) -> None:
    temporary.write_text(svg_text(drawn, title), encoding="utf-8")


def _write_html(drawn: Drawn, temporary: Path, title: str) -> None:
    from pnet_lp.drawing.svg import page  # noqa: PLC0415 - loads matplotlib

    temporary.write_text(page(svg_text(drawn, title), title), encoding="utf-8")


def _write_pdf(drawn: Drawn, temporary: Path, _: str) -> None:
    temporary.write_bytes(figure_bytes(drawn.figure, "pdf"))


def _write_png(drawn: Drawn, temporary: Path, _: str) -> None:
    temporary.write_bytes(figure_bytes(drawn.figure, "png"))


PICTURE_FORMATS.add(Format("svg", (".svg",), _write_svg), summary="vector graphics with a title on each part")
PICTURE_FORMATS.add(Format("html", (".html",), _write_html), summary="a web page that holds the SVG")
PICTURE_FORMATS.add(Format("pdf", (".pdf",), _write_pdf), summary="a page of vector graphics")
PICTURE_FORMATS.add(Format("png", (".png",), _write_png), summary="an image in pixels")
