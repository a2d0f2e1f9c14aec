"""``mrc``: Multipath Reliable Connection: NSCC over switches that trim and mark, entropies over all planes."""

from __future__ import annotations

from pnet_lp.registry import NoParams
from pnet_lp.sim.preset import PRESETS, Preset, Stated
from pnet_lp.sim.presets.uec import uec

_MRC = "MRC, arXiv 2605.04333"
_OCP = "OCP Multipath Reliable Connection 1.0"


@PRESETS.register(
    "mrc",
    summary="Multipath Reliable Connection: NSCC, switches that trim and mark, entropies over all planes",
    source="MRC, arXiv 2605.04333; OCP Multipath Reliable Connection 1.0; what these leave open is that of uec",
)
def mrc(params: NoParams) -> Preset:
    """Return the preset."""
    base = uec(params)
    return Preset(
        settings={
            **base.settings,
            "transport": Stated("mrc", f"{_OCP}: NSCC of Ultra Ethernet is its control of congestion"),
            "forwarding": Stated("entropies", f"{_MRC}: packets on all planes, by entropy"),
        },
        transports={
            "mrc": {
                **base.transports["nscc"],
                "reorder": Stated("20us", "ours: a full queue at 100 Gb/s takes 14 us, and marks keep them shorter"),
                "rto": Stated("250us", "ours: above what all queues of a path take"),
            }
        },
        queues=base.queues,
        forwardings={
            "entropies": {"count": Stated("128", f"{_MRC}: 128 to 256 a connection"), "probe": Stated("100us", "ours")}
        },
    )
