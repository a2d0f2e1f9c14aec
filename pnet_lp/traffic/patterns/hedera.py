"""The twenty patterns of Hedera's evaluation, by the names of its figure 9."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import Field

from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import Params, parse_expression
from pnet_lp.seeds import OwnSeed, derive_seed
from pnet_lp.traffic.base import TrafficContext, traffics

PATTERNS = {
    **{f"stag{i}-0.2-0.3": "staggered:edge=0.2,pod=0.3,bijective=true" for i in range(3)},
    **{f"stag{i}-0.5-0.3": "staggered:edge=0.5,pod=0.3,bijective=true" for i in range(3)},
    **{f"stride{s}": f"stride:s={s}" for s in (1, 2, 4, 8)},
    **{f"rand{i}": "random" for i in range(3)},
    **{f"randbij{i}": "random-bijective" for i in range(3)},
    **{f"randx{flows}": f"random:flows={flows},distinct=true" for flows in (2, 3, 4)},
    "hotspot": "hotspot:share=0.375,spots=2,rest=bijective",
}
"""The expression behind each name, in the order of the figure; numbered names are different draws.

What the paper leaves open follows its traffic files, which Handigol et al. (Reproducible Network Experiments Using
Container-Based Emulation, CoNEXT 2012) ran again and published: staggered traffic is one to one, the flows of a host go
to different hosts, and 3 of the 16 hosts send to each of two hotspots.
"""


class HederaPattern(Params):
    """Parameters of ``hedera``."""

    pattern: Literal[
        "stag0-0.2-0.3",
        "stag1-0.2-0.3",
        "stag2-0.2-0.3",
        "stag0-0.5-0.3",
        "stag1-0.5-0.3",
        "stag2-0.5-0.3",
        "stride1",
        "stride2",
        "stride4",
        "stride8",
        "rand0",
        "rand1",
        "rand2",
        "randbij0",
        "randbij1",
        "randbij2",
        "randx2",
        "randx3",
        "randx4",
        "hotspot",
    ] = Field(description="name in the paper's figure 9; stag0(.2,.3) is written stag0-0.2-0.3")
    seed: OwnSeed = None


@traffics.register(
    "hedera",
    params=HederaPattern,
    example="pattern=stag0-0.2-0.3",
    summary="one of the twenty patterns of Hedera's evaluation",
    source="Al-Fares et al.: Hedera: Dynamic Flow Scheduling for Data Center Networks, NSDI 2010, figure 9",
)
def hedera(params: HederaPattern, context: TrafficContext) -> TrafficMatrix:
    """Return the pattern behind the name, each drawn with a seed of its own."""
    seed = context.seed if params.seed is None else params.seed
    name, values = parse_expression(PATTERNS[params.pattern])
    entry = traffics.get(name)
    drawn = replace(context, seed=derive_seed(seed, f"hedera/{params.pattern}"))
    return entry.build(entry.validate(values), drawn)
