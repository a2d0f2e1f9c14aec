"""Calls of every function of the core with one argument spoilt; ``python -m tests.core_faults`` lists faults.

What there is to call is read from the stub file.  A call may succeed, or raise what Python programs expect; it must not
panic, end the process, compute or wait for ever: all of them together have :data:`MOST_CPU_S`, one :data:`PATIENCE_S`.
"""

from __future__ import annotations

import ast
import faulthandler
import functools
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pnet_lp import _core
from pnet_lp.sim import simulate
from pnet_lp.topology import build_network

MOST_CPU_S = 60
"""Processor time, which no other work on the machine uses up; the calls take three seconds of it."""

PATIENCE_S = 120.0
"""Seconds on the clock, for what waits without computing; the longest of these calls takes milliseconds."""

_MOST_BYTES = 2**33

_NOT_CALLED = {"end_at_second_interrupt"}
"""What changes the process for good."""

REFUSALS = (_core.CoreError, TypeError, ValueError, OverflowError, MemoryError)


def ints(*values: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Return an array of int32."""
    return np.array(values, dtype=np.int32)


def longs(*values: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return an array of int64."""
    return np.array(values, dtype=np.int64)


def reals(*values: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return an array of float64."""
    return np.array(values, dtype=np.float64)


def go_on(*_: object) -> bool:
    """Go on."""
    return True


# Two switches, a cable between them and an endpoint at each.
_LINKS: dict[str, Any] = {"node_count": ints(2), "arc_ptr": ints(0, 2), "tail": ints(0, 1), "head": ints(1, 0)}
_ATTACH: dict[str, Any] = {"attach": ints(0, 1).reshape(1, 2)}
_ACCESS: dict[str, Any] = {"access_up": np.ones((1, 2)), "access_down": np.ones((1, 2))}
_ENDS: dict[str, Any] = {"src": ints(0, 1), "dst": ints(1, 0)}
_DEMANDS: dict[str, Any] = {**_ENDS, "demand": reals(1, 2)}
_LENGTHS: dict[str, Any] = {"length": np.ones(2), "up_length": np.ones((1, 2)), "down_length": np.ones((1, 2))}
_SEARCH: dict[str, Any] = {"policy": _core.Policy.Any, "seed": 1, "threads": 1, "limit_s": 5.0}
_SOLVE: dict[str, Any] = {
    "tolerance": 1e-2,
    "max_iterations": 50,
    "time_limit_s": 5.0,
    "threads": 1,
    "on_progress": go_on,
}
_DOWN: dict[str, Any] = {"arcs_down": np.zeros((1, 2), bool), "sites_down": np.zeros((1, 2), bool), "threads": 1}

_PROBLEM: dict[str, Any] = {**_LINKS, "capacity": np.ones(2), **_ATTACH, **_ACCESS, **_DEMANDS}
_FLOW: dict[str, Any] = {"flow": np.ones(4), "injection": np.ones((1, 2)), **_LENGTHS}
_SPLITS: dict[str, Any] = {
    "share": np.ones((1, 2)),
    "split_ptr": ints(0, 1, 2),
    "split_arc": ints(1, 0),
    "split_fraction": np.ones(2),
}
_PATHS: dict[str, Any] = {"capacity": np.ones(2), "demand": reals(1, 2), "pair_ptr": longs(0, 1, 2)}
_QUOTIENT: dict[str, Any] = {"classes": 100, "looks": 1000, "examples": 1000, "time_limit_s": 5.0}
_PLACED: dict[str, Any] = {
    **_ENDS,
    "send": np.ones(2),
    "receive": np.ones(2),
    "pair_ptr": longs(0, 1, 2),
    "ptr": longs(0, 1, 2),
    "link": longs(0, 1),
    "capacity": np.ones(2),
    "annealing": 10,
    "seed": 1,
}


def problem() -> _core.FlowProblem:
    """Return a problem."""
    return _core.FlowProblem(**_PROBLEM)


def proof() -> _core.Proof:
    """Return a proof of it."""
    return _core.round_flow(problem(), **_FLOW)


def paths() -> _core.PathProblem:
    """Return the problem over paths."""
    return _core.PathProblem(**_PATHS, path_ptr=longs(0, 1, 2), link=ints(0, 1))


def bundles() -> _core.Bundles:
    """Return the problem over columns."""
    return _core.Bundles(**_PATHS, ptr=longs(0, 1, 2), link=ints(0, 1), part=np.ones(2))


def fair() -> _core.FairFlow:
    """Return the levels of a problem, before the first."""
    return _core.FairFlow(problem(), **_SOLVE)


def vertices() -> _core.FairVertices:
    """Return the search for levels at vertices."""
    return _core.FairVertices(problem(), **_SOLVE)


def trees() -> _core.FairTrees:
    """Return the same over trees."""
    return _core.FairTrees(problem(), **_SOLVE)


def in_use() -> _core.PathsInUse:
    """Return paths over which programs are written."""
    return _core.PathsInUse(problem(), **_SOLVE)


def fair_split() -> _core.FairSplit:
    """Return those of the problem over paths."""
    return _core.FairSplit(paths(), **_SOLVE)


def split_vertices() -> _core.FairSplitVertices:
    """Return the search for levels at vertices over those paths."""
    return _core.FairSplitVertices(paths(), **_SOLVE)


def symmetry() -> _core.Symmetry:
    """Return the problem as one graph."""
    demands = _core.Demands.product(np.ones(2), np.ones(2), np.zeros(2))
    return _core.Symmetry(**_LINKS, capacity=np.ones(2), **_ATTACH, **_ACCESS, demands=demands)


def planes() -> _core.Planes:
    """Return the links alone."""
    return _core.Planes(**_LINKS, **_ATTACH)


def quotient() -> dict[str, Any]:
    """Return a proof on the quotient of :func:`symmetry`."""
    reduced = symmetry().reduce(**_QUOTIENT)
    assert reduced is not None
    return {
        "link_class": reduced.link_class,
        "length": np.ones(len(reduced.capacity)),
        "targets": reduced.targets,
        "node_class": reduced.node_class,
        "entries": np.ascontiguousarray(reduced.entries[:, :4]),
        "flow": np.ones(len(reduced.entries)),
        "generators": reduced.generators,
        "time_limit_s": 5.0,
    }


def simulations() -> dict[str, tuple[Callable[..., object], dict[str, Any]]]:
    """Return the calls that small runs of both models make."""
    network = build_network("ring:n=3", hosts_per_switch=1)
    found: dict[str, tuple[Callable[..., object], dict[str, Any]]] = {}
    names = ("Queue", "Transport", "Forwarding", "simulate_packets", "simulate_fluid")
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            call = getattr(_core, name)

            def record(*given: Any, name: str = name, call: Any = call, **named: Any) -> Any:
                if given and isinstance(given[0], dict):
                    # A run is spoilt key by key, and the columns of its flows too.
                    run = given[0]
                    flows = {f"flows.{key}": value for key, value in run["flows"].items()}
                    rest = {f"run.{key}": value for key, value in run.items() if key != "flows"}
                    found[name] = (functools.partial(_simulate, call), {**rest, **flows, **named})
                else:
                    found[name] = (call, {**{f"_{i}": value for i, value in enumerate(given)}, **named})
                return call(*given, **named)

            patch.setattr(_core, name, record)
        for model in ("packets", "fluid"):
            simulate(network, "incast:senders=2,sizes=3kB", event_limit=10_000, model=model)
    return found


def _simulate(call: Callable[..., object], **given: Any) -> object:
    run: dict[str, Any] = {"flows": {}}
    named: dict[str, Any] = {}
    for key, value in given.items():
        first, _, rest = key.partition(".")
        (run if first == "run" else run["flows"] if first == "flows" else named)[rest or key] = value
    return call({**run, "on_progress": go_on}, **named)


def spoilt(value: Any) -> Iterator[object]:
    """Yield what is no such argument, or an extreme one."""
    match value:
        case np.ndarray():
            yield from _spoilt_array(value)
        case bool():
            yield from (None, 2)
        case int():
            yield from (-1, 0, 2**16, 2**31, 2**40, 2**62, 2**63, 2**64 - 1, 2**64, math.nan, None)
        case float():
            yield from (math.nan, math.inf, -math.inf, -1.0, 0.0, 5e-324, 1e308, None, "a")
        case tuple():
            yield from ((), None)
            for i, part in enumerate(value):
                yield from ((*value[:i], other, *value[i + 1 :]) for other in spoilt(part))
        case _ if callable(value):
            yield from (None, lambda *_: math.nan, lambda *_: {}[0])
        case _:
            yield from (None, 1, "nothing", object())


def _spoilt_array(value: np.ndarray[Any, Any]) -> Iterator[object]:
    yield from (None, value.astype(np.complex128), value.astype(object), value[..., None], value[:0], value[1:])
    yield from (np.concatenate([value, value]), np.repeat(value, 2, axis=-1)[..., ::2], *value.ravel()[:1])
    yield from (np.repeat(value, 2, axis=-1), value[..., :0], np.zeros_like(value), np.ones_like(value))
    if value.dtype.kind in "iu":
        least, most = np.iinfo(value.dtype).min, np.iinfo(value.dtype).max
        extremes: tuple[float, ...] = (max(least, -1), 2, 1000, least, most)
    elif value.dtype.kind == "f":
        extremes = (math.nan, math.inf, -math.inf, -1.0, 5e-324, 1e308)
    else:
        extremes = ()
    for extreme in extremes:
        # In every place, and in all at once.
        for place in [*np.ndindex(value.shape), ...]:
            other = value.copy()
            other[place] = extreme
            yield other


def outcome(call: Callable[..., object], given: dict[str, Any]) -> str:
    """Return what is wrong with how a call ended, or nothing."""
    positional = [value for key, value in given.items() if key.startswith("_")]
    named = {key: value for key, value in given.items() if not key.startswith("_")}
    faulthandler.dump_traceback_later(PATIENCE_S, exit=True)
    try:
        made = call(*positional, **named)
        # What a call made must be usable, too; arrays of NumPy 2.1 list attributes that they do not have.
        for name in [] if isinstance(made, np.ndarray) else dir(made):
            if not name.startswith("_"):
                getattr(made, name)
    except KeyError:
        return ""  # of the call back, and of what is left out of a run
    except REFUSALS as error:
        return str(error) if "panicked" in str(error) else ""
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    finally:
        faulthandler.cancel_dump_traceback_later()
    return ""


def main() -> None:
    """Print each call before it is made, and what is wrong with it."""
    if sys.platform != "win32":
        import resource

        # What asks for too much is told so instead of slowing down the machine.
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))
    for name, (call, given) in examples().items():
        fault = outcome(call, given)
        if fault:
            print(f"fault: {name} as it should be called: {fault}", flush=True)
        for key, value in given.items():
            for other in spoilt(value):
                print(f"{name}({key}={other!r})".replace("\n", " "), flush=True)
                fault = outcome(call, {**given, key: other})
                if fault:
                    print(f"fault: {fault}", flush=True)
    print("done")


def examples() -> dict[str, tuple[Callable[..., object], dict[str, Any]]]:
    """Return a valid call of everything that the stub file declares, by name; arguments without a name begin with _."""
    core = _core
    return {
        "FlowProblem": (core.FlowProblem, _PROBLEM),
        "Proof": (core.Proof, {**_LENGTHS, **_SPLITS}),
        "Planes": (core.Planes, {**_LINKS, **_ATTACH}),
        "round_flow": (core.round_flow, {"problem": problem(), **_FLOW}),
        "evaluate": (core.evaluate, {"problem": problem(), "proof": proof()}),
        "decompose": (core.decompose, {"problem": problem(), "proof": proof()}),
        "demand_distances": (core.demand_distances, {"problem": problem(), **_LENGTHS}),
        "PathProblem": (core.PathProblem, {**_PATHS, "path_ptr": longs(0, 1, 2), "link": ints(0, 1)}),
        "PathProblem.bounds": (paths().bounds, {"weight": np.ones(2), "length": np.ones(2)}),
        "PathProblem.distances": (paths().distances, {"length": np.ones(2)}),
        "solve_path_form": (
            core.solve_path_form,
            {"problem": paths(), "warm_start": (np.ones(2), np.ones(2)), **_SOLVE},
        ),
        "Bundles": (core.Bundles, {**_PATHS, "ptr": longs(0, 1, 2), "link": ints(0, 1), "part": np.ones(2)}),
        "Bundles.fill": (bundles().fill, {}),
        "solve_cheapest": (core.solve_cheapest, {"bundles": bundles(), "cost": np.ones(2), "whole": False, **_SOLVE}),
        "estimate_cheapest_bytes": (core.estimate_cheapest_bytes, {"columns": 2, "entries": 2, "links": 2}),
        "solve_structured": (core.solve_structured, {"problem": problem(), "warm_start": (proof(), 3), **_SOLVE}),
        "solve_columns": (core.solve_columns, {"problem": problem(), **_SOLVE}),
        "solve_cheapest_flow": (
            core.solve_cheapest_flow,
            {"problem": problem(), "cost": np.ones(2), "worth": 1.0, "floor": 0.5, **_SOLVE},
        ),
        "solve_cheapest_split": (
            core.solve_cheapest_split,
            {"problem": paths(), "cost": np.ones(2), "worth": 1.0, "floor": 0.5, **_SOLVE},
        ),
        "solve_split": (core.solve_split, {"problem": paths(), **_SOLVE}),
        "FairFlow": (core.FairFlow, {"problem": problem(), **_SOLVE}),
        "FairFlow.level": (fair().level, {"kept": np.zeros(2), **_SOLVE}),
        "FairFlow.proof": (fair().proof, {}),
        "FairSplit": (core.FairSplit, {"problem": paths(), **_SOLVE}),
        "FairSplit.level": (fair_split().level, {"kept": np.zeros(2), **_SOLVE}),
        "FairSplit.weight": (fair_split().weight, {}),
        "FairSplitVertices": (core.FairSplitVertices, {"problem": paths(), **_SOLVE}),
        "FairSplitVertices.carried": (split_vertices().carried, {}),
        "FairSplitVertices.level": (split_vertices().level, {"kept": np.zeros(2), **_SOLVE}),
        "FairTrees": (core.FairTrees, {"problem": problem(), **_SOLVE}),
        "FairTrees.level": (trees().level, {"kept": np.zeros(2), **_SOLVE}),
        "FairTrees.proof": (trees().proof, {}),
        "FairTrees.served": (trees().served, {}),
        "FairVertices": (core.FairVertices, {"problem": problem(), **_SOLVE}),
        "FairVertices.level": (vertices().level, {"kept": np.zeros(2), **_SOLVE}),
        "FairVertices.proof": (vertices().proof, {}),
        "FairVertices.served": (vertices().served, {}),
        "PathsInUse": (core.PathsInUse, {"problem": problem(), **_SOLVE}),
        "PathsInUse.listed": (in_use().listed, {}),
        "PathsInUse.add": (in_use().add, _LENGTHS),
        "PathsInUse.proof": (in_use().proof, {"weight": np.ones(2), "rate": np.ones(2)}),
        "enumerate_paths": (
            core.enumerate_paths,
            {"planes": planes(), **_ENDS, "kind": core.PathKind.KShortest, "count": 2, "per_flow": False, **_SEARCH},
        ),
        "count_shortest": (core.count_shortest, {"planes": planes(), **_ENDS, **_SEARCH}),
        "split_loads": (core.split_loads, {"planes": planes(), **_DEMANDS, "split": core.Split.Ecmp, **_SEARCH}),
        "split_usage": (core.split_usage, {"planes": planes(), **_ENDS, "split": core.Split.Ecmp, **_SEARCH}),
        "place_flows": (core.place_flows, _PLACED),
        "Demands.product": (core.Demands.product, {"sends": np.ones(2), "receives": np.ones(2), "own": np.zeros(2)}),
        "Demands.groups": (
            core.Demands.groups,
            {"sends": np.ones(2), "receives": np.ones(2), "group": ints(0, 0), "owner": ints(0, 1), "outside": 0.5},
        ),
        "Demands.beside": (core.Demands.groups(np.ones(2), np.ones(2), ints(0, 0), ints(0, 1), 0.5).beside, _DEMANDS),
        "Demands.pairs": (core.Demands.pairs, {"endpoints": 2, **_DEMANDS}),
        "Symmetry": (
            core.Symmetry,
            {
                **_LINKS,
                "capacity": np.ones(2),
                **_ATTACH,
                **_ACCESS,
                "demands": core.Demands.pairs(2, **_DEMANDS),
                "inside": np.ones(2, dtype=bool),
                "partner": ints(1, 0),
            },
        ),
        "Symmetry.reduce": (symmetry().reduce, _QUOTIENT),
        "Symmetry.evaluate": (symmetry().evaluate, quotient()),
        "strong_components": (
            core.strong_components,
            {"nodes": 2, "tail": np.zeros(1, np.uint32), "head": np.ones(1, np.uint32)},
        ),
        "count_hops": (core.count_hops, {"planes": planes(), "size": ints(1, 1), **_DOWN}),
        "hops_between": (core.hops_between, {"planes": planes(), **_ENDS, **_DOWN}),
        **simulations(),
        "estimate_structured_bytes": (core.estimate_structured_bytes, {"problem": problem()}),
        "estimate_columns_bytes": (core.estimate_columns_bytes, {"problem": problem()}),
        "estimate_fair_flow_bytes": (core.estimate_fair_flow_bytes, {"problem": problem()}),
        "estimate_fair_trees_bytes": (core.estimate_fair_trees_bytes, {"problem": problem()}),
        "estimate_fair_split_bytes": (core.estimate_fair_split_bytes, {"problem": paths()}),
        "estimate_cheapest_flow_bytes": (core.estimate_cheapest_flow_bytes, {"problem": problem()}),
        "estimate_cheapest_split_bytes": (core.estimate_cheapest_split_bytes, {"problem": paths()}),
        "estimate_split_bytes": (core.estimate_split_bytes, {"problem": paths()}),
        "FlowProblem.available": (problem().available, {}),
        "FlowProblem.even_entries": (problem().even_entries, {}),
        "FlowProblem.leads": (problem().leads, {}),
        "FlowProblem.rows": (problem().rows, {}),
        "PathProblem.estimate_bytes": (paths().estimate_bytes, {}),
    }


def declared() -> set[str]:
    """Return the names of all that the stub file declares and that can be called, properties aside."""
    tree = ast.parse(Path(_core.__file__).with_name("_core.pyi").read_text(encoding="utf-8"))
    found = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and not _is_property(inner):
                    found.add(node.name if inner.name == "__new__" else f"{node.name}.{inner.name}")
    return found - _NOT_CALLED


def _is_property(function: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "property" for one in function.decorator_list)


if __name__ == "__main__":
    main()
