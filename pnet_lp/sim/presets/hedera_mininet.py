"""``hedera-mininet``: a reproduction of Hedera's comparison with ECMP on an emulated network."""

from __future__ import annotations

from pnet_lp.registry import NoParams
from pnet_lp.sim.preset import PRESETS, Preset, Stated

_REPORT = "the reproduction's report"
_PAPER = "Hedera"
_OURS = "ours: the report does not say"
_LINUX = "ours: Linux, on which the emulation runs"


@PRESETS.register(
    "hedera-mininet",
    summary="ECMP against Hedera: queues of 20 packets, TCP as of Linux, for links of 10 Mb/s",
    source="a reproduction of Hedera, NSDI 2010, on 16 emulated hosts",
)
def hedera_mininet(_: NoParams) -> Preset:
    """Return the preset."""
    return Preset(
        settings={
            "transport": Stated("tcp", _LINUX),
            "queue": Stated("drop-tail", _REPORT),
            "host_queue": Stated("same", f"{_REPORT}: 20 packets on every link"),
            "forwarding": Stated("ecmp", f"{_REPORT}; --forwarding hedera for the controller"),
            "link_delay": Stated("10us", _OURS),
            "packet": Stated("1500", _LINUX),
            "header": Stated("40", "IP and TCP without options"),
            "ack": Stated("40", "IP and TCP without options"),
        },
        transports={
            "tcp": {
                "initial_window": Stated("10", _LINUX),
                "duplicate_threshold": Stated("3", _LINUX),
                "ack_every": Stated("2", _LINUX),
                "ack_delay": Stated("40ms", _LINUX),
                "rto_initial": Stated("1s", _LINUX),
                "rto_min": Stated("200ms", _LINUX),
            }
        },
        queues={"drop-tail": {"packets": Stated("20", _REPORT)}},
        forwardings={
            "hedera": {
                "interval": Stated("5s", f"{_PAPER}, section V"),
                "share": Stated("0.1", f"{_PAPER}, section IV: 10 % of a host's link"),
                "placement": Stated("gff", f"{_PAPER}, section IV.B"),
            }
        },
    )
