"""Charts of simulations: completion times, slowdown against size, and what was traced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pnet_lp.plot import COLOURS, dashes, draw_shares, new_figure, scale_of, write_figure
from pnet_lp.questions.simulate.answer import SimulateAnswer
from pnet_lp.sim import SimulationResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_NAMED = 16
"""Lines that a legend names; more are too many to be told apart, and look the same."""

_MOST_DRAWN = 20_000
"""Points of a line that an SVG file holds one by one."""


def write_plot(answer: SimulateAnswer, title: str, path: str | Path) -> None:
    """Draw completion times, slowdown against size, and traces of queues and windows, into a PNG or SVG file."""
    results = answer.results
    traced = [
        sort
        for sort in ("queues", "windows")
        if any(sort in one.traces and len(one.traces[sort]["time_ps"]) for one in results)
    ]
    figure = new_figure(9, 4 if not traced else 4 + 3 * len(traced))
    grid = figure.add_gridspec(1 + len(traced), 2, height_ratios=[4, *(3 for _ in traced)])
    _draw_completion(figure.add_subplot(grid[0, 0]), results)
    _draw_slowdown(figure.add_subplot(grid[0, 1]), results)
    for row, sort in enumerate(traced, start=1):
        _draw_trace(figure.add_subplot(grid[row, :]), results, sort)
    figure.suptitle(title, fontsize="medium")
    write_figure(figure, path)


def _draw_completion(axes: Axes, results: Sequence[SimulationResult]) -> None:
    """Draw the share of flows complete after a time, one line for each run."""
    times = [result.completion_ps[result.done] / 1e6 for result in results]
    for number, (own, result) in enumerate(zip(times, results, strict=True)):
        draw_shares(axes, own, result.flow_count, label=f"run {number}", **_line(number, len(results)))
    axes.set_xscale(scale_of(*times))
    axes.set(xlabel="completion time, us", ylabel="share of flows", ylim=(0, 1))
    if len(results) > 1:
        _name_lines(axes)


def _draw_slowdown(axes: Axes, results: Sequence[SimulationResult]) -> None:
    """Draw the slowdown of each flow against its size, and the median and the 99th percentile of similar sizes."""
    done = np.concatenate([result.done for result in results])
    size = np.concatenate([result.flow["bytes"] for result in results])[done]
    slowdown = np.concatenate([result.slowdown for result in results])[done]
    axes.set(xlabel="bytes of a flow", ylabel="slowdown")
    if not len(size):
        return
    axes.set(xscale="log", yscale=scale_of(slowdown))
    axes.scatter(size, slowdown, s=6, color=COLOURS[0], alpha=0.3, linewidths=0, rasterized=len(size) > _MOST_DRAWN)
    if len(np.unique(size)) > 1:
        groups = np.digitize(np.log10(size), np.arange(0, 16, 0.5))
        middle = [np.median(size[groups == group]) for group in np.unique(groups)]
        for share, style, label in ((50, "o-", "median"), (99, "s--", "99 %")):
            values = [
                np.percentile(slowdown[groups == group], share, method="inverted_cdf") for group in np.unique(groups)
            ]
            axes.plot(middle, values, style, color="black", markersize=4, linewidth=1, label=label)
        axes.legend(fontsize="small")


def _draw_trace(axes: Axes, results: Sequence[SimulationResult], sort: str) -> None:
    """Draw queues at each arrival, or windows at each change, over time."""
    last = max(int(result.traces[sort]["time_ps"].max(initial=0)) for result in results)
    unit, size = ("ms", 1e9) if last > 10**10 else ("us", 1e6)
    lines = list(_lines(results, sort))
    for number, (label, time_ps, value) in enumerate(lines):
        many = len(value) > _MOST_DRAWN
        style = {"linewidth": 1, **_line(number, len(lines))}
        axes.step(time_ps / size, value, where="post", label=label, rasterized=many, **style)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.set(xlabel=f"time, {unit}", ylabel="packets in the queue" if sort == "queues" else "window, segments")
    _name_lines(axes)


def _lines(
    results: Sequence[SimulationResult], sort: str
) -> Iterator[tuple[str, npt.NDArray[np.int64], npt.NDArray[np.float64]]]:
    """Yield label, times and values of each port, or of each subflow."""
    for number, result in enumerate(results):
        rows = result.traces[sort]
        run = f", run {number}" if len(results) > 1 else ""
        if sort == "queues":
            keys, named = rows["port"], result.places.named
            several = result.places.network.plane_count > 1
        else:
            keys = rows["flow"] * (int(rows["subflow"].max(initial=0)) + 1) + rows["subflow"]
            several = bool(rows["subflow"].any())
        for key in np.unique(keys):
            chosen = keys == key
            if sort == "queues":
                plane = f", plane {result.places.plane[key]}" if several else ""
                label = f"{named['u'][key]} -> {named['v'][key]}{plane}"
            else:
                first = int(np.argmax(chosen))
                subflow = f", subflow {rows['subflow'][first]}" if several else ""
                label = f"flow {rows['flow'][first]}{subflow}"
            value = rows["packets" if sort == "queues" else "window"][chosen]
            yield f"{label}{run}", rows["time_ps"][chosen], value.astype(np.float64)


def _line(number: int, count: int) -> dict[str, Any]:
    """Return the look of one of so many lines: its own where a legend names it, else that of all."""
    if count > _MOST_NAMED:
        return {"color": COLOURS[0], "linewidth": 0.6, "alpha": 0.5}
    linestyle = dashes(number) if count > len(COLOURS) else "-"
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": linestyle}


def _name_lines(axes: Axes) -> None:
    """Add a legend, of runs by their numbers, unless there are too many lines to be told apart."""
    if len(axes.lines) <= _MOST_NAMED:
        axes.legend(fontsize="small" if len(axes.lines) <= len(COLOURS) else "x-small", ncols=2)
