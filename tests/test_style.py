"""Figures sized for a paper or a talk, with other texts."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from pnet_lp.charts.images import figure_bytes
from pnet_lp.charts.style import FigureStyle, Labels, Style, styled
from pnet_lp.errors import SpecError
from pnet_lp.plot import new_figure, scale_of


def chart() -> Figure:
    figure = new_figure(6)
    axes = figure.add_subplot()
    axes.plot([0, 1], [1, 10], label="both")
    axes.scatter([0, 1], [1, 10])
    axes.set_yscale("log")
    axes.set_xticks([0, 1], ["none", "all"])
    axes.set_xlabel("load")
    return figure


@pytest.mark.parametrize(("style", "width", "points"), [("paper", 3.35, 7), ("talk", 10, 18)])
def test_a_style_sets_size_texts_and_lines(style: Style, width: float, points: float) -> None:
    figure, plain = chart(), chart()
    with styled(FigureStyle(style)):
        figure_bytes(figure, "svg")
    assert figure.get_size_inches()[0] == pytest.approx(width)
    (axes,), (before,) = figure.axes, plain.axes
    assert axes.xaxis.label.get_fontsize() == pytest.approx(points)
    # A label is scaled once, whether it was there before the ticks were drawn or not.
    for axis in (axes.xaxis, axes.yaxis):
        assert [label.get_fontsize() for label in axis.get_ticklabels()] == pytest.approx(
            [points] * len(axis.get_ticklabels())
        )
    line, dots = axes.lines[0], axes.collections[0]
    assert line.get_linewidth() == pytest.approx(before.lines[0].get_linewidth() * points / 10)
    assert dots.get_sizes()[0] == pytest.approx(before.collections[0].get_sizes()[0] * (points / 10) ** 2)


def test_labels_stand_in_place_of_texts() -> None:
    figure = chart()
    with styled(FigureStyle(labels=Labels({"load": "offered load", "all": "every"}, "labels.yaml"))):
        assert b"offered load" in figure_bytes(figure, "svg")
    texts = {text.get_text() for text in figure.findobj(Text) if isinstance(text, Text)}
    assert {"offered load", "every", "none"} <= texts
    assert not {"load", "all"} & texts


def test_a_text_that_the_figure_lacks_is_refused() -> None:
    with styled(FigureStyle(labels=Labels({"laod": "x"}, "labels.yaml"))), pytest.raises(SpecError) as caught:
        figure_bytes(chart(), "svg")
    assert str(caught.value).startswith("labels.yaml: the figure has no text 'laod' (did you mean 'load'?); allowed: ")


def test_scales_are_logarithmic_where_labels_have_room() -> None:
    near, far = np.array([46.0, 57.0]), np.array([1.0, 5.0])
    assert scale_of(near) == scale_of(np.empty(0)) == "linear"
    assert scale_of(near, far) == "log"
