"""Prices over a range of oversubscription."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pnet_lp.cost.books import Book
from pnet_lp.cost.design import Design, TopologyOptions, design
from pnet_lp.cost.price import Quote, quote
from pnet_lp.errors import SpecError
from pnet_lp.model.brief import brief
from pnet_lp.registry import one_or_more


@brief()
@dataclass(frozen=True, repr=False)
class Point:
    """One architecture at one beta."""

    beta: float
    design: Design
    quote: Quote


@brief()
@dataclass(frozen=True, repr=False)
class Curve:
    """One architecture over all betas.

    Attributes:
        label: its expression.
        constant: whether it has no parameter beta, so that all points are identical.
        points: in the order of the betas.
    """

    label: str
    constant: bool
    points: tuple[Point, ...]


def trace_curves(
    texts: str | Sequence[str],
    betas: Sequence[float],
    prices: Book,
    powers: Book,
    options: TopologyOptions | None = None,
) -> list[Curve]:
    """Return the price of each architecture at each beta.

    Args:
        texts: ARCHITECTURE expressions; ``beta`` is set in those that have such a parameter.
        betas: at least one.
        prices: price book.
        powers: power book.
        options: for a TOPOLOGY.

    Raises:
        SpecError: no beta, one that an expression sets itself, or as :func:`~pnet_lp.cost.design.design`.
    """
    if not betas:
        raise SpecError("a curve needs at least one beta")
    curves = []
    for text in one_or_more(texts):
        if "beta" in (item.partition("=")[0].strip() for item in re.split("[:,]", text)[1:]):
            raise SpecError("a curve varies beta, so an expression cannot set it", where=text)
        points: list[Point] = []
        for beta in betas:
            if points and points[0].design.beta is None:
                points.append(Point(beta, points[0].design, points[0].quote))
                continue
            made = design(text, options, beta=beta)
            points.append(Point(beta, made, quote(made.bill, prices, powers)))
        curves.append(Curve(text, points[0].design.beta is None, tuple(points)))
    return curves
