"""Keys of a question about a cross-check."""

from __future__ import annotations

from pnet_lp.crosscheck import CrosscheckSettings
from pnet_lp.questions.flow_keys import FlowKeys

MODELS = ("lp_ideal", "lp_paths", "split", "bare", "fluid", "packets")
"""Those that have columns."""


class CrosscheckCase(CrosscheckSettings, FlowKeys):
    """Compare linear program, fluid and packets for the same flows, and name the causes of the gaps.

    Each TOPOLOGY is one plane, as for `pnet-lp throughput`.  The linear program gives the least time to carry all
    bytes, over any paths and over the paths that flows may take.  The fluid gives completion times with max-min fair
    rates, without and with the delays of short flows.  Packets give completion times with a transport.  Only causes
    that the figures show are named.

    With --against optimum there is no fluid, and the packets are shown as a part of what the linear program has over
    any paths.

    Exit code 3: a flow was unfinished in some model, or the bounds of a linear program have not met.
    """

    headline = "packets_over_fluid"
    columns = {  # noqa: RUF012 - of a model, which is frozen
        **{f"all_{model}_us": f"all_us.{model}" for model in MODELS},
        **{f"mean_{model}_fct_us": f"fct_us.{model}.mean" for model in MODELS if not model.startswith("lp")},
        "mean_optimum_percent": "optimum.mean_percent",
        "p50_error": "ratios.p50_error",
        "p90_error": "ratios.p90_error",
        "unfinished": "flows.unfinished.packets",
    }
    example = "fat-tree:k=4 --link-gbps 10 --traffic permutation --flow-size 1MB"
    rows = "flow, with its time in each model"
    plot = "completion times in all models"
    threads = None

    @property
    def headline_column(self) -> str:
        """See the base class: what packets attain of the optimum, where that alone is asked for."""
        return "optimum_percent" if self.against == "optimum" else self.headline
