"""The controller of a hybrid optical/electrical network: which racks an optical switch should join for a workload.

From demands between processes to racks (``cluster``), to circuits under a limit on ports (``matching``, ``improve``),
to the speed-up over a fat tree of the same price (``scenario``, ``speedup``); ``limits`` says how far from the best
circuits those found can be.  Prices are those of :mod:`pnet_lp.cost`.
"""

from pnet_lp.optical.circuits import Circuits
from pnet_lp.optical.cluster import cluster
from pnet_lp.optical.improve import improve
from pnet_lp.optical.limits import circuit_limits
from pnet_lp.optical.matching import match_circuits
from pnet_lp.optical.scenario import SCENARIOS, TESTBEDS, HybridScenario
from pnet_lp.optical.settings import SpeedUpSettings
from pnet_lp.optical.speedup import Speedup, speedup

__all__ = [
    "SCENARIOS",
    "TESTBEDS",
    "Circuits",
    "HybridScenario",
    "SpeedUpSettings",
    "Speedup",
    "circuit_limits",
    "cluster",
    "improve",
    "match_circuits",
    "speedup",
]
