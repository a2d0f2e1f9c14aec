"""Sizes measured in production clusters, read off published figures at the same shares."""

from __future__ import annotations

from collections.abc import Sequence

from pnet_lp.workload.distribution import SIZES, CurveParams, SizeDistribution

_SHARE = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)

_CURVES: dict[str, tuple[str, str, Sequence[float]]] = {
    "dctcp-web-search": (
        "a search engine's flows",
        "DCTCP, figure 4",
        (5430, 7720, 9360, 20.8e3, 32.6e3, 49.4e3, 74.9e3, 316e3, 1e6, 2.23e6, 4.96e6, 8.01e6, 13.8e6, 24.6e6),
    ),
    "vl2-data-mining": (
        "a data-mining cluster's flows",
        "VL2, figure 2",
        (59.3, 162, 252, 383, 496, 806, 953, 1410, 3120, 11.4e3, 372e3, 1.91e6, 205e6, 283e6),
    ),
    "facebook-web-server": (
        "flows of web servers within a cluster",
        "Roy, Zeng, Bagga, Porter, Snoeren: Inside the Social Network's (Datacenter) Network, SIGCOMM 2015, figure 6",
        (160, 160, 160, 318, 1070, 2230, 3930, 8120, 20e3, 77.7e3, 277e3, 399e3, 809e3, 19.6e6),
    ),
    "facebook-cache": (
        "flows of cache followers within a cluster",
        "Roy, Zeng, Bagga, Porter, Snoeren: Inside the Social Network's (Datacenter) Network, SIGCOMM 2015, figure 6",
        (73.5, 285, 348, 489, 574, 1340, 30.2e3, 218e3, 670e3, 2.06e6, 2.83e6, 3.01e6, 3.97e6, 48.5e6),
    ),
    "facebook-hadoop": (
        "flows of Hadoop servers within a cluster",
        "Roy, Zeng, Bagga, Porter, Snoeren: Inside the Social Network's (Datacenter) Network, SIGCOMM 2015, figure 6",
        (165, 272, 331, 360, 489, 585, 605, 615, 770, 1020, 2220, 25.1e3, 2.26e6, 565e6),
    ),
}


def _register(name: str, summary: str, source: str, size: Sequence[float]) -> None:
    @SIZES.register(name, params=CurveParams, summary=summary, source=source)
    def curve(params: CurveParams, label: str) -> SizeDistribution:
        return params.curve(size, _SHARE, label)


for _name, _curve in _CURVES.items():
    _register(_name, *_curve)
