"""Keys of a question about price-performance."""

from __future__ import annotations

from pnet_lp.cost import BookSettings, TopologySettings
from pnet_lp.questions.keys import DemandKeys, MetricKeys
from pnet_lp.throughput.settings import SolveSettings


class PricePerformanceCase(BookSettings, SolveSettings, TopologySettings, MetricKeys, DemandKeys):
    """Compute what a network of any planes carries for its money and its power.

    Failed parts are paid for and carry nothing.

    Exit code 3: the bounds have not met within the tolerance; they hold all the same.
    """

    headline = "gbps_per_kusd"
    columns = dict.fromkeys(
        (
            "gbps_per_watt", "throughput_gbps", "carried_gbps", "total_usd", "watts", "hosts", "chips", "boxes",
            "links", "cables", "transceivers", "mean_hops", "example_prices", "solved_by",
        ),
        "",
    )  # fmt: skip
    example = "fat-tree:k=4 --traffic permutation"
    rows = "part"
