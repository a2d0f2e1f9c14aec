"""Charts of costs: price against beta, capacity against price."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pnet_lp.plot import new_figure, write_figure
from pnet_lp.tables import Document

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PAPER = "#c44e52"


def write_curve_plot(document: Document, _: object, __: str, path: str | Path) -> None:
    """Draw the curves of a document into a PNG or SVG file, published values as crosses.

    The left half shows price against beta; the right half capacity against price, if any curve has a capacity.
    """
    curves = document["architectures"]
    with_capacity = any(_capacity(point) for curve in curves for point in curve["points"])
    figure = new_figure(11 if with_capacity else 6)
    left = figure.add_subplot(1, 2 if with_capacity else 1, 1)
    for curve in curves:
        betas = [point["beta"] for point in curve["points"]]
        style = "--" if curve["constant"] else "-"
        left.plot(betas, [point["total_usd"] / 1e6 for point in curve["points"]], style, label=curve["architecture"])
    for claim in document["published"]:
        label = f"published: {claim['published_percent']:g} % below the fat tree"
        left.plot(claim["beta"], claim["published_usd"] / 1e6, "x", color=_PAPER, markersize=9, label=label)
    left.set(xlabel="full bisection bandwidth / bandwidth built (beta)", ylabel="million USD")
    left.set_ylim(bottom=0)
    if with_capacity:
        right = figure.add_subplot(1, 2, 2)
        for curve in curves:
            points = [(point["total_usd"] / 1e6, _capacity(point)) for point in curve["points"]]
            shown = [(usd, gbps / 1e3) for usd, gbps in points if gbps]
            right.plot(*zip(*shown, strict=True) if shown else ([], []), ".-", label=curve["architecture"])
        solved = any(point["throughput_gbps"] for curve in curves for point in curve["points"])
        _label_capacity(right, "throughput" if solved else "bisection")
    # Each curve has one colour in both halves.  Below them, a legend of long expressions hides nothing.
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize="small")
    write_figure(figure, path)


def write_compare_plot(document: Document, _: object, __: str, path: str | Path) -> None:
    """Draw the architectures of a comparison as points, capacity against price, into a PNG or SVG file."""
    figure = new_figure(6)
    axes = figure.add_subplot()
    solved = any(item["throughput"] for item in document["architectures"])
    for item in document["architectures"]:
        found = item["throughput"] if solved else item["bisection"]
        if found:
            gbps = found["total_gbps"] if solved else found["gbps"]
            axes.plot(item["total_usd"] / 1e6, gbps / 1e3, "o", label=item["architecture"])
    _label_capacity(axes, "throughput" if solved else "bisection")
    figure.legend(loc="outside lower center", ncols=2, fontsize="small")
    write_figure(figure, path)


def _capacity(point: Document) -> float:
    """Return the throughput of a point if there is one, else its bisection, else 0."""
    return float(point["throughput_gbps"] or point["bisection_gbps"] or 0.0)


def _label_capacity(axes: Axes, what: str) -> None:
    axes.set(xlabel="million USD", ylabel=f"{what} (Tb/s)")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
