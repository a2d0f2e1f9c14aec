"""``roce-2026``: RoCE as clusters of accelerators run it: DCQCN, pauses, one path for each flow."""

from __future__ import annotations

from pnet_lp.registry import NoParams
from pnet_lp.sim.preset import PRESETS, Preset, Stated

_DCQCN = "DCQCN, SIGCOMM 2015"
_HPCC = "HPCC, SIGCOMM 2019, section 5.1"
_ROCE = "RoCEv2: IP, UDP and the InfiniBand transport header and checksum in Ethernet"


@PRESETS.register(
    "roce-2026",
    summary="RoCE: DCQCN over switches that pause (PFC), a random shortest path for each flow",
    source="DCQCN, SIGCOMM 2015; switches as simulated in HPCC, SIGCOMM 2019",
)
def roce_2026(_: NoParams) -> Preset:
    """Return the preset."""
    return Preset(
        settings={
            "transport": Stated("roce", _DCQCN),
            "queue": Stated("shared", f"{_HPCC}: a shared buffer with dynamic thresholds and pauses"),
            "host_queue": Stated("same", "ours: a card keeps what its port cannot send, and marks nothing"),
            "forwarding": Stated("ecmp", "ours: what switches do by themselves"),
            "link_delay": Stated("1us", f"{_HPCC}, of links between switches"),
            "packet": Stated("4158", f"{_ROCE}: the largest payload of 4,096 bytes and 62 around it"),
            "header": Stated("62", _ROCE),
            "ack": Stated("66", f"{_ROCE}: 62, and 4 of an acknowledgement"),
        },
        transports={
            "roce": {
                "recovery": Stated("go-back-n", "ours: what every card does; newer ones repeat selectively"),
                "g": Stated("0.00390625", f"{_DCQCN}, section 5: 1/256"),
                "cnp_interval": Stated("50us", f"{_DCQCN}, section 3.1"),
                "alpha_timer": Stated("55us", f"{_DCQCN}, section 5"),
                "rate_timer": Stated("55us", f"{_DCQCN}, section 5"),
                "byte_counter": Stated("10MB", f"{_DCQCN}, section 5"),
                "recovery_steps": Stated("5", f"{_DCQCN}, section 3.1"),
                "additive_gbps": Stated("0.04", f"{_DCQCN}, section 3.1, for 40 Gb/s"),
                "hyper_gbps": Stated("0.4", "ours: the paper does not say"),
                "min_gbps": Stated("0.1", "ours: the paper does not say"),
                "rto": Stated("4ms", "ours: far above any round trip"),
            }
        },
        queues={
            "shared": {
                "buffer": Stated("1MB", f"{_HPCC}: 32 MB a switch, here for each of 32 ports"),
                "alpha": Stated("0.11", f"{_HPCC}: pauses above 11 % of the free buffer"),
                "threshold": Stated("24", f"{_HPCC}: 100 kB, for 25 Gb/s"),
                "always": Stated("96", f"{_HPCC}: 400 kB, for 25 Gb/s"),
                "chance": Stated("0.2", _HPCC),
            }
        },
    )
