"""Sizes of pFabric's simulations, in packets of 1,460 bytes."""

from __future__ import annotations

from pydantic import Field

from pnet_lp.workload.distribution import SIZES, CurveParams, Interpolation, SizeDistribution

_PACKET_BYTES = 1460

_WEB_SEARCH = (
    (1, 0.0), (6, 0.15), (13, 0.2), (19, 0.3), (33, 0.4), (53, 0.53), (133, 0.6), (667, 0.7), (1333, 0.8),
    (3333, 0.9), (6667, 0.97), (20000, 1.0),
)  # fmt: skip
_DATA_MINING = (
    (1, 0.5), (2, 0.6), (3, 0.7), (7, 0.8), (267, 0.9), (2107, 0.95), (66667, 0.99), (666667, 1.0),
)  # fmt: skip


class PacketCurveParams(CurveParams):
    """Parameters of a curve that its authors interpolate linearly."""

    interpolation: Interpolation = Field(
        "linear", description="between the points: linear in the size, as the scripts do, or in its logarithm"
    )


@SIZES.register(
    "pfabric-web-search",
    params=PacketCurveParams,
    summary="a search engine's flows, 1,138 packets of 1,460 B on average",
    source="pFabric, section 5.1; its ns-2 scripts",
)
def web_search(params: PacketCurveParams, label: str) -> SizeDistribution:
    """Return the curve of the web search workload."""
    return _curve(_WEB_SEARCH, params, label)


@SIZES.register(
    "pfabric-data-mining",
    params=PacketCurveParams,
    summary="a data-mining cluster's flows, 5,117 packets of 1,460 B on average",
    source="pFabric, section 5.1; its ns-2 scripts",
)
def data_mining(params: PacketCurveParams, label: str) -> SizeDistribution:
    """Return the curve of the data mining workload."""
    return _curve(_DATA_MINING, params, label)


def _curve(points: tuple[tuple[int, float], ...], params: PacketCurveParams, label: str) -> SizeDistribution:
    packets, share = zip(*points, strict=True)
    return params.curve([_PACKET_BYTES * count for count in packets], share, label)
