"""What `check.py` leaves out, from the same page: the routings `edge-disjoint` and `hedera`, and four forms.

Usage: python tools/check_all.py RESULT.json, with `check.py` beside it: that program with more methods, so it checks
every result, and prints and returns the same. What `hedera` places is computed in doubles, as the page says.
"""

import math
import sys
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache, partial
from graphlib import TopologicalSorter
from itertools import accumulate, pairwise
from typing import ClassVar

import check
from check import LENGTHS, MOST_STEPS, ONE, SINK, SOURCE, ZERO, need, stream, summed

QUOTIENT = """form class_length:f:c arc_class:i:a up_class:i:p:e down_class:i:p:e generator:i:g:v target:i:o kind:i:o
node_class:i:o:v entry:i:x:4 fraction:f:x"""


def add(doubles):
    """The sum of doubles, one after the other."""
    return [*accumulate(doubles, initial=0.0)][-1]


def rows(numbers, length):
    """The rows of an array, each of this length."""
    return [*zip(*[iter(numbers)] * length, strict=True)]


def orbits(items, images):
    """The first item of the orbit of each item, under permutations."""
    first = {}
    for item in items:
        queue = [] if item in first else [item]
        for x in queue:
            if x not in first:
                first[x] = item
                queue += [image(x) for image in images]
    return first


def natural_demands(ends, rates):
    """What each flow between two ends could send if only these limited it: max-min fair, in doubles."""
    demand, fixed, leaving, arriving = [0.0] * len(ends), set(), defaultdict(list), defaultdict(list)
    for j, (s, t) in enumerate(ends):
        leaving[s].append(j)
        arriving[t].append(j)
    while True:
        before, limited = demand[:], False
        for e, flows in sorted(leaving.items()):
            active = [j for j in flows if j not in fixed]
            rest = rates[0][e] - add(demand[j] for j in flows if j in fixed)
            for j in active:
                demand[j] = max(rest, 0.0) / len(active)
        for e, flows in sorted(arriving.items()):
            large, rest = flows, rates[1][e]
            if add(demand[j] for j in large) <= rest * (1.0 + 1e-12):
                continue
            while small := [j for j in large if demand[j] < rest / len(large)]:
                rest -= add(demand[j] for j in small)
                large = [j for j in large if j not in small]
            for j in large:
                demand[j] = rest / len(large)
            fixed |= {*large}
            limited = True
        if not limited or demand == before:
            return demand


class Claim(check.Claim):
    """A claim of any form, under any routing of the page."""

    routings: ClassVar = check.Claim.routings | {"edge-disjoint": "path", "hedera": "load"}
    proofs: ClassVar = check.Claim.proofs | {"quotient": ("arc", "quotient", QUOTIENT)}
    proofs |= {"one-path": ("path", "one_path", f"form {LENGTHS}")}
    proofs |= {"shortest": ("path", "shortest_links", check.Claim.proofs["arc"][2])}
    proofs |= {"tree": ("arc", "trees", f"form {LENGTHS} part:f:p to_root:i:u from_root:i:u")}

    def pose(self):
        """See the base class; what `hedera` is told is taken off first."""
        name, colon, text = self.file["routing"].partition(":")
        if name == "hedera":
            pairs = [x.partition("=")[::2] for x in (text if "=" in text else f"placement={text}").split(",") if colon]
            options = {"placement": "gff", "steps": "1000"} | dict(pairs)
            how, steps = options.pop("placement"), options.pop("steps")
            good = not options and len(dict(pairs)) == len(pairs) and how in ("gff", "annealing")
            good = good and (how == "annealing" or "steps" not in dict(pairs))
            good = good and steps.isdigit() and steps.isascii() and int(steps) in range(1, 1 << 32)
            need(good, "routing: an option of hedera is not of the page, or has no meaning")
            self.steps = int(steps) if how == "annealing" else 0
            need(self.steps <= MOST_STEPS, "routing: more steps than this program takes", NotImplementedError)
            self.file = self.file | {"routing": name}
        super().pose()
        self.nodes = [(i, v) for i, size in enumerate(self.switches) for v in range(size)]
        self.nodes += [(SOURCE, e) for e in range(self.ends)]
        self.sizes |= {"v": len(self.nodes), "u": sum(self.switches)}

    def split(self, demand):
        """See the base class; with `hedera`, on the path that the demand is placed on, or else as `ecmp` draws."""
        if self.routing == "hedera":
            return dict.fromkeys(self.placed.get(demand[:2]) or self.drawn_path(demand), ONE)
        return super().split(demand)

    def fixed_paths(self, proof):
        """See the base class."""
        self.placed = self.place() if self.routing == "hedera" else {}
        return super().fixed_paths(proof)

    def shortest_paths(self, demand, planes, room):
        """See the base class; of `edge-disjoint`, paths without a common arc, the shortest in all."""
        if self.routing != "edge-disjoint":
            return super().shortest_paths(demand, planes, room)
        start, end, flow, found = (SOURCE, demand.source), (SINK, demand.sink), set(), []
        salts, count = {i: next(demand.draw) for i in planes}, Counter(i for _, i, _ in self.arcs)
        unit = (1 + max(count[i] for i in planes)) << 16
        cost = {a: self.metric[a] * unit + (next(stream(salts[a[1]], a[2])) >> 48) for a in self.arcs if a[1] in salts}
        ends = {("up", i, demand.source): ("down", i, demand.sink) for i in planes}
        once = {*cost, *(up for up, down in ends.items() if self.links[up].head == self.links[down].tail)}
        cost |= dict.fromkeys([*ends, *ends.values()], 0)
        while room and (path := self.route(start, end, cost, flow)):
            flow, room = flow ^ once.intersection(path), room - 1
        flow |= {*ends, *ends.values()} - once
        while path := self.route(start, end, dict.fromkeys(flow, 1), ()):
            found.append(tuple(path))
            flow -= once.intersection(path)
        return found

    def route(self, start, end, length, used):
        """A path of least length over links with a length, of which those in use can only be gone back over."""
        best, queue, path = {start: (0, None, None)}, [start], []
        for v in queue:
            steps = [(a, self.links[a].head, length[a]) for a in self.out[v] if a in length and a not in used]
            steps += [(a, self.links[a].tail, -length[a]) for a in self.into[v] if a in used]
            for a, w, x in steps:
                if w not in best or best[v][0] + x < best[w][0]:
                    best[w] = best[v][0] + x, a, v
                    queue.append(w)
        while end != start and end in best:
            _, a, end = best[end]
            path.insert(0, a)
        return path

    def place(self):
        """The path on which `hedera` finds room for each demand that it does: {(source, sink): path}."""
        paths = [sorted(self.path_list(d), key=lambda path: path[1:-1]) for d in self.demands]
        ends, speed = [d[:2] for d in self.demands], {a: float(self.links[a].speed) for a in self.arcs}
        rates = [[self.rate(kind, e, speed) for e in range(self.ends)] for kind in ("up", "down")]
        requested, load, found = natural_demands(ends, rates), defaultdict(float), {}
        if self.steps:
            return self.annealed(paths, requested, speed)
        for pair, amount, own in zip(ends, requested, paths, strict=True):
            room = [path for path in own if all(speed[a] * (1.0 + 1e-9) - load[a] >= amount for a in path[1:-1])]
            for path in room[:1]:
                found[pair] = path
                load |= {a: load[a] + amount for a in path[1:-1]}
        return found

    def rate(self, kind, end, speed):
        """What an end can send or receive: over access links, or where they are infinite, over arcs of its switches."""
        each = []
        for link in [self.links[kind, i, end] for i in range(self.planes)]:
            arcs = [a for a in (self.out[link.head] if kind == "up" else self.into[link.tail]) if a in speed]
            each.append(add(speed[a] for a in arcs) if link.speed == math.inf else float(link.speed))
        return add(each)

    def annealed(self, paths, requested, speed):
        """The same by simulated annealing: each host is reached by one of the equal paths, and hosts swap these."""
        draw, load = stream(self.file["routing_seed"], 0x686564657261), defaultdict(float)
        choice = [*range(self.texts["network"][f"{self.file['level']}s"])]
        host, to = [self.members[d.sink][0] for d in self.demands], defaultdict(list)
        for j, receiver in enumerate(host):
            to[receiver].append(j)

        def shift(receiver, sign):
            """Add what one receives to loads, or take it away; return by how much the excess grows."""
            change = 0.0
            for j in to.get(receiver, ()):
                for a in paths[j][choice[receiver] % len(paths[j])][1:-1]:
                    change -= max(load[a] / speed[a] - 1.0, 0.0)
                    load[a] += sign * requested[j]
                    change += max(load[a] / speed[a] - 1.0, 0.0)
            return change

        def swap(a, b):
            """Let two swap their choices; return by how much the excess grows."""
            change = shift(a, -1.0) + shift(b, -1.0)
            choice[a], choice[b] = choice[b], choice[a]
            return change + (shift(a, 1.0) + shift(b, 1.0))

        receivers = sorted(to)
        energy = add(shift(receiver, 1.0) for receiver in receivers)
        best, least = choice[:], energy
        for left in range(self.steps, 0, -1):
            if least <= 1e-9:
                break
            a, b = receivers[next(draw) * len(receivers) >> 64], next(draw) * len(choice) >> 64
            change = swap(a, b) if a != b else 0.0
            if change > 0 and (next(draw) >> 11) / 2.0**53 >= math.exp(-0.5 * change / (left / self.steps)):
                swap(a, b)
                continue
            energy += change
            if energy < least:
                best, least = choice[:], energy
        return {d[:2]: own[best[t] % len(own)] for d, t, own in zip(self.demands, host, paths, strict=True)}

    def one_path(self, _):
        """The form `one-path`: each demand whole on the path of `ecmp` or `ksp:1`, by lengths over any path."""
        paths = {"ecmp-lp": "ecmp", "ksp": "ksp"}.get(self.routing)
        known = paths == "ecmp" or (paths and self.most > 1 and self.policy != "round-robin")
        need(known, "form: no path of this routing is known beforehand")
        self.routing, self.most = paths, 1
        rows = [self.drawn_path(d) if paths == "ecmp" else self.path_list(d)[0] for d in self.posed()]
        rows, self.into = [dict.fromkeys(row, ONE) for row in rows], defaultdict(list)
        for a, link in self.links.items():
            self.into[link.head] += [a] * bool(link.speed)
        return partial(summed, rows), self.shortest, None

    def shortest_links(self, proof):
        """The form `shortest`: that of `arc`, in the planes of the lists, on arcs that begin a shortest path."""
        need(self.routing == "ecmp-lp" and self.policy != "single", "form: not all shortest paths are in the lists")
        for j, d in enumerate(self.demands if self.policy == "any" else ()):
            far = {i: self.far((SINK, d.sink))[self.links["up", i, d.source].head] for i in d.planes}
            self.demands[j] = d._replace(planes=[i for i in d.planes if far[i] == min(far.values())])
        links, load = self.links, self.any_path(proof)[0]
        ends = [(links["up", i, d.source].head, links["down", i, d.sink].tail) for d in self.demands for i in d.planes]
        targets = sorted({b for a, b in ends if a != b})
        for (i, v), (begin, end) in zip(targets, pairwise(proof["split_ptr"]), strict=True):
            far = self.far((i, v))
            used = [links["arc", i, k] for k in proof["split_arc"][begin:end]]
            good = all(a.tail in far and far.get(a.head) == far[a.tail] - a.metric for a in used)
            need(good, "split_arc: an arc that begins no shortest path")

        def dist(length):
            toward = cache(lambda sink: self.along((SINK, sink), length))
            up = [[(d.sink, ("up", i, d.source)) for i in d.planes] for d in self.demands]
            return [min(length[a] + toward(sink)[links[a].head] for sink, a in own) for own in up]

        return load, dist, None

    def along(self, sink, length):
        """The least length from each node to a sink over shortest paths."""
        best, begin = {}, self.nearest(sink)
        for v in self.far(sink):
            best[v] = min((length[a] + best[self.links[a].head] for a in begin[v]), default=ZERO)
        return best

    def trees(self, proof):
        """The form `tree`: each demand along one tree in each plane that carries anything."""
        links, crossed, whole = self.links, {}, sum(proof["part"])
        need(whole and min(proof["to_root"] + proof["from_root"]) >= -1, "part, to_root: all 0, or below -1")
        both = iter(zip(proof["to_root"], proof["from_root"], strict=True))
        for i, part in enumerate(proof["part"]):
            tree = {(i, v): next(both) for v in range(self.switches[i])}
            tree = {v: [("arc", i, a) for a in arcs] for v, arcs in tree.items() if part and arcs != (-1, -1)}
            above, below = {v: links[a].head for v, (a, _) in tree.items()}, defaultdict(list)
            good = all(links[a].tail == v == links[b].head and links[b].tail == above[v] for v, (a, b) in tree.items())
            need(good, "to_root, from_root: not arcs from a switch to another and back")
            for e in range(self.ends):
                below[links["up", i, e].head].append(e)
            for v in reversed([*TopologicalSorter({v: [w] for v, w in above.items()}).static_order()]):
                below[above.get(v)] += below[v] if v in above else []
            top = {*above.values()} - {*above} or {*below}
            good = len(top) == 1 and len(below[min(top)]) == self.ends and all(i in d.planes for d in self.demands)
            need(good or not part, "to_root: the endpoints are not in one tree, or a demand has no path in the plane")
            crossed |= {a: (k, part / whole, below[v]) for v, arcs in tree.items() for k, a in enumerate(arcs)}
        weights = [[sum(self.weights[x][k] for x in own) for own in self.members] for k in (0, 1) if self.weights]

        def sides(ends, k, inner):
            """What one column has of these endpoints, and the other of all others."""
            return sum(ends[k][e] for e in inner), sum(ends[1 - k]) - sum(ends[1 - k][e] for e in inner)

        def load(rates):
            ends, found = [[ZERO] * self.ends for _ in (0, 1)], Counter()
            for d, r in zip(self.demands, rates, strict=True):
                ends[0][d.source] += r
                ends[1][d.sink] += r
                for i, part in enumerate(proof["part"]):
                    found.update(dict.fromkeys([("up", i, d.source), ("down", i, d.sink)], part / whole * r))
            most = max(map(Fraction.__truediv__, rates, self.amounts)) * (1 + Fraction(1, 1 << 52))
            for a, (k, part, inner) in crossed.items():
                found[a] = part * min(sides(ends, k, inner))
                if weights and self.whole:
                    found[a] = min(found[a], part * most * math.prod(sides(weights, k, inner)))
            return found

        return load, self.shortest, None

    def quotient(self, proof):
        """The form `quotient`: permutations, and a flow by classes of nodes to one endpoint of each of their orbits."""
        need(self.by_ratio, "form: a quotient proves K only")
        links, price, first = self.links, proof["class_length"], len(self.nodes) - self.ends
        size, at = len(self.nodes), {v: k for k, v in enumerate(self.nodes)}
        at |= {(SINK, e): first + e for e in range(self.ends)}
        of = dict(zip(links, proof["arc_class"] + proof["up_class"] + proof["down_class"], strict=True))
        need(all(-(not links[a].speed) <= c < len(price) for a, c in of.items()), "arc_class, up_class: no such class")
        for key, kind in (("length", "arc"), ("up_length", "up"), ("down_length", "down")):
            proof[key] = [price[c] if links[a].speed else ZERO for a, c in of.items() if a[0] == kind]

        # A node is a pair as well: permutations take pairs to pairs, and keep what follows these.
        bundle = {a: (at[x.tail], at[x.head], a[0], x.speed, of[a]) for a, x in links.items() if x.speed}
        count = {**Counter(bundle.values()), **{(first + d.source, first + d.sink): d.amount for d in self.demands}}
        for e, own in enumerate(self.members if self.weights else ()):
            count[first + e, first + e, "weights"] = [add(float(self.weights[x][k]) for x in own) for k in (0, 1)]
        generators = rows(proof["generator"], size)
        images = [lambda x, row=row: (row[x[0]], row[x[1]], *x[2:]) for row in generators]
        good = all(sorted(row) == [*range(size)] and min(row[first:]) >= first for row in generators)
        good = good and all(count.get(image(x)) == n for image in images for x, n in count.items())
        need(good, "generator: not a permutation, or not one that keeps links, speeds, classes and demands")
        orbit = orbits([*((v, v) for v in range(size)), *bundle.values()], images)
        sizes = Counter(orbit[first + t, first + t] for t in {d.sink for d in self.demands})
        targets = [orbit.get((first + t, first + t)) for t in proof["target"]]
        need(Counter(targets) == Counter([*sizes]), "target: not one endpoint of each orbit")

        entries = rows(proof["entry"], 4)
        fraction = dict(zip(entries, proof["fraction"], strict=True))
        need(len(fraction) == len(entries), "entry: a row twice")
        most = (max(proof["kind"]) + 1, size, size, len(price))
        good = all(0 <= x < m for row in entries for x, m in zip(row, most, strict=True))
        good = good and all(0 <= x < len(targets) for x in proof["kind"])
        need(good and all(0 <= x < size for x in proof["node_class"]), "entry, kind, node_class: no such class or kind")
        columns = zip(proof["target"], proof["kind"], rows(proof["node_class"], size), strict=True)
        parts = {t: self.spread(t, kind, {v: own[k] for v, k in at.items()}, of, fraction) for t, kind, own in columns}
        many, times = Counter(orbit[x] for x in bundle.values()), dict(zip(parts, map(sizes.get, targets), strict=True))

        def load(rates):
            total = summed(self.pushed(rates, parts).values(), times.values())
            mean = summed(
                [{orbit[bundle[a]]: x / many[orbit[bundle[a]]]} for a, x in total.items()], [ONE] * len(total)
            )
            return {a: mean[orbit[x]] for a, x in bundle.items() if orbit[x] in mean}

        def dist(length):
            far = {t: self.toward((SINK, t), length) for t in parts}
            return [times[d.sink] * far[d.sink][SOURCE, d.source] if d.sink in far else ZERO for d in self.demands]

        return load, dist, None

    def spread(self, target, kind, node_class, link_class, fraction):
        """How each node divides what goes to a target: {node: {link: part}}; those that cannot are missing."""
        lead, after = defaultdict(lambda: defaultdict(list)), defaultdict(set)
        for a, (v, head, speed, _) in self.links.items():
            row = (kind, node_class[v], node_class[head], link_class[a])
            if speed and fraction.get(row):
                lead[v][row].append(a)
                # But for the target, an endpoint is one node.
                after[v].add((SOURCE, head[1]) if head[0] == SINK and head[1] != target else head)
        TopologicalSorter(after).prepare()
        needed, total = Counter(), Counter()
        for row, x in fraction.items():
            needed.update({row[1]: 1} if x and row[0] == kind else {})
            total.update({row[1]: x} if row[0] == kind else {})
        whole = {v: own for v, own in lead.items() if len(own) == needed[node_class[v]]}
        return {
            v: {a: fraction[row] / total[row[1]] / len(found) for row, found in own.items() for a in found}
            for v, own in whole.items()
        }


if __name__ == "__main__":
    sys.exit(check.main(sys.argv[1:], Claim))
