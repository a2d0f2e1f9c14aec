"""Our solvers against HiGHS over given paths: 1,024 hosts on four planes, listing the paths included."""

from __future__ import annotations

from solving import Benchmark, Case

HIGHS = ("highs-ipx", "highs-pdlp", "highs-simplex")

CASES = (
    Case(
        "Jellyfish, permutation, ksp:32",
        "jellyfish:k=16",
        4,
        ("columns", "structured", *HIGHS),
        traffic="permutation",
        level="host",
        routing="ksp:32",
        slow=("highs-simplex",),
    ),
    Case(
        "four identical Jellyfish, permutation, ksp:32",
        "jellyfish:k=16",
        4,
        ("columns", "structured", *HIGHS),
        variant="homogeneous",
        traffic="permutation",
        level="host",
        routing="ksp:32",
        slow=("highs-simplex",),
    ),
    Case(
        "fat tree, permutation, ksp:32",
        "fat-tree:k=16",
        4,
        ("columns", "structured", *HIGHS),
        variant="homogeneous",
        traffic="permutation",
        level="host",
        routing="ksp:32",
        slow=("highs-ipx", "highs-simplex"),
    ),
    Case("Jellyfish, all-to-all, ksp:8", "jellyfish:k=16", 4, ("columns", "structured"), level="host", routing="ksp:8"),
)

if __name__ == "__main__":
    Benchmark(
        __file__, "throughput over given paths, 1,024 hosts x 4 planes", CASES, counts_build=True, ours="columns"
    ).main()
