from .base import FORWARDINGS, QUEUES, TRANSPORTS, PacketSizes
from .facade import simulate
from .figures import figures
from .flows import FlowSettings
from .outage import Outage, OutageSettings
from .preset import PRESETS, Preset, Stated
from .result import End, SimulationResult
from .scenario import SimulationProgress, SimulationScenario
from .settings import SimulationSettings

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
    "SimulationProgress",
    "SimulationResult",
    "SimulationScenario",
    "SimulationSettings",
    "Stated",
    "figures",
    "simulate",
]
