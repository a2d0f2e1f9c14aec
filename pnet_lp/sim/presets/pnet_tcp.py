"""``pnet-tcp``: P-Net's simulations with plain TCP over queues that drop; ``pnet`` is the authors' program."""

from __future__ import annotations

from dataclasses import replace

from pnet_lp.registry import NoParams
from pnet_lp.sim.preset import PRESETS, Preset, Stated
from pnet_lp.sim.presets.pnet import PAPER, PROGRAM, TCP, pnet

_OURS = "ours: the authors' program has DCTCP instead, over queues that mark"
_TCP = TCP | {"initial_window": Stated("10", PROGRAM)}


@PRESETS.register(
    "pnet-tcp",
    summary="P-Net with plain TCP: queues of 100 packets that drop, a random shortest path for each pair of hosts",
    source="P-Net, section 5",
)
def pnet_tcp(params: NoParams) -> Preset:
    """Return the preset."""
    program = pnet(params)
    return replace(
        program,
        settings={**program.settings, "queue": Stated("drop-tail", _OURS)},
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
        forwardings={"given": {"routing": Stated("ecmp", "ours: a draw for each pair of hosts, not for each flow")}},
    )
