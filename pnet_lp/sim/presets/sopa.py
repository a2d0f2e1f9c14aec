"""``sopa``: the simulations of SOPA."""

from __future__ import annotations

from pnet_lp.registry import NoParams
from pnet_lp.sim.preset import PRESETS, Preset, Stated

_PAPER = "the paper, section 3"
_NS3 = "ours: ns-3's default at that time, which the paper leaves unsaid"


@PRESETS.register(
    "sopa",
    summary="SOPA: paths in turn, 25 ns a link, delayed acknowledgements, for links of 1 Gb/s",
    source="SOPA, section 3",
)
def sopa(_: NoParams) -> Preset:
    """Return the preset."""
    return Preset(
        settings={
            "transport": Stated("tcp", _PAPER),
            "queue": Stated("drop-tail", "ours: the paper does not say"),
            "host_queue": Stated("same", "ours: the paper does not say"),
            "forwarding": Stated("sopa", _PAPER),
            "link_delay": Stated("25ns", _PAPER),
            "packet": Stated("1500", f"{_PAPER}: with headers"),
            "header": Stated("40", f"{_PAPER}: 1,460 bytes of payload"),
            "ack": Stated("40", "IP and TCP without options"),
        },
        transports={
            "tcp": {
                "duplicate_threshold": Stated("10", f"{_PAPER}.2, for SOPA; random spraying, Hedera and ECMP: 3"),
                "initial_window": Stated("2", _NS3),
                "initial_threshold": Stated("44", f"{_NS3}: 64 KiB"),
                "receive_window": Stated("44", f"{_NS3}: 64 KiB"),
                "ack_every": Stated("2", f"{_PAPER}: delayed acknowledgements"),
                "ack_delay": Stated("200ms", _NS3),
                "rto_min": Stated("200ms", _NS3),
            }
        },
        queues={"drop-tail": {"packets": Stated("100", "ours: the paper does not say")}},
    )
