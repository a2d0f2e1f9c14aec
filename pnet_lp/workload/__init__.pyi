from .base import WORKLOADS, WorkloadContext
from .build import build_workload, check_hosts, check_workload, flows_of_size
from .distribution import SIZES, SizeDistribution, parse_sizes
from .io import read_workload, write_workload

__all__ = [
    "SIZES",
    "WORKLOADS",
    "SizeDistribution",
    "WorkloadContext",
    "build_workload",
    "check_hosts",
    "check_workload",
    "flows_of_size",
    "parse_sizes",
    "read_workload",
    "write_workload",
]
