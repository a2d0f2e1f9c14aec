"""Every single link of backbones failing, from one basis, against solves from nothing.

Geographic backbones: switches at random places, joined to near ones.  Prints processor time in seconds, and the largest
relative difference of K from solves from nothing, of every link or of some.
"""

from __future__ import annotations

import argparse
import time

from pnet_lp.failures import single_failures
from pnet_lp.throughput.single import single_failure_trials
from pnet_lp.throughput.trials import solve_connected
from tests.throughput.test_single_failures import backbone

SIZES = ((24, 40), (35, 56), (50, 88), (70, 120), (95, 177))


def main() -> None:
    """Measure the backbones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tolerance", type=float, default=1e-7)
    parser.add_argument("--every", type=int, default=1, help="compare every so many links (default 1)")
    arguments = parser.parse_args()
    print("switches  links  demands  from one basis, s  from nothing, s a link  largest difference")
    for seed, (switches, links) in enumerate(SIZES):
        network, traffic = backbone(switches, links, seed)
        begun = time.process_time()
        _, *found = single_failure_trials(network, traffic, "link", tolerance=arguments.tolerance)
        together = time.process_time() - begun
        of = {trial.failure: trial.throughput_gbps for trial in found}
        begun, worst = time.process_time(), 0.0
        compared = single_failures(network, "link")[:: arguments.every]
        for failure in compared:
            options = {"tolerance": arguments.tolerance}
            alone = solve_connected(network, traffic, options, failure.mask(network)).throughput_gbps
            worst = max(worst, abs(of[failure.name] - alone) / max(alone, 1e-300))
        each = (time.process_time() - begun) / len(compared)
        print(
            f"{switches:8}  {links:5}  {traffic.demand_count:7}  {together:17.2f}  {each:22.3f}  {worst:18.1e}",
            flush=True,
        )


if __name__ == "__main__":
    main()
