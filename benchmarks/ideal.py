"""The structured solver against HiGHS on dense traffic over any path: rack-level all-to-all, links failed or not."""

from __future__ import annotations

from solving import Benchmark, Case

CASES = (
    Case("245 switches, 1 plane", "jellyfish:k=14", 1, ("structured", "highs-pdlp", "highs-ipx"), slow=("highs-ipx",)),
    Case("320 switches, 4 heterogeneous planes", "jellyfish:k=16", 4, ("structured", "highs-pdlp")),
    Case("320 switches, 8 heterogeneous planes", "jellyfish:k=16", 8, ("structured",)),
    Case("720 switches, 1 plane", "jellyfish:k=24", 1, ("structured",)),
    Case(
        "fat tree, k = 16 x 4, 10 % failed",
        "fat-tree:k=16",
        4,
        ("structured", "highs-pdlp"),
        variant="homogeneous",
        slow=("highs-pdlp",),
        fail_links=0.1,
    ),
    Case(
        "leaf-spine, 128 x 64, 8 planes, 2 % failed",
        "leaf-spine:leaves=128,spines=64",
        8,
        ("structured",),
        variant="homogeneous",
        fail_links=0.02,
    ),
)

if __name__ == "__main__":
    Benchmark(__file__, "ideal throughput, all-to-all", CASES, counts_build=False).main()
