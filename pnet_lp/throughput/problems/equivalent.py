"""Switches that no demand tells apart: all of them have links of equal capacity to equivalent switches.

The classes are those of colour refinement in which each switch with demands is a class of its own.  A flow on the
network becomes one on the classes by addition, and a flow on the classes one on the network if all members of a class
carry equal parts: so the optimum is the same, whatever the objective.  In a plane of a fat tree, the aggregation
switches of a pod are one, and all core switches; in a leaf-spine plane all spines are.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.flow import FlowProblem

_Integers: TypeAlias = npt.NDArray[np.integer[Any]]
_Hashes: TypeAlias = npt.NDArray[np.uint64]


def equivalent_switches(problem: FlowProblem, cost: FloatArray | None = None) -> npt.NDArray[np.int64]:
    """Return int64 ``[switches of all planes]``: the class of each, numbered by their first members.

    Links of different ``cost`` ``[A]`` tell switches apart, and so do links that share their capacity with others.
    """
    switches, (tail, head) = int(problem.node_count.sum()), problem.ends
    alone = np.zeros(switches, dtype=bool)
    alone[(problem.attach + problem.first_switch[:, None])[problem.attach >= 0]] = True
    if problem.partner is not None:
        shared = problem.partner != np.arange(len(tail))
        alone[tail[shared]] = alone[head[shared]] = True
    plane = np.repeat(np.arange(problem.plane_count), problem.node_count)
    colour = np.where(alone, problem.plane_count + np.arange(switches), plane)
    kinds: list[npt.NDArray[Any]] = [problem.capacity] if cost is None else [problem.capacity, cost]
    kind = np.zeros(len(tail), dtype=np.int64)
    for values in kinds:
        kind = kind * (len(tail) + 1) + np.unique(values, return_inverse=True)[1]
    kind = np.unique(kind, return_inverse=True)[1]
    colour = np.unique(colour, return_inverse=True)[1]
    count = int(colour.max(initial=-1)) + 1
    while count < switches:
        found = _mixed(colour) + _around(tail, head, colour, kind, 1) + _around(head, tail, colour, kind, 2)
        colour = np.unique(found, return_inverse=True)[1]
        more = int(colour.max()) + 1
        if more == count:
            break
        count = more
    first, number = np.unique(colour, return_index=True)[1], np.empty(count, dtype=np.int64)
    number[np.argsort(first)] = np.arange(count)
    return number[colour]


def _around(near: _Integers, far: _Integers, colour: _Integers, kind: _Integers, direction: int) -> _Hashes:
    """Return uint64 ``[switches]``: a hash of the links of each in any order, by kind and by their other end."""
    found = np.zeros(len(colour), dtype=np.uint64)
    np.add.at(found, near, _mixed(_mixed(colour[far]) + _mixed(3 * kind + direction)))
    return found


def _mixed(values: npt.NDArray[Any]) -> _Hashes:
    """Return a hash of each number, uint64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators")."""
    found = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))
