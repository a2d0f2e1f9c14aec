"""Column generation against the structured solver and HiGHS on sparse traffic between racks, over any path."""

from __future__ import annotations

from solving import Benchmark, Case

ALL = ("columns", "structured", "highs-ipx")
OURS = ("columns", "structured")

CASES = (
    Case("permutation, k = 8 x 4", "jellyfish:k=8", 4, ALL, traffic="permutation", slow=("highs-ipx",)),
    Case("permutation, k = 8 x 4, 1e-6", "jellyfish:k=8", 4, ALL, traffic="permutation", tolerance=1e-6),
    Case("permutation, k = 10 x 4", "jellyfish:k=10", 4, ALL, traffic="permutation", slow=("highs-ipx",)),
    Case("random, k = 10 x 4", "jellyfish:k=10", 4, OURS, traffic="random"),
    Case("stride, k = 10 x 4", "jellyfish:k=10", 4, OURS, traffic="stride:s=62"),
    Case("longest matching, k = 10 x 4", "jellyfish:k=10", 4, OURS, traffic="longest-matching"),
    Case("permutation, k = 16 x 4", "jellyfish:k=16", 4, OURS, traffic="permutation", slow=("structured",)),
    Case("permutation, k = 16 x 8", "jellyfish:k=16", 8, OURS, traffic="permutation", slow=("structured",)),
)

if __name__ == "__main__":
    Benchmark(
        __file__, "ideal throughput, sparse traffic", CASES, counts_build=False, ours="columns", limit_s=120.0
    ).main()
