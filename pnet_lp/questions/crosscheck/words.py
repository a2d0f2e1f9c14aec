"""Cross-checks to read, as tables and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pnet_lp.extras import need
from pnet_lp.plot import COLOURS, draw_shares, new_figure, scale_of, write_figure
from pnet_lp.questions.crosscheck.answer import CrosscheckAnswer
from pnet_lp.questions.crosscheck.case import CrosscheckCase
from pnet_lp.tables import NETWORK_FACT, WARNINGS, Columns, Document, Report, facts, table_of, text_table
from pnet_lp.units import format_us

if TYPE_CHECKING:
    from rich.table import Table

_MODELS = {
    "lp_ideal": "LP, any path",
    "lp_paths": "LP, these paths",
    "split": "fluid, best split",
    "bare": "fluid, bare",
    "distant": "fluid, with delays",
    "short": "fluid, short flows",
    "fluid": "fluid",
    "packets": "packets",
}
"""What each is called, in the order of a table."""

_SHOWN = {key: label for key, label in _MODELS.items() if key not in ("distant", "short")}
_SHARES = {"mean": "mean", "p50": "median", "p99": "99 %", "max": "at most"}
_FIGURES = {
    "all_us": "all flows",
    "mean_fct_us": "mean completion",
    "ideal_us": "alone",
    "slowdown": "mean slowdown",
    "hops": "links",
}
"""What a factor is of."""

_NONE = "-"


def check_places(_: CrosscheckCase, places: Mapping[str, Path]) -> None:
    """Raise PnetError where what writes the table is not installed."""
    if "out" in places:
        need("pyarrow", "out")


def report(document: Document) -> Report:
    """Return a cross-check, given as its document, as tables and sentences to read."""
    flows, settings = document["flows"], document["settings"]
    lost = "".join(f"; {count:,} unfinished in {_MODELS[name]}" for name, count in flows["unfinished"].items() if count)
    fluid = settings.get("fluid", settings.get("bare"))
    linear = ", ".join(
        f"{_MODELS[f'lp_{name}']} ({one['routing']}, limited by {one['binding']}, {one['status']})"
        for name, one in document["lp"].items()
    )
    simulated = ""
    if fluid is not None:
        shared = "{fluid[subflows]} subflows" if fluid["sharing"] == "subflows" else "{fluid[sharing]}"
        window = ", first window {fluid[initial_window]}" if "initial_window" in fluid else ""
        simulated = f"sharing {shared}, correction {{fluid[correction]}}{window}"
    packets = settings["packets"]
    hosts = "" if packets["host_queue"] == packets["queue"] else f" ({packets['host_queue']} at hosts)"
    grid = facts(
        {**document, **settings, "hosts": hosts, "fluid": fluid, "lost": lost, "linear": linear},
        ("flows", "{flows[compared]:,} of {flows[flows]:,} complete in all models, and compared{lost}"),
        ("workload", "{workload[label]}: {workload[bytes]:,} bytes"),
        ("network", f"{NETWORK_FACT}; {{packets[link_delay]}} a link"),
        ("packets", "{packets[transport]}, {packets[queue]}{hosts}, packets of {packets[packet]} B"),
        ("fluid", simulated),
        ("paths", "{packets[forwarding]}, plane policy {packets[plane_policy]}"),
        ("LP", "left out: {lp_left_out}" if document["lp_left_out"] else "all bytes at once: {linear}"),
        ("best split", "[[split_left_out?left out: {split_left_out}]]"),
        WARNINGS,
    )
    parts: Report = [grid, "", _times(document)]
    if fluid is not None and flows["compared"] and len(document["by_size"]) > 1:
        parts += ["", _sizes(document["by_size"])]
    if flows["compared"]:
        parts += ["", *(_sentences(document) if fluid is not None else _attained(document["optimum"]))]
    return parts


def _attained(optimum: Mapping[str, float | None]) -> list[str]:
    """Return one sentence of what packets attain of the optimum; none where one of the two is missing."""
    if optimum["percent"] is None:
        return []
    mean = optimum["mean_percent"]
    of_each = "" if mean is None else f", and {mean:.4g} % of what a flow takes, on average"
    return [f"the least time of the linear program is {optimum['percent']:.4g} % of what all flows take{of_each}"]


def _times(document: Document) -> Table:
    """Return the table of times, a column for each model."""
    known = [key for key in _SHOWN if key in document["all_us"] or key in document["fct_us"]]
    other = next((key for key in ("fluid", "bare", "lp_ideal") if key in known), "")
    table = text_table()
    table.add_column("", no_wrap=True)
    for key in known:
        table.add_column(_SHOWN[key], justify="right")
    table.add_column(f"packets / {'LP' if other == 'lp_ideal' else 'fluid'}", justify="right")

    def row(label: str, values: Mapping[str, float | None], *, time: bool = True) -> None:
        shown = [values.get(key) for key in known]
        cells = [_NONE if one is None else format_us(one) if time else f"{one:.4g}" for one in shown]
        ratio = _ratio(values.get("packets"), values.get(other))
        table.add_row(label, *cells, ratio)

    row("job" if document["is_job"] else "all flows", document["all_us"])
    row("goodput, Gb/s", document["goodput_gbps"], time=False)
    for name, label in (("fct_us", "completion"), ("slowdown", "slowdown")):
        for share, words in _SHARES.items():
            values = {key: one[share] for key, one in document[name].items()}
            if any(value is not None for value in values.values()):
                row(f"{label} {words}", values, time=name == "fct_us")
    for stage in document["stages"]:
        row(f"stage {stage['stage']}", stage["stage_us"])
        row("  a task in it", {key: one["mean"] for key, one in stage["tasks_us"].items()})
    return table


def _sizes(classes: Sequence[Document]) -> Table:
    """Return the table of size classes: mean times and high slowdowns, and how far the fluid is off."""
    fluid = "fluid" if "fluid" in classes[0]["fct_us"] else "bare"

    def mean(row: Document, model: str) -> float:
        return float(row["fct_us"][model]["mean"])

    return table_of(
        classes,
        ("bytes", lambda row: f"{row['from_bytes']:,} to {row['below_bytes'] - 1:,}"),
        ("flows", "{flows:,}"),
        ("fluid, mean", lambda row: format_us(mean(row, fluid))),
        ("packets", lambda row: format_us(mean(row, "packets"))),
        ("ratio", lambda row: _ratio(mean(row, "packets"), mean(row, fluid))),
        ("slowdown 99 %, fluid", f"{{slowdown[{fluid}][p99]:.3g}}"),
        ("packets", "{slowdown[packets][p99]:.3g}"),
        ("off, median", "{ratios[p50_error]:.3g %}"),
        ("90 %", "{ratios[p90_error]:.3g %}"),
    )


def _sentences(document: Document) -> list[str]:
    """Return one sentence for each gap, and one for what is too small to be one."""
    found = [
        f"{gap['cause']} ({_FIGURES[gap['figure']]} {gap['factor']:.3g}x): {gap['sentence']}"
        for gap in document["gaps"]
    ]
    ratios = document["ratios"]
    found.append(
        f"the fluid is off by {100 * ratios['p50_error']:.3g} % for the median flow, by "
        f"{100 * ratios['p90_error']:.3g} % at the 90th percentile"
    )
    if document["small"]:
        found.append(f"less than 2 %: {', '.join(document['small'])}")
    return found


def _ratio(one: float | None, other: float | None) -> str:
    return _NONE if one is None or not other else f"{one / other:.4g}"


def table(answer: CrosscheckAnswer) -> Columns:
    """Return one row for each flow: what it is, and when it is complete in each model; null where it is not."""
    import pyarrow as pa  # noqa: PLC0415 - slow to load

    found = answer.found
    flows = found.packets.flows
    kept = [
        name
        for name in ("flow", "task", "stage", "src", "dst", "bytes", "resent", "timeouts", "packets_dropped")
        if name in flows.column_names
    ]
    columns: dict[str, Any] = {name: flows.column(name) for name in kept}
    for name, result in found.simulations.items():
        columns[f"{name}_ideal_ps"] = pa.array(result.flow["ideal_ps"], mask=result.flow["ideal_ps"] < 0)
        columns[f"{name}_completion_ps"] = pa.array(result.completion_ps, mask=~result.done)
    return columns


def write_plot(answer: CrosscheckAnswer, title: str, path: str | Path) -> None:
    """Draw the share of flows complete after a time, a line for each model, into a PNG or SVG file.

    In the linear program all flows are complete when all bytes are carried; where it has no time, the chart says so.
    """
    found = answer.found
    figure = new_figure(7)
    axes = figure.add_subplot()
    axes.set_prop_cycle(color=COLOURS)
    for name, result in found.simulations.items():
        if name in _SHOWN:
            draw_shares(axes, result.completion_ps[result.done] / 1e6, result.flow_count, label=_SHOWN[name])
    # One that starts after others takes less than all of them do.
    steps = {} if len(found.workload.after) else found.linear
    for style, (name, linear) in zip(("--", ":"), steps.items(), strict=False):
        axes.axvline(linear.all_us, color="black", linestyle=style, label=_SHOWN[f"lp_{name}"])
    axes.set_xscale(scale_of(*(result.completion_ps[result.done] for result in found.simulations.values())))
    axes.set(xlabel="completion time, us", ylabel="share of flows", ylim=(0, 1))
    axes.legend(fontsize="small")
    why = found.left_out or ("" if steps else "flows wait for others, and the linear program has no times of its own")
    axes.set_title(f"LP left out: {why}" if why else "", fontsize="small")
    figure.suptitle(title, fontsize="medium")
    write_figure(figure, path)
