"""Throughput while parts of a network are down, trial by trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pnet_lp.failures import FailureModel, Failures, apply_mask, mean_interval
from pnet_lp.model import Network, ThroughputResult, TrafficMatrix
from pnet_lp.model.brief import brief
from pnet_lp.seeds import check_draws
from pnet_lp.throughput.facade import solve
from pnet_lp.throughput.problems import lost_demands


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class FailureTrial:
    """The throughput of one draw of failures.

    Attributes:
        trial: its number.
        result: the certified throughput of the demands that have a path; None where none has.
        lost_demands: demands without a path, which the result leaves out.
        lost_share: their part of the sum of all demands.
    """

    trial: int
    result: ThroughputResult | None
    lost_demands: int
    lost_share: float

    @property
    def throughput_gbps(self) -> float:
        """K of the demands that have a path, Gb/s per unit demand; 0 where none has."""
        return 0.0 if self.result is None else self.result.interval.lower


def failure_trials(
    network: Network,
    traffic: TrafficMatrix,
    failures: Failures,
    *,
    trials: int,
    seed: int = 0,
    **options: Any,
) -> list[FailureTrial]:
    """Return the throughput of ``traffic`` in ``trials`` independent draws of ``failures``.

    One disconnected pair would make the largest common K zero.  Demands without a path are left out of the solve
    instead, and counted: read :attr:`FailureTrial.throughput_gbps` together with :attr:`FailureTrial.lost_share`.

    Args:
        network: without failures.
        traffic: the demands, those of the network without failures.
        failures: what is to fail.
        trials: number of draws; trial 0 is what ``pnet-lp throughput --fail-links`` applies.
        seed: of the draws.
        options: for :func:`pnet_lp.throughput.solve`.

    Raises:
        SpecError: no trial; a plane, a switch or a cable that the network does not have; a wrong option.
        TrafficError, TopologyError, SolverError: as :func:`pnet_lp.throughput.solve`.
    """
    check_draws("trials", trials)
    model = FailureModel(network, failures)
    return [
        _solve_connected(trial, apply_mask(network, model.draw(seed, trial)), traffic, options)
        for trial in range(trials)
    ]


def throughput_interval(trials: Sequence[FailureTrial]) -> tuple[float, float] | None:
    """Return the Student-t interval of 95 % confidence of the mean throughput, None for fewer than two trials."""
    return mean_interval([trial.throughput_gbps for trial in trials])


def _solve_connected(
    trial: int, network: Network, traffic: TrafficMatrix, options: dict[str, Any]
) -> FailureTrial:
    lost = lost_demands(network, traffic)
    kept = ~lost
    share = float(traffic.demand[lost].sum() / traffic.demand.sum())
    if not kept.any():
        return FailureTrial(trial, None, int(lost.sum()), share)
    if lost.any():
        traffic = TrafficMatrix.from_entries(
            traffic.level,
            traffic.endpoints,
            traffic.src[kept],
            traffic.dst[kept],
            traffic.demand[kept],
            label=f"{traffic.label} between connected {traffic.level}s",
        )
    return FailureTrial(trial, solve(network, traffic, **options), int(lost.sum()), share)
