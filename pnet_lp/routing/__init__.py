"""Routing: which paths demands may take and what a fixed split puts on links, thin over the searches of the core."""

from pnet_lp.model.paths import Policy
from pnet_lp.routing.count import ShortestCounts, count_shortest
from pnet_lp.routing.enumerate import enumerate_paths, iterate_paths
from pnet_lp.routing.loads import Loads, fixed_split_loads
from pnet_lp.routing.rule import POLICIES, ROUTINGS, PathRule, RoutingKind, parse_rule
from pnet_lp.routing.statistics import path_statistics
from pnet_lp.routing.usage import fixed_split_usage

__all__ = [
    "POLICIES",
    "ROUTINGS",
    "Loads",
    "PathRule",
    "Policy",
    "RoutingKind",
    "ShortestCounts",
    "count_shortest",
    "enumerate_paths",
    "fixed_split_loads",
    "fixed_split_usage",
    "iterate_paths",
    "parse_rule",
    "path_statistics",
]
