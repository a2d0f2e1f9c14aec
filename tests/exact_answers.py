"""Ask random questions of small networks, and hold every interval that is printed against the exact optimum.

``python -m tests.exact_answers 20000`` asks that many and says what came of them; ``test_exact_answers.py`` asks fewer.
Capacities and demands are simple numbers, or from 1e-15 to 1e15, near each other or far apart.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import PnetError, SolverError
from pnet_lp.model import Network, Plane, ThroughputResult, TrafficMatrix
from pnet_lp.throughput import solve
from pnet_lp.throughput.objectives import parse_objective
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.solve import flow_of
from pnet_lp.throughput.verify import verify_file

from .exact import ExactProgram, program

ROUTINGS = ["ideal", "ideal", "ecmp-lp", "ksp:3", "ksp:1", "edge-disjoint:2", "ecmp", "ecmp-split", "vlb"]
POLICIES = ["any", "any", "round-robin", "shortest", "single"]
OBJECTIVES = [
    "concurrent",
    "concurrent",
    "total",
    "max-min",
    "max-min-fill",
    "min-cost",
    "min-cost:fraction=0.7",
    "min-cost:at={at!r}",
    "min-max-utilisation",
]
SOLVERS = ["auto", "auto", "auto", "structured", "columns", "symmetric", "highs-simplex", "highs-ipx"]
TOLERANCES = [1e-4, 1e-4, 1e-6, 1e-2]

_MOST_STEPS = 500

_BOUNDS = re.compile(r"at least (\S+), at most ([^\s;]+)")


@dataclass(frozen=True)
class Question:
    """What is requested, and of what."""

    network: Network
    traffic: TrafficMatrix
    objective: str
    routing: str
    rule: Mapping[str, Any]
    solver: str
    tolerance: float

    def __str__(self) -> str:
        return f"{self.objective} over {self.routing} by {self.solver}, {self.rule}, {self.tolerance}"


@dataclass(frozen=True)
class Outcome:
    """What came of a question: what is wrong with the answer, or why there is none."""

    number: int
    question: Question
    status: str
    faults: tuple[str, ...]
    error: str = ""


def question(number: int) -> tuple[Question, ExactProgram]:
    """Return a question, which its number decides, and what can be carried."""
    draw = np.random.default_rng(number)
    nodes, host_level = int(draw.integers(3, 8)), draw.random() < 0.4
    speeds, spread = _numbers(draw), float(draw.choice([0.0, 1.0, 3.0, 15.0]))
    hosts = int(draw.integers(2, 7))
    first: Plane | None = None
    planes = []
    for _ in range(int(draw.choice([1, 1, 2, 3]))):
        if first is not None and draw.random() < 0.3:
            planes.append(first)
            continue
        ends = [(i, int(draw.integers(0, i))) for i in range(1, nodes)]  # a tree, so that all are connected
        more = draw.integers(0, nodes, (int(draw.integers(0, 2 * nodes)), 2))
        u, v = np.array(ends + [(a, b) for a, b in more.tolist() if a != b]).T
        given: dict[str, Any] = {}
        if host_level:
            switch = draw.integers(0, nodes, hosts)
            equal = draw.random() < 0.5
            up, down = (np.full(hosts, speeds(1, spread)[0]) if equal else speeds(hosts, spread) for _ in range(2))
            given = {"host_switch": switch, "access_gbps": up, "access_down_gbps": down}
        else:
            given = {"racks": range(nodes)}
        back = speeds(len(u), spread) * (draw.random(len(u)) < 0.95)
        planes.append(Plane.from_cables(nodes, u, v, speeds(len(u), spread), capacity_back_gbps=back, **given))
        first = first or planes[0]
    network = Network.from_planes(planes)
    places = hosts if host_level else nodes
    pairs = [(a, b) for a in range(places) for b in range(places) if a != b]
    kept = draw.permutation(len(pairs))[: int(draw.integers(1, 7))]
    src, dst = np.array([pairs[i] for i in np.sort(kept)]).T
    demand = _numbers(draw)(len(src), float(draw.choice([0.0, 1.0, 3.0, 15.0])))
    level = "host" if host_level else "rack"
    traffic = TrafficMatrix.from_entries(level, places, src, dst, demand)
    routing, objective = str(draw.choice(ROUTINGS)), str(draw.choice(OBJECTIVES))
    if objective == "max-min-fill" and routing not in ("ksp:1", "ecmp", "ecmp-split", "vlb"):
        objective = "max-min"
    rule = {"policy": "any" if routing == "ideal" else str(draw.choice(POLICIES)), "seed": int(draw.integers(0, 99))}
    solver = str(draw.choice(SOLVERS)) if routing == "ideal" and objective == "concurrent" else "auto"
    exact = program(network, traffic, routing, **rule)
    if "at=" in objective:
        most = float(exact.concurrent()) if len(exact.connected) == traffic.demand_count else 1.0
        objective = objective.format(at=most * float(draw.choice([0.3, 0.5, 0.999])))
    return Question(network, traffic, objective, routing, rule, solver, float(draw.choice(TOLERANCES))), exact


def _numbers(draw: np.random.Generator) -> Any:
    """Return how amounts are drawn: as speeds of links are, or of any size and with all bits."""
    simple = draw.random() < 0.3

    def numbers(count: int, spread: float) -> npt.NDArray[np.float64]:
        if simple:
            return draw.choice([1.0, 2.0, 2.5, 0.1, 10.0, 40.0, 100.0], count)
        middle = 10.0 ** draw.uniform(spread - 15, 15 - spread) if spread < 15 else 1.0
        return np.clip(middle * 10.0 ** draw.uniform(-spread, spread, count), 1e-15, 1e15)

    return numbers


def answered(numbers: range, folder: Path) -> Iterator[Outcome]:
    """Yield what comes of each question."""
    for number in numbers:
        requested, exact = question(number)
        try:
            result = solve(
                requested.network,
                requested.traffic,
                objective=requested.objective,
                routing=requested.routing,
                plane_policy=requested.rule["policy"],
                seed=requested.rule["seed"],
                solver=requested.solver,
                tolerance=requested.tolerance,
                # Steps of first order do not end where capacities are far apart; what they have reached is true.
                max_iterations=_MOST_STEPS,
                threads=1,
            )
        except PnetError as error:
            kind = "unsolved" if isinstance(error, SolverError) else "refused"
            yield Outcome(number, requested, kind, (), f"{type(error).__name__}: {error}")
            continue
        faults = [f"solve: {fault}" for fault in _faults(requested, exact, result, result.to_json())]
        said = parse_objective(result.objective).words(result.figures)
        faults += [f"text: {fault}" for fault in _printed(requested, exact, result.figures, said)]
        save_result(folder / "answer.json", requested.network, requested.traffic, result)
        try:
            checked = verify_file(folder / "answer.json")
        except PnetError as error:
            faults.append(f"an honest answer is refused: {error}")
        else:
            faults += [f"verify: {fault}" for fault in _faults(requested, exact, result, checked.figures)]
            faults += [f"verify, text: {fault}" for fault in _printed(requested, exact, checked.figures, checked.lines)]
        yield Outcome(number, requested, result.status, tuple(faults))


def _truth(requested: Question, exact: ExactProgram, carried: float) -> Fraction | None:
    """Return the exact value of the objective; None where it has none."""
    objective = requested.objective.partition(":")[0]
    if objective == "total":
        return exact.total()
    if len(exact.connected) < len(exact.demand):
        return Fraction(0) if objective == "concurrent" else None
    match objective:
        case "concurrent":
            return exact.concurrent()
        case "min-max-utilisation":
            return 1 / exact.concurrent()
        case "min-cost":
            return exact.cost(Fraction(carried))
    raise AssertionError(objective)


def _faults(
    requested: Question, exact: ExactProgram, result: ThroughputResult, figures: Mapping[str, Any]
) -> Iterator[str]:
    """Yield what the figures of an answer say that is not so."""
    if requested.objective in ("max-min", "max-min-fill"):
        yield from _unfair(requested, exact, result, figures)
        return
    carried = figures.get("carried_gbps", 0.0)
    truth = _truth(requested, exact, carried)
    lower, upper = (figures[key] for key in result.headline.bounds)
    if truth is None:
        if requested.objective.startswith("min-cost"):
            yield f"{carried!r} of the matrix is carried, and does not fit"
        elif (lower, upper) != (None, None):
            yield f"there is no value, and it is between {lower!r} and {upper!r}"
        return
    if not Fraction(lower) <= truth:
        yield f"the lower bound {lower!r} is above {float(truth)!r} by {float(Fraction(lower) / truth - 1):.3g}"
    if not (upper == np.inf or truth <= Fraction(upper)):
        yield f"the upper bound {upper!r} is below {float(truth)!r} by {float(1 - Fraction(upper) / truth):.3g}"
    if requested.objective == "total":
        yield from _unfit(exact, result)


def _unfit(exact: ExactProgram, result: ThroughputResult) -> Iterator[str]:
    assert result.rates_gbps is not None
    if not exact.fits([Fraction(rate) for rate in result.rates_gbps.tolist()]):
        yield "the rates do not fit"


def _unfair(
    requested: Question, exact: ExactProgram, result: ThroughputResult, figures: Mapping[str, Any]
) -> Iterator[str]:
    """Yield which levels say what is not so: that demands get less, or could get more while others keep theirs."""
    yield from _unfit(exact, result)
    assert result.rates_gbps is not None
    rates = [Fraction(rate) for rate in result.rates_gbps.tolist()]
    own = [rate / demand for rate, demand in zip(rates, exact.demand, strict=True)]
    shown = figures["levels"]
    if not shown:
        if exact.connected:
            yield "there are no levels"
        return
    flow = flow_of(requested.network, requested.traffic, result)
    of_pair = flow.demand_of_pairs(requested.traffic)
    connected = np.unique(of_pair[exact.connected])
    lowest = exact.with_demand([d if j in exact.connected else Fraction(0) for j, d in enumerate(exact.demand)])
    first = lowest.concurrent()
    if not Fraction(shown[0]["rate_gbps"]) <= first:
        yield f"the lowest level {shown[0]['rate_gbps']!r} is above {float(first)!r}"
    for i, level in enumerate(result.levels):
        if not level.upper < np.inf:
            continue
        upper = Fraction(level.upper)
        if not first <= upper:
            yield f"level {i} is at most {level.upper!r}, and all can get {float(first)!r}"
        for demand in connected[level.demands].tolist():
            pairs = np.flatnonzero(of_pair == demand).tolist()
            if not Fraction(level.rate) <= min(own[j] for j in pairs):
                yield f"a demand of level {i} gets less than {level.rate!r}"
            least = [min(rate, upper * each) for rate, each in zip(rates, exact.demand, strict=True)]
            most = exact.most(pairs, least)
            limit = upper * sum(exact.demand[j] for j in pairs)
            if most is not None and most > limit:
                yield f"a demand of level {i} can get more than {level.upper!r}, by {float(most / limit - 1):.3g}"


def _printed(
    requested: Question, exact: ExactProgram, figures: Mapping[str, Any], lines: Sequence[tuple[str, str]]
) -> Iterator[str]:
    """Yield which bounds in a text do not hold as they stand there."""
    for _, text in lines:
        if found := _BOUNDS.search(text):
            truth = _truth(requested, exact, figures.get("carried_gbps", 0.0))
            lower, upper = found[1], found[2]
            if truth is None or not Fraction(lower) <= truth or (upper != "inf" and not truth <= Fraction(upper)):
                yield f"at least {lower}, at most {upper}, and it is {truth and float(truth)!r}"


def main(count: int, first: int = 0) -> int:
    """Ask so many and print what came of them; return how many answers say what is not so."""
    start, seen, wrong, why = time.perf_counter(), Counter[str](), 0, Counter[str]()
    with TemporaryDirectory() as name:
        for outcome in answered(range(first, first + count), Path(name)):
            seen[outcome.status] += 1
            if outcome.error:
                why[re.sub(r"[0-9][0-9.e+-]*", "#", outcome.error)[:150]] += 1
            if outcome.faults:
                wrong += 1
                print(outcome.number, outcome.question, "; ".join(outcome.faults)[:500], flush=True)
    for error, times in why.most_common():
        print(f"{times:6} {error}")
    print(f"{count} questions in {time.perf_counter() - start:.0f} s: {dict(seen)}, {wrong} wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
