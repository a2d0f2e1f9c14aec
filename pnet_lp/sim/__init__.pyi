from .base import FORWARDINGS, QUEUES, TRANSPORTS, PacketSizes
from .facade import simulate
from .figures import figures
from .flows import FlowSettings
from .outage import Outage, OutageSettings
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
    "FlowSettings",
    "Outage",
    "OutageSettings",
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
