"""The structured solver against HiGHS on dense traffic over any path: rack-level all-to-all on Jellyfish networks."""

from __future__ import annotations

from solving import Benchmark, Case

CASES = (
    Case(
        "245 switches, 1 plane",
        "jellyfish:k=14",
        1,
        ("structured", "highs-pdlp", "highs-ipx"),
        slow=("highs-ipx",),
    ),
    Case("320 switches, 4 heterogeneous planes", "jellyfish:k=16", 4, ("structured", "highs-pdlp")),
    Case("320 switches, 8 heterogeneous planes", "jellyfish:k=16", 8, ("structured",)),
)

if __name__ == "__main__":
    Benchmark(__file__, "ideal throughput, all-to-all", CASES, counts_build=False).main()
