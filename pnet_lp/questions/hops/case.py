"""Keys of a question about hop counts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pnet_lp.failures import FAILING
from pnet_lp.flags import Flag
from pnet_lp.hops import Rpc, only_speed
from pnet_lp.model import Network
from pnet_lp.model.network import Level
from pnet_lp.questions.base import Series
from pnet_lp.questions.keys import MetricKeys, PairName
from pnet_lp.seeds import MOST_DRAWS

_OF_CALLS = ("rpc_bytes",)


class HopsCase(MetricKeys):
    """Count the hops between endpoints, also when links and switches fail.

    A hop is a link between switches, in the plane where the pair is nearest; two hosts on one switch are 0 hops apart.
    Pairs without a path are counted and enter no mean.  Intervals over several trials have 95 % confidence.
    """

    headline = "mean_hops"
    jobs = ("trials",)
    columns = {  # noqa: RUF012 - of a model, which is frozen
        "p50_hops": "p50",
        "p99_hops": "p99",
        "max_hops": "max",
        "connected_share": "",
        "all_connected_trials": "",
        **{f"{share}_rpc_us": f"rpc.{share}_us" for share in ("mean", "p50", "p99")},
    }
    example = "jellyfish:k=8 --planes 4 --fail-links 0.2 --trials 20 --seed 1"
    rows = "trial"
    series = (
        Series(
            "",
            {
                "fail_links": Flag(
                    "--sweep",
                    metavar="F,F,...",
                    excludes=("fail_links", "pair"),
                    help="Several shares or numbers of failed cables, in place of --fail-links.",
                )
            },
            rows="trial",
            plot="mean hops against failed cables, with --sweep",
        ),
    )

    level: Level | None = Field(
        None, description="whether pairs are of racks or hosts; default: host if the network has hosts"
    )
    trials: Annotated[int, Flag(needs=FAILING)] = Field(
        1, ge=1, le=MOST_DRAWS, description="number of independent draws of the failures, of one network"
    )
    pair: PairName = Field(None, description="two endpoints: how often one reaches the other, in how many hops")
    rpc_bytes: float | None = Field(None, gt=0, description="estimate the time of a remote call of so many bytes")
    rate_gbps: Annotated[float | None, Flag("--rate", needs=_OF_CALLS)] = Field(
        None, gt=0, description="link speed for it, in Gb/s; default: the network's"
    )
    hop_delay_us: Annotated[float, Flag("--hop-delay", needs=_OF_CALLS)] = Field(
        Rpc.hop_delay_us, ge=0, description="propagation delay of a link for it, in microseconds"
    )

    def check(self) -> None:
        """See the base class."""
        super().check()
        self.check_level(self.level)

    def rpc(self, network: Network) -> Rpc | None:
        """Return the remote call, None where none was requested."""
        if self.rpc_bytes is None:
            return None
        rate = self.rate_gbps or only_speed(network, instead="rate_gbps=C with it")
        return Rpc(self.rpc_bytes, rate, self.hop_delay_us)
