"""Which bound binds, and by how much the bisection misleads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def summary(document: Mapping[str, Any]) -> list[str]:
    """Return what binds, and by how much the bisection misleads, as sentences."""
    solved = document["throughput"]
    if solved is None:
        return []
    k = solved["throughput_gbps"]
    if k == 0:
        return list(solved["warnings"])
    by_name = {entry["name"]: entry for entry in document["bounds"]}
    sentences = []
    if document["tightest"]:
        tightest = by_name[document["tightest"]]
        if _binds(tightest["value_gbps"], solved):
            binding = [
                name for name, entry in by_name.items()
                if entry["of"] == "matrix" and _binds(entry["value_gbps"], solved)
            ]  # fmt: skip
            verb = "binds: its bound is" if len(binding) == 1 else "bind: their bounds are"
            sentences.append(f"{_listed(binding)} {verb} the throughput.")
        else:
            sentences.append(f"No bound binds: {tightest['name']}, the tightest, allows {_more(tightest['ratio'])}.")
    bisection = by_name.get("bisection")
    if bisection:
        kind = "The bisection" if bisection["exact"] else "The narrowest bisection found"
        if not math.isfinite(bisection["value_gbps"]):
            sentences.append(f"{kind} says nothing: no demand crosses it.")
        elif _binds(bisection["value_gbps"], solved):
            sentences.append(f"{kind} does not mislead here: it is the throughput.")
        else:
            sentences.append(f"{kind} misleads: it allows {_more(bisection['ratio'])}.")
    return sentences


def _binds(value: float, solved: Mapping[str, Any]) -> bool:
    """Whether a bound is the throughput, as far as that is known."""
    return bool(value * (1 - solved["tolerance"]) <= solved["throughput_gbps"])


def _more(ratio: float) -> str:
    return f"{100 * (ratio - 1):.3g} % more than is carried" if ratio < 2 else f"{ratio:.3g} times what is carried"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
