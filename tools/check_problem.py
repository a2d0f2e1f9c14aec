"""The problem that a saved result poses, read from its instance as docs/certificates.md says; used by check.py."""

import base64
import hashlib
import heapq
import math
import struct
import zlib
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product

NEAR = Fraction(1, 10**9)
MOST_BYTES = 1 << 26
WORD = (1 << 64) - 1
PLANE = "switch_names cable_u cable_v capacity_uv_gbps capacity_vu_gbps rack_switch host_switch access_up_gbps "
PLANE += "access_down_gbps host_names"


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


def exactly(where, name, keys, optional=""):
    """Refuse an object with other keys."""
    need(isinstance(where, dict), f"{name}: not an object")
    wrong = sorted({*where} - {*keys.split(), *optional.split()} or {*keys.split()} - {*where})
    need(not wrong, f"{name}: the key {wrong[:1]} is missing or not known")


def texts(where, key):
    """The texts of a list, all different."""
    found = get(where, key, list)
    need(all(isinstance(x, str) for x in found) and len(set(found)) == len(found), f"{key}: not different texts")
    return found


def raw(where, key, dtype, *shape):
    """The bytes of an array; None in shape is any length."""
    stored = get(where, key, dict)
    need(set(stored) == {"dtype", "shape", "data"} and stored["dtype"] == dtype, f"{key}: not an array of {dtype}")
    found = get(stored, "shape", list)
    need(all(type(n) is int and 0 <= n < MOST_BYTES for n in found), f"{key}: the shape is not one of whole numbers")
    fits = len(found) == len(shape) and all(a in (None, b) for a, b in zip(shape, found, strict=True))
    need(fits, f"{key}: the shape is {found}, not {list(shape)}")
    stream = zlib.decompressobj()
    data = stream.decompress(base64.b64decode(get(stored, "data", str), validate=True), MOST_BYTES)
    fits = stream.eof and not stream.unused_data and len(data) == math.prod(found) * (4 if dtype == "<i4" else 8)
    need(fits, f"{key}: the data do not fill the shape")
    return data


def array(where, key, dtype, *shape, between=None):
    """The entries of an array, row by row, as whole numbers or fractions >= 0, those above 0 between two limits."""
    data = raw(where, key, dtype, *shape)
    if dtype == "<i4":
        return list(struct.unpack(f"<{len(data) // 4}i", data))
    numbers = struct.unpack(f"<{len(data) // 8}d", data)
    need(all(math.isfinite(x) and x >= 0 for x in numbers), f"{key}: an entry is negative or not finite")
    if between:
        need(all(x == 0 or 1 / between <= x <= between for x in numbers), f"{key}: an entry is out of range")
    return [Fraction(x) for x in numbers]


def number(where, key):
    """A finite number of an object, as it is written."""
    return Fraction(get(where, key, (int, float)))


def near(claimed, true, scale=None):
    """Whether a number of the file is within 1e-9 of what is computed."""
    return abs(Fraction(claimed) - true) <= NEAR * abs(true if scale is None else scale)


def rows(numbers, width):
    """The rows of an array."""
    return [tuple(numbers[i : i + width]) for i in range(0, len(numbers), width)]


def fingerprint(*parts):
    """The SHA-256 of texts, and of arrays as (dtype, shape, bytes)."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part[2]
        head = (
            f"str {len(data)};"
            if isinstance(part, str)
            else f"{part[0]} ({', '.join(map(str, part[1]))}{',' * (len(part[1]) == 1)});"
        )
        found.update(head.encode() + data)
    return f"sha256:{found.hexdigest()}"


class Stream:
    """A stream of draws."""

    def __init__(self, *words):
        self.z = 0
        for w in words:
            self.z = self.next() ^ w

    def next(self):
        """The next word."""
        self.z = (self.z + 0x9E3779B97F4A7C15) & WORD
        y = ((self.z ^ (self.z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        y = ((y ^ (y >> 27)) * 0x94D049BB133111EB) & WORD
        return y ^ (y >> 31)

    def below(self, n):
        """A whole number below n."""
        return self.next() * n >> 64

    def index(self, weights):
        """An index, drawn with these weights."""
        x = (self.next() >> 11) / 2.0**53 * sum(map(float, weights))
        positive = [i for i, w in enumerate(weights) if w > 0]
        for i in positive:
            if x < float(weights[i]):
                return i
            x -= float(weights[i])
        return positive[-1]


class Plane:
    """One plane: its arcs (tail, head, speed) in order, switches and access speeds of the endpoints."""

    def __init__(self, stored, level):
        extra = [key for key in ("box", "delay_ns", "access_delay_ns", "metric") if key in stored]
        exactly(stored, "planes", f"{PLANE} tier label", " ".join(extra))
        names, hosts = texts(stored, "switch_names"), texts(stored, "host_names")
        n, h = len(names), len(hosts)
        u, v = (array(stored, f"cable_{end}", "<i4", None) for end in "uv")
        self.cables, m = len(u), len(u)
        need(
            len(v) == m and all(0 <= a < n and 0 <= b < n and a != b for a, b in zip(u, v, strict=True)),
            "cable_u: wrong",
        )
        forth, back = (
            array(stored, f"capacity_{direction}_gbps", "<f8", m, between=1e15) for direction in ("uv", "vu")
        )
        metric = array(stored, "metric", "<i4", m, 2) if "metric" in stored else [1] * (2 * m)
        need(all(x >= 1 for x in metric), "metric: below 1")
        array(stored, "tier", "<i4", n)
        links = [x for i, (a, b) in enumerate(zip(u, v, strict=True))
                 for x in ((a, b, forth[i], metric[2 * i]), (b, a, back[i], metric[2 * i + 1]))]  # fmt: skip
        links = sorted((x for x in links if x[2] > 0), key=lambda x: x[0])
        self.arcs, self.metric = [x[:3] for x in links], [x[3] for x in links]
        self.leaving = defaultdict(list)
        for a, (tail, _, _) in enumerate(self.arcs):
            self.leaving[tail].append(a)
        racks, attached = array(stored, "rack_switch", "<i4", None), array(stored, "host_switch", "<i4", h)
        need(all(-1 <= x < n for x in attached) and all(0 <= x < n for x in racks), "rack_switch, host_switch: wrong")
        need(len(set(racks)) == len(racks), "rack_switch: a switch occurs twice")
        self.up, self.down = (
            array(stored, f"access_{direction}_gbps", "<f8", h, between=1e15) for direction in ("up", "down")
        )
        need(all(x >= 0 or not a + b for x, a, b in zip(attached, self.up, self.down, strict=True)), "access: not 0")
        self.switches, self.racks, self.hosts, self.names, self.switch_names = n, len(racks), h, hosts, names
        self.switch = attached
        if level == "rack":
            self.switch, self.names = racks, [names[x] for x in racks]
            self.up, self.down = [None] * len(racks), [None] * len(racks)
        parts = ["plane/1"]
        for key in PLANE.split() + extra:
            parts += [key] if key in extra else []
            if key.endswith("_names"):
                parts.append("\n".join(stored[key]))
            else:
                dtype, shape = get(stored[key], "dtype", str), get(stored[key], "shape", list)
                parts.append((dtype, shape, raw(stored, key, dtype, *shape)))
        self.fingerprint = fingerprint(*parts)
        self.known = {}

    def toward(self, target, length):
        """The least length from each switch to the target along arcs; switches without a path are missing."""
        into = defaultdict(list)
        for (a, b, _), x in zip(self.arcs, length, strict=True):
            into[b].append((a, x))
        best, queue = {}, [(0, target)]
        while queue:
            d, v = heapq.heappop(queue)
            if v not in best:
                best[v] = d
                for a, x in into[v]:
                    heapq.heappush(queue, (d + x, a))
        return best

    def far(self, target):
        """The least metric from each switch to the target."""
        if target not in self.known:
            self.known[target] = self.toward(target, self.metric)
        return self.known[target]

    def nearest(self, target):
        """The arcs that begin a shortest path to the target, by tail."""
        far, found = self.far(target), defaultdict(list)
        for a, (u, v, _) in enumerate(self.arcs):
            if v in far and far[u] == far[v] + self.metric[a]:
                found[u].append(a)
        return found


def read_pairs(traffic, count):
    """The demand of each pair above 0, the weights of each endpoint (empty for listed demands), and the fingerprint."""
    pairs, weights = defaultdict(Fraction), []
    head = f"{traffic['level']} {count}"
    if "sends" in traffic:
        exactly(traffic, "traffic", "level endpoints label sends receives")
        sends, receives = (array(traffic, key, "<f8", count) for key in ("sends", "receives"))
        weights = list(zip(sends, receives, strict=True))
        for (s, (a, _)), (t, (_, b)) in product(enumerate(weights), repeat=2):
            if s != t and a * b > 0:
                pairs[s, t] = Fraction(float(a) * float(b))
    else:
        exactly(traffic, "traffic", "level endpoints label src dst demand")
        src = array(traffic, "src", "<i4", None)
        dst = array(traffic, "dst", "<i4", len(src))
        for s, t, d in zip(src, dst, array(traffic, "demand", "<f8", len(src), between=1e15), strict=True):
            need(0 <= s < count and 0 <= t < count and s != t, "src, dst: no such pair of endpoints")
            if d > 0:
                pairs[s, t] += d
    pairs, n = dict(sorted(pairs.items())), len(pairs)
    if weights and n > 1_000_000:
        parts = [("<f8", [count], raw(traffic, key, "<f8", count)) for key in ("sends", "receives")]
        return pairs, weights, fingerprint(f"traffic-rule/1 {head}", *parts)
    parts = [("<i4", [n], struct.pack(f"<{n}i", *(pair[end] for pair in pairs))) for end in (0, 1)]
    parts.append(("<f8", [n], struct.pack(f"<{n}d", *map(float, pairs.values()))))
    return pairs, weights, fingerprint(f"traffic/1 {head}", *parts)


def classes(planes, pairs, weights, merge):
    """The class of each endpoint that counts, numbered by first members."""
    ends = sorted({e for pair in pairs for e in pair})
    if not merge:
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
    """The endpoints, demands and available planes of a file; its links are (sort, plane, arc or endpoint)."""

    def __init__(self, file, capped):
        level, self.policy, self.seed = file["level"], file["plane_policy"], get(file, "routing_seed", int)
        need(0 <= self.seed <= WORD, "routing_seed: not from 0 to 2^64 - 1")
        self.routing, _, count = file["routing"].partition(":")
        known = ("any",) if self.routing == "ideal" else ("any", "shortest", "single", "round-robin")
        need(self.policy in known, f"plane_policy: not one of {', '.join(known)}")
        need(bool(count) == (self.routing in ("ksp", "edge-disjoint")), "routing: K is missing or has no meaning")
        count = count.removeprefix("k=") or "1"
        need(count.isdecimal() and count.isascii() and count[0] != "0", "routing: K is not a whole number above 0")
        self.count = int(count)
        exactly(file["instance"], "instance", "network traffic")
        network, traffic = (get(file["instance"], key, dict) for key in ("network", "traffic"))
        exactly(network, "network", "variant planes")
        self.planes = [Plane(p, level) for p in get(network, "planes", list)]
        need(self.planes and all(p.names == self.planes[0].names for p in self.planes), "planes: racks or hosts differ")
        ends = len(self.planes[0].switch)
        need(traffic.get("level") == level and get(traffic, "endpoints", int) == ends, "level, endpoints: differ")
        self.pairs, weights, self.traffic = read_pairs(traffic, ends)
        need(self.pairs, "traffic: without demands, which is not checked by this program")
        self.network = fingerprint("network/1", *(p.fingerprint for p in self.planes))
        self.drawn = self.policy == "single" or self.routing == "ecmp"
        of = classes(self.planes, self.pairs, weights, level == "host" and not (self.drawn or capped))
        self.ends, self.members, first = (
            len(set(of.values())),
            Counter(of.values()),
            {c: e for e, c in reversed(of.items())},
        )
        demand = defaultdict(Fraction)
        for (s, t), d in self.pairs.items():
            demand[of[s], of[t]] += d
        need(all(1e-100 <= d <= 1e100 for d in demand.values()), "demand: a sum is out of range")
        self.speed = {("arc", i, a): arc[2] for i, p in enumerate(self.planes) for a, arc in enumerate(p.arcs)}
        for p in self.planes:
            p.at = [p.switch[first[c]] for c in range(self.ends)]
        for direction, (i, p) in product(("up", "down"), enumerate(self.planes)):
            total = [None if level == "rack" else Fraction(0)] * self.ends
            for e, c in of.items():
                total[c] = None if level == "rack" else total[c] + getattr(p, direction)[e]
            self.speed |= {(direction, i, c): x for c, x in enumerate(total)}
        every = range(len(self.planes))
        usable = {pair: [i for i in every if self.usable(i, *pair)] for pair in demand}
        self.whole = all(usable.values())
        self.demands = [(s, t, demand[s, t]) for s, t in sorted(demand) if usable[s, t]]
        self.available = [usable[s, t] for s, t, _ in self.demands]
        number = {(s, t): j for j, (s, t, _) in enumerate(self.demands)}
        self.demand_of = [number.get((of[s], of[t])) for s, t in self.pairs]
        self.titles = [
            self.planes[0].names[e] + (f" and {self.members[c] - 1} equivalent" if self.members[c] > 1 else "")
            for c, e in sorted(first.items())
        ]
        self.name = [first[c] if self.drawn else self.word(c) for c in range(self.ends)]

    def usable(self, i, s, t):
        """Whether plane i is available to a demand from s to t."""
        p = self.planes[i]
        a, b = p.at[s], p.at[t]
        if min(a, b) < 0 or a not in p.far(b) or (self.routing == "vlb" and b not in p.far(a)):
            return False
        needed = [("up", s), ("down", t)] + ([("down", s), ("up", t)] if self.routing != "ideal" else [])
        return all(self.speed[direction, i, e] != 0 for direction, e in needed)

    def word(self, e):
        """What stands for a class in draws."""
        off = [0 in (self.speed["up", i, e], self.speed["down", i, e]) for i in range(len(self.planes))]
        return Stream(*(0 if no else 1 + p.at[e] for p, no in zip(self.planes, off, strict=True))).next()

    def links(self, j, i, arcs):
        """The links of a path of demand j in plane i."""
        s, t, _ = self.demands[j]
        return [("up", i, s), *(("arc", i, a) for a in arcs), ("down", i, t)]

    def far(self, j, i):
        """How long the shortest path of demand j in plane i is."""
        s, t, _ = self.demands[j]
        return self.planes[i].far(self.planes[i].at[t])[self.planes[i].at[s]]

    def nearest(self, j, planes):
        """Those of the planes in which demand j has the shortest paths."""
        least = min(self.far(j, i) for i in planes)
        return [i for i in planes if self.far(j, i) == least]

    def lengths(self, stored):
        """The length of each link, from a certificate or a level."""
        found = array(stored, "length", "<f8", sum(link[0] == "arc" for link in self.speed))
        for direction in ("up", "down"):
            found += array(stored, f"{direction}_length", "<f8", len(self.planes), self.ends)
        found = dict(zip(self.speed, found, strict=True))
        need(all(self.speed[a] is not None or not x for a, x in found.items()), "up_length, down_length: not 0")
        return found

    def volume(self, length):
        """The sum of speed times length over all links."""
        return sum(c * length[a] for a, c in self.speed.items() if c is not None)

    def fits(self, load):
        """Whether no load is above the speed of its link."""
        return all(self.speed[a] is None or x <= self.speed[a] for a, x in load.items())
