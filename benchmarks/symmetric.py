"""The symmetric solver against the structured one: all-to-all between hosts and between racks, over any path."""

from __future__ import annotations

from solving import Benchmark, Case

BOTH = ("symmetric", "structured")

CASES = (
    Case("1,024 hosts, fat tree, k = 16", "fat-tree:k=16", 1, BOTH, level="host"),
    Case("8,192 hosts, fat tree, k = 32", "fat-tree:k=32", 1, BOTH, level="host", slow=("structured",)),
    Case("524,288 hosts, fat tree, k = 128", "fat-tree:k=128", 1, ("symmetric",), level="host"),
    Case(
        "131,072 hosts, 8 planes of 512 leaves",
        "leaf-spine:leaves=512,spines=256,hosts_per_leaf=256",
        8,
        ("symmetric",),
        variant="homogeneous",
        level="host",
    ),
    Case("torus, 16 x 16", "torus:dims=16x16", 1, BOTH, slow=("structured",)),
    Case("Slim Fly, q = 13", "slim-fly:q=13", 1, BOTH, slow=("structured",)),
)

if __name__ == "__main__":
    Benchmark(
        __file__, "ideal throughput of symmetric networks", CASES, counts_build=True, ours="symmetric", limit_s=300.0
    ).main()
