from .base import FORWARDINGS, QUEUES, TRANSPORTS, PacketSizes
from .facade import simulate
from .figures import figures
from .outage import Outage
from .preset import PRESETS, Preset, Stated
from .result import End, SimulationResult
from .scenario import Progress, Scenario
from .settings import Settings
from .words import ScenarioWords, run_words

__all__ = [
    "FORWARDINGS",
    "PRESETS",
    "QUEUES",
    "TRANSPORTS",
    "End",
    "Outage",
    "PacketSizes",
    "Preset",
    "Progress",
    "Scenario",
    "ScenarioWords",
    "Settings",
    "SimulationResult",
    "Stated",
    "figures",
    "run_words",
    "simulate",
]
