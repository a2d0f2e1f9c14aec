"""An adversary that knows the checks: it optimises what proves a result until more is claimed than is true.

It begins from an honest result with the best prices and rates that a rational program gives, pushes lengths, fractions,
weights, rates, levels, classes and permutations up to the edge of what passes, puts right every figure that follows,
and keeps what claims most.  ``python -m tests.tampering.adversary 10000`` tries that many forgeries and counts what
came of them; ``test_adversary.py`` tries fewer.
"""

from __future__ import annotations

import json
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import PnetError
from pnet_lp.throughput.proofs.store import StoredResult
from pnet_lp.throughput.verify import Verification, verify_file

from ..simplex import Solved
from .answers import Document
from .cases import CELLS, Case, case
from .mutations import Proved, encoded

Values: TypeAlias = npt.NDArray[Any]

PER_CASE = 10
"""Forgeries of one honest result."""

STEPS = 8
"""Changes that a forgery is improved by."""

EDGE = 1e-9 * (1 - 1e-6)
"""Just within what a figure or a sum may be off."""

CERTIFIED = Fraction(1e-4)

LENGTHS = ["length", "up_length", "down_length", "class_length"]
SHARES = ["share", "split_fraction", "weight", "fraction", "load", "part"]
INDICES = [
    "split_ptr",
    "split_arc",
    "arc_class",
    "up_class",
    "down_class",
    "generator",
    "target",
    "kind",
    "node_class",
    "entry",
    "to_root",
    "from_root",
]


@dataclass(frozen=True)
class Outcome:
    """What came of a forgery: of which kind it was, the error of ``verify`` or None, and what is false if it passed."""

    number: int
    kind: str
    cell: tuple[str, str]
    error: PnetError | None
    lies: tuple[str, ...] = ()


def forged(numbers: range, folder: Path) -> Iterator[Outcome]:
    """Yield what comes of each forgery; its number decides what it is."""
    path = folder / "forged.json"
    for number in numbers:
        at, cell = divmod(number, len(CELLS))
        honest, draw = case(cell, at // PER_CASE), random.Random(number)
        kinds = [kind for kind in KINDS if _suits(kind, honest)]
        kind = kinds[at % len(kinds)]
        stored = KINDS[kind](honest, draw)
        path.write_text(json.dumps(written(honest.document, stored)))
        try:
            found = verify_file(path)
        except PnetError as error:
            yield Outcome(number, kind, CELLS[cell], error)
            continue
        yield Outcome(number, kind, CELLS[cell], None, tuple(lies(honest, stored, found)))


def _suits(kind: str, honest: Case) -> bool:
    apart = honest.flow.demand_count == len(honest.truth.demand)
    suits = {
        "rates": honest.stored.rates_gbps is not None,
        "levels": bool(honest.stored.levels),
        "indices": honest.form in ("arc", "shortest", "quotient", "tree"),
        "flows": honest.form != "one-path",
        "best prices": honest.form != "quotient",
        "best flow": honest.form == "path" and apart and not honest.fair and honest.objective != "min-cost",
    }
    return suits.get(kind, True)


# What is true ---------------------------------------------------------------------------------------------------------


def lies(honest: Case, stored: StoredResult, found: Verification) -> Iterator[str]:
    """Yield what is false of what ``verify`` prints of an accepted file."""
    shown = json.loads(json.dumps(found.to_json()))
    if found.headline.bounded:
        lower, upper = (Fraction(shown[key]) for key in found.headline.bounds)
        truth = _value(honest, found.figures)
        if truth is None or not lower <= truth <= upper:
            value = "nothing" if truth is None else float(truth)
            yield f"between {float(lower)!r} and {float(upper)!r}, in truth {value!r}"
        if shown["status"] == "certified" and upper - lower > upper * (CERTIFIED + Fraction(1, 10**12)):
            yield "certified with a gap"
    if stored.rates_gbps is not None:
        rates = [Fraction(rate) for rate in stored.rates_gbps.tolist()]
        if not honest.truth.fit(rates):
            yield "rates that do not fit"
        if honest.fair:
            if Fraction(shown["total_gbps"]) > sum(rates):
                yield "more than all rates together"
            yield from _levels(honest, stored, rates)
        if honest.capped:
            yield from _capped(honest, stored, rates, Fraction(shown["relative_gap"]))


def _value(honest: Case, figures: Mapping[str, Any]) -> Fraction | None:
    match honest.objective:
        case "concurrent":
            return honest.rate
        case "min-max-utilisation":
            return 1 / honest.rate
        case "total":
            return honest.truth.total(Fraction(figures.get("floor", 0.0))).value
    least = honest.truth.least_cost(Fraction(figures["carried_gbps"]), honest.cost)
    return None if least is None else least.value


def _levels(honest: Case, stored: StoredResult, rates: list[Fraction]) -> Iterator[str]:
    """Whether no demand can get more than its level's bound while others keep what they get, or the bound."""
    truth, own = honest.merged, _own(honest, rates)
    for level in stored.levels:
        if math.isinf(level.upper):
            continue
        upper = Fraction(level.upper)
        least = [min(t, upper) * d for t, d in zip(own, truth.demand, strict=True)]
        for j in level.demands.tolist():
            if truth.level(j, least).value > upper:
                yield f"demand {j} can get more than {level.upper!r}"


def _capped(honest: Case, stored: StoredResult, rates: list[Fraction], gap: Fraction) -> Iterator[str]:
    """Whether no demand gets more than it asks, and all in no level as good as that."""
    levelled = {j for level in stored.levels for j in level.demands.tolist()}
    for j, (rate, demand) in enumerate(zip(rates, honest.truth.demand, strict=True)):
        if rate > demand:
            yield f"demand {j} gets more than it asks"
        if j not in levelled and rate < demand * (1 - gap):
            yield f"demand {j} is in no level and gets less than it asks"


def _own(honest: Case, rates: list[Fraction]) -> list[Fraction]:
    """Return the least rate per unit demand of the pairs of each demand; in Gb/s where demands are limits."""
    if honest.capped:
        return rates
    own: dict[int, Fraction] = {}
    classes = honest.flow.demand_of_pairs(honest.stored.traffic).tolist()
    for j, rate, d in zip(classes, rates, honest.truth.demand, strict=True):
        own[j] = min(own.get(j, rate / d), rate / d)
    return [own[j] for j in range(len(own))]


# What a forger writes -------------------------------------------------------------------------------------------------


def written(document: Document, stored: StoredResult) -> Document:
    """Return the document with all that ``stored`` claims."""
    changed = document | dict(stored.figures) | dict(stored.claims)
    changed["bottlenecks"] = [vars(item) | {"link": list(item.link)} for item in stored.bottlenecks]
    changed["certificate"] = document["certificate"] | {key: encoded(value) for key, value in _arrays(stored).items()}
    if stored.rates_gbps is not None:
        levels = [
            {"rate": level.rate, "upper": None if math.isinf(level.upper) else level.upper}
            | {key: encoded(getattr(level, key)) for key in ("demands", *LENGTHS[:3])}
            for level in stored.levels
        ]
        changed["answer"] = document["answer"] | {"rates_gbps": encoded(stored.rates_gbps), "levels": levels}
    return changed


def _arrays(stored: StoredResult) -> dict[str, Values]:
    return {field.name: getattr(stored.certificate, field.name) for field in fields(stored.certificate)}


def refitted(stored: StoredResult) -> tuple[StoredResult, Verification] | None:
    """Return the result with every figure that its proof gives, as one who knows the checks writes it; None where no
    figures make it pass."""
    proved = Proved.of(stored)
    if proved.found is None:
        return None
    links, binding = proved.limits
    figures, arrays = proved.figures, proved.arrays
    levels = tuple(
        replace(level, rate=figures.get(f"the rate of level {i}", level.rate)) for i, level in enumerate(stored.levels)
    )
    refit = replace(
        stored,
        claims={**stored.claims, "status": proved.status, "binding": binding},
        figures={key: figures[key] for key in stored.figures},
        bottlenecks=links,
        levels=levels,
        certificate=replace(stored.certificate, **arrays) if arrays else stored.certificate,
    )
    return refit, proved.found


def _claimed(found: Verification, honest: Case, stored: StoredResult) -> float:
    """Return how much is claimed: by bounds that are close, or by levels that are low."""
    if honest.fair:
        return -sum(level.upper for level in stored.levels)
    return -found.gap


def improved(honest: Case, start: StoredResult, change: Callable[[StoredResult], StoredResult]) -> StoredResult:
    """Return what claims most of a start and what changes lead to, figures put right; the last try if none passes."""
    best = refitted(start)
    for _ in range(STEPS):
        tried = change(start if best is None else best[0])
        found = refitted(tried)
        if found is not None and (
            best is None or _claimed(found[1], honest, found[0]) >= _claimed(best[1], honest, best[0])
        ):
            best = found
    return start if best is None else best[0]


# What is changed ------------------------------------------------------------------------------------------------------


def pushed(values: Values, draw: random.Random, *, far: bool) -> Values:
    """Return numbers of which some are changed: by bits, by parts, or where ``far`` out of all proportion."""
    values = values.astype(np.float64)
    flat = values.reshape(-1)
    if not flat.size:
        return values
    some = np.flatnonzero(flat)
    i, j = (int(draw.choice(some if len(some) and draw.random() < 0.8 else range(flat.size))) for _ in range(2))
    sign = draw.choice([-1, 1])
    match draw.randrange(11 if far else 5):
        case 0:
            for _ in range(draw.choice([1, 1, 2, 17])):
                flat[i] = np.nextafter(flat[i], sign * np.inf)
        case 1:
            flat[i] *= 1 + sign * 10.0 ** draw.uniform(-16, -9)
        case 2:
            flat *= 1 + sign * EDGE
        case 3:
            flat[i] *= 1 + sign * EDGE
        case 4:
            moved = flat[i] * 10.0 ** draw.uniform(-16, -6)
            flat[i], flat[j] = flat[i] - moved, flat[j] + moved
        case 5:
            flat[i] = draw.choice([0.0, -0.0, 5e-324, 1e-310, flat[j], flat.max()])
        case 6:
            with np.errstate(all="ignore"):
                flat[i] *= draw.choice([2.0, 0.5, 10.0, 1e9, 1e-9])
        case 7:
            with np.errstate(all="ignore"):
                flat *= 10.0 ** draw.choice([-320, -300, -100, -15, 15, 100, 300])
        case 8:
            flat[:] = flat[i]
        case 9:
            with np.errstate(all="ignore"):
                flat[i] *= 10.0 ** draw.choice([-300, -100, 100, 290])
        case _:
            flat[flat == 0] = draw.choice([5e-324, -0.0, flat.max() * 1e-17])
    return values


def _fields(stored: StoredResult, keys: list[str]) -> list[str]:
    return [key for key in keys if key in _arrays(stored)]


def _with(stored: StoredResult, **arrays: Values) -> StoredResult:
    return replace(stored, certificate=replace(stored.certificate, **arrays))


def _with_lengths(stored: StoredResult, draw: random.Random) -> StoredResult:
    """Change lengths of the certificate, or of a level that has some."""
    priced = [i for i, level in enumerate(stored.levels) if level.priced[1].shape != (0,)]
    if priced and draw.random() < 0.9:
        i = draw.choice(priced)
        level = stored.levels[i]
        key = draw.choice(["length"] if not np.any(level.up_length) else LENGTHS[:3])
        lengths = {name: getattr(level, name) for name in LENGTHS[:3]}
        changed = level.by(**(lengths | {key: pushed(lengths[key], draw, far=True)}))
        if draw.random() < 0.5:
            changed = replace(changed, upper=max(changed.upper * (1 - 10.0 ** draw.uniform(-16, -2)), changed.rate))
        return replace(stored, levels=(*stored.levels[:i], changed, *stored.levels[i + 1 :]))
    keys = _fields(stored, LENGTHS)
    key = draw.choice([key for key in keys if np.any(getattr(stored.certificate, key))] or keys)
    return _with(stored, **{key: pushed(getattr(stored.certificate, key), draw, far=True)})


def _prices(honest: Case, draw: random.Random) -> StoredResult:
    return improved(honest, honest.stored, lambda stored: _with_lengths(stored, draw))


def _best_prices(honest: Case, draw: random.Random) -> StoredResult:
    """Put the prices of a rational optimum in, of any scale, and push them."""
    stored, truth = honest.stored, honest.truth
    if honest.fair:
        levels, own = [], _own(honest, [Fraction(rate) for rate in stored.rates_gbps.tolist()])
        for level in stored.levels:
            if math.isinf(level.upper) or level.priced[1].shape == (0,) or len(honest.merged.columns) > 16:
                levels.append(level)
                continue
            upper, j = Fraction(level.rate), int(draw.choice(level.demands.tolist()))
            least = [min(t, upper) * d for t, d in zip(own, honest.merged.demand, strict=True)]
            found = honest.merged.level(j, least)
            lengths = _lengths(honest, found, len(honest.merged.demand), _scale(honest, draw))
            tight = float(found.value) * draw.choice([1.0, 1 - 2.0**-52, 1 + 1e-15, 1 - 1e-9])
            levels.append(replace(level, upper=max(tight, level.rate)).by(*lengths[:3]))
        start = replace(stored, levels=tuple(levels))
    else:
        scale = Fraction(1)
        if honest.objective == "min-cost":
            least = truth.least_cost(Fraction(stored.figures["carried_gbps"]), honest.cost)
            if least is None:
                return stored
            prices = least.x
        else:
            best = truth.total() if honest.objective == "total" else truth.concurrent()
            assert best is not None
            prices = best.price
        if honest.objective not in ("min-cost", "total"):
            scale = _scale(honest, draw)
        lengths = _lengths(honest, Solved(Fraction(0), [], prices), len(truth.demand), scale)
        start = _with(stored, **dict(zip(LENGTHS, lengths, strict=False)))
    return improved(honest, start, lambda changed: _with_lengths(changed, draw))


def _scale(honest: Case, draw: random.Random) -> Fraction:
    largest = max(honest.truth.capacity.values())
    return Fraction(10) ** draw.choice([0, 0, -100, -280, 100, 250]) / largest


def _lengths(honest: Case, found: Solved, first: int, scale: Fraction) -> tuple[Values, Values, Values]:
    """Return the doubles next to the prices of links, which follow those of demands."""
    flow = honest.flow
    arcs, access = np.zeros(len(flow.capacity)), {key: np.zeros(flow.attach.shape) for key in ("up", "down")}
    for link, price in zip(honest.truth.links, found.price[first:], strict=False):
        kind, p, at = link
        if kind == "arc":
            arcs[honest.places[link]] = float(price * scale)
        else:
            e = int(flow.endpoint_class[at])
            # Equivalent hosts share a link, whose price is the mean of theirs.
            access[str(kind)][p, e] = max(access[str(kind)][p, e], float(price * scale))
    return arcs, access["up"], access["down"]


def _flows(honest: Case, draw: random.Random) -> StoredResult:
    def change(stored: StoredResult) -> StoredResult:
        key = draw.choice(_fields(stored, SHARES))
        values = pushed(getattr(stored.certificate, key), draw, far=draw.random() < 0.3)
        return _with(stored, **{key: values})

    return improved(honest, honest.stored, change)


def _best_flow(honest: Case, draw: random.Random) -> StoredResult:
    """Put the weights, and for ``total`` the rates, of a rational optimum in, and push them."""
    truth, stored = honest.truth, honest.stored
    found = truth.total() if honest.objective == "total" else truth.concurrent()
    assert found is not None
    served = [Fraction(0)] * len(truth.demand)
    for column, x in zip(truth.columns, found.x, strict=False):
        served[column.demand] += x
    parts = [
        x / served[column.demand] if served[column.demand] else Fraction(0)
        for column, x in zip(truth.columns, found.x, strict=False)
    ]
    given = stored.certificate.weight
    weight = np.array(
        [
            float(part) if served[c.demand] else own
            for c, part, own in zip(truth.columns, parts, given.tolist(), strict=True)
        ]
    )
    start = _with(stored, weight=weight)
    if honest.objective == "total":
        start = replace(start, rates_gbps=np.array([float(rate) * (1 - 2.0**-50) for rate in served]))
        return improved(honest, start, lambda at: replace(at, rates_gbps=pushed(at.rates_gbps, draw, far=False)))
    return improved(honest, start, lambda at: _with(at, weight=pushed(at.certificate.weight, draw, far=False)))


def _rates(honest: Case, draw: random.Random) -> StoredResult:
    def change(stored: StoredResult) -> StoredResult:
        assert stored.rates_gbps is not None
        return replace(stored, rates_gbps=pushed(stored.rates_gbps, draw, far=draw.random() < 0.3))

    found = improved(honest, honest.stored, change)
    # Beyond the edge: a bit more, with prices that make the most of it.
    return found if draw.random() < 0.7 else _with_lengths(change(found), draw)


def _rearranged(honest: Case, draw: random.Random) -> StoredResult:
    """Levels in another order, joined, twice, without some of their demands, with other bounds, prices or none."""

    def change(stored: StoredResult) -> StoredResult:
        levels = list(stored.levels)
        i, j = draw.randrange(len(levels)), draw.randrange(len(levels))
        one, other = levels[i], levels[j]
        match draw.randrange(9):
            case 0:
                levels.reverse()
            case 1 if i != j:
                joined = np.concatenate([one.demands, other.demands])
                levels[i] = replace(one, demands=joined, rate=min(one.rate, other.rate))
                del levels[j]
            case 2:
                levels.insert(i, one)
            case 3:
                levels[i] = replace(one, demands=one.demands[1:])
            case 4:
                levels[i] = replace(one, upper=one.upper * (1 - 10.0 ** draw.uniform(-16, -1)))
            case 5:
                levels[i] = replace(one, rate=one.rate * (1 - EDGE), upper=one.rate * (1 - EDGE))
            case 6:
                levels[i] = replace(one, priced=other.priced)
            case 7 if len(levels) > 1:
                del levels[i]
            case _:
                levels = [level.by(*[np.zeros(0)] * 3) for level in levels]
        return replace(stored, levels=tuple(levels))

    return improved(honest, honest.stored, change)


def _indices(honest: Case, draw: random.Random) -> StoredResult:
    """Other classes, permutations, destinations, entries, arcs and rows."""
    nodes = int(honest.flow.node_count.sum())

    def change(stored: StoredResult) -> StoredResult:
        keys = _fields(stored, INDICES)
        key = draw.choice(keys)
        values = getattr(stored.certificate, key).copy()
        if key == "generator":
            ends = values.shape[1]
            image = (
                np.arange(ends)
                if not len(values) or draw.random() < 0.5
                else values[draw.randrange(len(values))].copy()
            )
            for _ in range(draw.randint(1, 2)):
                a, b = draw.sample(range(nodes), 2) if nodes > 1 and draw.random() < 0.5 else [nodes, ends - 1]
                image[[a, b]] = image[[b, a]]
            values = np.concatenate([values, image[None].astype(np.int32)])
        elif key.endswith("_root") and draw.random() < 0.7:
            return _regrafted(honest, stored, draw)
        elif key == "target" and draw.random() < 0.5:
            kept = draw.randrange(len(values))
            return _with(
                stored,
                **{
                    name: np.delete(getattr(stored.certificate, name), kept, axis=0)
                    for name in ("target", "kind", "node_class")
                },
            )
        elif key.endswith("_class") and draw.random() < 0.7:
            # One class for what were two, here or everywhere.
            a, b = (int(draw.choice(values.reshape(-1).tolist())) for _ in range(2))
            if draw.random() < 0.5:
                values[values == a] = b
            else:
                values.reshape(-1)[draw.randrange(values.size)] = b
        elif values.size:
            flat = values.reshape(-1)
            i, j = draw.randrange(flat.size), draw.randrange(flat.size)
            if draw.random() < 0.5:
                flat[i], flat[j] = flat[j], flat[i]
            else:
                flat[i] = draw.choice([flat[j], 0, flat.max(), max(flat[i] - 1, 0)])
        found = _with(stored, **{key: values.astype(np.int32)})
        if draw.random() < 0.5:
            lengths = "class_length" if "class_length" in _arrays(found) else "length"
            found = _with(found, **{lengths: pushed(getattr(found.certificate, lengths), draw, far=True)})
        return found

    return improved(honest, honest.stored, change)


def _regrafted(honest: Case, stored: StoredResult, draw: random.Random) -> StoredResult:
    """Return the result with a switch under another parent, over cables of its own, or under none."""
    flow, u = honest.flow, draw.randrange(len(stored.certificate.to_root))
    first = np.concatenate([[0], np.cumsum(flow.node_count)])
    p = int(np.searchsorted(first, u, side="right")) - 1
    arcs = slice(*flow.arc_ptr[p : p + 2].tolist())
    tail, head = flow.tail[arcs], flow.head[arcs]
    pairs = [(-1, -1)] + [
        (a, b)
        for a in np.flatnonzero(tail == u - first[p])
        for b in np.flatnonzero(head == u - first[p])
        if head[a] == tail[b]
    ]
    roots = {key: getattr(stored.certificate, key).copy() for key in ("to_root", "from_root")}
    roots["to_root"][u], roots["from_root"][u] = draw.choice(pairs)
    return _with(stored, **roots)


def _figures(honest: Case, draw: random.Random) -> StoredResult:
    """Figures at the edge of what rounding may leave, beyond it, and a status that does not follow."""
    found = refitted(honest.stored)
    stored = honest.stored if found is None else found[0]
    factor = 1 + draw.choice([-1, 1]) * draw.choice([EDGE, EDGE, 2e-9, 1e-6, 1e-3])
    keys = [key for key, value in stored.figures.items() if isinstance(value, float) and draw.random() < 0.7]
    figures = {**stored.figures, **{key: stored.figures[key] * factor for key in keys}}
    gap = 0.0 if found is None else found[1].gap
    tolerance = draw.choice([gap, float(np.nextafter(gap, 0)), 0.5, 1 - 2.0**-53, 5e-324, 1e-4])
    claims = {**stored.claims, "tolerance": tolerance, "status": draw.choice(["certified", "bounds"])}
    return replace(stored, figures=figures, claims=claims)


KINDS: dict[str, Callable[[Case, random.Random], StoredResult]] = {
    "best prices": _best_prices,
    "prices": _prices,
    "best flow": _best_flow,
    "flows": _flows,
    "rates": _rates,
    "levels": _rearranged,
    "indices": _indices,
    "figures": _figures,
}


def main(count: int, first: int = 0) -> int:
    """Try so many and print what came of them by cell; return how many false ones passed."""
    start, seen = time.perf_counter(), Counter[tuple[str, str, str]]()
    with TemporaryDirectory() as name:
        for outcome in forged(range(first, first + count), Path(name)):
            what = "refused" if outcome.error else "FALSE" if outcome.lies else "harmless"
            seen[(*outcome.cell, what)] += 1
            if outcome.lies:
                print(outcome.number, outcome.kind, *outcome.cell, "; ".join(outcome.lies)[:300], flush=True)
    for cell in CELLS:
        print(f"{' '.join(cell):32}", {what: seen[(*cell, what)] for what in ("refused", "harmless", "FALSE")})
    false = sum(number for (*_, what), number in seen.items() if what == "FALSE")
    print(f"{count} forgeries in {time.perf_counter() - start:.0f} s: {false} false ones passed")
    return false


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
