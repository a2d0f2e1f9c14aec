"""Routing: which paths demands may take, thin over the path searches of the core."""

from pnet_lp.routing.enumerate import enumerate_paths
from pnet_lp.routing.rule import POLICIES, ROUTINGS, PathRule, Policy, RoutingKind, parse_rule

__all__ = ["POLICIES", "ROUTINGS", "PathRule", "Policy", "RoutingKind", "enumerate_paths", "parse_rule"]
