from .drawing import Drawing
from .notebook import build_network, build_traffic, build_workload, cite, draw, sweep, verify
from .notebook.ask import (
    bounds,
    cost,
    crosscheck,
    failures,
    find,
    fluid_error,
    hops,
    paths,
    price_performance,
    simulate,
    speed_up,
    step_time,
    throughput,
)

__version__: str

__all__ = [
    "Drawing",
    "__version__",
    "bounds",
    "build_network",
    "build_traffic",
    "build_workload",
    "cite",
    "cost",
    "crosscheck",
    "draw",
    "failures",
    "find",
    "fluid_error",
    "hops",
    "paths",
    "price_performance",
    "simulate",
    "speed_up",
    "step_time",
    "sweep",
    "throughput",
    "verify",
]
