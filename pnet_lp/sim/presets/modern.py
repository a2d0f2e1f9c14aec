"""``modern``: DCTCP over links of 100 Gb/s, as today's clusters run it."""

from __future__ import annotations

from pnet_lp.registry import NoParams
from pnet_lp.sim.preset import PRESETS, Preset, Stated

_RFC = "RFC 8257"


@PRESETS.register(
    "modern",
    summary="DCTCP with marks from 200 packets on, for links of 100 Gb/s",
    source="RFC 8257, and choices of ours",
)
def modern(_: NoParams) -> Preset:
    """Return the preset."""
    return Preset(
        settings={
            "transport": Stated("dctcp", "ours: the most widely used transport made for datacenters"),
            "queue": Stated("ecn", f"{_RFC}, section 3.1: marks by the queue's length as it is"),
            "host_queue": Stated("same", "ours: as deep as a switch's"),
            "forwarding": Stated("ecmp", "ours: what switches do by themselves"),
            "link_delay": Stated("1us", "ours: 200 m of fibre, or a shorter one and a switch"),
            "packet": Stated("1500", "ours: Ethernet's largest without jumbo frames"),
            "header": Stated("40", "IP and TCP without options"),
            "ack": Stated("40", "IP and TCP without options"),
        },
        transports={
            "dctcp": {
                "g": Stated("0.0625", f"{_RFC}, sections 3.3 and 4"),
                "alpha": Stated("1", f"{_RFC}, sections 3.3 and 4"),
                "initial_window": Stated("10", "RFC 6928"),
                "rto_initial": Stated("10ms", "ours: far above any round trip"),
                "rto_min": Stated("1ms", "ours: as hosts of a cluster are tuned"),
                "rto_max": Stated("60s", "RFC 6298, section 2.5"),
            }
        },
        queues={
            "ecn": {
                "packets": Stated("1000", "ours: 1.5 MB a port"),
                "threshold": Stated("200", "ours: 30 kB for each 10 Gb/s of a link, here 300 kB"),
            }
        },
    )
