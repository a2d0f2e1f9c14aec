"""The search for networks in one call."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from pnet_lp.design import FindSettings
from pnet_lp.design import find as find_networks
from pnet_lp.design.settings import Rank
from pnet_lp.notebook.networks_found import NetworksFound
from pnet_lp.notebook.progress import Text
from pnet_lp.registry import validate


def find(
    *,
    hosts: int,
    min_gbps_per_host: float,
    traffic: str | None = None,
    radix: int | None = None,
    speeds: float | Sequence[float] | None = None,
    planes: int | Sequence[int] | None = None,
    families: str | Sequence[str] | None = None,
    budget: float | None = None,
    rank: Rank | None = None,
    fail_links: float | None = None,
    confidence: float | None = None,
    trials: int | None = None,
    prices: str | Sequence[str] | None = None,
    powers: str | Sequence[str] | None = None,
    tolerance: float | None = None,
    seed: int = 0,
    threads: int = 0,
    progress: bool = False,
) -> NetworksFound:
    """Return the cheapest networks that hold so many hosts and carry so much, each with its proof.

    >>> import pnet_lp as pn
    >>> pn.find(hosts=1024, min_gbps_per_host=50, radix=64, speeds=[100, 400], planes=range(1, 9))

    Keywords mean what the options of ``pnet-lp find`` of the same name mean, and those left out, or None, have the same
    defaults.

    Args:
        hosts: hosts that the network holds, at least.
        min_gbps_per_host: Gb/s that a host sends on average at once, at least.
        traffic: demands between hosts, a pattern for any network.
        radix: ports of every switch.
        speeds: Gb/s of a port, each of which is tried.
        planes: numbers of planes that are tried.
        families: those that are tried.
        budget: USD that it may cost.
        rank: what the best network has least of, ``cost`` or ``power``, or most, ``throughput``.
        fail_links: share of each plane's cables that fail.
        confidence: share of the draws of failures in which as much must be carried.
        trials: draws of failures.
        prices: books of prices.
        powers: books of powers.
        tolerance: relative gap between the bounds of each at which to stop.
        seed: of all that is random.
        threads: of each solve; 0 for all cores.
        progress: shows on stderr how far the search is.

    Raises:
        PnetError: one sentence that says what is wrong with which argument, or that nothing carries as much, and what
            comes nearest.
    """
    given = {
        "hosts": hosts,
        "min_gbps_per_host": min_gbps_per_host,
        "traffic": traffic,
        "radix": radix,
        "speeds": speeds,
        "planes": planes,
        "families": families,
        "budget": budget,
        "rank": rank,
        "fail_links": fail_links,
        "confidence": confidence,
        "trials": trials,
        "prices": prices,
        "powers": powers,
        "tolerance": tolerance,
        "seed": seed,
    }
    asked = validate(
        FindSettings,
        {
            key: list(value) if isinstance(value, range) else value
            for key, value in given.items()
            if value is not None
        },
    )
    with Text() if progress else nullcontext() as line:
        watch = line.show if line is not None else (lambda _: None)
        return NetworksFound(find_networks(asked, threads=threads, watch=watch))
