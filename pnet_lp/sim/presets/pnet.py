"""``pnet``: the packet-level simulations of P-Net and of the program published with it."""

from __future__ import annotations

from pnet_lp.registry import NoParams
from pnet_lp.sim.preset import PRESETS, Preset, Stated

PAPER = "the paper, section 5"
PROGRAM = "the authors' program"
_OURS = "ours: neither says"

TCP = {
    "syn": Stated("1", PROGRAM),
    "initial_window": Stated("11", f"{PROGRAM}: 10, and the answer to the handshake counts as an acknowledgement"),
    "duplicate_threshold": Stated("3", PROGRAM),
    "ack_every": Stated("1", PROGRAM),
    "rto_initial": Stated("10ms", f"{PAPER}: tuned to 10 ms"),
    "rto_min": Stated("1ms", PROGRAM),
    "rto_max": Stated("60s", _OURS),
    "timer_granularity": Stated("10ms", f"{PROGRAM}: all timers are looked at every 10 ms"),
}

_DCTCP = {**TCP, "g": Stated("0.0625", PROGRAM), "alpha": Stated("0", PROGRAM), "shrinks": Stated("always", PROGRAM)}

_QUEUE = {"bytes": Stated("150kB", f"{PROGRAM}: 100 packets of 1,500 bytes")}


@PRESETS.register(
    "pnet",
    summary="P-Net: 1 us a hop, queues of 150 kB, a random shortest path for each flow",
    source="P-Net, section 5",
)
def pnet(_: NoParams) -> Preset:
    """Return the preset."""
    return Preset(
        settings={
            "transport": Stated("tcp", f"{PAPER}, for single paths"),
            "queue": Stated("ecn", f"{PROGRAM}: of every transport; only DCTCP reacts to marks"),
            "host_queue": Stated("same", PROGRAM),
            "forwarding": Stated("given", f"{PAPER}: single path"),
            "link_delay": Stated("1us", f"{PAPER}, in the core; {PROGRAM} on hosts' links too"),
            "packet": Stated("1500", PROGRAM),
            "header": Stated("0", f"{PROGRAM}: all of a packet is payload"),
            "ack": Stated("40", PROGRAM),
        },
        transports={
            "tcp": TCP,
            "dctcp": _DCTCP,
            "mptcp": {
                **_DCTCP,
                "subflows": Stated("8", f"{PAPER}: 8-way KSP; other numbers of paths are tried too"),
                "inner": Stated("dctcp", PROGRAM),
                "coupling": Stated("lia", f"{PROGRAM}: coupled, with epsilon = 1 and no more than a TCP grows"),
                "rtt_unit": Stated("1ms", PROGRAM),
                "split": Stated("shares", PROGRAM),
            },
        },
        queues={
            "drop-tail": _QUEUE,
            "ecn": {
                **_QUEUE,
                "threshold_bytes": Stated("97500", f"{PROGRAM}: 65 packets of 1,500 bytes"),
                "marks": Stated("leaving", PROGRAM),
            },
        },
        forwardings={
            "given": {"routing": Stated("ecmp-lp", f"{PROGRAM}: a shortest over all planes, drawn for each flow")}
        },
    )
