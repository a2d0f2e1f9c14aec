"""The search for networks in one call."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from pnet_lp.design import FindSettings
from pnet_lp.design import find as find_networks
from pnet_lp.design.settings import Rank, Sizes
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
    sizes: Sizes | None = None,
    budget: float | None = None,
    best: int | None = None,
    rank: Rank | None = None,
    fail_links: float | None = None,
    confidence: float | None = None,
    trials: int | None = None,
    prices: str | Sequence[str] | None = None,
    powers: str | Sequence[str] | None = None,
    tolerance: float | None = None,
    seed: int = 0,
    threads: int = 0,
    jobs: int = 1,
    progress: bool = False,
) -> NetworksFound:
    """Return the cheapest networks that carry a given load between a given number of hosts, each with its proof.

    >>> import pnet_lp as pn
    >>> pn.find(hosts=1024, min_gbps_per_host=50, radix=64, speeds=[100, 400], planes=range(1, 9))

    Keywords are the options of ``pnet-lp find``.  Those left out, or None, have the same defaults.

    Args:
        hosts: minimum number of hosts.
        min_gbps_per_host: minimum of what hosts send on average at once, in Gb/s.
        traffic: traffic matrix between hosts, a pattern for any network.
        radix: ports of every switch.
        speeds: speeds of ports to try, in Gb/s.
        planes: numbers of planes to try.
        families: topology families to try.
        sizes: sizes of each family to try: a ``few`` that are far apart, or also those between, in ``fine`` steps.
        budget: maximum price in USD.
        best: stop when so many networks of the front are found, best first.
        rank: what ranks networks: least ``cost``, least ``power`` or most ``throughput``.
        fail_links: share of each plane's cables that fail.
        confidence: share of the draws of failures in which the load must be carried.
        trials: number of draws of the failures.
        prices: price books, by name or file.
        powers: power books, by name or file.
        tolerance: relative gap between the bounds of each network at which to stop.
        seed: seed of all random choices.
        threads: threads of each solve; 0 for all cores.
        jobs: number of processes that solve draws of failures in parallel.  With more than one, a script must call this
            below ``if __name__ == "__main__"``.
        progress: whether to show the progress of the search on stderr.

    Raises:
        PnetError: an argument is wrong, or no network carries the load; the text says which, and what comes nearest.
    """
    given = {
        "hosts": hosts,
        "min_gbps_per_host": min_gbps_per_host,
        "traffic": traffic,
        "radix": radix,
        "speeds": speeds,
        "planes": planes,
        "families": families,
        "sizes": sizes,
        "budget": budget,
        "best": best,
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
        return NetworksFound(find_networks(asked, threads=threads, jobs=jobs, watch=watch))
