"""How much of a traffic matrix a network carries."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pnet_lp.errors import SpecError
from pnet_lp.extras import frame
from pnet_lp.model import Interval, Network, ThroughputResult, TrafficMatrix
from pnet_lp.model.rounded import div_down, div_up
from pnet_lp.plot import new_figure, write_figure
from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, Run, Summary
from pnet_lp.questions.keys import NOTHING_BUILT, Built
from pnet_lp.questions.throughput.case import ThroughputCase
from pnet_lp.questions.throughput.flow_paths import path_rates
from pnet_lp.questions.throughput.links import check_rates, link_table, rate_table, sent
from pnet_lp.questions.throughput.splits import Splits, splits, splits_document, splits_table
from pnet_lp.throughput import Interrupted, solve
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.write_lp import write_lp

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    from matplotlib.figure import Figure

    from pnet_lp.throughput.verify import Verification


@dataclass(frozen=True, eq=False, repr=False)
class ThroughputAnswer(Answer):
    """The throughput of a network, together with the network and its traffic.

    Attributes:
        network: the network, with failed links at capacity 0.
        traffic: the traffic matrix.
        result: bounds, proof and bottlenecks.
        min_share, max_paths: which paths remain in :attr:`splits`.
        demand_size: bytes that a demand of 1.0 is; None where demands are rates.
    """

    network: Network
    traffic: TrafficMatrix
    result: ThroughputResult
    min_share: float = 0.0
    max_paths: int | None = None
    demand_size: int | None = None

    def summary(self) -> Summary:
        """See the base class: the value that the objective asks for, between its bounds if it has any."""
        result, shown, value = self.result, self.result.headline, self.result.value
        names = shown.key, shown.suffix, shown.quantity.replace("_", " ")
        if value is None or not shown.bounded:
            headline = Headline.exact(*names, value, shown.unit)
        else:
            lower, upper = (float(result.figures[key]) for key in shown.bounds)
            headline = Headline(*names, value, lower, upper, shown.unit)
        return Summary(headline, {"solved_by": result.solver}, result.status, result.binding, result.seconds)

    @property
    def save(self) -> Callable[[str | Path], None]:
        """What writes the result with its proof; no timings, so that equal answers are equal files."""
        return lambda path: save_result(path, self.network, self.traffic, replace(self.result, seconds={}))

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        document = self.result.to_json() | {"sends": sent(self.network, self.traffic, self.result)}
        if self.min_share or self.max_paths is not None:
            document["splits"] = splits_document(self.result, self.rounded)
        if (moved := self.least_time) is not None:
            times = {"attained_s": moved.upper, "lower_bound_s": moved.lower}
            finite = {key: time if math.isfinite(time) else None for key, time in times.items()}
            document["time"] = {"demand_size": self.demand_size, **finite}
        return document

    @property
    def least_time(self) -> Interval | None:
        """Seconds in which all demands of ``demand_size`` bytes can be moved, and which no routing goes below.

        At the rates of the largest K all end at the same time, ``demand_size / K`` after the start; whatever is faster
        would have a larger K.
        """
        if self.demand_size is None:
            return None
        gigabits = self.demand_size * 8, 10**9
        bounds = self.result.interval
        least = float(div_down(div_down(*gigabits), bounds.upper)) if bounds.upper > 0 else math.inf
        return Interval(least, float(div_up(div_up(*gigabits), bounds.lower)) if bounds.lower > 0 else math.inf)

    @property
    def value(self) -> float | None:
        """The attained bound on the objective: by default K in Gb/s per unit demand."""
        return self.result.value

    @property
    def throughput_gbps(self) -> float:
        """K in Gb/s per unit demand; AttributeError if the objective has none."""
        return self.result.throughput_gbps

    @property
    def lower(self) -> float:
        """The lower bound on the value."""
        return self.result.interval.lower

    @property
    def upper(self) -> float:
        """The upper bound on the value."""
        return self.result.interval.upper

    @property
    def gap(self) -> float:
        """Difference of the two bounds over the upper bound."""
        return self.result.interval.gap

    @property
    def certified(self) -> bool:
        """Whether the bounds meet within the tolerance."""
        return self.result.status == "certified"

    @cached_property
    def links(self) -> pd.DataFrame:
        """A row per directed link: ``plane``, ``u``, ``v``, ``kind``, ``cable``, ``capacity_gbps``, ``load_gbps``,
        ``utilisation``, ``length``; see :func:`~pnet_lp.questions.throughput.links.link_table`.
        """  # noqa: D205 - names of columns are more than a line
        return frame(link_table(self.network, self.traffic, self.result))

    @cached_property
    def rates(self) -> pd.DataFrame:
        """A row per demand: ``src``, ``dst``, ``demand``, ``rate_gbps``."""
        return frame(rate_table(self.network, self.traffic, self.result))

    @cached_property
    def paths(self) -> pd.DataFrame:
        """A row per path that carries traffic: ``src``, ``dst``, ``pairs``, ``plane``, ``hops``, ``switches``,
        ``rate_gbps``; see :func:`~pnet_lp.questions.throughput.flow_paths.path_rates`.
        """  # noqa: D205
        return frame(path_rates(self.network, self.traffic, self.result))

    @cached_property
    def rounded(self) -> Splits:
        """The shares of paths that are at least ``min_share``, at most ``max_paths`` for a demand."""
        return splits(self.network, self.traffic, self.result, min_share=self.min_share, max_paths=self.max_paths)

    @cached_property
    def splits(self) -> pd.DataFrame:
        """A row per demand and path: ``src``, ``dst``, ``plane``, ``path``, ``share``, ``rate_gbps``; see
        :func:`~pnet_lp.questions.throughput.splits.splits_table`.
        """  # noqa: D205
        return frame(splits_table(self.network, self.traffic, self.result, self.rounded))

    def graph(self, plane: int = 0) -> nx.MultiDiGraph[str]:
        """Return a plane as a networkx graph, whose edges have ``capacity_gbps``, ``load_gbps``, ``utilisation`` and
        ``length``.

        Raises:
            SpecError: there is no such plane.
        """  # noqa: D205
        import networkx as nx  # noqa: PLC0415 - slow to load

        count = self.network.plane_count
        if not (isinstance(plane, int | np.integer) and 0 <= plane < count):
            raise SpecError("no such plane", where="plane", found=plane, allowed=f"0 to {count - 1}")
        links = self.links[self.links["plane"] == plane]
        graph: nx.MultiDiGraph[str] = nx.from_pandas_edgelist(
            links,
            "u",
            "v",
            edge_attr=["kind", "cable", "capacity_gbps", "load_gbps", "utilisation", "length"],
            create_using=nx.MultiDiGraph,
        )
        graph.add_nodes_from(self.network.planes[plane].switch_names)
        graph.graph["label"] = self.network.planes[plane].label
        return graph

    def plot(self, path: str | Path | None = None) -> Figure:
        """Return a chart of link utilisation, plane by plane, and write it to ``path`` (PNG or SVG) if given."""
        from pnet_lp.questions.throughput.sentences import result_line  # noqa: PLC0415
        from pnet_lp.questions.throughput.utilisation import draw_utilisation  # noqa: PLC0415 - only to print

        figure = new_figure(6)
        draw_utilisation(figure.add_subplot(), self.links, result_line(self.result))
        if path is not None:
            write_figure(figure, path)
        return figure

    def draw(self, path: str | Path | None = None, **shown: Any) -> Any:
        """Return a drawing of the network, its cables coloured by utilisation; see :func:`pnet_lp.draw`."""
        return self.network.draw(path, traffic=self.traffic, load=self.result, **shown)

    def verify(self, *, full: bool = False) -> Verification:
        """Save the proof to a temporary file and check it, with code that shares nothing with the solvers.

        Args:
            full: whether to run the checks that take long, too.

        Raises:
            CertificateError: the proof does not hold.
        """
        from pnet_lp.throughput.verify import verify_file  # noqa: PLC0415 - only where it is asked for

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "result.json"
            self.save(file)
            return verify_file(file, full=full)

    def __repr__(self) -> str:
        from pnet_lp.questions.throughput.sentences import result_line  # noqa: PLC0415 - only to print

        return f"<{result_line(self.result)}>"

    def _repr_html_(self) -> str:
        """Show the bounds in a notebook."""
        from pnet_lp.questions.throughput.html import result_html  # noqa: PLC0415 - only to print

        return result_html(self.result, self.to_json())


def solved(run: Run, network: Network, traffic: TrafficMatrix, **options: Any) -> ThroughputResult:
    """Return the throughput; where Ctrl-C ends the solve and part of an answer is wanted, the bounds reached."""
    try:
        return solve(network, traffic, on_progress=run.on_progress, **options)
    except Interrupted as stopped:
        if not run.keep_partial:
            raise
        return stopped.result


@QUESTIONS.register(
    "throughput", params=ThroughputCase, summary="how much of a traffic matrix fits, between proved bounds"
)
def throughput(case: ThroughputCase, seed: int, built: Built = NOTHING_BUILT) -> Posed:
    """Pose the case on the network and the demands that ``seed`` gives."""
    network = case.network(seed, built)
    traffic = case.demands(network, seed, built)

    def prepare(places: Mapping[str, Path]) -> None:
        if "out" in places:
            check_rates(traffic)
        if "write_lp" in places:
            write_lp(
                places["write_lp"], network, traffic, routing=case.routing, plane_policy=case.plane_policy, seed=seed
            )

    def answer(run: Run) -> Answer:
        options = case.options(seed, run.threads, run.deadline)
        result = solved(run, network, traffic, **options)
        return ThroughputAnswer(network, traffic, result, case.min_share, case.max_paths, case.demand_size)

    return Posed((network.fingerprint, traffic.fingerprint), answer, network.warnings, prepare)
