"""Every single link of backbones failing, from the answer without failures, against solves from nothing.

Geographic backbones: switches at random places, joined to near ones; gravity demands, in the largest between some pairs
only.  Prints processor time in seconds, how many times that solves from nothing take, by some links spread evenly, and
the largest relative difference of K from these.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from pnet_lp.failures import single_failures
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.throughput.single import single_failure_trials
from pnet_lp.throughput.trials import solve_connected
from tests.throughput.test_single_failures import backbone

CASES = (
    (24, 40, None),
    (35, 56, None),
    (50, 88, None),
    (70, 120, None),
    (95, 177, None),
    (60, 982, None),
    (1000, 1474, 2000),
)
"""Switches, links, and demands, None for all pairs."""


def build(switches: int, links: int, demands: int | None, seed: int) -> tuple[Network, TrafficMatrix]:
    """Return a backbone and its demands."""
    network, traffic = backbone(switches, links, seed)
    if demands is None:
        return network, traffic
    random = np.random.default_rng(seed)
    kept = np.sort(random.choice(traffic.demand_count, demands, replace=False))
    src, dst, demand = (each[kept] for each in (traffic.src, traffic.dst, traffic.demand))
    return network, TrafficMatrix.from_entries("rack", switches, src, dst, demand)


def main() -> None:
    """Measure the backbones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--compared", type=int, default=40, help="links that are solved from nothing, at most")
    arguments = parser.parse_args()
    options = {"tolerance": arguments.tolerance, "threads": 1}
    print("switches  links  demands  all links, s  ms a link  from nothing, ms a link  times  largest difference")
    for seed, case in enumerate(CASES):
        network, traffic = build(*case, seed)
        begun = time.process_time()
        _, *found = single_failure_trials(network, traffic, "link", **options)
        together = time.process_time() - begun
        of = {trial.failure: trial.throughput_gbps for trial in found}
        failures = single_failures(network, "link")
        compared = [each for each in failures[:: -(-len(failures) // arguments.compared)] if each.name in of]
        begun, worst = time.process_time(), 0.0
        for failure in compared:
            alone = solve_connected(network, traffic, options, failure.mask(network)).throughput_gbps
            worst = max(worst, abs(of[failure.name] - alone) / max(alone, 1e-300))
        alone_s, each_s = (time.process_time() - begun) / len(compared), together / len(failures)
        print(
            f"{case[0]:8}  {case[1]:5}  {traffic.demand_count:7}  {together:12.2f}  {1000 * each_s:9.1f}"
            f"  {1000 * alone_s:23.1f}  {alone_s / each_s:5.1f}  {worst:18.1e}",
            flush=True,
        )


if __name__ == "__main__":
    main()
