"""``ndp``: NDP as its paper simulates it."""

from __future__ import annotations

from pnet_lp.registry import NoParams
from pnet_lp.sim.preset import PRESETS, Preset, Stated

_PAPER = "NDP"
_OURS = "ours: the paper does not say"


@PRESETS.register(
    "ndp",
    summary="NDP: requests by receivers, queues of 8 packets that trim, jumbo packets over all paths",
    source="NDP, SIGCOMM 2017",
)
def ndp(_: NoParams) -> Preset:
    """Return the preset."""
    return Preset(
        settings={
            "transport": Stated("ndp", _PAPER),
            "queue": Stated("trim", f"{_PAPER}, section 3.1"),
            "host_queue": Stated("same", f"{_PAPER}, section 3.1; hosts trim nothing"),
            "forwarding": Stated("sopa", f"{_PAPER}, section 3: the source chooses a path for each packet"),
            "link_delay": Stated("1us", _OURS),
            "packet": Stated("9000", f"{_PAPER}: jumbo packets"),
            "header": Stated("64", f"{_PAPER}: headers of 64 bytes"),
            "ack": Stated("64", f"{_PAPER}: as large as a header"),
        },
        queues={
            "trim": {
                "packets": Stated("8", f"{_PAPER}: queues of 8 packets"),
                "headers": Stated("72000", f"{_PAPER}: as much memory as for data"),
                "weight": Stated("10", f"{_PAPER}, section 3.1: 10 headers to one packet"),
            }
        },
        forwardings={"sopa": {"order": Stated("permuted", f"{_PAPER}, section 3: all paths, in an order drawn anew")}},
    )
