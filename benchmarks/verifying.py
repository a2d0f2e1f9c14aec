"""How long the check of a proof by equivalence classes takes, next to solving and saving: all-to-all between hosts."""

from __future__ import annotations

import resource
import sys
import time
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from pnet_lp import _core
from pnet_lp.throughput import solve
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.verify import verify_file
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.units import format_bytes

CASES = (
    ("fat-tree:k=32", 1),
    ("fat-tree:k=64", 1),
    ("fat-tree:k=128", 1),
    ("leaf-spine:leaves=512,spines=256,hosts_per_leaf=256", 8),
)


def main() -> None:
    if _core.build_profile != "release":
        sys.exit("benchmarks need a release build: make setup")
    print(f"{'network':52} {'hosts':>8} {'solve s':>8} {'save s':>7} {'verify s':>8} {'ratio':>6} file")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "answer.json"
        for text, planes in CASES:
            network = build_network(text, planes=planes)
            traffic = build_traffic("all-to-all", network, "host")
            # From the network to the evaluated certificate, as in the other benchmarks.
            times = [time.process_time()]
            result = solve(network, traffic, solver="symmetric")
            times.append(time.process_time())
            save_result(path, network, traffic, result)
            times.append(time.process_time())
            found = verify_file(path)
            times.append(time.process_time())
            if found.status != "certified" or found.trusted:
                sys.exit(f"{text}: {found.status}, on trust: {found.trusted}")
            solving, saving, checking = (b - a for a, b in pairwise(times))
            name, size = f"{planes} x {text}", format_bytes(path.stat().st_size)
            seconds = f"{solving:8.2f} {saving:7.2f} {checking:8.2f}"
            print(f"{name:52} {traffic.endpoints:8,} {seconds} {checking / solving:5.1f}x {size}", flush=True)
    print(f"peak memory {format_bytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)}")


if __name__ == "__main__":
    main()
