"""How the time of `find` grows with the hosts, and which part of it is pricing, examining, and its slowest candidate.

Usage: python benchmarks/find.py [--quick]

Families without random choices, one plane or two copies, half of the speed of the links for each host; one
thread.  Processor time, as a multiple of that for the fewest hosts in the same run.
"""

from __future__ import annotations

import itertools
import sys
import time

from pnet_lp import _core
from pnet_lp.design.search import Found, find
from pnet_lp.design.settings import FindSettings
from pnet_lp.progress import Count

HOSTS = (1024, 4096, 16384)
FAMILIES = ("fat-tree", "leaf-spine", "slim-fly", "polarfly")
MIN_GBPS_PER_HOST = 50.0


def measure(hosts: int) -> tuple[Found, float, float, float]:
    """Return what is found, and the processor seconds of pricing, of examining, and of the slowest candidate."""
    times: list[tuple[bool, float]] = []

    def watch(count: Count) -> None:
        times.append((count.parts == "candidates priced", time.process_time()))

    settings = FindSettings(hosts=hosts, min_gbps_per_host=MIN_GBPS_PER_HOST, families=FAMILIES, planes=(1, 2))
    began = time.process_time()
    found = find(settings, threads=1, watch=watch)
    ended = time.process_time()
    examined = [at for pricing, at in times if not pricing] + [ended]
    slowest = max(after - before for before, after in itertools.pairwise(examined))
    return found, examined[0] - began, ended - examined[0], slowest


def main() -> None:
    if _core.build_profile != "release":
        sys.exit("the extension is a debug build: make setup")
    numbers = HOSTS[:2] if "--quick" in sys.argv[1:] else HOSTS
    # Whatever is loaded on demand is loaded.
    measure(64)
    base = 0.0
    print("  hosts  candidates  on the front  processor s  ratio  pricing  examining  slowest candidate")
    for hosts in numbers:
        found, pricing, examining, slowest = measure(hosts)
        total = pricing + examining
        base = base or total
        count = len(found.front) + len(found.ruled_out)
        print(
            f"{hosts:7,} {count:11,} {len(found.front):13,} {total:12.1f} {total / base:6.1f} {pricing / total:8.0%} "
            f"{examining / total:10.0%} {slowest / total:18.0%}"
        )


if __name__ == "__main__":
    main()
