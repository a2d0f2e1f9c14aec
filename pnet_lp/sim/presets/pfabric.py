"""``pfabric``: the reproduction of pFabric on a fat tree of 16 hosts."""

from __future__ import annotations

from pnet_lp.registry import NoParams
from pnet_lp.sim.preset import PRESETS, Preset, Stated

_REPORT = "the report of the reproduction"
_NS2 = "ours: ns-2's default"
_OURS = "ours: the report does not say"


@PRESETS.register(
    "pfabric",
    summary="pFabric's reproduction: minTCP over priority queues of 15 packets; TCP over drop-tail of 150",
    source="pFabric, SIGCOMM 2013; a reproduction of it on 16 hosts at 1 Gb/s",
)
def pfabric(_: NoParams) -> Preset:
    """Return the preset; for the other side of the comparison give ``tcp``, ``drop-tail`` and ``ecmp``."""
    return Preset(
        settings={
            "transport": Stated("min-tcp", _REPORT),
            "queue": Stated("pfabric", _REPORT),
            "host_queue": Stated("same", "pFabric, section 4: hosts have the queues of switches"),
            "forwarding": Stated("rps", f"{_OURS}; pFabric, section 5: packets are sprayed"),
            "link_delay": Stated("2us", _REPORT),
            "packet": Stated("1500", _REPORT),
            "header": Stated("40", "pFabric's ns-2 scripts: 1,460 bytes of payload"),
            "ack": Stated("40", _NS2),
            "fast_forward": Stated("false", "flows are served by what they have left, so that no rate lasts"),
        },
        transports={
            "min-tcp": {
                "initial_window": Stated("12", _OURS),
                "receive_window": Stated("12", f"{_OURS}: the window stays what it is at first"),
                "rto": Stated("40ms", f"{_REPORT}: 40 us lost packets for good, 40 ms did not"),
                "duplicate_threshold": Stated(
                    "3",
                    "ours: ns-2's TCP, which the report builds on; waiting 40 ms for every loss is not close to ideal",
                ),
                "probe_after": Stated("5", "pFabric, section 4.2"),
            },
            "tcp": {"initial_window": Stated("2", _NS2), "rto_min": Stated("200ms", _NS2)},
        },
        queues={
            "pfabric": {"packets": Stated("15", f"{_REPORT}: 22.5 kB")},
            "drop-tail": {"packets": Stated("150", f"{_REPORT}: 225 kB")},
        },
    )
