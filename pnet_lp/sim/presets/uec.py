"""``uec``: Ultra Ethernet: NSCC over switches that trim and mark, packets on many paths."""

from __future__ import annotations

from pnet_lp.registry import NoParams
from pnet_lp.sim.preset import PRESETS, Preset, Stated

_SPECIFICATION = "Ultra Ethernet specification 1.0, section 3.6.13"
_PROGRAM = "uet-htsim, the consortium's open simulator"


@PRESETS.register(
    "uec",
    summary="Ultra Ethernet: NSCC, switches that trim and mark, paths recycled over all planes",
    source="Ultra Ethernet specification 1.0, and its open simulator uet-htsim",
)
def uec(_: NoParams) -> Preset:
    """Return the preset."""
    return Preset(
        settings={
            "transport": Stated("nscc", _SPECIFICATION),
            "queue": Stated("trim", f"{_PROGRAM}: queues that trim, and mark between two lengths"),
            "host_queue": Stated("same", f"{_PROGRAM}; hosts trim and mark nothing"),
            "forwarding": Stated("reps", f"{_PROGRAM}: one of several choices; the specification leaves it open"),
            "plane_policy": Stated("round-robin", f"{_PROGRAM}: a card with several ports takes them in turn"),
            "link_delay": Stated("1us", _PROGRAM),
            "packet": Stated("4150", _PROGRAM),
            "header": Stated("64", _PROGRAM),
            "ack": Stated("64", _PROGRAM),
        },
        transports={
            "nscc": {
                "target": Stated("0.75", f"{_PROGRAM}, with switches that trim"),
                "max_window": Stated("1.5", _PROGRAM),
                "gamma": Stated("0.8", _PROGRAM),
                "gain": Stated("0.0125", _PROGRAM),
                "proportional": Stated("4", _PROGRAM),
                "fair": Stated("5", _PROGRAM),
                "constant": Stated("0.15", _PROGRAM),
                "fast": Stated("0.25", _PROGRAM),
                "quick_gate": Stated("3", _PROGRAM),
                "quick_delay": Stated("4", _PROGRAM),
                "rto": Stated("1ms", "ours: above what all queues of a path take"),
            }
        },
        queues={
            "trim": {
                "packets": Stated("43", f"{_PROGRAM}: what fills six links in a round trip, at 100 Gb/s"),
                "threshold": Stated("9", f"{_PROGRAM}: 20 % of that"),
                "always": Stated("35", f"{_PROGRAM}: 80 % of it"),
                "headers": Stated("178450", f"{_PROGRAM}: as many bytes as for data"),
                "weight": Stated("10", f"{_PROGRAM}: 10 headers to one packet"),
            }
        },
        forwardings={
            "reps": {"buffer": Stated("8", "REPS, arXiv 2407.21625: 8 paths"), "freeze": Stated("100us", "ours")}
        },
    )
