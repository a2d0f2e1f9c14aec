"""The values of a laboratory."""

from pnet_lp.registry import NoParams
from pnet_lp.sim.preset import PRESETS, Preset, Stated


@PRESETS.register("lab", summary="short queues, quick timeouts, one plane for each flow", source="our own")
def lab(_: NoParams) -> Preset:
    """Return the preset."""
    return Preset(
        settings={
            "transport": Stated("quick-tcp", "measured"),
            "queue": Stated("shallow", "the switches' manual"),
            "forwarding": Stated("rps-single", "configured"),
            "link_delay": Stated("300ns", "30 m of fibre and a switch"),
        },
        transports={"quick-tcp": {"initial_window": Stated("4", "configured")}},
    )
