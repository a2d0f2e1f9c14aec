"""A third checker of saved results, written from docs/certificates.md alone: exact fractions, no other package.

Usage: python tools/check.py RESULT.json. The exit code is 0 (certified), 3 (bounds), 1 (refused), 2 (bad usage), or 4
(not checked: `edge-disjoint`, `hedera` and four forms, which `check_all.py` adds; too large files). The problem is one
directed graph: a source and a sink of each endpoint, and between them the switches of all planes.
"""

import base64
import hashlib
import heapq
import json
import math
import struct
import sys
import zlib
from collections import Counter, defaultdict, namedtuple
from fractions import Fraction
from functools import cache, partial
from graphlib import TopologicalSorter
from itertools import accumulate, pairwise, product
from pathlib import Path
from typing import ClassVar

NEAR, ZERO, ONE = Fraction(1, 10**9), Fraction(0), Fraction(1)
WORD, MOST_BYTES, MOST_STEPS, MOST_PAIRS = (1 << 64) - 1, 1 << 26, 1 << 20, 1_000_000
KINDS = {"i": ("<i4", -math.inf, math.inf), "f": ("<f8", 0, sys.float_info.max), "speed": ("<f8", 1e-15, 1e15)}
KINDS |= {"cost": ("<f8", 1e-100, 1e100)}  # The dtype, and what numbers but 0 are between.
# Keys of objects, for arrays with kind and shape: numbers, or names of sizes, each of which is what it is at first.
FILE = """format objective routing plane_policy routing_seed level tolerance:n status network traffic binding
bottlenecks interrupted solver iterations seconds warnings instance certificate least_load?"""
PLANE = """switch_names cable_u:i:m cable_v:i:m capacity_uv_gbps:speed:m capacity_vu_gbps:speed:m rack_switch:i:r
host_switch:i:h access_up_gbps:speed:h access_down_gbps:speed:h host_names box?:i:n delay_ns?:f:m access_delay_ns?:f:h
metric?:i:m:2 tier:i:n label"""
LENGTHS, NO_LENGTHS = "length:f:a up_length:f:p:e down_length:f:p:e", "length:f:0 up_length:f:0 down_length:f:0"
DRAWN, LEFT_OUT = ("ecmp", "hedera"), ("edge-disjoint", "hedera", "quotient", "tree", "one-path", "shortest")
SOURCE, SINK, DIGITS = math.inf, -1, {*"0123456789"}
Plane = namedtuple("Plane", "arcs names ends counts fingerprint")  # ((tail, head), speed, metric), (switch, up, down)
# Nodes are (plane, switch), (SOURCE, endpoint) and (SINK, endpoint). The keys of links, in the order of the file, are
# ("arc", plane, arc), ("up", plane, endpoint) and ("down", plane, endpoint). Their speeds may be infinite.
Link = namedtuple("Link", "tail head speed metric")
Demand = namedtuple("Demand", "source sink amount planes draw")  # The planes that are available, and its stream.
DAMAGE = (ArithmeticError, AttributeError, LookupError, TypeError, zlib.error, MemoryError, RecursionError)


def need(holds, sentence, error=ValueError):
    """Refuse with the sentence, which names the key, unless it holds."""
    if not holds:
        raise error(sentence)


def read(where, name, schema, sizes=()):
    """The values of an object with these keys, in this order; those with a question mark may be missing."""
    entries, sizes = {entry.partition(":")[0].rstrip("?"): entry for entry in schema.split()}, dict(sizes)
    needed = {key for key, entry in entries.items() if "?" not in entry}
    wrong = sorted((needed - {*where}) | ({*where} - {*entries})) if isinstance(where, dict) else ["all"]
    need(not wrong, f"{name}: the key {wrong[:1]} is missing or not known")
    found = {key: entry.split(":")[1:] for key, entry in entries.items() if key in where}
    return {key: value(where[key], key, *kind, sizes=sizes) if kind else where[key] for key, kind in found.items()}


def value(stored, key, kind, *shape, sizes):
    """A number, or the entries of an array, row by row: whole numbers, or fractions that are 0 or in a range."""
    if kind == "n":
        need(type(stored) in (int, float), f"{key}: not a number")
        return Fraction(stored)
    (dtype, least, most), stream = KINDS[kind], zlib.decompressobj()
    given, found, data = read(stored, key, "dtype shape data").values()
    good = len(found) == len(shape) and all(type(n) is int and n >= 0 for n in found) and given == dtype
    shape = [int(m) if m.isdigit() else sizes.setdefault(m, n) for m, n in zip(shape, found, strict=False)]
    need(good and found == shape, f"{key}: not an array of {dtype} of the right shape")
    size = math.prod(found) * int(dtype[2])
    need(size <= MOST_BYTES, f"{key}: more numbers than this program checks", NotImplementedError)
    data = stream.decompress(base64.b64decode(data, validate=True), size + 1)
    need(stream.eof and not stream.unused_data and len(data) == size, f"{key}: the data do not fill the shape")
    numbers = [x for (x,) in struct.iter_unpack("<i" if dtype == "<i4" else "<d", data)]
    need(all(x == 0 or least <= x <= most for x in numbers), f"{key}: out of range")
    return numbers if kind == "i" else [Fraction(x) for x in numbers]


def known(name, table, key):
    """What a table holds of a name; some are in that of `check_all.py` only."""
    need(name in table or name not in LEFT_OUT, f"{key}: {name!a} is checked by check_all.py only", NotImplementedError)
    need(name in table, f"{key}: {name!a} is not one of the page")
    return table[name]


def near(claimed, true):
    """Whether a number of the file is within 1e-9 of what is computed."""
    return abs(Fraction(claimed) - true) <= NEAR * abs(true)


def same(claimed, true):
    """Whether what a file says is what the proof gives."""
    if isinstance(true, dict | list):
        alike = type(claimed) is type(true) and len(claimed) == len(true)
        return alike and all(same(claimed[x], true[x]) for x in (true if isinstance(true, dict) else range(len(true))))
    number = isinstance(true, int | Fraction)
    return type(claimed) in (int, float) and near(claimed, true) if number else claimed == true


def fingerprint(*parts):
    """The SHA-256 of texts, of lists of texts, of arrays of the file, and of (head, bytes)."""
    found = hashlib.sha256()
    for part in parts:
        text = "\n".join(part) if isinstance(part, list) else part
        if isinstance(part, dict):
            text = f"{part['dtype']} {tuple(part['shape'])};", zlib.decompress(base64.b64decode(part["data"]))
        head, data = (f"str {len(text.encode())};", text.encode()) if isinstance(text, str) else text
        found.update(head.encode() + data)
    return f"sha256:{found.hexdigest()}"


def summed(rows, amounts):
    """What each link carries of so many units with these parts on each link."""
    load = Counter()
    for row, amount in zip(rows, amounts, strict=True):
        load.update({a: x * amount for a, x in row.items()})
    return load


def stream(*words):
    """The words of a stream of draws."""
    z, words = 0, list(words)
    while True:
        z = (z + 0x9E3779B97F4A7C15) & WORD
        y = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        y = ((y ^ (y >> 27)) * 0x94D049BB133111EB) & WORD
        if words:
            z = y ^ (y >> 31) ^ words.pop(0)
        else:
            yield y ^ (y >> 31)


def read_plane(stored, level):
    """One plane, with the names, switches and speeds of all racks or hosts."""
    names, hosts = stored["switch_names"], stored["host_names"]
    good = type(names) is type(hosts) is list and len({*names}) + len({*hosts}) == len(names + hosts)
    need(good, "switch_names, host_names: not different texts")
    found = read(stored, "planes", PLANE, {"n": len(names), "h": len(hosts)})
    _, u, v, forth, back, racks, switch, up, down, *_ = found.values()
    metric = found.get("metric", [1] * (2 * len(u)))
    need(all(0 <= a < len(names) for a in u + v + racks), "cable_u, cable_v, rack_switch: no such switch")
    need(not any(map(int.__eq__, u, v)) and len(set(racks)) == len(racks), "cable_v, rack_switch: one switch twice")
    good = all(-1 <= x < len(names) and (x >= 0 or not a + b) for x, a, b in zip(switch, up, down, strict=True))
    need(good and min(metric, default=1) >= 1, "host_switch, metric: no such switch, a speed without one, or below 1")
    each = zip(zip(u, v, strict=True), zip(v, u, strict=True), forth, back, metric[::2], metric[1::2], strict=True)
    arcs = [arc for a, b, c, d, x, y in each for arc in ((a, c, x), (b, d, y)) if arc[1]]
    counts = {"switches": len(names), "links": len(u), "racks": len(racks), "hosts": len(hosts)}
    parts = [x for key in [*found][:-2] for x in [key] * (f"{key}?" in PLANE) + [stored[key]]]
    if level == "rack":
        hosts, switch, up, down = [names[x] for x in racks], racks, *[[math.inf] * len(racks)] * 2
    ends = [*zip(switch, up, down, strict=True)]
    return Plane(sorted(arcs, key=lambda arc: arc[0][0]), hosts, ends, counts, fingerprint("plane/1", *parts))


def read_pairs(traffic, level, ends):
    """The demand of each pair, the weights of each rack or host (empty for listed demands), and the fingerprint."""
    pairs, weights, rule = defaultdict(Fraction), [], "sends" in traffic
    need(f"{traffic['level']} {traffic['endpoints']}" == f"{level} {ends}", "endpoints: not those of the network")
    many = rule and (ends * ends > MOST_PAIRS or {"outside", "src"} & {*traffic})
    need(not many, "sends: more pairs than this program checks", NotImplementedError)
    schema = f"level endpoints label {'sends:f:e receives:f:e' if rule else 'src:i:n dst:i:n demand:speed:n'}"
    columns = [*read(traffic, "traffic", schema, {"e": ends}).values()][3:]
    if rule:
        every = product(enumerate(weights := [*zip(*columns, strict=True)]), repeat=2)
        products = ((s, t, Fraction(float(a) * float(b) * (s != t))) for (s, (a, _)), (t, (_, b)) in every)
    for s, t, d in products if rule else zip(*columns, strict=True):
        need(0 <= s < ends > t >= 0 and (s != t or not d), "src, dst: no such pair of endpoints")
        need(not d or 1e-15 <= d <= 1e15, "sends, receives: a demand is out of range")
        pairs[s, t] += d
    pairs = {pair: d for pair, d in sorted(pairs.items()) if d}
    need(n := len(pairs), "traffic: without demands")
    need(n <= MOST_PAIRS, "traffic: more pairs than this program checks", NotImplementedError)
    parts = [(f"<i4 ({n},);", struct.pack(f"<{n}i", *side)) for side in zip(*pairs, strict=True)]
    parts.append((f"<f8 ({n},);", struct.pack(f"<{n}d", *map(float, pairs.values()))))
    return pairs, weights, fingerprint(f"traffic/1 {level} {ends}", *parts)


def classes(planes, pairs, weights, merge):
    """The members of each class of racks or hosts that count, by first members; by weights, sums split nothing."""
    ends, of, numbers = sorted({e for pair in pairs for e in pair}), {}, {}
    mark = {e: (e * (not merge), *weights[e : e + 1], *(p.ends[e] for p in planes)) for e in ends}
    while len({*mark.values()}) > len(numbers):
        numbers = {}
        of = {e: numbers.setdefault(mark[e], len(numbers)) for e in ends}
        sums = {e: defaultdict(float) for e in ends}
        for side in (0, 1):
            for pair in sorted(pairs, key=lambda pair: pair[1 - side]):
                sums[pair[side]][side, of[pair[1 - side]]] += float(pairs[pair])
        mark = {e: (of[e], *sorted(sums[e].items())) for e in ends}
    return [[e for e in ends if of[e] == c] for c in range(len(numbers))]


def bounds(low, high, unit=""):
    """The figures of two bounds, which must not cross."""
    need(low <= high, "certificate: the bounds cross")
    return {f"lower_bound{unit}": low, f"upper_bound{unit}": high, "relative_gap": (high - low) / (high or 1)}


class Claim:
    """The problem of a file and what it claims: rates or K, what links carry, and their lengths."""

    routings: ClassVar = {"ideal": "arc", "ecmp-lp": "path", "ksp": "path"}
    routings |= dict.fromkeys(["ecmp-split", "vlb", "ecmp"], "load")
    proofs: ClassVar = {"path": ("path", "fixed_paths", f"form {LENGTHS} weight:f:w")}
    proofs |= {"load": ("load", "fixed_paths", f"form {LENGTHS} share:f:p:d load:f:a")}
    proofs |= {"arc": ("arc", "any_path", f"form {LENGTHS} share:f:p:d split_ptr:i:r split_arc:i:s split_fraction:f:s")}

    def __init__(self, file):
        self.name, _, options = file["objective"].partition(":")
        self.options = dict(items := [x.split("=", 1) for x in options.split(",") if options])
        self.figures, *names = OBJECTIVES.get(self.name, (None,))
        good = self.figures and self.options.get("cap", "demand") == "demand" and len(items) == len(self.options)
        good = good and all(k in ("cap", "costs") or ({*x} <= {*DIGITS, *".+-eE"} and float(x) >= 0) for k, x in items)
        good = good and {*self.options} <= {*names} and not {"at", "fraction"} <= {*self.options}
        need(good, f"objective: {file['objective']!a} is not one of the page")
        self.file, self.capped, self.by_ratio = file, "cap" in self.options, self.figures is Claim.ratio
        self.pose()
        self.amounts, proof, self.load, self.parts = [d.amount for d in self.demands], file["certificate"], {}, None
        self.weighed = lambda values: sum(map(Fraction.__mul__, self.amounts, values))
        self.there = bool(self.whole if self.by_ratio else self.amounts)
        need((proof is not None) == self.there, "certificate: null, or not, against the paths of the demands")
        if not self.by_ratio:
            self.read_rates(file["answer"])
        if self.there:
            form, reader, schema = known(proof["form"], self.proofs, "form")
            need(form == self.routings[self.routing], f"form: {proof['form']!a} does not belong to this routing")
            proof = read(proof, "certificate", schema, self.sizes)
            load, self.dist, self.parts = getattr(self, reader)(proof)
            self.length, self.volume = self.lengths(proof)
            self.load = load(self.amounts if self.by_ratio else self.sent)
            given = load(self.amounts) if self.name == "min-cost" else self.load
            good = all(near(x, given[a]) for x, a in zip(proof.get("load", ()), self.arcs, strict=False))
            need(good, "load: not that of the routing")
        room = [(x, self.links[a].speed) for a, x in self.load.items()]
        need(self.by_ratio or all(x <= c for x, c in room), "rates_gbps: they do not fit")
        self.times = min((c / x for x, c in room if x and c < math.inf), default=math.inf)

    def pose(self):
        """Read the question, and make the graph of the links that a path may use, and the demands."""
        file, policy, level, self.seed = self.file, *map(self.file.get, ("plane_policy", "level", "routing_seed"))
        self.routing, colon, most = file["routing"].partition(":")
        most = most.removeprefix("k=") if self.routing in ("ksp", "edge-disjoint") else str(WORD) * (not colon)
        good = known(self.routing, self.routings, "routing") and {*most} <= DIGITS
        need(good and (not colon or 0 < int(most) < 1 << 31), f"routing: {file['routing']!a} has no meaning")
        good = policy in ("shortest", "single", "round-robin") and self.routing != "ideal"
        good = (good or policy == "any") and type(self.seed) is int and 0 <= self.seed <= WORD
        need(good, "plane_policy, routing_seed: not defined for this routing, or not from 0 to 2^64 - 1")
        network, traffic = read(file["instance"], "instance", "network traffic").values()
        need("servers" not in {*network}, "networks with servers are checked by verify only", NotImplementedError)
        variant, planes = read(network, "network", "variant planes").values()
        planes = [read_plane(p, level) for p in planes]
        need(planes and all(p.names == planes[0].names for p in planes), "planes: racks or hosts differ")
        self.pairs, self.weights, traffic_print = read_pairs(traffic, level, len(planes[0].names))
        sums = {key: sum(p.counts[key] for p in planes) for key in ("switches", "links")} | {"planes": len(planes)}
        sums |= {"variant": str(variant), "fingerprint": fingerprint("network/1", *[p.fingerprint for p in planes])}
        traffic = {"label": str(traffic["label"]), "demands": len(self.pairs), "total": sum(self.pairs.values())}
        self.texts = {"network": planes[0].counts | sums, "traffic": traffic | {"fingerprint": traffic_print}}
        self.most, self.policy, apart = int(most), policy, policy == "single" or self.routing in DRAWN or self.capped
        self.build(planes, classes(planes, self.pairs, self.weights, not apart))
        self.of = {e: c for c, group in enumerate(self.members) for e in group}
        self.demands = self.posed()
        self.whole = len({(self.of[s], self.of[t]) for s, t in self.pairs}) == len(self.demands)
        self.sizes = {"a": len(self.arcs), "p": self.planes, "e": self.ends, "d": len(self.demands)}

    def posed(self):
        """The demands with a path, each with its stream: of switches, or of racks or hosts if it draws for these."""
        demand, words = defaultdict(Fraction), [group[0] for group in self.members]
        for (s, t), d in self.pairs.items():
            demand[self.of[s], self.of[t]] += d
        need(all(1e-100 <= d <= 1e100 for d in demand.values()), "demand: a sum is out of range")
        if self.policy != "single" and self.routing not in DRAWN:
            up = [{i: self.links[kind, i, e].head[1] for kind, i, e in self.out[SOURCE, e]} for e in range(self.ends)]
            words = [next(stream(*(1 + own.get(i, -1) for i in range(self.planes)))) for own in up]
        every = [self.demand(s, t, d, stream(self.seed, words[s], words[t])) for (s, t), d in sorted(demand.items())]
        return [d for d in every if d.planes]

    def build(self, planes, members):
        """Make the graph, with these groups of racks or hosts as endpoints, of the links that a path may use."""
        self.planes, self.ends, self.links = len(planes), len(members), {}
        for i, p in enumerate(planes):
            self.links |= {("arc", i, a): Link((i, u), (i, v), c, x) for a, ((u, v), c, x) in enumerate(p.arcs)}
        self.arcs, self.members, self.switches = [*self.links], members, [p.counts["switches"] for p in planes]
        for (k, kind), (i, p), (e, group) in product(((1, "up"), (2, "down")), enumerate(planes), enumerate(members)):
            v, speed = (i, p.ends[group[0]][0]), [p.ends[x][k] for x in group]
            ends = ((SOURCE, e), v) if kind == "up" else (v, (SINK, e))
            self.links[kind, i, e] = Link(*ends, sum(speed), 0)
        self.into, self.out = defaultdict(list), defaultdict(list)
        for (kind, i, x), link in self.links.items():
            other = {"up": "down", "down": "up"}.get(kind, kind) if self.routing != "ideal" else kind
            if 0 not in (link.speed, self.links[other, i, x].speed):
                self.into[link.head].append((kind, i, x))
                self.out[link.tail].append((kind, i, x))
        self.metric, self.nearest = {a: link.metric for a, link in self.links.items()}, cache(self.nearest)
        self.far = cache(lambda target: self.toward(target, self.metric))

    def demand(self, s, t, amount, draw):
        """A demand, with the planes that its policy allows; with `round-robin` from the drawn one on."""
        far, back = self.far((SINK, t)), self.far((SINK, s)) if self.routing == "vlb" else None
        ends = {i: (self.links["up", i, s].head, self.links["down", i, t].tail) for _, i, _ in self.out[SOURCE, s]}
        found = {i: far[a] for i, (a, b) in ends.items() if a in far and (back is None or b in back)}
        planes, n = [*found], len(found)
        if self.policy == "shortest" or (self.policy == "any" and self.routing in (*DRAWN, "ecmp-split")):
            planes = [i for i in planes if found[i] == min(found.values())]
        elif self.policy == "single" or (self.policy == "round-robin" and n > 1):
            k = next(draw) * n >> 64
            planes = (planes[k:] + planes[:k])[: 1 if self.policy == "single" or self.routing in DRAWN else n]
        return Demand(s, t, amount, planes, draw)

    def toward(self, target, length):
        """The least length from each node to the target, by rising length; nodes without a path are missing."""
        best, queue = {}, [(0, target)]
        while queue:
            d, v = heapq.heappop(queue)
            if v not in best:
                best[v] = d
                for a in self.into[v]:
                    heapq.heappush(queue, (d + length[a], self.links[a].tail))
        return best

    def nearest(self, target):
        """The links that begin a shortest path to the target, in equal parts: {node: {link: part}}."""
        far, found = self.far(target), {}
        for v in far:
            begin = [a for a in self.out[v] if far.get(self.links[a].head) == far[v] - self.metric[a]]
            found[v] = dict.fromkeys(begin, Fraction(1, len(begin) or 1))
        return found

    def push(self, target, enters, parts):
        """What each link carries of what enters (by node) and goes to the target, divided by {node: {link: part}}."""
        amount, load = defaultdict(Fraction, enters), {}
        heads = {v: {self.links[a].head for a in parts.get(v, ())} for v in (*parts, *enters)}
        for v in reversed([*TopologicalSorter(heads).static_order()]):
            if amount[v] and v != target:
                total = sum(parts.get(v, {}).values())
                need(near(total, 1), "certificate: the parts at a node that traffic passes do not add up to one")
                for a, x in parts[v].items():
                    load[a] = amount[v] * x / total
                    amount[self.links[a].head] += load[a]
        return load

    def lengths(self, stored):
        """The length of each link, from a certificate or a level, and the volume."""
        found = dict(zip(self.links, stored["length"] + stored["up_length"] + stored["down_length"], strict=True))
        used = [(self.links[a].speed, x) for a, x in found.items() if x]
        need(all(c < math.inf for c, _ in used), "up_length, down_length: not 0 where the speed is infinite")
        return found, sum(c * x for c, x in used)

    def path_list(self, demand):
        """The list of paths of a demand, each a tuple of links; with `round-robin` each plane has its own."""
        n = len(demand.planes)
        lists = sorted(([i], (self.most + n - 1 - k) // n) for k, i in enumerate(demand.planes))
        lists = lists if self.policy == "round-robin" else [(sorted(demand.planes), self.most)]
        found = [path for planes, room in lists if room for path in self.shortest_paths(demand, planes, room)]
        return sorted(found, key=lambda path: (sum(self.metric[a] for a in path), path))

    def shortest_paths(self, demand, planes, room):
        """The K shortest paths, ties drawn; of `ecmp-lp`, all shortest ones."""
        far, found, steps, enough = self.far((SINK, demand.sink)), [], 0, 1 if self.most == WORD else room
        queue = sorted((far[self.links[up].head], (up,)) for up in (("up", i, demand.source) for i in planes))
        while queue and (len(found) < enough or queue[0][0] == found[-1][0]):
            total, path = heapq.heappop(queue)
            v, steps = self.links[path[-1]].head, steps + 1
            need(steps <= MOST_STEPS, "routing: a list takes too many steps for this program", NotImplementedError)
            found += [(total, path)] if v == (SINK, demand.sink) else []
            for a in self.out[v]:
                w = self.links[a].head
                if w in far and all(w != self.links[b].head for b in path):
                    heapq.heappush(queue, (total - far[v] + self.metric[a] + far[w], (*path, a)))
        shorter = [path for total, path in found if total < found[-1][0]]
        ties, n = sorted(path for total, path in found if total == found[-1][0]), len(found)
        for i in range(room - len(shorter) if room < n else 0):
            k = i + (next(demand.draw) * (len(ties) - i) >> 64)
            ties[i], ties[k] = ties[k], ties[i]
        return (shorter + ties)[:room]

    def drawn_path(self, demand):
        """The path that `ecmp` draws, by the number of shortest paths that go on from each node."""
        begin, many, path = self.nearest((SINK, demand.sink)), {}, ()
        for v in begin:
            many[v] = sum(many[self.links[a].head] for a in begin[v]) or 1
        options = [("up", i, demand.source) for i in demand.planes]
        while options:
            sums = [*accumulate(many[self.links[a].head] for a in options)]
            x = (next(demand.draw) >> 11) / 2.0**53 * sums[-1]
            path = (*path, options[sum(c <= x for c in sums)])
            options = list(begin[self.links[path[-1]].head])
        return path

    def any_path(self, proof):
        """The form `arc`: shares of the planes, and fractions by destination; any path is allowed."""
        links, rows, n = self.links, defaultdict(lambda: defaultdict(dict)), len(self.demands)
        ends = [(links["up", i, d.source].head, links["down", i, d.sink].tail) for d in self.demands for i in d.planes]
        targets, share = sorted({b for a, b in ends if a != b}), proof["share"]
        ptr, arc, fraction = (proof[f"split_{key}"] for key in ("ptr", "arc", "fraction"))
        good = len(ptr) == len(targets) + 1 and ptr[0] == 0 and ptr[-1] == len(arc) and ptr == sorted(ptr)
        need(good, "split_ptr: does not rise from 0 to the end, with a part for each row")
        for target, (begin, end) in zip(targets, pairwise(ptr), strict=True):
            for k, x in zip(arc[begin:end], fraction[begin:end], strict=True):
                rows[target][links["arc", target[0], k].tail]["arc", target[0], k] = x
            good = sum(map(len, rows[target].values())) == end - begin and target not in rows[target]
            need(good, "split_arc: an arc twice, or one that leaves the destination")
        parts = defaultdict(dict)
        for j, d in enumerate(self.demands):
            own = {("up", i, d.source): share[i * n + j] for i in d.planes}
            good = near(sum(own.values()), 1) and sum(own.values()) == sum(share[j::n])
            need(good, "share: not 1 in all over the planes that a demand can use")
            parts[d.sink] |= {(SOURCE, d.source): own}
            for down in [("down", i, d.sink) for i in d.planes]:
                parts[d.sink] |= rows[links[down].tail] | {links[down].tail: {down: ONE}}
        return lambda rates: summed(self.pushed(rates, parts).values(), [1] * len(parts)), self.shortest, None

    def shortest(self, length):
        """The least length of a path of each demand, over any."""
        toward = cache(lambda sink: self.toward((SINK, sink), length))
        return [toward(d.sink)[SOURCE, d.source] for d in self.demands]

    def pushed(self, rates, parts):
        """What each link carries of what goes to each of these sinks, divided by {sink: {node: {link: part}}}."""
        enters = defaultdict(dict)
        for d, r in zip(self.demands, rates, strict=True):
            enters[d.sink][SOURCE, d.source] = r
        return {t: self.push((SINK, t), enters[t], each) for t, each in parts.items()}

    def fixed_paths(self, proof):
        """The forms `path` and `load`: weights of listed paths, of which the shortest counts, or one fixed split."""
        fixed, self.leg = "load" in proof, cache(lambda w, v: self.push(w, {v: ONE}, self.nearest(w)))
        rows = [[self.split(d)] if fixed else [dict.fromkeys(x, ONE) for x in self.path_list(d)] for d in self.demands]
        weight = iter([ONE] * len(rows) if fixed else proof["weight"])
        own = [[next(weight, ZERO) for _ in each] for each in rows]
        need(next(weight, None) is None, "weight: more than paths")
        need(all(near(sum(each), 1) for each in own), "weight: the weights of a demand do not add up to one")
        parts = [summed(each, [w / sum(xs) for w in xs]) for each, xs in zip(rows, own, strict=True)]
        true = [parts[j].get(("up", i, d.source), 0) for i in range(self.planes) for j, d in enumerate(self.demands)]
        need(all(map(near, proof.get("share", ()), true)), "share: not that of the routing")

        def dist(length):
            return [min(sum(x * length[a] for a, x in row.items()) for row in each) for each in rows]

        return partial(summed, parts), dist, None if any(each[1:] for each in rows) else parts

    def split(self, demand):
        """What each link carries of a unit of a demand whose routing leaves nothing open."""
        if self.routing == "ecmp":
            return dict.fromkeys(self.drawn_path(demand), ONE)
        sink, by_arcs = (SINK, demand.sink), self.routing == "ecmp-split" and self.policy != "round-robin"
        heads = {("up", i, demand.source): self.links["up", i, demand.source].head for i in demand.planes}
        part = {up: Fraction(len(self.nearest(sink)[v]) if by_arcs else 1) for up, v in heads.items()}
        rows, amounts = [part], [1 / sum(part.values())]
        for up, v in heads.items():
            spread = self.routing == "vlb" and self.far(sink)[v]
            via = [w for w in self.far(v) if v in self.far(w)] if spread else [v]
            rows += [self.leg(w, v) for w in via] + [self.push(sink, dict.fromkeys(via, ONE), self.nearest(sink))]
            amounts += [part[up] / sum(part.values()) / len(via)] * (len(via) + 1)
        return summed(rows, amounts)

    def read_rates(self, answer):
        """The rates of the answer: of pairs, and of demands per unit, least and largest, and in all."""
        answer = read(answer, "answer", "rates_gbps:f:n levels inputs", {"n": len(self.pairs)})
        rates, self.stored, own = answer["rates_gbps"], answer["levels"], defaultdict(list)
        need(self.figures is Claim.levels or self.stored == [], "levels: not empty")
        self.inputs = read(answer["inputs"], "inputs", "link_cost:cost:a" * ("costs" in self.options), self.sizes)
        for ((s, t), d), r in zip(self.pairs.items(), rates, strict=True):
            own[self.of[s], self.of[t]].append((r if self.capped else r / d, r))
        own, left = [sorted(own.pop(d[:2])) for d in self.demands], own
        need(not any(r for each in left.values() for _, r in each), "rates_gbps: a pair without a path has a rate")
        self.least, self.greatest, self.total_rate = [x[0][0] for x in own], [x[-1][0] for x in own], sum(rates)
        need(all(map(near, self.least, self.greatest)), "rates_gbps: equivalent pairs have different rates")
        self.sent = [x[0][1] if len(x) == 1 else x[-1][0] * d for x, d in zip(own, self.amounts, strict=True)]
        self.rates = {"rates_gbps": {"min": min(rates), "mean": self.total_rate / len(rates), "max": max(rates)}}

    def ratio(self):
        """K and its bounds, or those of the reciprocal."""
        low = high = ZERO
        if self.there:
            low, total = self.times, self.weighed(self.dist(self.length))
            need(low < math.inf and total, "length: the distances add up to 0, or no link limits the flow")
            high = self.volume / total
        found = {"throughput_gbps": low, **bounds(low, high, "_gbps")}
        if self.name != "concurrent":
            least, most = (1 / high, 1 / low) if low else (None, None)
            del found["lower_bound_gbps"], found["upper_bound_gbps"]
            found |= {"lower_bound": least, "max_utilisation": most, "upper_bound": most}
        return found, 0

    def total(self):
        """The sum of rates, each at most its demand, and at least a floor."""
        low, high, floor = self.total_rate, self.total_rate, Fraction(float(self.options.get("floor", 0)))
        need(all(t <= 1 for t in self.greatest), "rates_gbps: a rate is above its demand")
        need(self.there or not floor, "objective: no demand has a path, so none has a floor")
        part = min([floor, *self.least])
        if self.there:
            high = self.volume + self.weighed(max(0, 1 - x) - part * max(0, x - 1) for x in self.dist(self.length))
        figures = {"total_gbps": low, **bounds(low, high, "_gbps"), **self.rates}
        return (figures | {"floor": part}, 1 - part / floor) if floor else (figures, 0)

    def cost(self):
        """The cost of carrying k times the matrix."""
        need(self.there and self.whole, "objective: a demand has no path, so there is no cost")
        each = self.inputs.get("link_cost", [ONE] * len(self.arcs))
        each = dict.fromkeys(self.length, ZERO) | dict(zip(self.arcs, each, strict=True))
        k, stated = min(self.least), Fraction(self.file["asked_gbps"])
        q = Fraction(float(self.options["at"])) if "at" in self.options else stated
        need(near(stated, q) and k <= q * (1 + NEAR), "asked_gbps: not that of the objective, or less than the rates")
        need(k > 0 and max(self.greatest) <= k * (1 + NEAR), "rates_gbps: not the same part of each demand")
        k, both = min(k, q), {a: w + self.length[a] for a, w in each.items()}
        high = sum(each[a] * x for a, x in self.load.items())
        low = max(k * self.weighed(self.dist(each)), k * self.weighed(self.dist(both)) - self.volume)
        figures = {"cost_gbps_links": high, **bounds(low, high, "_gbps_links"), "carried_gbps": k, "asked_gbps": q}
        return {**figures, "mean_links": high / (k * sum(self.amounts)), **self.rates}, 1 - k / q

    def levels(self):
        """Max-min fair rates, by levels: none can get more than the bound of its level."""
        stored, rest, before, shown, gap, most = self.stored, {*range(len(self.sent))}, 0, [], ZERO, self.greatest
        unit, least = [ONE] * len(self.sent) if self.capped else self.amounts, self.least
        need(not self.capped or all(map(Fraction.__le__, least, self.amounts)), "rates_gbps: above a demand")
        by_length = self.name == "max-min" and any(level["up_length"]["shape"] != [0] for level in stored)
        need(by_length or self.parts or not stored, "levels: without lengths, but a demand has several paths")
        links, top = defaultdict(dict), least if by_length else most
        for j, row in enumerate(self.parts or ()):
            for a, x in row.items():
                links[a] |= {j: x * unit[j]} if x else {}
        for level in stored:
            schema = f"rate:n upper{':n' * (level['upper'] is not None)} demands:i:k margin? "
            found = read(level, "levels", schema + (LENGTHS if by_length else NO_LENGTHS), self.sizes)
            rate, chosen = found["rate"], found["demands"]
            upper = math.inf if found["upper"] is None else found["upper"]
            need(chosen and len({*chosen}) == len(chosen) and rest >= {*chosen}, "levels: none, no such, or not apart")
            rest, low = rest - {*chosen}, min(least[j] for j in chosen)
            need(near(rate, low) and before <= rate <= upper, "levels: a rate is not the least, falls, or is above U")
            before, proved, witnesses = rate, set(), [(self.links[a].speed, row) for a, row in links.items()]
            if by_length:
                length, volume = self.lengths(found)
                witnesses = [(volume, dict(enumerate(map(Fraction.__mul__, unit, self.dist(length)))))]
            for volume, row in witnesses:
                spare = volume - sum(x * min(least[i], upper) for i, x in row.items())
                if by_length or all(most[i] <= upper for i in row):
                    proved |= {j for j, x in row.items() if x > 0 and spare + x * min(top[j], upper) <= upper * x}
            need(proved >= {*chosen} or upper == math.inf, "levels: neither lengths nor a full link prove the bound")
            gap = max(gap, ONE if upper == math.inf else bounds(low, upper)["relative_gap"])
            join = shown.pop() if shown and low <= shown[-1][1] else (low, upper, 0)
            shown.append((min(join[0], low), max(join[1], upper), join[2] + len(chosen)))
        need(self.capped or not rest, "levels: a demand is in none")
        gap = max([gap, *(1 - least[j] / self.amounts[j] for j in rest)])
        shown = [{"rate_gbps": a, "upper_bound_gbps": None if b == math.inf else b, "demands": n} for a, b, n in shown]
        figures = {"total_gbps": self.total_rate, "relative_gap": gap, "levels": shown, **self.rates}
        return figures | ({"satisfied": len(rest)} if self.capped and self.there else {}), 0


OBJECTIVES = {"concurrent": (Claim.ratio,), "min-max-utilisation": (Claim.ratio,), "total": (Claim.total, "floor")}
OBJECTIVES |= {"min-cost": (Claim.cost, "at", "fraction", "costs")}
OBJECTIVES |= dict.fromkeys(["max-min", "max-min-fill"], (Claim.levels, "cap"))


def check(file, claim=Claim):
    """Check a file: (status, lower bound, upper bound, gap, exact figures), or ValueError."""
    good = isinstance(file, dict) and file.get("format") == "pnet-lp-result/1" and file.get("level") in ("rack", "host")
    need(good, "format, level: not pnet-lp-result/1, or neither rack nor host")
    claim = claim(file)
    figures, more = claim.figures(claim)
    read(file, "the file", f"{FILE} {' '.join(figures)}{' answer' * hasattr(claim, 'rates')}")
    for key, x in (figures | claim.texts).items():
        good = near(1 + file[key], 1 + x) if key == "relative_gap" else same(file[key], x)
        need(good, f"{key}: not {float(x)!r}, which the file proves" if isinstance(x, Fraction) else f"{key}: wrong")
    gap, tolerance, status = max(figures["relative_gap"], more), Fraction(file["tolerance"]), file["status"]
    free = claim.name == "min-cost" and "at" not in claim.options and status == "bounds"
    good = free or status == ("certified" if gap <= tolerance else "bounds")
    need(good and 0 < tolerance < 1, "status, tolerance: not that of the gap, or not between 0 and 1")
    found = {key.partition("_")[0]: x for key, x in figures.items() if "er_bound" in key}
    return status if gap <= Fraction(1e-4) else "bounds", found.get("lower"), found.get("upper"), gap, figures


def outward(x, side):
    """The double nearest to a number on this side of it."""
    y = float(x)
    return y if (Fraction(y) - x) * side >= 0 else math.nextafter(y, side * math.inf)


def main(arguments, claim=Claim):
    """Run the command; return the exit code."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        helped = arguments in (["-h"], ["--help"])
        print(sys.modules[claim.__module__].__doc__, file=sys.stdout if helped else sys.stderr)
        return 0 if helped else 2
    try:
        options = {"parse_constant": lambda text: need(False, f"{text} is not a number of JSON")}
        options["object_pairs_hook"] = lambda x: need(len(dict(x)) == len(x), "a key occurs twice") or dict(x)
        file = json.loads(Path(arguments[0]).read_text(encoding="utf-8"), **options)
        status, low, high, gap, _ = check(file, claim)
    except (ValueError, OSError, NotImplementedError, *DAMAGE) as error:
        why = f"damaged ({type(error).__name__})" if isinstance(error, DAMAGE) else ascii(str(error))[1:-1]
        print(f"Error: {arguments[0]!a}: {why}", file=sys.stderr)
        return 4 if isinstance(error, NotImplementedError) else 1
    proved = f"a gap of {outward(gap, 1)!r}" if low is None else f"in [{outward(low, -1)!r}, {outward(high, 1)!r}]"
    print(f"{status}: {file['objective']} proved {proved}; not checked: binding, bottlenecks, least_load, the run")
    return 0 if status == "certified" else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
