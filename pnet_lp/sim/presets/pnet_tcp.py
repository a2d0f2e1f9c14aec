"""``pnet-tcp``: P-Net's simulations as its text alone can be read; see ``pnet`` for those of its program."""

from __future__ import annotations

from pnet_lp.registry import NoParams
from pnet_lp.sim.preset import PRESETS, Preset, Stated
from pnet_lp.sim.presets.pnet import PAPER, PROGRAM, TCP

_TCP = TCP | {"initial_window": Stated("10", PROGRAM)}


@PRESETS.register(
    "pnet-tcp",
    summary="P-Net by its text: TCP over queues of 100 packets, a random shortest path for each pair of hosts",
    source="P-Net, section 5",
)
def pnet_tcp(_: NoParams) -> Preset:
    """Return the preset."""
    return Preset(
        settings={
            "transport": Stated("tcp", f"{PAPER}, for single paths"),
            "queue": Stated("drop-tail", PROGRAM),
            "host_queue": Stated("same", PROGRAM),
            "forwarding": Stated("given", f"{PAPER}: single path"),
            "link_delay": Stated("1us", f"{PAPER}, in the core; {PROGRAM} on hosts' links too"),
            "packet": Stated("1500", PROGRAM),
            "header": Stated("0", f"{PROGRAM}: all of a packet is payload"),
            "ack": Stated("40", PROGRAM),
        },
        transports={
            "tcp": _TCP,
            "dctcp": {**_TCP, "g": Stated("0.0625", PROGRAM)},
            "mptcp": {
                **_TCP,
                "subflows": Stated("8", f"{PAPER}: 8-way KSP; other numbers of paths are tried too"),
                "coupling": Stated("epsilon", f"{PROGRAM}: coupled, with epsilon = 1"),
            },
        },
        queues={
            "drop-tail": {"packets": Stated("100", PROGRAM)},
            "ecn": {"packets": Stated("100", PROGRAM), "threshold": Stated("65", f"{PROGRAM}, for DCTCP")},
        },
        forwardings={"given": {"routing": Stated("ecmp", f"{PROGRAM}: a random one of the shortest over all planes")}},
    )
