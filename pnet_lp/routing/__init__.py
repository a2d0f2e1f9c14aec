"""Routing: which paths demands may take and what a fixed split puts on links, thin over the searches of the core.

A routing is one file in ``schemes``; ``base`` says what one is.
"""

from pnet_lp.model.paths import Form, Policy
from pnet_lp.routing.base import POLICIES, ROUTINGS, Routing, parse_routing
from pnet_lp.routing.count import count_shortest
from pnet_lp.routing.enumerate import iterate_paths
from pnet_lp.routing.loads import Loads
from pnet_lp.routing.rule import PathRule
from pnet_lp.routing.settings import RoutingSettings
from pnet_lp.routing.statistics import path_statistics

__all__ = [
    "POLICIES",
    "ROUTINGS",
    "Form",
    "Loads",
    "PathRule",
    "Policy",
    "Routing",
    "RoutingSettings",
    "count_shortest",
    "iterate_paths",
    "parse_routing",
    "path_statistics",
]
