"""A third checker of saved results, written from docs/certificates.md alone: exact fractions, no other package.

    python tools/check.py RESULT.json [--json]

It exits with 0 (certified), 3 (bounds), 1 (refused) or 2 (bad usage). Names are those of the page.
"""

import base64
import heapq
import json
import math
import struct
import sys
import zlib
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

NEAR = Fraction(1, 10**9)
MOST_BYTES = 1 << 26
FIGURES = ["throughput_gbps", "lower_bound_gbps", "upper_bound_gbps", "relative_gap"]
NOT_CHECKED = (
    "keys that the page does not name, ranges of speeds, fingerprints, bottlenecks, binding, the counts of network and "
    "traffic, and what the run says of itself"
)


class RefusedError(Exception):
    """Why a file is not accepted, in one sentence that names the key."""


def need(holds, sentence):
    """Refuse with the sentence unless it holds."""
    if not holds:
        raise RefusedError(sentence)


def unique(pairs):
    """The object with these keys; none may occur twice."""
    found = dict(pairs)
    need(len(found) == len(pairs), "a key occurs twice")
    return found


def no_constant(text):
    """Refuse NaN and Infinity."""
    raise RefusedError(f"{text} is not a number of JSON")


def get(where, key, kind):
    """The entry of an object, of this type."""
    value = where.get(key) if isinstance(where, dict) else None
    need(isinstance(value, kind) and not isinstance(value, bool), f"{key}: missing or of the wrong type")
    return value


def array(where, key, dtype, *shape):
    """The entries of an array, row by row, as whole numbers or fractions; None in shape is any length."""
    stored = get(where, key, dict)
    need(set(stored) == {"dtype", "shape", "data"} and stored["dtype"] == dtype, f"{key}: not an array of {dtype}")
    found = get(stored, "shape", list)
    need(all(type(n) is int and 0 <= n < MOST_BYTES for n in found), f"{key}: the shape is not one of whole numbers")
    fits = len(found) == len(shape) and all(a in (None, b) for a, b in zip(shape, found, strict=False))
    need(fits, f"{key}: the shape is {found}, not {list(shape)}")
    count, width = math.prod(found), 4 if dtype == "<i4" else 8
    stream = zlib.decompressobj()
    data = stream.decompress(base64.b64decode(get(stored, "data", str), validate=True), MOST_BYTES)
    need(stream.eof and len(data) == count * width, f"{key}: the data do not fill the shape")
    numbers = struct.unpack(f"<{count}{'i' if width == 4 else 'd'}", data)
    if width == 4:
        return list(numbers)
    need(all(math.isfinite(x) and x >= 0 for x in numbers), f"{key}: an entry is negative or not finite")
    return [Fraction(x) for x in numbers]


def near(claimed, true, scale=None):
    """Whether a number of the file is within 1e-9 of what is computed."""
    return abs(Fraction(claimed) - true) <= NEAR * abs(true if scale is None else scale)


def down(x):
    """The largest double that is at most x."""
    y = float(x)
    return y if Fraction(y) <= x else math.nextafter(y, -math.inf)


class Plane:
    """One plane: its arcs (tail, head, speed) in order, switches and access speeds of the endpoints."""

    def __init__(self, stored, level):
        """Read the plane of a file."""
        names = get(stored, "switch_names", list)
        n, h = len(names), len(get(stored, "host_names", list))
        u = array(stored, "cable_u", "<i4", None)
        v = array(stored, "cable_v", "<i4", len(u))
        forth = array(stored, "capacity_uv_gbps", "<f8", len(u))
        back = array(stored, "capacity_vu_gbps", "<f8", len(u))
        need(all(0 <= a < n and 0 <= b < n and a != b for a, b in zip(u, v, strict=True)), "cable_u: wrong")
        links = [x for a, b, c, d in zip(u, v, forth, back, strict=True) for x in ((a, b, c), (b, a, d))]
        self.arcs = sorted((x for x in links if x[2] > 0), key=lambda x: x[0])
        self.metric = "metric" in stored
        racks = array(stored, "rack_switch", "<i4", None)
        hosts = array(stored, "host_switch", "<i4", h)
        self.switch = racks if level == "rack" else hosts
        need(all(-1 <= x < n for x in hosts) and all(0 <= x < n for x in racks), "rack_switch, host_switch: wrong")
        need(len(set(racks)) == len(racks), "rack_switch: a switch occurs twice")
        speeds = [array(stored, f"access_{direction}_gbps", "<f8", h) for direction in ("up", "down")]
        self.up, self.down = ([None] * len(racks), [None] * len(racks)) if level == "rack" else speeds
        self.names = [names[x] for x in racks] if level == "rack" else stored["host_names"]

    def toward(self, target, length):
        """The least length from each switch to the target along arcs; switches without a path are missing."""
        into = defaultdict(list)
        for (a, b, _), x in zip(self.arcs, length, strict=True):
            into[b].append((a, x))
        best, queue = {}, [(Fraction(0), target)]
        while queue:
            d, v = heapq.heappop(queue)
            if v not in best:
                best[v] = d
                for a, x in into[v]:
                    heapq.heappush(queue, (d + x, a))
        return best


def read_pairs(traffic, count):
    """The demand of each pair above 0, and the weights of each endpoint (empty for listed demands)."""
    need(get(traffic, "endpoints", int) == count, "endpoints: not the number of racks or hosts")
    pairs = defaultdict(Fraction)
    if "sends" in traffic:
        sends, receives = (array(traffic, key, "<f8", count) for key in ("sends", "receives"))
        for s, a in enumerate(sends):
            for t, b in enumerate(receives):
                if s != t and a * b > 0:
                    pairs[s, t] = Fraction(float(a) * float(b))
        return dict(pairs), list(zip(sends, receives, strict=True))
    src = array(traffic, "src", "<i4", None)
    dst = array(traffic, "dst", "<i4", len(src))
    for s, t, d in zip(src, dst, array(traffic, "demand", "<f8", len(src)), strict=True):
        need(0 <= s < count and 0 <= t < count and s != t, "src, dst: no such pair of endpoints")
        if d > 0:
            pairs[s, t] += d
    return dict(pairs), []


def classes(planes, pairs, weights, level, policy):
    """The class of each endpoint that counts, numbered by first members."""
    ends = sorted({e for pair in pairs for e in pair})
    if level == "rack" or policy == "single":
        return {e: i for i, e in enumerate(ends)}
    mark = {e: (weights[e] if weights else 0, *((p.switch[e], p.up[e], p.down[e]) for p in planes)) for e in ends}
    while True:
        numbers = {}
        of = {e: numbers.setdefault(mark[e], len(numbers)) for e in ends}
        if weights:
            return of
        sums = {e: defaultdict(float) for e in ends}
        for direction in (0, 1):
            for pair in sorted(pairs, key=lambda pair: pair[1 - direction]):
                sums[pair[direction]][direction, of[pair[1 - direction]]] += float(pairs[pair])
        mark = {e: (of[e], *sorted(sums[e].items())) for e in ends}
        if len(set(mark.values())) == len(numbers):
            return of


class Problem:
    """The endpoints, demands and available planes of a file."""

    def __init__(self, file):
        """Read the instance."""
        level, policy = file["level"], file["plane_policy"]
        instance = get(file, "instance", dict)
        self.planes = [Plane(p, level) for p in get(get(instance, "network", dict), "planes", list)]
        need(self.planes, "planes: there is none")
        need(all(p.names == self.planes[0].names for p in self.planes), "planes: racks or hosts differ")
        traffic = get(instance, "traffic", dict)
        need(traffic.get("level") == level, "level: not that of the traffic")
        pairs, weights = read_pairs(traffic, len(self.planes[0].switch))
        of = classes(self.planes, pairs, weights, level, policy)
        self.ends = len(set(of.values()))
        first = {c: e for e, c in reversed(of.items())}
        demand = defaultdict(Fraction)
        for (s, t), d in pairs.items():
            demand[of[s], of[t]] += d
        self.demands = [(s, t, demand[s, t]) for s, t in sorted(demand)]
        for p in self.planes:
            p.at = [p.switch[first[c]] for c in range(self.ends)]
            for direction in ("up", "down"):
                each, total = getattr(p, direction), [None if level == "rack" else Fraction(0)] * self.ends
                for e, c in of.items():
                    total[c] = None if each[e] is None else total[c] + each[e]
                setattr(p, direction, total)
        strict = file["routing"] != "ideal"
        hops = [{t: p.toward(t, [Fraction(1)] * len(p.arcs)) for t in set(p.at) if t >= 0} for p in self.planes]
        self.hops = hops
        every = range(len(self.planes))
        self.available = [[i for i in every if self.usable(i, s, t, strict)] for s, t, _ in self.demands]

    def usable(self, i, s, t, strict):
        """Whether plane i is available to a demand from s to t."""
        p = self.planes[i]
        if min(p.at[s], p.at[t]) < 0 or p.at[s] not in self.hops[i][p.at[t]]:
            return False
        speeds = [p.up[s], p.down[t]] + ([p.down[s], p.up[t]] if strict else [])
        return all(x is None or x > 0 for x in speeds)


def push(plane, target, enters, parts, load):
    """Add to load what enters (by switch) and goes to the target, divided by parts (arc -> part); return nothing."""
    out, waits, amount = defaultdict(list), defaultdict(int), defaultdict(Fraction, enters)
    for a, x in parts.items():
        out[plane.arcs[a][0]].append((a, x))
        waits[plane.arcs[a][1]] += 1
    need(not out[target], "split_arc: an arc leaves the destination")
    ready, done = [v for v in {*out, *amount, target} if not waits[v]], 0
    while ready:
        v = ready.pop()
        total = sum((x for _, x in out[v]), Fraction(0))
        if amount[v] and v != target:
            need(near(total, 1), "split_fraction: the fractions at a switch do not add up to one")
        for a, x in out[v]:
            done += 1
            if amount[v]:
                load[a] += amount[v] * x / total
                amount[plane.arcs[a][1]] += amount[v] * x / total
            waits[plane.arcs[a][1]] -= 1
            if not waits[plane.arcs[a][1]]:
                ready.append(plane.arcs[a][1])
    need(done == len(parts), "split_arc: the arcs of a row form a cycle")


def stored_splits(problem, proof):
    """The parts of `arc`: (plane, destination switch) -> arc -> fraction."""
    rows = sorted({(i, p.at[t]) for (s, t, _), usable in zip(problem.demands, problem.available, strict=True)
                   for i in usable if (p := problem.planes[i]).at[s] != p.at[t]})  # fmt: skip
    ptr = array(proof, "split_ptr", "<i4", len(rows) + 1)
    arc = array(proof, "split_arc", "<i4", None)
    part = array(proof, "split_fraction", "<f8", len(arc))
    need(ptr[0] == 0 and ptr[-1] == len(arc) and ptr == sorted(ptr), "split_ptr: does not rise from 0 to the end")
    found = {}
    for row, a, b in zip(rows, ptr[:-1], ptr[1:], strict=True):
        need(all(0 <= x < len(problem.planes[row[0]].arcs) for x in arc[a:b]), "split_arc: no such arc")
        found[row] = dict(zip(arc[a:b], part[a:b], strict=True))
        need(len(found[row]) == b - a, "split_arc: an arc occurs twice in a row")
    return found


def equal_splits(problem):
    """The parts of `ecmp-split`: equal ones over all arcs that begin a path with the fewest links."""
    found = {}
    for i, p in enumerate(problem.planes):
        for target, hops in problem.hops[i].items():
            good = [a for a, (u, v, _) in enumerate(p.arcs) if u in hops and v in hops and hops[u] == hops[v] + 1]
            count = defaultdict(int)
            for a in good:
                count[p.arcs[a][0]] += 1
            found[i, target] = {a: Fraction(1, count[p.arcs[a][0]]) for a in good}
    return found


def equal_shares(problem, policy, splits):
    """The shares of `ecmp-split`, by demand and plane."""
    found = []
    for (s, t, _), usable in zip(problem.demands, problem.available, strict=True):
        ends = {i: (problem.planes[i].at[s], problem.planes[i].at[t]) for i in usable}
        if policy == "round-robin":
            part = dict.fromkeys(usable, 1)
        else:
            least = min(problem.hops[i][b][a] for i, (a, b) in ends.items())
            part = {i: 1 if a == b else sum(problem.planes[i].arcs[x][0] == a for x in splits[i, b])
                    for i, (a, b) in ends.items() if problem.hops[i][b][a] == least}  # fmt: skip
        found.append({i: Fraction(x, sum(part.values())) for i, x in part.items()})
    return found


def stored_shares(problem, proof):
    """The shares of the file, by demand and plane, over their sum."""
    n, found = len(problem.demands), []
    share = array(proof, "share", "<f8", len(problem.planes), n)
    for j, usable in enumerate(problem.available):
        part = {i: share[i * n + j] for i in range(len(problem.planes)) if share[i * n + j]}
        total = sum(part.values())
        need(set(part) <= set(usable), "share: a demand enters a plane that it cannot use")
        need(near(total, 1), "share: the parts of a demand do not add up to one")
        found.append({i: x / total for i, x in part.items()})
    return found


def loads(problem, shares, splits):
    """What each link carries at K = 1: arcs by plane, and access links as (plane, direction, endpoint)."""
    arcs, access = [[Fraction(0)] * len(p.arcs) for p in problem.planes], defaultdict(Fraction)
    enters = defaultdict(lambda: defaultdict(Fraction))
    for (s, t, d), share in zip(problem.demands, shares, strict=True):
        for i, x in share.items():
            a, b = problem.planes[i].at[s], problem.planes[i].at[t]
            access[i, "up", s] += x * d
            access[i, "down", t] += x * d
            if a != b:
                enters[i, b][a] += x * d
    for (i, target), amounts in enters.items():
        push(problem.planes[i], target, amounts, splits[i, target], arcs[i])
    return arcs, access


def bounds(problem, file):
    """The largest proved lower and the least proved upper bound on K, exactly."""
    proof, fixed = get(file, "certificate", dict), file["routing"] == "ecmp-split"
    form = "load" if fixed else "arc"
    need(proof.get("form") != "quotient", "form: a quotient is not checked by this program")
    need(proof.get("form") == form, f"form: not {form}, which the routing has")
    known = {"form", "length", "up_length", "down_length", "share"}
    known |= {"load"} if fixed else {"split_ptr", "split_arc", "split_fraction"}
    need(set(proof) == known, "certificate: the keys are not those of its form")
    planes, ends = problem.planes, problem.ends
    length = array(proof, "length", "<f8", sum(len(p.arcs) for p in planes))
    access = {direction: array(proof, f"{direction}_length", "<f8", len(planes), ends) for direction in ("up", "down")}
    splits = equal_splits(problem) if fixed else stored_splits(problem, proof)
    shares = stored_shares(problem, proof)
    if fixed:
        true = equal_shares(problem, file["plane_policy"], splits)
        good = all(set(a) == set(b) and all(near(a[i], b[i]) for i in b) for a, b in zip(shares, true, strict=True))
        need(good, "share: not that of the routing")
        shares = true
    arc_load, access_load = loads(problem, shares, splits)
    if fixed:
        stored = array(proof, "load", "<f8", len(length))
        flat = [x for row in arc_load for x in row]
        need(all(near(a, b) for a, b in zip(stored, flat, strict=True)), "load: not that of the routing")
    speeds = [c for p in planes for _, _, c in p.arcs]
    room = [c / f for c, f in zip(speeds, (x for row in arc_load for x in row), strict=True) if f]
    room += [
        c / f
        for (i, direction, e), f in access_load.items()
        if f and (c := getattr(planes[i], direction)[e]) is not None
    ]
    need(room, "certificate: no link limits the flow")
    return min(room), upper_bound(problem, length, access, shares if fixed else None, splits)


def upper_bound(problem, length, access, shares, splits):
    """The volume over sum d_j dist_j; with shares, dist_j is the mean length over the split."""
    volume, dist, begin = Fraction(0), [[] for _ in problem.demands], 0
    for i, p in enumerate(problem.planes):
        own = length[begin : begin + len(p.arcs)]
        begin += len(p.arcs)
        volume += sum(c * x for (_, _, c), x in zip(p.arcs, own, strict=True))
        up, into = (access[direction][i * problem.ends : (i + 1) * problem.ends] for direction in ("up", "down"))
        for speeds, lengths, key in ((p.up, up, "up_length"), (p.down, into, "down_length")):
            need(all(c is not None or not x for c, x in zip(speeds, lengths, strict=True)), f"{key}: not 0")
            volume += sum(c * x for c, x in zip(speeds, lengths, strict=True) if c is not None)
        far = {}
        for j, (s, t, _) in enumerate(problem.demands):
            a, b = p.at[s], p.at[t]
            if i not in (problem.available[j] if shares is None else shares[j]):
                continue
            if b not in far:
                far[b] = p.toward(b, own) if shares is None else mean(p, b, problem.hops[i][b], splits[i, b], own)
            dist[j].append((1 if shares is None else shares[j][i]) * (up[s] + far[b][a] + into[t]))
    each = [min(x) if shares is None else sum(x) for x in dist]
    total = sum(d * x for (_, _, d), x in zip(problem.demands, each, strict=True))
    need(total > 0, "length: the distances add up to 0, which bounds nothing")
    return volume / total


def mean(plane, target, hops, parts, length):
    """The mean length from each switch to the target over the split."""
    found, out = {target: Fraction(0)}, defaultdict(list)
    for a, x in parts.items():
        out[plane.arcs[a][0]].append((a, x))
    for v in sorted(hops, key=hops.get):
        if v != target:
            found[v] = sum(x * (length[a] + found[plane.arcs[a][1]]) for a, x in out[v])
    return found


def check(file):
    """Check a file: (proved lower bound, upper bound, status), or RefusedError."""
    need(isinstance(file, dict) and file.get("format") == "pnet-lp-result/1", "format: not pnet-lp-result/1")
    for key in ("objective", "routing", "plane_policy", "level"):
        get(file, key, str)
    need(file["objective"] == "concurrent", "objective: not checked by this program, which knows concurrent")
    need(file["routing"] in ("ideal", "ecmp-split"), "routing: not checked by this program, only ideal and ecmp-split")
    policies = ("any",) if file["routing"] == "ideal" else ("any", "shortest", "round-robin")
    need(file["plane_policy"] in policies, "plane_policy: not checked by this program")
    need(file["level"] in ("rack", "host"), "level: neither rack nor host")
    need("answer" not in file and "least_load" not in file, "answer, least_load: not checked by this program")
    need(list(file)[:4] == FIGURES, "the first keys are not the figures of concurrent")
    problem = Problem(file)
    metric = file["routing"] != "ideal" and any(p.metric for p in problem.planes)
    need(not metric, "metric: not checked by this program")
    need(problem.demands, "traffic: without demands, which is not checked by this program")
    low = high = Fraction(0)
    if all(problem.available):
        low, high = bounds(problem, file)
    else:
        need(file.get("certificate", 0) is None, "certificate: not null, but a demand has no path")
    need(low <= high, "certificate: the bounds cross")
    gap = (high - low) / high if high else Fraction(0)
    for key, true in zip(FIGURES, (low, low, high, gap), strict=True):
        scale = 1 + gap if key == "relative_gap" else None
        need(near(get(file, key, (int, float)), true, scale), f"{key}: not {float(true)!r}, which the proof gives")
    tolerance = Fraction(get(file, "tolerance", (int, float)))
    need(0 < tolerance < 1, "tolerance: not between 0 and 1")
    need(file.get("status") == ("certified" if gap <= tolerance else "bounds"), "status: does not fit the gap")
    status = "certified" if gap <= tolerance and gap <= Fraction(1e-4) else "bounds"
    return down(low), -down(-high), status


def main(arguments):
    """Run the command; return the exit code."""
    paths = [x for x in arguments if x != "--json"]
    if len(paths) != 1 or paths[0].startswith("-") or len(arguments) > 2:
        print("usage: python tools/check.py RESULT.json [--json]", file=sys.stderr)
        return 2
    try:
        text = Path(paths[0]).read_text(encoding="utf-8")
        file = json.loads(text, object_pairs_hook=unique, parse_constant=no_constant)
        low, high, status = check(file)
    except (RefusedError, OSError) as error:
        print(f"Error: {paths[0]!a}: {ascii(str(error))[1:-1]}", file=sys.stderr)
        return 1
    except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError, MemoryError, zlib.error) as error:
        print(f"Error: {paths[0]!a}: damaged ({type(error).__name__})", file=sys.stderr)
        return 1
    if "--json" in arguments:
        print(json.dumps({"status": status, "objective": file["objective"], "lower": low, "upper": high,
                          "not_checked": NOT_CHECKED}))  # fmt: skip
    else:
        print(f"{status}: {file['objective']} proved in [{low!r}, {high!r}]; not checked: {NOT_CHECKED}")
    return 0 if status == "certified" else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
