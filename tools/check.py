"""A third checker of saved results, written from docs/certificates.md alone: exact fractions, no other package.

    python tools/check.py RESULT.json [--json]

It exits with 0 (certified), 3 (bounds), 1 (refused) or 2 (bad usage). Names are those of the page.  check_problem.py
reads the instance, check_forms.py the certificate, check_limits.py the bottlenecks; here are objectives, figures and
the command.
"""

import json
import math
import sys
import zlib
from collections import defaultdict
from fractions import Fraction
from graphlib import CycleError
from pathlib import Path

from check_forms import FORMS, LENGTHS, ROUTINGS
from check_limits import check_limits
from check_problem import NEAR, Problem, RefusedError, array, exactly, get, near, need, no_constant, number, unique

NOT_CHECKED = "least_load and what the run says of itself"

FIGURES = {
    "concurrent": "throughput_gbps lower_bound_gbps upper_bound_gbps relative_gap",
    "min-max-utilisation": "max_utilisation lower_bound upper_bound throughput_gbps relative_gap",
    "total": "total_gbps lower_bound_gbps upper_bound_gbps relative_gap rates_gbps",
    "min-cost": "cost_gbps_links lower_bound_gbps_links upper_bound_gbps_links relative_gap carried_gbps asked_gbps "
    "mean_links rates_gbps",
    "max-min": "total_gbps relative_gap levels rates_gbps",
    "max-min-fill": "total_gbps relative_gap levels rates_gbps",
}
FILE = "format objective routing plane_policy routing_seed level tolerance status network traffic binding bottlenecks "
FILE += "interrupted solver iterations seconds warnings instance certificate"


class Claim:
    """What a file claims: its problem, form, proof and answer."""

    def __init__(self, file):
        self.file = file
        self.objective, _, options = file["objective"].partition(":")
        self.options = dict(x.split("=", 1) for x in options.split(",")) if options else {}
        need(self.objective in FIGURES, "objective: not one of the page")
        known = {
            "min-cost": {"at", "fraction", "costs"},
            "total": {"floor"},
            "max-min": {"cap"},
            "max-min-fill": {"cap"},
        }
        need(set(self.options) <= known.get(self.objective, set()), "objective: an option is not one of the page")
        self.capped = "cap" in self.options
        self.rated = self.objective in ("total", "max-min", "max-min-fill")
        need(self.options.get("cap", "demand") == "demand", "objective: cap is not demand")
        routing = file["routing"].partition(":")[0]
        need(routing in ROUTINGS, f"routing: {routing!a} is not checked by this program")
        self.problem = problem = Problem(file, self.capped)
        self.proof = file["certificate"]
        self.lost = not (problem.whole if self.objective in ("concurrent", "min-max-utilisation") else problem.demands)
        need((self.proof is None) == self.lost, "certificate: null, or not, against the paths of the demands")
        self.form = self.length = None
        if not self.lost:
            name = get(self.proof, "form", str)
            right = [ROUTINGS[problem.routing]]
            if problem.routing == "ideal" and self.objective in ("concurrent", "min-max-utilisation"):
                right.append("quotient")
            need(name in right, f"form: not {' or '.join(right)}")
            exactly(self.proof, "certificate", f"form {FORMS[name].keys}")
            self.form = FORMS[name](problem, self.proof)
            self.length = self.form.length if name == "quotient" else problem.lengths(self.proof)
        if self.objective not in ("concurrent", "min-max-utilisation"):
            self.read_rates()
        if self.form:
            self.form.agree(self.sent if self.rated else [d for _, _, d in problem.demands])

    def read_rates(self):
        """The rates of the answer: of pairs, and of demands per unit, least and largest, and in all."""
        problem, answer = self.problem, get(self.file, "answer", dict)
        exactly(answer, "answer", "rates_gbps levels inputs")
        costs = "link_cost" if "costs" in self.options else ""
        exactly(answer["inputs"], "inputs", costs)
        self.rates = array(answer, "rates_gbps", "<f8", len(problem.pairs))
        per, own = defaultdict(list), defaultdict(list)
        for j, d, r in zip(problem.demand_of, problem.pairs.values(), self.rates, strict=True):
            need(j is not None or not r, "rates_gbps: a pair without a path has a rate")
            per[j].append(r / d)
            own[j].append(r)
        demands = range(len(problem.demands))
        self.least, self.most = [min(per[j]) for j in demands], [max(per[j]) for j in demands]
        good = all(b - a <= NEAR * b for a, b in zip(self.least, self.most, strict=True))
        need(good, "rates_gbps: equivalent pairs have different rates")
        self.sent = [own[j][0] if len(own[j]) == 1 else self.most[j] * problem.demands[j][2] for j in demands]
        self.load = self.form.load(self.sent) if self.form else {}
        need(problem.fits(self.load), "rates_gbps: they do not fit")

    def weighed(self, dist):
        """The sum of d_j dist_j."""
        return sum(d * x for (_, _, d), x in zip(self.problem.demands, dist, strict=True))

    def summary(self):
        """The figure `rates_gbps`."""
        return {"min": min(self.rates), "mean": sum(self.rates) / len(self.rates), "max": max(self.rates)}


def gap_of(low, high):
    """The gap of two bounds, which must not cross."""
    need(low <= high, "certificate: the bounds cross")
    return (high - low) / high if high else Fraction(0)


def concurrent(claim):
    """Bounds on K."""
    if claim.lost:
        return Fraction(0), Fraction(0)
    problem = claim.problem
    load, total = claim.form.whole(claim.length)
    room = [problem.speed[a] / x for a, x in load.items() if x and problem.speed[a] is not None]
    need(room, "certificate: no link limits the flow")
    need(total > 0, "length: the distances add up to 0, which bounds nothing")
    return min(room), problem.volume(claim.length) / total


def check_concurrent(claim):
    """Figures, the gap that decides, and the bounds."""
    low, high = concurrent(claim)
    gap = gap_of(low, high)
    return (low, low, high, gap), gap, low, high


def check_utilisation(claim):
    """The same, of the reciprocal."""
    low, high = concurrent(claim)
    gap = gap_of(low, high)
    if not low:
        return (None, None, None, low, gap), gap, None, None
    return (1 / low, 1 / high, 1 / low, low, gap), gap, 1 / high, 1 / low


def check_total(claim):
    """The sum of rates, each at most its demand, and at least a floor."""
    total = high = sum(claim.rates)
    need(all(t <= 1 for t in claim.most), "rates_gbps: a rate is above its demand")
    floor = Fraction(float(claim.options.get("floor", 0)))
    part = min([floor, *claim.least]) if claim.form else Fraction(0)
    if claim.form:
        dist = claim.form.dist(claim.length)
        high = claim.problem.volume(claim.length) + claim.weighed(max(0, 1 - x) - part * max(0, x - 1) for x in dist)
    gap = gap_of(total, high)
    figures = (total, total, high, gap, claim.summary())
    need(claim.form or not floor, "objective: no demand has a path, so none has a floor")
    return ((*figures, part), max(gap, 1 - part / floor), total, high) if floor else (figures, gap, total, high)


def check_cost(claim):
    """The cost of carrying k times the matrix."""
    need(claim.form and claim.problem.whole, "objective: a demand has no path, so there is no cost")
    problem, arcs = claim.problem, [link for link in claim.problem.speed if link[0] == "arc"]
    inputs = claim.file["answer"]["inputs"]
    cost = array(inputs, "link_cost", "<f8", len(arcs), between=1e100) if inputs else [Fraction(1)] * len(arcs)
    cost = defaultdict(Fraction, zip(arcs, cost, strict=True))
    k, q = min(claim.least), number(claim.file, "asked_gbps")
    need(k > 0 and max(claim.most) <= k * (1 + NEAR), "rates_gbps: not the same part of each demand")
    if "at" in claim.options:
        need(near(q, Fraction(float(claim.options["at"]))), "asked_gbps: not that of the objective")
        q = Fraction(float(claim.options["at"]))
    need(k <= q * (1 + NEAR), "rates_gbps: more than requested")
    k = min(k, q)
    both = {a: cost[a] + x for a, x in claim.length.items()}
    high = sum(cost[a] * x for a, x in claim.load.items())
    low = max(k * claim.weighed(claim.form.dist(cost)),
              k * claim.weighed(claim.form.dist(both)) - problem.volume(claim.length))  # fmt: skip
    gap, mean = gap_of(low, high), high / (k * sum(d for _, _, d in problem.demands))
    return (high, low, high, gap, k, q, mean, claim.summary()), max(gap, 1 - k / q), low, high


def check_levels(claim):
    """Max-min fair rates, by levels."""
    problem, stored = claim.problem, get(claim.file["answer"], "levels", list)
    demands = problem.demands
    unit = [Fraction(1) if claim.capped else d for _, _, d in demands]
    least, most = (claim.sent, claim.sent) if claim.capped else (claim.least, claim.most)
    need(
        not claim.capped or all(r <= d for r, (_, _, d) in zip(least, demands, strict=True)), "rates_gbps: above demand"
    )
    by_length = claim.objective == "max-min" and any(get(x, "up_length", dict).get("shape") != [0] for x in stored)
    tests, seen, before, shown, gap = None, set(), 0, [], Fraction(0)
    for level in stored:
        exactly(level, "levels", f"rate upper demands {LENGTHS}")
        chosen, rate = array(level, "demands", "<i4", None), number(level, "rate")
        upper = None if level["upper"] is None else number(level, "upper")
        need(chosen and len(set(chosen)) == len(chosen) and not seen & set(chosen), "levels: demands are not apart")
        need(all(0 <= j < len(demands) for j in chosen), "levels: no such demand")
        seen |= set(chosen)
        low = min(least[j] for j in chosen)
        need(
            near(rate, low) and rate >= before and (upper is None or rate <= upper),
            "levels: a rate is not the least of its level, falls, or is above the bound",
        )
        before = rate
        if by_length:
            length = problem.lengths(level)
            if upper is not None:
                own = [d * x for d, x in zip(unit, claim.form.dist(length), strict=True)]
                kept = [x * min(t, upper) for x, t in zip(own, least, strict=True)]
                spare = problem.volume(length) - sum(kept)
                good = all(own[j] > 0 and spare + kept[j] <= upper * own[j] for j in chosen)
                need(good, "levels: the lengths do not prove the bound")
        else:
            need(all(not array(level, key, "<f8", 0) for key in LENGTHS.split()), "levels: wrong lengths")
            tests = tests or Full(problem, unit, claim.form.fixed(), least, most)
            need(upper is None or all(tests.hold(j, upper) for j in chosen), "levels: no full link proves the bound")
        gap = max(gap, Fraction(1) if upper is None else gap_of(low, upper))
        largest = math.inf if upper is None else upper
        if shown and low <= shown[-1][1]:
            shown[-1] = [min(low, shown[-1][0]), max(largest, shown[-1][1]), shown[-1][2] + len(chosen)]
        else:
            shown.append([low, largest, len(chosen)])
    rest = set(range(len(demands))) - seen
    need(claim.capped or not rest, "levels: a demand is in none")
    gap = max(gap, *(1 - least[j] / demands[j][2] for j in rest), 0)
    shown = [{"rate_gbps": a, "upper_bound_gbps": None if b == math.inf else b, "demands": n} for a, b, n in shown]
    figures = (sum(claim.rates), gap, shown, claim.summary())
    return ((*figures, len(rest)) if claim.capped and claim.form else figures), gap, None, None


class Full:
    """Full links, which prove levels where each demand has one path or a fixed split."""

    def __init__(self, problem, unit, parts, least, most):
        self.part = [{a: x * d for a, x in row.items() if x} for row, d in zip(parts, unit, strict=True)]
        self.spare, self.largest, self.most = dict(problem.speed), defaultdict(Fraction), most
        for j, row in enumerate(self.part):
            for a, x in row.items():
                self.largest[a] = max(self.largest[a], most[j])
                self.spare[a] = self.spare[a] if self.spare[a] is None else self.spare[a] - x * least[j]

    def hold(self, j, upper):
        """Whether a link proves that demand j can get no more."""
        return any(self.spare[a] is not None and self.largest[a] <= upper
                   and self.most[j] + max(0, self.spare[a]) / x <= upper
                   for a, x in self.part[j].items())  # fmt: skip


OBJECTIVES = {
    "concurrent": check_concurrent,
    "min-max-utilisation": check_utilisation,
    "total": check_total,
    "min-cost": check_cost,
    "max-min": check_levels,
    "max-min-fill": check_levels,
}


def compare(key, claimed, true, scale=None):
    """Refuse a figure that is not what the proof gives."""
    if isinstance(true, dict):
        exactly(claimed, key, " ".join(true))
        for name, x in true.items():
            compare(f"{key}.{name}", claimed[name], x)
    elif isinstance(true, list):
        need(isinstance(claimed, list) and len(claimed) == len(true), f"{key}: not {len(true)} of them")
        for mine, x in zip(claimed, true, strict=True):
            compare(key, mine, x)
    elif true is None or isinstance(true, str):
        need(claimed == true, f"{key}: not {true}")
    else:
        good = type(claimed) in (int, float) and near(claimed, true, scale)
        need(good, f"{key}: not {float(true)!r}, which the file proves")


def describe(problem, file):
    """Compare what the file says of its network and traffic."""
    planes, demand = problem.planes, problem.pairs.values()
    variant, label = (get(file["instance"][x], y, str) for x, y in (("network", "variant"), ("traffic", "label")))
    compare("network", file["network"], {
        "planes": len(planes), "variant": variant, "switches": sum(p.switches for p in planes),
        "racks": planes[0].racks, "hosts": planes[0].hosts, "links": sum(p.cables for p in planes),
        "fingerprint": problem.network,
    })  # fmt: skip
    compare("traffic", file["traffic"], {"label": label, "demands": len(demand), "total": sum(demand),
                                         "fingerprint": problem.traffic})  # fmt: skip


def check(file):
    """Check a file: (status, lower bound, upper bound, gap, exact figures), or RefusedError."""
    need(isinstance(file, dict) and file.get("format") == "pnet-lp-result/1", "format: not pnet-lp-result/1")
    for key in ("objective", "routing", "plane_policy", "level"):
        get(file, key, str)
    need(file["level"] in ("rack", "host"), "level: neither rack nor host")
    name, _, options = file["objective"].partition(":")
    figures = FIGURES.get(name, "").split()
    if file.get("certificate") is not None:
        figures += ["floor"] * ("floor=" in options) + ["satisfied"] * ("cap=" in options)
    need(figures and set(list(file)[: len(figures)]) == set(figures), "the first keys are not those of the objective")
    answer = "" if name in ("concurrent", "min-max-utilisation") else " answer"
    exactly(file, "the file", f"{FILE}{answer} {' '.join(figures)}", "least_load")
    claim = Claim(file)
    true, gap, low, high = OBJECTIVES[name](claim)
    for key, x in zip(figures, true, strict=True):
        compare(key, file[key], x, 1 + x if key == "relative_gap" else None)
    describe(claim.problem, file)
    check_limits(claim)
    tolerance, status = number(file, "tolerance"), file["status"]
    need(0 < tolerance < 1, "tolerance: not between 0 and 1")
    free = name == "min-cost" and "at" not in claim.options
    need(status == ("certified" if gap <= tolerance else "bounds") or (free and status == "bounds"), "status: wrong")
    return status if gap <= Fraction(1e-4) else "bounds", low, high, gap, dict(zip(figures, true, strict=True))


def outward(x, side):
    """The double nearest to a number on this side of it."""
    y = float(x)
    return y if (Fraction(y) - x) * side >= 0 else math.nextafter(y, side * math.inf)


def main(arguments):
    """Run the command; return the exit code."""
    paths = [x for x in arguments if x != "--json"]
    if len(paths) != 1 or paths[0].startswith("-") or len(arguments) > 2:
        print("usage: python tools/check.py RESULT.json [--json]", file=sys.stderr)
        return 2
    try:
        text = Path(paths[0]).read_text(encoding="utf-8")
        file = json.loads(text, object_pairs_hook=unique, parse_constant=no_constant)
        status, low, high, gap, _ = check(file)
    except (RefusedError, OSError) as error:
        print(f"Error: {paths[0]!a}: {ascii(str(error))[1:-1]}", file=sys.stderr)
        return 1
    except CycleError:
        print(f"Error: {paths[0]!a}: the flow towards a destination has a cycle", file=sys.stderr)
        return 1
    except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError, MemoryError, zlib.error) as error:
        print(f"Error: {paths[0]!a}: damaged ({type(error).__name__})", file=sys.stderr)
        return 1
    bounds = [None, None] if low is None else [outward(low, -1), outward(high, 1)]
    if "--json" in arguments:
        print(json.dumps({"status": status, "objective": file["objective"], "lower": bounds[0], "upper": bounds[1],
                          "gap": outward(gap, 1), "not_checked": NOT_CHECKED}))  # fmt: skip
    else:
        proved = f"a gap of {outward(gap, 1)!r}" if low is None else f"in [{bounds[0]!r}, {bounds[1]!r}]"
        print(f"{status}: {file['objective']} proved {proved}; not checked: {NOT_CHECKED}")
    return 0 if status == "certified" else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
