"""Honest results on small networks whose truth is known exactly: what an adversary begins from.

A *cell* is an objective under routings of one form.  The number of a case decides everything about it.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import count, product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from pnet_lp.errors import PnetError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.flow import FlowProblem, build_problem
from pnet_lp.routing import Routing, parse_routing
from pnet_lp.throughput import solve
from pnet_lp.throughput.proofs.store import StoredResult, load_result, save_result

from ..hurry import NO_TIME_S, no_time
from ..splits import split_parts
from ..throughput.reference import Link
from ..unlisted import unlisted
from .answers import Document
from .exact import Truth, over_any_path, over_parts, over_paths

FORMS = {
    "arc": ["ideal"],
    "path": ["ecmp-lp", "ksp:2", "ksp:3", "edge-disjoint:2"],
    "shortest": ["ecmp-lp"],
    "split": ["ecmp-split", "vlb", "ecmp", "hedera", "hedera:annealing"],
    "quotient": ["ideal"],
    "tree": ["ideal"],
    "one-path": ["ecmp-lp", "ksp:2", "ksp:3"],
}
OBJECTIVES = ["concurrent", "min-max-utilisation", "total", "max-min", "max-min:cap=demand", "min-cost"]

CELLS = [
    (objective, form)
    for objective, form in product(OBJECTIVES, FORMS)
    if form != "quotient" or objective in ("concurrent", "min-max-utilisation")
]

HURRIED = ["tree", "one-path"]
"""What is saved where there was no time for more."""

POLICIES = ["any", "single", "round-robin", "shortest"]

MOST_COLUMNS = 48
"""Paths of all demands together; a rational program of more takes seconds."""


@dataclass(frozen=True, eq=False)
class Case:
    """A saved result that holds.

    Attributes:
        document: as it stands in the file.
        stored: as it is read.
        objective, form: the cell.
        truth: the problem of its pairs.
    """

    document: Document
    stored: StoredResult
    objective: str
    form: str
    truth: Truth

    @cached_property
    def routing(self) -> Routing:
        """The routing of the claim."""
        claims = self.stored.claims
        return parse_routing(claims["routing"], policy=claims["plane_policy"], seed=claims["routing_seed"])

    @cached_property
    def flow(self) -> FlowProblem:
        """The problem between classes that indices of the file refer to."""
        apart = self.routing.per_flow or self.capped
        return build_problem(self.stored.network, self.stored.traffic, aggregate=not apart)

    @property
    def fair(self) -> bool:
        """Whether rates are fair, level by level."""
        return self.objective.startswith("max-min")

    @property
    def capped(self) -> bool:
        """Whether demands are limits of rates of equal weight."""
        return self.objective == "max-min:cap=demand"

    @cached_property
    def merged(self) -> Truth:
        """The truth with the pairs between two classes as one demand; in Gb/s where demands are limits."""
        if self.capped:
            return replace(self.truth, demand=(Fraction(1),) * len(self.truth.demand))
        return self.truth.together(self.flow.demand_of_pairs(self.stored.traffic).tolist(), self.flow.demand_count)

    @cached_property
    def rate(self) -> Fraction:
        """The largest K."""
        found = self.truth.concurrent()
        assert found is not None
        return found.value

    @cached_property
    def places(self) -> dict[Link, int]:
        """Where each arc of the network is among those of the problem."""
        plane = np.repeat(np.arange(self.flow.plane_count), np.diff(self.flow.arc_ptr)).tolist()
        return {("arc", p, a): i for i, (p, a) in enumerate(zip(plane, self.flow.arc_id.tolist(), strict=True))}

    @cached_property
    def cost(self) -> dict[Link, Fraction]:
        """What a Gb/s on each arc costs."""
        given = self.stored.inputs.get("link_cost", np.ones(len(self.flow.capacity))).tolist()
        return {link: Fraction(given[i]) for link, i in self.places.items()}


@lru_cache(maxsize=8)
def case(cell: int, number: int) -> Case:
    """Return the ``number``-th case of a cell; what a solver fails at is drawn again."""
    objective, form = CELLS[cell]
    for again in count():
        draw = random.Random(f"{objective} {form} {number} {again}")
        try:
            found = _case(objective, form, draw)
        except PnetError:
            continue
        if found is not None:
            return found
    raise AssertionError


def _case(objective: str, form: str, draw: random.Random) -> Case | None:
    network, traffic = _symmetric(draw) if form == "quotient" else draw.choice(_SHAPES)(draw)
    routing, policy = draw.choice(FORMS[form]), draw.choice(POLICIES)
    seed = draw.randrange(100)
    if routing == "ideal":
        truth = over_any_path(network, traffic)
    elif routing in ("ecmp-split", "vlb"):
        truth = over_parts(traffic, split_parts(network, traffic, routing, policy, seed))
    else:
        truth = over_paths(network, traffic, routing, policy=policy, seed=seed)
    served = {column.demand for column in truth.columns}
    if len(truth.columns) > MOST_COLUMNS or len(served) < traffic.demand_count:
        return None
    with TemporaryDirectory() as name:
        path = Path(name) / "result.json"
        # The structured solver takes its time where speeds are thirty orders apart.
        solver = {"quotient": "symmetric", "split": "auto"}.get(form, "highs-simplex")
        expression = objective
        if objective == "min-cost":
            expression = draw.choice(["min-cost:fraction=0.5", "min-cost", f"min-cost:at={_part(truth, draw)!r}"])
            if draw.random() < 0.5:
                costs = Path(name) / "costs.csv"
                costs.write_text(f"plane,u,v,cost\n{_costs(network, draw)}")
                expression += ("," if ":" in expression else ":") + f"costs={costs}"
        if objective == "total" and draw.random() < 0.4:
            expression = f"total:floor={min(_part(truth, draw), 1.0)!r}"
        requested = {"objective": expression, "routing": routing, "plane_policy": policy, "seed": seed}
        if form == "shortest":
            with unlisted():
                result = solve(network, traffic, solver=solver, **requested)
        elif form in HURRIED:
            with no_time():
                result = solve(network, traffic, time_limit_s=NO_TIME_S, **requested)
        else:
            result = solve(network, traffic, solver=solver, **requested)
        save_result(path, network, traffic, result)
        document: Document = json.loads(path.read_text())
        if form in (*HURRIED, "shortest") and document["certificate"]["form"] != form:
            return None
        return Case(document, load_result(path), objective, form, truth)


def _part(truth: Truth, draw: random.Random) -> float:
    found = truth.concurrent()
    assert found is not None
    return float(found.value) * draw.choice([0.25, 0.9, 1 - 1e-6])


def _costs(network: Network, draw: random.Random) -> str:
    lines = set()
    for p, plane in enumerate(network.planes):
        tail, head, speed = (each.tolist() for each in plane.arcs)
        for a in range(len(tail)):
            if speed[a] > 0:
                lines.add((p, plane.switch_names[tail[a]], plane.switch_names[head[a]]))
    return "".join(f"{p},{u},{v},{draw.choice([0, 1, 2.5, 0.1, 1e-12, 1e12])}\n" for p, u, v in sorted(lines))


def _speeds(draw: random.Random, number: int) -> list[float]:
    """Draw as many speeds: small, with many digits, orders apart, or equal ones, of any scale."""
    scale = draw.choice([1.0, 1.0, 1e-12, 1e12, 2.0**-40])
    match draw.randrange(5):
        case 0:
            return [scale * draw.choice([1.0, 2.0, 3.0, 10.0]) for _ in range(number)]
        case 1:
            return [scale * draw.uniform(0.5, 2.0) for _ in range(number)]
        case 2:
            return [10.0 ** draw.uniform(-3, 3) for _ in range(number)]
        case 3:
            return [10.0 ** draw.uniform(-15, 14) for _ in range(number)]
    return [scale * draw.choice([1.0, 0.1, 1 / 3])] * number


def _demands(draw: random.Random, level: str, pairs: list[tuple[int, int]], endpoints: int) -> TrafficMatrix:
    """Draw demands between some of the pairs, of the sizes that speeds have."""
    kept = sorted(draw.sample(pairs, min(len(pairs), draw.randint(1, 4))))
    src, dst = zip(*kept, strict=True)
    return TrafficMatrix.from_entries(level, endpoints, src, dst, _speeds(draw, len(kept)))


def _ordered(n: int) -> list[tuple[int, int]]:
    return [(s, t) for s in range(n) for t in range(n) if s != t]


def _mesh(draw: random.Random) -> tuple[Network, TrafficMatrix]:
    """One or two planes: a ring of three or four racks, with chords and parallel cables, some with metrics."""
    n = draw.randint(3, 4)
    planes, metrics = [], draw.random() < 0.4
    for _ in range(draw.randint(1, 2)):
        cables = [(v, (v + 1) % n) for v in range(n)] + [
            tuple(draw.sample(range(n), 2)) for _ in range(draw.randint(0, 2))
        ]
        u, v = zip(*cables, strict=True)
        there, back = _speeds(draw, len(u)), _speeds(draw, len(u))
        metric = [[draw.randint(1, 3), draw.randint(1, 3)] for _ in u] if metrics else None
        back = there if draw.random() < 0.5 else back
        planes.append(Plane.from_cables(n, u, v, there, capacity_back_gbps=back, metric=metric))
    return Network.from_planes(planes), _demands(draw, "rack", _ordered(n), n)


def _line(draw: random.Random) -> tuple[Network, TrafficMatrix]:
    """A long line: distances are sums of many lengths."""
    n = draw.choice([8, 20, 45])
    plane = Plane.from_cables(n, range(n - 1), range(1, n), _speeds(draw, n - 1))
    return Network.from_planes([plane]), _demands(draw, "rack", _ordered(n), n)


def _bundle(draw: random.Random) -> tuple[Network, TrafficMatrix]:
    """Two or three racks in a row, joined by many parallel cables."""
    cables, n = draw.choice([(7, 2), (12, 2), (3, 3)])
    u, v = np.repeat(np.arange(n - 1), cables), np.repeat(np.arange(1, n), cables)
    plane = Plane.from_cables(n, u, v, _speeds(draw, len(u)))
    return Network.from_planes([plane]), _demands(draw, "rack", _ordered(n), n)


def _hosts(draw: random.Random) -> tuple[Network, TrafficMatrix]:
    """Twin hosts on two or three switches, in one or two planes, some without a link into the second."""
    n = draw.randint(2, 3)
    up, down = _speeds(draw, n), _speeds(draw, n)
    switch = np.repeat(np.arange(n), 2)
    planes = []
    for p in range(draw.randint(1, 2)):
        cables = [(v, v + 1) for v in range(n - 1)] + ([(0, n - 1)] if draw.random() < 0.5 else [])
        u, v = zip(*cables, strict=True)
        away = (-1 if p else 0) if draw.random() < 0.3 else 0
        attached = np.where(switch == n - 1, away or switch, switch)
        planes.append(
            Plane.from_cables(
                n,
                u,
                v,
                _speeds(draw, len(u)),
                host_switch=attached,
                access_gbps=np.repeat(up, 2),
                access_down_gbps=np.repeat(down, 2),
                racks=range(n),
            )
        )
    s, t = draw.sample(range(n), 2)
    if draw.random() < 0.5:
        pairs = [(2 * s + i, 2 * t + k) for i in (0, 1) for k in (0, 1)]
        src, dst = zip(*pairs, strict=True)
        traffic = TrafficMatrix.from_entries("host", 2 * n, src, dst, draw.choice([1.0, 0.1, 1 / 3]))
    else:
        traffic = _demands(draw, "host", _ordered(2 * n), 2 * n)
    return Network.from_planes(planes), traffic


def _symmetric(draw: random.Random) -> tuple[Network, TrafficMatrix]:
    """Networks with symmetries, or nearly so: rings, cliques, bundles, stars of twin hosts; all send to all."""
    n = draw.randint(2, 4)
    kind = draw.choice(["ring", "clique", "star", "bundle"])
    if kind == "clique":
        cables = [(u, v) for u in range(n) for v in range(u)]
    elif kind == "star":
        cables = [(0, v) for v in range(1, n)]
    elif kind == "bundle":
        cables = [(0, 1)] * draw.randint(1, 3) + [(v, v + 1) for v in range(1, n - 1)]
    else:
        cables = [(v, (v + 1) % n) for v in range(n if n > 2 else 1)]
    u, v = zip(*cables, strict=True)
    speed = [draw.choice([1.0, 0.1, 1e-9, 1e9])] * len(u)
    if draw.random() < 0.4:
        speed[draw.randrange(len(speed))] *= draw.choice([0.5, 3.0, 1 + 2.0**-50])
    hosts = kind == "star" and n > 2
    attach = (
        {"host_switch": np.repeat(np.arange(1, n), 2)[: draw.choice([3, 4])], "access_gbps": draw.choice([1.0, 0.3])}
        if hosts
        else {}
    )
    planes = [Plane.from_cables(n, u, v, speed, **attach) for _ in range(draw.choice([1, 1, 2]))]
    network = Network.from_planes(planes)
    level = network.default_level
    ends = len(network.endpoint_names(level))
    if draw.random() < 0.6:
        return network, TrafficMatrix.from_weights(level, np.full(ends, draw.choice([1.0, 0.7])), np.ones(ends))
    pairs = _ordered(ends)
    src, dst = zip(*pairs, strict=True)
    sizes = [draw.choice([1.0, 1.0, 2.0]) for _ in pairs] if draw.random() < 0.5 else [0.1] * len(pairs)
    return network, TrafficMatrix.from_entries(level, ends, src, dst, sizes)


_SHAPES = [_mesh, _mesh, _line, _bundle, _hosts]
