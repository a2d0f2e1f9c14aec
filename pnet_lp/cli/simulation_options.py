"""Options of commands that simulate, made of the settings' models."""

from __future__ import annotations

from typing import Any

from pnet_lp.cli.options import FAILING, Decorator, grouped, setting
from pnet_lp.registry import Params

_EXPR = {"metavar": "EXPR"}
_MORE: dict[str, dict[str, Any]] = {
    "fail_at": {"needs": FAILING},
    "fail_until": {"needs": FAILING},
    "reroute_after": {"needs": ("fail_at", "fail_until")},
    "traffic": {"metavar": "EXPR|FILE", "needs": ("flow_size", "workload")},
    "flow_size": {"metavar": "SIZES", "needs": ("traffic",)},
    "workload": {"metavar": "EXPR|FILE", "excludes": ("flow_size",)},
    "preset": {"metavar": "NAME"},
    **dict.fromkeys(("transport", "queue", "forwarding"), _EXPR),
    "routing": {**_EXPR, "excludes": ("forwarding",)},
}
"""What an option is that its setting does not say."""


def simulation_settings(name: str, kind: type[Params]) -> Decorator:
    """Return a decorator that adds the options of a model; the command gets ``name``: a ``kind``."""
    return grouped(name, kind, *(setting(kind, key, **_MORE.get(key, {})) for key in kind.model_fields))
