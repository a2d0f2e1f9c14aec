"""How many hops apart endpoints are, also while parts of a network are down."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from pnet_lp.errors import SpecError
from pnet_lp.experiment.keys import NetworkKeys
from pnet_lp.experiment.question import QUESTIONS, Answer, Headline, OnProgress, Posed
from pnet_lp.failures import FailureSettings
from pnet_lp.hops import Rpc, only_speed, rpc_statistics, run_trials
from pnet_lp.model import Network
from pnet_lp.model.network import Level
from pnet_lp.seeds import MOST_DRAWS


class HopsCase(NetworkKeys):
    """One network, as of ``pnet-lp hops``."""

    headline = "mean_hops"
    columns = (
        "p50_hops",
        "p99_hops",
        "max_hops",
        "connected_share",
        "all_connected_trials",
        "mean_rpc_us",
        "p50_rpc_us",
        "p99_rpc_us",
    )

    level: Level | None = Field(None, description="whether pairs are of racks or of hosts")
    trials: int = Field(
        1, ge=1, le=MOST_DRAWS, description="draws of the failures, of one network, for each seed"
    )

    rpc_bytes: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="size of a remote call of which the time is estimated"
    )
    rate_gbps: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="speed of every link for it; default: the network's"
    )
    hop_delay_us: float = Field(
        Rpc.hop_delay_us, ge=0, allow_inf_nan=False, description="propagation delay of a link for it"
    )

    @model_validator(mode="after")
    def _check_level_and_trials(self) -> Self:
        self.check_level(self.level)
        for key in ("rate_gbps", "hop_delay_us") if self.rpc_bytes is None else ():
            if key in self.model_fields_set:
                raise SpecError("has no meaning without rpc_bytes", where=key, found=getattr(self, key))
        if "trials" in self.model_fields_set and not self.model_fields_set & set(
            FailureSettings.model_fields
        ):
            raise SpecError("nothing fails, so that all trials are alike", where="trials", found=self.trials)
        return self

    def rpc(self, network: Network) -> Rpc | None:
        """Return the remote call, None where none was asked for."""
        if self.rpc_bytes is None:
            return None
        rate = self.rate_gbps or only_speed(network, instead="rate_gbps with it")
        return Rpc(self.rpc_bytes, rate, self.hop_delay_us)


@QUESTIONS.register(
    "hops",
    params=HopsCase,
    summary="hops between all pairs, and which are connected, over trials of failures",
)
def hops(case: HopsCase, seed: int) -> Posed:
    """Pose the case on the network that ``seed`` gives, and failures that it draws."""
    network, failures = case.intact(case.topology, seed), case.failures
    level = case.level or network.default_level
    rpc = case.rpc(network)

    def answer(threads: int, _: OnProgress) -> Answer:
        found = run_trials(network, failures, level, trials=case.trials, seed=seed, threads=threads)
        pooled = found.pooled
        times = rpc_statistics(pooled, rpc) if rpc else None
        columns = {
            "p50_hops": pooled.percentile(50),
            "p99_hops": pooled.percentile(99),
            "max_hops": pooled.most,
            "connected_share": found.connected_share,
            "all_connected_trials": found.all_connected,
            **{f"{key}_rpc_us": times[f"{key}_us"] if times else None for key in ("mean", "p50", "p99")},
        }
        trials = [
            {"mean_hops": trial.mean, "pairs": list(trial.pairs), "disconnected_pairs": trial.disconnected}
            for trial in found.trials
        ]
        return Answer(
            Headline.exact(case.headline, "hops", "mean hops", found.mean),
            "exact",
            columns,
            {"level": level, "mean_hops": found.mean, **columns, "trials": trials},
        )

    return Posed((network.fingerprint, repr(failures), repr(rpc)), answer)
