"""A third checker of saved results, written from docs/certificates.md alone: exact fractions, no other package.

Usage: python tools/check.py RESULT.json. The exit code is 0 (certified), 3 (bounds), 1 (refused) or 2 (bad usage).
Names are those of the page. The problem is one directed graph: a source and a sink of each endpoint, and between them
the switches of all planes. A certificate says what each link carries, which `push` adds up, and how long it is, of
which `toward` makes shortest paths. `edge-disjoint`, `hedera`, the form `quotient` and very long lists are refused.
"""

import base64
import hashlib
import heapq
import json
import math
import struct
import sys
import zlib
from collections import defaultdict, namedtuple
from fractions import Fraction
from functools import cache, partial
from graphlib import TopologicalSorter
from itertools import accumulate, pairwise, product
from pathlib import Path

NEAR, ZERO, ONE = Fraction(1, 10**9), Fraction(0), Fraction(1)
WORD, MOST_BYTES, MOST_STEPS = (1 << 64) - 1, 1 << 26, 1 << 20
FINITE, SPEEDS, AMOUNTS = (0, sys.float_info.max), (1e-15, 1e15), (1e-100, 1e100)
NOT_CHECKED = "binding, bottlenecks, least_load and what the run says of itself"
FILE = """format objective routing plane_policy routing_seed level tolerance status network traffic binding bottlenecks
interrupted solver iterations seconds warnings instance certificate least_load?"""
PLANE = """switch_names cable_u:<i4:m cable_v:<i4:m capacity_uv_gbps:<f8:m capacity_vu_gbps:<f8:m rack_switch:<i4:r
host_switch:<i4:h access_up_gbps:<f8:h access_down_gbps:<f8:h host_names box?:<i4:n delay_ns?:<f8:m
access_delay_ns?:<f8:h metric?:<i4:m:2 tier:<i4:n label"""
LENGTHS, SOURCE, SINK = "length up_length down_length", math.inf, -1
Plane = namedtuple("Plane", "arcs names ends counts fingerprint")  # ((tail, head), speed, metric), (switch, up, down)
# Nodes are (plane, switch), (SOURCE, endpoint) and (SINK, endpoint). The keys of links, in the order of the file, are
# ("arc", plane, arc), ("up", plane, endpoint) and ("down", plane, endpoint). A speed of None is infinite.
Link = namedtuple("Link", "tail head speed metric")
Demand = namedtuple("Demand", "source sink amount planes draw")  # The planes that are available, and its stream.
DAMAGE = (ArithmeticError, AttributeError, LookupError, TypeError, zlib.error, MemoryError, RecursionError)


def need(holds, sentence):
    """Refuse with the sentence, which names the key, unless it holds."""
    if not holds:
        raise ValueError(sentence)


def exactly(where, name, keys):
    """Refuse what is no object with these keys; those with a question mark may be missing."""
    known, needed = {x.rstrip("?") for x in keys.split()}, {x for x in keys.split() if x[-1] != "?"}
    wrong = sorted((needed - {*where}) | ({*where} - known)) if isinstance(where, dict) else ["all"]
    need(not wrong, f"{name}: the key {wrong[:1]} is missing or not known")


def array(where, key, dtype, *shape, between=FINITE):
    """The entries, row by row: whole numbers, or fractions that are 0 or between two; None is any length."""
    exactly(where[key], key, "dtype shape data")
    found, stream = where[key]["shape"], zlib.decompressobj()
    good = len(found) == len(shape) and all(type(n) is int and n >= 0 for n in found) and where[key]["dtype"] == dtype
    good = good and all(m in (None, n) for m, n in zip(shape, found, strict=True))
    need(good, f"{key}: not an array of {dtype} of the shape {list(shape)}")
    data = stream.decompress(base64.b64decode(where[key]["data"], validate=True), MOST_BYTES)
    good = stream.eof and not stream.unused_data and len(data) == math.prod(found) * int(dtype[2])
    need(good, f"{key}: the data do not fill the shape")
    numbers = [x for (x,) in struct.iter_unpack("<i" if dtype == "<i4" else "<d", data)]
    need(dtype == "<i4" or all(x == 0 or between[0] <= x <= between[1] for x in numbers), f"{key}: out of range")
    return numbers if dtype == "<i4" else [Fraction(x) for x in numbers]


def number(where, key):
    """A number of an object, as it is written."""
    need(type(where[key]) in (int, float), f"{key}: not a number")
    return Fraction(where[key])


def near(claimed, true):
    """Whether a number of the file is within 1e-9 of what is computed."""
    return abs(Fraction(claimed) - true) <= NEAR * abs(true)


def same(claimed, true):
    """Whether what a file says is what the proof gives."""
    if isinstance(true, dict | list):
        alike = type(claimed) is type(true) and len(claimed) == len(true)
        return alike and all(same(claimed[x], true[x]) for x in (true if isinstance(true, dict) else range(len(true))))
    if isinstance(true, int | Fraction):
        return type(claimed) in (int, float) and near(claimed, true)
    return claimed == true


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
    load = defaultdict(Fraction)
    for row, amount in zip(rows, amounts, strict=True):
        for a, x in row.items():
            load[a] += x * amount
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
    exactly(stored, "planes", " ".join(entry.partition(":")[0] for entry in PLANE.split()))
    names, hosts, found, parts = stored["switch_names"], stored["host_names"], {}, ["plane/1"]
    size, good = {"n": len(names), "h": len(hosts), "2": 2}, type(names) is type(hosts) is list
    need(good and len({*names}) + len({*hosts}) == len(names + hosts), "switch_names, host_names: not different texts")
    for entry in PLANE.split():
        name, *kind = entry.split(":")
        key = name.rstrip("?")
        if kind and key in stored:
            between = SPEEDS if key.endswith("gbps") else FINITE
            found[key] = array(stored, key, kind[0], *map(size.get, kind[1:]), between=between)
            size.setdefault(kind[1], len(found[key]))
        parts += [key] * (key in stored and name != key) + [stored.get(key)] * (key in stored)
    u, v, forth, back, racks, switch, up, down = list(found.values())[:8]
    metric = found.get("metric", [1] * (2 * len(u)))
    need(all(0 <= a < len(names) for a in u + v + racks), "cable_u, cable_v, rack_switch: no such switch")
    need(not any(map(int.__eq__, u, v)) and len(set(racks)) == len(racks), "cable_v, rack_switch: one switch twice")
    good = all(-1 <= x < len(names) and (x >= 0 or not a + b) for x, a, b in zip(switch, up, down, strict=True))
    need(good and min(metric, default=1) >= 1, "host_switch, metric: no such switch, a speed without one, or below 1")
    both = [end for pair in zip(u, v, strict=True) for end in (pair, pair[::-1])]
    speed = [c for pair in zip(forth, back, strict=True) for c in pair]
    arcs = sorted((x for x in zip(both, speed, metric, strict=True) if x[1]), key=lambda x: x[0][0])
    counts = {"switches": len(names), "links": len(u), "racks": len(racks), "hosts": len(hosts)}
    if level == "rack":
        hosts, switch, up, down = [names[x] for x in racks], racks, *[[None] * len(racks)] * 2
    return Plane(arcs, hosts, [*zip(switch, up, down, strict=True)], counts, fingerprint(*parts[:-2]))


def read_pairs(traffic, level, ends):
    """The demand of each pair, the weights of each rack or host (empty for listed demands), and the fingerprint."""
    pairs, weights = defaultdict(Fraction), []
    need(f"{traffic['level']} {traffic['endpoints']}" == f"{level} {ends}", "endpoints: not those of the network")
    exactly(traffic, "traffic", f"level endpoints label {'sends receives' if 'sends' in traffic else 'src dst demand'}")
    if "sends" in traffic:
        weights = [*zip(*(array(traffic, key, "<f8", ends) for key in ("sends", "receives")), strict=True)]
        for (s, (a, _)), (t, (_, b)) in product(enumerate(weights), repeat=2):
            pairs[s, t] = Fraction(float(a) * float(b) * (s != t))
    else:
        src = array(traffic, "src", "<i4", None)
        dst = array(traffic, "dst", "<i4", len(src))
        for s, t, d in zip(src, dst, array(traffic, "demand", "<f8", len(src), between=SPEEDS), strict=True):
            need(0 <= s < ends and 0 <= t < ends and (s != t or not d), "src, dst: no such pair of endpoints")
            pairs[s, t] += d
    pairs = {pair: d for pair, d in sorted(pairs.items()) if d}
    need(0 < (n := len(pairs)) <= 1_000_000, "traffic: without demands, or more than this program checks")
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


class Problem:
    """The graph and the demands of a file, its lists of paths, and the flows and distances of its certificates."""

    def __init__(self, file, capped):
        self.policy, level, seed = file["plane_policy"], file["level"], file["routing_seed"]
        self.routing, _, most = file["routing"].partition(":")
        need(self.routing in FORMS, f"routing: {file['routing']!a} is not checked by this program")
        most = most.removeprefix("k=") if self.routing == "ksp" else "1" * (not most)
        need(most.isdigit() and most.isascii() and most[0] != "0", "routing: K is missing or has no meaning")
        self.most = WORD if self.routing == "ecmp-lp" else int(most)
        good = self.policy in ("shortest", "single", "round-robin") and self.routing != "ideal"
        good = (good or self.policy == "any") and type(seed) is int and 0 <= seed <= WORD
        need(good, "plane_policy, routing_seed: not defined for this routing, or not from 0 to 2^64 - 1")
        network, traffic = file["instance"]["network"], file["instance"]["traffic"]
        exactly(file["instance"], "instance", "network traffic")
        exactly(network, "network", "variant planes")
        planes = [read_plane(p, level) for p in network["planes"]]
        need(planes and all(p.names == planes[0].names for p in planes), "planes: racks or hosts differ")
        self.pairs, weights, traffic_print = read_pairs(traffic, level, len(planes[0].names))
        sums = {key: sum(p.counts[key] for p in planes) for key in ("switches", "links")} | {"planes": len(planes)}
        sums["variant"], prints = str(network["variant"]), [p.fingerprint for p in planes]
        traffic = {"label": str(traffic["label"]), "demands": len(self.pairs), "total": sum(self.pairs.values())}
        traffic["fingerprint"], sums["fingerprint"] = traffic_print, fingerprint("network/1", *prints)
        self.texts = {"network": planes[0].counts | sums, "traffic": traffic}
        drawn = self.policy == "single" or self.routing == "ecmp"
        members = classes(planes, self.pairs, weights, not (drawn or capped))
        self.build(planes, members)
        demand, self.of = defaultdict(Fraction), {e: c for c, group in enumerate(members) for e in group}
        for (s, t), d in self.pairs.items():
            demand[self.of[s], self.of[t]] += d
        need(all(AMOUNTS[0] <= d <= AMOUNTS[1] for d in demand.values()), "demand: a sum is out of range")
        heads = [{i: self.links[kind, i, e].head[1] for kind, i, e in self.out[SOURCE, e]} for e in range(self.ends)]
        words = [next(stream(*(1 + up.get(i, -1) for i in range(self.planes)))) for up in heads]
        words = [group[0] for group in members] if drawn else words
        every = [self.demand(s, t, d, stream(seed, words[s], words[t])) for (s, t), d in sorted(demand.items())]
        self.demands, self.whole = [d for d in every if d.planes], all(d.planes for d in every)

    def build(self, planes, members):
        """Make the graph, with these groups of racks or hosts as endpoints, of the links that a path may use."""
        self.planes, self.ends, self.links = len(planes), len(members), {}
        for i, p in enumerate(planes):
            self.links |= {("arc", i, a): Link((i, u), (i, v), c, x) for a, ((u, v), c, x) in enumerate(p.arcs)}
        self.arcs = [*self.links]
        for (k, kind), (i, p), (e, group) in product(((1, "up"), (2, "down")), enumerate(planes), enumerate(members)):
            v, speed = (i, p.ends[group[0]][0]), [p.ends[x][k] for x in group]
            ends = ((SOURCE, e), v) if kind == "up" else (v, (SINK, e))
            self.links[kind, i, e] = Link(*ends, None if None in speed else sum(speed), 0)
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
        if self.policy == "shortest" or (self.policy == "any" and self.routing in ("ecmp", "ecmp-split")):
            planes = [i for i in planes if found[i] == min(found.values())]
        elif self.policy == "single" or (self.policy == "round-robin" and n > 1):
            k = next(draw) * n >> 64
            planes = (planes[k:] + planes[:k])[: 1 if self.policy == "single" or self.routing == "ecmp" else n]
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
        found = array(stored, "length", "<f8", len(self.arcs))
        for key in ("up_length", "down_length"):
            found += array(stored, key, "<f8", self.planes, self.ends)
        used = [(link.speed, x) for link, x in zip(self.links.values(), found, strict=True) if x]
        need(all(c is not None for c, _ in used), "up_length, down_length: not 0 where the speed is infinite")
        return dict(zip(self.links, found, strict=True)), sum(c * x for c, x in used)

    def path_list(self, demand):
        """The list of paths of a demand, each a tuple of links; with `round-robin` each plane has its own."""
        n = len(demand.planes)
        lists = sorted(([i], (self.most + n - 1 - k) // n) for k, i in enumerate(demand.planes))
        lists = lists if self.policy == "round-robin" else [(demand.planes, self.most)]
        found = [path for planes, room in lists if room for path in self.shortest_paths(demand, planes, room)]
        return sorted(found, key=lambda path: (sum(self.metric[a] for a in path), path))

    def shortest_paths(self, demand, planes, room):
        """The K shortest paths, ties drawn; of `ecmp-lp`, all shortest ones."""
        far, found, steps, enough = self.far((SINK, demand.sink)), [], 0, 1 if self.routing == "ecmp-lp" else room
        queue = sorted((far[self.links[up].head], (up,)) for up in (("up", i, demand.source) for i in planes))
        while queue and (len(found) < enough or queue[0][0] == found[-1][0]):
            total, path = heapq.heappop(queue)
            v, steps = self.links[path[-1]].head, steps + 1
            need(steps <= MOST_STEPS, "routing: the lists take too many steps, and are not checked by this program")
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
        for v in self.far((SINK, demand.sink)):
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
        targets = sorted({b for a, b in ends if a != b})
        ptr, arc = array(proof, "split_ptr", "<i4", len(targets) + 1), array(proof, "split_arc", "<i4", None)
        fraction = array(proof, "split_fraction", "<f8", len(arc))
        need(ptr[0] == 0 and ptr[-1] == len(arc) and ptr == sorted(ptr), "split_ptr: does not rise from 0 to the end")
        for target, (begin, end) in zip(targets, pairwise(ptr), strict=True):
            for k, x in zip(arc[begin:end], fraction[begin:end], strict=True):
                rows[target][links["arc", target[0], k].tail]["arc", target[0], k] = x
            good = sum(map(len, rows[target].values())) == end - begin and target not in rows[target]
            need(good, "split_arc: an arc twice, or one that leaves the destination")
        share, parts = array(proof, "share", "<f8", self.planes, n), defaultdict(dict)
        for j, d in enumerate(self.demands):
            own = {("up", i, d.source): share[i * n + j] for i in d.planes}
            good = near(sum(own.values()), 1) and sum(own.values()) == sum(share[j::n])
            need(good, "share: not 1 in all over the planes that a demand can use")
            parts[d.sink] |= {(SOURCE, d.source): own}
            for down in [("down", i, d.sink) for i in d.planes]:
                parts[d.sink] |= rows[links[down].tail] | {links[down].tail: {down: ONE}}

        def load(rates):
            enters = defaultdict(dict)
            for d, r in zip(self.demands, rates, strict=True):
                enters[d.sink][SOURCE, d.source] = r
            return summed([self.push((SINK, t), enters[t], parts[t]) for t in parts], [1] * len(parts))

        def dist(length):
            toward = cache(lambda sink: self.toward((SINK, sink), length))
            return [toward(d.sink)[SOURCE, d.source] for d in self.demands]

        return load, dist, None

    def fixed_paths(self, proof):
        """The forms `path` and `load`: weights of listed paths, of which the shortest counts, or one fixed split."""
        fixed, self.leg = "load" in proof, cache(lambda w, v: self.push(w, {v: ONE}, self.nearest(w)))
        rows = [[self.split(d)] if fixed else [dict.fromkeys(x, ONE) for x in self.path_list(d)] for d in self.demands]
        weight = iter([ONE] * len(rows) if fixed else array(proof, "weight", "<f8", sum(map(len, rows))))
        own = [[next(weight) for _ in each] for each in rows]
        need(all(near(sum(each), 1) for each in own), "weight: the weights of a demand do not add up to one")
        parts = [summed(each, [w / sum(xs) for w in xs]) for each, xs in zip(rows, own, strict=True)]
        share = array(proof, "share", "<f8", self.planes, len(parts)) if fixed else []
        true = [parts[j].get(("up", i, d.source), 0) for i in range(self.planes) for j, d in enumerate(self.demands)]
        need(all(map(near, share, true)), "share: not that of the routing")

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


FORMS = {"ideal": ("arc", Problem.any_path, "share split_ptr split_arc split_fraction")}
FORMS |= dict.fromkeys(["ecmp-lp", "ksp"], ("path", Problem.fixed_paths, "weight"))
FORMS |= dict.fromkeys(["ecmp-split", "vlb", "ecmp"], ("load", Problem.fixed_paths, "share load"))


def bounds(low, high, unit=""):
    """The figures of two bounds, which must not cross."""
    need(low <= high, "certificate: the bounds cross")
    return {f"lower_bound{unit}": low, f"upper_bound{unit}": high, "relative_gap": (high - low) / (high or 1)}


class Claim:
    """What a file claims: rates or K, the load and the lengths of links; each objective gives the figures and a gap."""

    def __init__(self, file):
        name, _, options = file["objective"].partition(":")
        self.options = dict(x.split("=", 1) for x in options.split(",") if options)
        self.capped = self.options.get("cap") == "demand"
        good = name in OBJECTIVES and {*self.options} <= {*OBJECTIVES[name][1]}
        need(good and self.capped == ("cap" in self.options), "objective: not one of the page, or with another option")
        self.file, self.name, by_ratio = file, name, OBJECTIVES[name][0] is Claim.ratio
        self.problem, proof = Problem(file, self.capped), file["certificate"]
        self.amounts = [d.amount for d in self.problem.demands]
        self.weighed = lambda values: sum(map(Fraction.__mul__, self.amounts, values))
        self.parts, self.there, self.load = None, bool(self.problem.whole if by_ratio else self.amounts), {}
        need((proof is not None) == self.there, "certificate: null, or not, against the paths of the demands")
        if not by_ratio:
            self.read_rates(file["answer"])
        if self.there:
            form, read, keys = FORMS[self.problem.routing]
            need(proof["form"] == form, f"form: {proof['form']!a} with this routing is not checked by this program")
            exactly(proof, "certificate", f"form {LENGTHS} {keys}")
            load, self.dist, self.parts = read(self.problem, proof)
            self.length, self.volume = self.problem.lengths(proof)
            self.load = load(self.amounts if by_ratio else self.sent)
            given, arcs = load(self.amounts) if name == "min-cost" else self.load, self.problem.arcs
            stored = array(proof, "load", "<f8", len(arcs)) if form == "load" else []
            need(all(near(x, given[a]) for x, a in zip(stored, arcs, strict=False)), "load: not that of the routing")
        self.speed = {a: link.speed for a, link in self.problem.links.items()}
        room = [(x, self.speed[a]) for a, x in self.load.items() if self.speed[a] is not None]
        need(by_ratio or all(x <= c for x, c in room), "rates_gbps: they do not fit")
        self.times = min((c / x for x, c in room if x), default=None)

    def read_rates(self, answer):
        """The rates of the answer: of pairs, and of demands per unit, least and largest, and in all."""
        exactly(answer, "answer", "rates_gbps levels inputs")
        need(OBJECTIVES[self.name][0] is Claim.levels or answer["levels"] == [], "levels: not empty")
        exactly(answer["inputs"], "inputs", "link_cost" * ("costs" in self.options))
        rates, own = array(answer, "rates_gbps", "<f8", len(self.problem.pairs)), defaultdict(list)
        for ((s, t), d), r in zip(self.problem.pairs.items(), rates, strict=True):
            own[self.problem.of[s], self.problem.of[t]].append((r / d, r))
        own, left = [sorted(own.pop(d[:2])) for d in self.problem.demands], own
        need(not any(r for each in left.values() for _, r in each), "rates_gbps: a pair without a path has a rate")
        self.least, self.most, self.total_rate = [x[0][0] for x in own], [x[-1][0] for x in own], sum(rates)
        need(all(map(near, self.least, self.most)), "rates_gbps: equivalent pairs have different rates")
        self.sent = [x[0][1] if len(x) == 1 else x[-1][0] * d for x, d in zip(own, self.amounts, strict=True)]
        self.rates = {"rates_gbps": {"min": min(rates), "mean": self.total_rate / len(rates), "max": max(rates)}}

    def ratio(self):
        """K and its bounds, or those of the reciprocal."""
        low = high = ZERO
        if self.there:
            low, total = self.times, self.weighed(self.dist(self.length))
            need(low and total, "length: the distances add up to 0, which bounds nothing, or no link limits the flow")
            high = self.volume / total
        found = {"throughput_gbps": low, **bounds(low, high, "_gbps")}
        if self.name == "concurrent":
            return found, 0
        least, most = (1 / high, 1 / low) if low else (None, None)
        found = {"throughput_gbps": low, "relative_gap": found["relative_gap"]}
        return {"max_utilisation": most, "lower_bound": least, "upper_bound": most, **found}, 0

    def total(self):
        """The sum of rates, each at most its demand, and at least a floor."""
        low, high, floor = self.total_rate, self.total_rate, Fraction(float(self.options.get("floor", 0)))
        need(all(t <= 1 for t in self.most), "rates_gbps: a rate is above its demand")
        need(self.there or not floor, "objective: no demand has a path, so none has a floor")
        part = min([floor, *self.least])
        if self.there:
            high = self.volume + self.weighed(max(0, 1 - x) - part * max(0, x - 1) for x in self.dist(self.length))
        figures = {"total_gbps": low, **bounds(low, high, "_gbps"), **self.rates}
        return (figures | {"floor": part}, 1 - part / floor) if floor else (figures, 0)

    def cost(self):
        """The cost of carrying k times the matrix."""
        need(self.there and self.problem.whole, "objective: a demand has no path, so there is no cost")
        arcs, inputs = self.problem.arcs, self.file["answer"]["inputs"]
        each = array(inputs, "link_cost", "<f8", len(arcs), between=AMOUNTS) if inputs else [ONE] * len(arcs)
        each = dict.fromkeys(self.length, ZERO) | dict(zip(arcs, each, strict=True))
        k, stated = min(self.least), number(self.file, "asked_gbps")
        q = Fraction(float(self.options["at"])) if "at" in self.options else stated
        need(near(stated, q) and k <= q * (1 + NEAR), "asked_gbps: not that of the objective, or less than the rates")
        need(k > 0 and max(self.most) <= k * (1 + NEAR), "rates_gbps: not the same part of each demand")
        k, both = min(k, q), {a: w + self.length[a] for a, w in each.items()}
        high = sum(each[a] * x for a, x in self.load.items())
        low = max(k * self.weighed(self.dist(each)), k * self.weighed(self.dist(both)) - self.volume)
        figures = {"cost_gbps_links": high, **bounds(low, high, "_gbps_links"), "carried_gbps": k, "asked_gbps": q}
        return {**figures, "mean_links": high / (k * sum(self.amounts)), **self.rates}, 1 - k / q

    def levels(self):
        """Max-min fair rates, by levels: none can get more than the bound of its level."""
        stored, rest, before, shown, gap = self.file["answer"]["levels"], {*range(len(self.amounts))}, 0, [], ZERO
        unit, least, most = self.amounts, self.least, self.most
        if self.capped:
            unit, least, most = [ONE] * len(unit), self.sent, self.sent
            need(all(map(Fraction.__le__, self.sent, self.amounts)), "rates_gbps: a rate is above its demand")
        by_length = self.name == "max-min" and any(level["up_length"]["shape"] != [0] for level in stored)
        need(by_length or self.parts or not stored, "levels: without lengths, but a demand has several paths")
        links, top = defaultdict(dict), least if by_length else most
        for j, row in enumerate(self.parts or ()):
            for a in row:
                links[a] |= {j: row[a] * unit[j]} if row[a] else {}
        full = [(self.speed[a], row) for a, row in links.items() if self.speed[a] is not None]
        for level in stored:
            exactly(level, "levels", f"rate upper demands {LENGTHS} margin?")
            chosen, rate = array(level, "demands", "<i4", None), number(level, "rate")
            upper = math.inf if level["upper"] is None else number(level, "upper")
            need(chosen and len({*chosen}) == len(chosen) and rest >= {*chosen}, "levels: none, no such, or not apart")
            rest, low = rest - {*chosen}, min(least[j] for j in chosen)
            need(near(rate, low) and before <= rate <= upper, "levels: a rate is not the least, falls, or is above U")
            before = rate
            witnesses, proved = full, set()
            if by_length:
                length, volume = self.problem.lengths(level)
                witnesses = [(volume, dict(enumerate(map(Fraction.__mul__, unit, self.dist(length)))))]
            need(by_length or not any(array(level, key, "<f8", 0) for key in LENGTHS.split()), "levels: wrong lengths")
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


OBJECTIVES = {"concurrent": (Claim.ratio, ()), "min-max-utilisation": (Claim.ratio, ())}
OBJECTIVES |= {"total": (Claim.total, ("floor",)), "min-cost": (Claim.cost, ("at", "fraction", "costs"))}
OBJECTIVES |= dict.fromkeys(["max-min", "max-min-fill"], (Claim.levels, ("cap",)))


def check(file):
    """Check a file: (status, lower bound, upper bound, gap, exact figures), or ValueError."""
    good = isinstance(file, dict) and file.get("format") == "pnet-lp-result/1" and file.get("level") in ("rack", "host")
    need(good, "format, level: not pnet-lp-result/1, or neither rack nor host")
    claim = Claim(file)
    figures, more = OBJECTIVES[claim.name][0](claim)
    exactly(file, "the file", f"{FILE} {' '.join(figures)}{' answer' * hasattr(claim, 'rates')}")
    for key, x in (figures | claim.problem.texts).items():
        good = near(1 + number(file, key), 1 + x) if key == "relative_gap" else same(file[key], x)
        need(good, f"{key}: not {float(x)!r}, which the file proves" if isinstance(x, Fraction) else f"{key}: wrong")
    gap, tolerance, status = max(figures["relative_gap"], more), number(file, "tolerance"), file["status"]
    free = claim.name == "min-cost" and "at" not in claim.options and status == "bounds"
    good = free or status == ("certified" if gap <= tolerance else "bounds")
    need(good and 0 < tolerance < 1, "status, tolerance: not that of the gap, or not between 0 and 1")
    found = {key.partition("_")[0]: x for key, x in figures.items() if "er_bound" in key}
    return status if gap <= Fraction(1e-4) else "bounds", found.get("lower"), found.get("upper"), gap, figures


def outward(x, side):
    """The double nearest to a number on this side of it."""
    y = float(x)
    return y if (Fraction(y) - x) * side >= 0 else math.nextafter(y, side * math.inf)


def main(arguments):
    """Run the command; return the exit code."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        helped = arguments in (["-h"], ["--help"])
        print(__doc__, file=sys.stdout if helped else sys.stderr)
        return 0 if helped else 2
    try:
        options = {"parse_constant": lambda text: need(False, f"{text} is not a number of JSON")}
        options["object_pairs_hook"] = lambda x: need(len(dict(x)) == len(x), "a key occurs twice") or dict(x)
        file = json.loads(Path(arguments[0]).read_text(encoding="utf-8"), **options)
        status, low, high, gap, _ = check(file)
    except (ValueError, OSError, *DAMAGE) as error:
        why = f"damaged ({type(error).__name__})" if isinstance(error, DAMAGE) else ascii(str(error))[1:-1]
        print(f"Error: {arguments[0]!a}: {why}", file=sys.stderr)
        return 1
    proved = f"a gap of {outward(gap, 1)!r}" if low is None else f"in [{outward(low, -1)!r}, {outward(high, 1)!r}]"
    print(f"{status}: {file['objective']} proved {proved}; not checked: {NOT_CHECKED}")
    return 0 if status == "certified" else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
