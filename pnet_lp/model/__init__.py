"""Frozen value types that every other layer passes around: no I/O, no solver.

Arrays inside are read-only, contiguous and have the documented dtype, so they cross into Rust without a copy.
"""

from pnet_lp.model.certificates import (
    ArcCertificate,
    Certificate,
    LoadCertificate,
    OnePathCertificate,
    PathCertificate,
    QuotientCertificate,
    ShortestCertificate,
    TreeCertificate,
)
from pnet_lp.model.network import Network
from pnet_lp.model.plane import Plane
from pnet_lp.model.result import Bottleneck, Interval, ThroughputResult
from pnet_lp.model.traffic import TrafficMatrix
from pnet_lp.model.workload import Workload

__all__ = [
    "ArcCertificate",
    "Bottleneck",
    "Certificate",
    "Interval",
    "LoadCertificate",
    "Network",
    "OnePathCertificate",
    "PathCertificate",
    "Plane",
    "QuotientCertificate",
    "ShortestCertificate",
    "ThroughputResult",
    "TrafficMatrix",
    "TreeCertificate",
    "Workload",
]
