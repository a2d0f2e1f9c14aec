"""``pnet``: the packet-level simulations of P-Net and of the program published with it."""

from __future__ import annotations

from pnet_lp.registry import NoParams
from pnet_lp.sim.preset import PRESETS, Preset, Stated

_PAPER = "the paper, section 5"
_PROGRAM = "the authors' program"
_OURS = "ours: neither says"

_TCP = {
    "syn": Stated("1", _PROGRAM),
    "initial_window": Stated("11", f"{_PROGRAM}: 10, and the answer to the handshake counts as an acknowledgement"),
    "duplicate_threshold": Stated("3", _PROGRAM),
    "ack_every": Stated("1", _PROGRAM),
    "rto_initial": Stated("10ms", f"{_PAPER}: tuned to 10 ms"),
    "rto_min": Stated("1ms", _PROGRAM),
    "rto_max": Stated("60s", _OURS),
    "timer_granularity": Stated("10ms", f"{_PROGRAM}: all timers are looked at every 10 ms"),
}

_DCTCP = {
    **_TCP,
    "g": Stated("0.0625", _PROGRAM),
    "alpha": Stated("0", _PROGRAM),
    "shrinks": Stated("always", _PROGRAM),
}

_QUEUE = {"bytes": Stated("150kB", f"{_PROGRAM}: 100 packets of 1,500 bytes")}


@PRESETS.register(
    "pnet",
    summary="P-Net: 1 us a hop, queues of 150 kB, a random shortest path for each flow",
    source="P-Net, section 5",
)
def pnet(_: NoParams) -> Preset:
    """Return the preset."""
    return Preset(
        settings={
            "transport": Stated("tcp", f"{_PAPER}, for single paths"),
            "queue": Stated("ecn", f"{_PROGRAM}: of every transport; only DCTCP reacts to marks"),
            "host_queue": Stated("same", _PROGRAM),
            "forwarding": Stated("given", f"{_PAPER}: single path"),
            "link_delay": Stated("1us", f"{_PAPER}, in the core; {_PROGRAM} on hosts' links too"),
            "packet": Stated("1500", _PROGRAM),
            "header": Stated("0", f"{_PROGRAM}: all of a packet is payload"),
            "ack": Stated("40", _PROGRAM),
        },
        transports={
            "tcp": _TCP,
            "dctcp": _DCTCP,
            "mptcp": {
                **_DCTCP,
                "subflows": Stated("8", f"{_PAPER}: 8-way KSP; other numbers of paths are tried too"),
                "inner": Stated("dctcp", _PROGRAM),
                "coupling": Stated("lia", f"{_PROGRAM}: coupled, with epsilon = 1 and no more than a TCP grows"),
                "rtt_unit": Stated("1ms", _PROGRAM),
                "split": Stated("shares", _PROGRAM),
            },
        },
        queues={
            "drop-tail": _QUEUE,
            "ecn": {
                **_QUEUE,
                "threshold_bytes": Stated("97500", f"{_PROGRAM}: 65 packets of 1,500 bytes"),
                "marks": Stated("leaving", _PROGRAM),
            },
        },
        forwardings={
            "given": {"routing": Stated("ecmp-lp", f"{_PROGRAM}: a shortest over all planes, drawn for each flow")}
        },
    )
