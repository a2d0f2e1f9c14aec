"""``pnet``: the packet-level simulations of P-Net and of the program published with it."""

from __future__ import annotations

from pnet_lp.registry import NoParams
from pnet_lp.sim.preset import PRESETS, Preset, Stated

_PAPER = "the paper, section 5"
_PROGRAM = "the authors' program"
_OURS = "ours: neither says"

_TCP = {
    "syn": Stated("1", _PROGRAM),
    "initial_window": Stated("10", _PROGRAM),
    "duplicate_threshold": Stated("3", _PROGRAM),
    "ack_every": Stated("1", _PROGRAM),
    "rto_initial": Stated("10ms", f"{_PAPER}: tuned to 10 ms"),
    "rto_min": Stated("1ms", _PROGRAM),
    "rto_max": Stated("60s", _OURS),
    "timer_granularity": Stated("10ms", f"{_PROGRAM}: all timers are looked at every 10 ms"),
}


@PRESETS.register(
    "pnet", summary="P-Net: 1 us a hop, queues of 100 packets, a random shortest path", source="P-Net, section 5"
)
def pnet(_: NoParams) -> Preset:
    """Return the preset."""
    return Preset(
        settings={
            "transport": Stated("tcp", f"{_PAPER}, for single paths"),
            "queue": Stated("drop-tail", _PROGRAM),
            "host_queue": Stated("same", _PROGRAM),
            "forwarding": Stated("given", f"{_PAPER}: single path"),
            "link_delay": Stated("1us", f"{_PAPER}, in the core; {_PROGRAM} on hosts' links too"),
            "packet": Stated("1500", _PROGRAM),
            "header": Stated("0", f"{_PROGRAM}: all of a packet is payload"),
            "ack": Stated("40", _PROGRAM),
        },
        transports={
            "tcp": _TCP,
            "dctcp": {**_TCP, "g": Stated("0.0625", _PROGRAM)},
            "mptcp": {
                **_TCP,
                "subflows": Stated("8", f"{_PAPER}: 8-way KSP; other numbers of paths are tried too"),
                "coupling": Stated("epsilon", f"{_PROGRAM}: coupled, with epsilon = 1"),
            },
        },
        queues={
            "drop-tail": {"packets": Stated("100", _PROGRAM)},
            "ecn": {"packets": Stated("100", _PROGRAM), "threshold": Stated("65", f"{_PROGRAM}, for DCTCP")},
        },
        forwardings={"given": {"routing": Stated("ecmp", f"{_PROGRAM}: a random one of the shortest over all planes")}},
    )
