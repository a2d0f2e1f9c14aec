"""The forms of certificates, with lists of paths and draws, as docs/certificates.md says; used by check.py."""

import heapq
from collections import Counter, defaultdict
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from check_problem import RefusedError, Stream, array, near, need, rows

MOST_STEPS = 1 << 18
LENGTHS = "length up_length down_length"
QUOTIENT = "arc_class up_class down_class class_length generator target kind node_class entry fraction"


def push(plane, target, enters, parts):
    """What each arc carries of what enters (by switch) and goes to the target, divided by parts (arc -> part)."""
    out, before, amount, load = defaultdict(list), defaultdict(set), defaultdict(Fraction, enters), {}
    for a, x in parts.items():
        tail, head, _ = plane.arcs[a]
        out[tail].append((a, head, x))
        before[head].add(tail)
    need(not out[target], "split_arc: an arc leaves the destination")
    for v in TopologicalSorter({**dict.fromkeys(enters, ()), **before}).static_order():
        if amount[v] and v != target:
            total = sum(x for _, _, x in out[v])
            need(near(total, 1), "split_fraction: the fractions at a switch do not add up to one")
            for a, head, x in out[v]:
                load[a] = amount[v] * x / total
                amount[head] += load[a]
    return load


def normal(part, key):
    """Parts over their sum, which is near 1."""
    total = sum(part.values())
    need(near(total, 1), f"{key}: the parts of a demand do not add up to one")
    return {k: x / total for k, x in part.items()}


def stored_shares(problem, proof):
    """The shares of the file, by demand and plane, over their sum."""
    n, found = len(problem.demands), []
    share = array(proof, "share", "<f8", len(problem.planes), n)
    for j, usable in enumerate(problem.available):
        part = {i: share[i * n + j] for i in range(len(problem.planes)) if share[i * n + j]}
        need(set(part) <= set(usable), "share: a demand enters a plane that it cannot use")
        found.append(normal(part, "share"))
    return found


class PerDemand:
    """What is common to forms with a load and a distance of each demand."""

    def whole(self, length):
        """What each link carries at K = 1, and the sum of d_j dist_j."""
        demand = [d for _, _, d in self.problem.demands]
        return self.load(demand), sum(d * x for d, x in zip(demand, self.dist(length), strict=True))

    def agree(self, rates):
        """Refuse a file whose own loads are not those at these rates; most forms have none."""


class AnyPath(PerDemand):
    """The form `arc`: fractions by destination, and shares of the planes."""

    keys = f"{LENGTHS} share split_ptr split_arc split_fraction"

    def __init__(self, problem, proof):
        self.problem, self.shares, self.splits, planes = problem, stored_shares(problem, proof), {}, problem.planes
        used = ((i, s, t) for (s, t, _), usable in zip(problem.demands, problem.available, strict=True) for i in usable)
        requested = sorted({(i, planes[i].at[t]) for i, s, t in used if planes[i].at[s] != planes[i].at[t]})
        ptr, arc = array(proof, "split_ptr", "<i4", len(requested) + 1), array(proof, "split_arc", "<i4", None)
        part = array(proof, "split_fraction", "<f8", len(arc))
        need(ptr[0] == 0 and ptr[-1] == len(arc) and ptr == sorted(ptr), "split_ptr: does not rise from 0 to the end")
        for row, (a, b) in zip(requested, pairwise(ptr), strict=True):
            need(all(0 <= x < len(planes[row[0]].arcs) for x in arc[a:b]), "split_arc: no such arc")
            self.splits[row] = dict(zip(arc[a:b], part[a:b], strict=True))
            need(len(self.splits[row]) == b - a, "split_arc: an arc occurs twice in a row")
            push(planes[row[0]], row[1], {}, self.splits[row])

    def load(self, rates):
        """What each link carries if demand j sends rates[j]."""
        load, enters, planes = defaultdict(Fraction), defaultdict(lambda: defaultdict(Fraction)), self.problem.planes
        for (s, t, _), share, r in zip(self.problem.demands, self.shares, rates, strict=True):
            for i, x in share.items():
                load["up", i, s] += x * r
                load["down", i, t] += x * r
                if planes[i].at[s] != planes[i].at[t]:
                    enters[i, planes[i].at[t]][planes[i].at[s]] += x * r
        for (i, target), amounts in enters.items():
            for a, x in push(planes[i], target, amounts, self.splits[i, target]).items():
                load["arc", i, a] += x
        return load

    def dist(self, length):
        """The least length of a unit of each demand."""
        found, far = [], {}
        for (s, t, _), usable in zip(self.problem.demands, self.problem.available, strict=True):
            each = []
            for i in usable:
                p = self.problem.planes[i]
                if (i, p.at[t]) not in far:
                    far[i, p.at[t]] = p.toward(p.at[t], [length["arc", i, a] for a in range(len(p.arcs))])
                each.append(length["up", i, s] + far[i, p.at[t]][p.at[s]] + length["down", i, t])
            found.append(min(each))
        return found

    def fixed(self):
        """Refuse: nothing says that a demand has one path."""
        raise RefusedError("levels: without lengths, but the demands have neither one path nor a fixed split")


class FixedParts(PerDemand):
    """What is common to forms with parts of each demand on each link."""

    def load(self, rates):
        """What each link carries if demand j sends rates[j]."""
        load = defaultdict(Fraction)
        for parts, r in zip(self.parts, rates, strict=True):
            for a, x in parts.items():
                load[a] += x * r
        return load

    def dist(self, length):
        """The mean length of a unit of each demand."""
        return [sum(x * length[a] for a, x in parts.items()) for parts in self.parts]

    def fixed(self):
        """The part of each demand on each link, where nothing is open."""
        return self.parts


class ListedPaths(FixedParts):
    """The form `path`: weights of listed paths."""

    keys = f"{LENGTHS} weight"

    def __init__(self, problem, proof):
        listed = [path_list(problem, j) for j in range(len(problem.demands))]
        self.problem = problem
        self.paths = [[problem.links(j, i, arcs) for i, arcs in paths] for j, paths in enumerate(listed)]
        weight, self.parts = iter(array(proof, "weight", "<f8", sum(map(len, listed)))), []
        for paths in self.paths:
            parts = defaultdict(Fraction)
            for k, x in normal({k: next(weight) for k in range(len(paths))}, "weight").items():
                for a in paths[k]:
                    parts[a] += x
            self.parts.append(parts)

    def dist(self, length):
        """The length of the shortest path of each demand."""
        return [min(sum(length[a] for a in path) for path in paths) for paths in self.paths]

    def fixed(self):
        """The parts, if each demand has one path."""
        need(all(len(paths) == 1 for paths in self.paths), "levels: without lengths, but a demand has several paths")
        return self.parts


def shortest_paths(problem, j, planes):
    """Yield the paths of demand j in these planes as (plane, arcs), all of one length at a time, shortest first."""
    s, t, _ = problem.demands[j]
    limit = min(problem.far(j, i) for i in planes)
    while limit is not None:
        found, beyond, steps = [], [], 0
        for i in planes:
            p, far = problem.planes[i], problem.planes[i].far(problem.planes[i].at[t])
            stack = [(p.at[s], (), 0, frozenset([p.at[s]]))]
            while stack:
                v, arcs, length, seen = stack.pop()
                steps += 1
                need(steps <= MOST_STEPS, "routing: the lists take too many steps, and are not checked by this program")
                if length + far[v] > limit:
                    beyond.append(length + far[v])
                elif v == p.at[t]:
                    found += [(i, arcs)] if length == limit else []
                else:
                    stack += [(w, (*arcs, a), length + p.metric[a], seen | {w}) for a in p.leaving[v]
                              if (w := p.arcs[a][1]) in far and w not in seen]  # fmt: skip
        yield sorted(found)
        limit = min(beyond, default=None)


def path_list(problem, j):
    """The list of paths of demand j, ties drawn."""
    s, t, _ = problem.demands[j]
    draw, usable = Stream(problem.seed, problem.name[s], problem.name[t]), problem.available[j]
    lists = [(usable, problem.count)]
    if problem.policy == "shortest":
        lists = [(problem.nearest(j, usable), problem.count)]
    elif problem.policy == "single":
        lists = [([usable[draw.below(len(usable))]], problem.count)]
    elif problem.policy == "round-robin":
        n = len(usable)
        start, each, more = draw.below(n) if n > 1 else 0, *divmod(problem.count, n)
        lists = [([i], each + ((k - start) % n < more)) for k, i in enumerate(usable)]
    found = []
    for planes, room in lists:
        if problem.routing == "ecmp-lp":
            found += next(shortest_paths(problem, j, planes))
        elif room:
            found += LISTS[problem.routing](problem, j, planes, room, draw)
    return sorted(found, key=lambda path: (sum(problem.planes[path[0]].metric[a] for a in path[1]), path))


def k_shortest(problem, j, planes, room, draw):
    """The K shortest paths."""
    found = []
    for paths in shortest_paths(problem, j, planes):
        if len(paths) > room:
            for i in range(room):
                k = i + draw.below(len(paths) - i)
                paths[i], paths[k] = paths[k], paths[i]
        found += paths[:room]
        room -= len(paths[:room])
        if not room:
            break
    return found


def one_shortest(problem, j, planes, room, draw):  # noqa: ARG001 - there is room for one
    """The path that `ecmp` draws."""
    s, t, _ = problem.demands[j]
    nearest, counts = problem.nearest(j, planes), {}
    for i in nearest:
        p = problem.planes[i]
        counts[i], begin = {p.at[t]: 1}, p.nearest(p.at[t])
        for v in sorted(begin, key=p.far(p.at[t]).get):
            counts[i][v] = sum(counts[i][p.arcs[a][1]] for a in begin[v])
    i = nearest[draw.index([counts[i][problem.planes[i].at[s]] for i in nearest])]
    p = problem.planes[i]
    v, begin, arcs = p.at[s], p.nearest(p.at[t]), []
    while v != p.at[t]:
        arcs.append(begin[v][draw.index([counts[i][p.arcs[a][1]] for a in begin[v]])])
        v = p.arcs[arcs[-1]][1]
    return [(i, tuple(arcs))]


def cheapest_path(plane, source, target, cost, used):
    """The cheapest path (cost, arcs) along which one unit more can flow, or None, and the cost to each switch."""
    best, last = {source: 0}, {}
    changed = True
    while changed:
        changed = False
        for a, (u, v, _) in enumerate(plane.arcs):
            tail, head, x = (v, u, -cost[a]) if a in used else (u, v, cost[a])
            if tail in best and (head not in best or best[tail] + x < best[head]):
                best[head], last[head], changed = best[tail] + x, (tail, a), True
    if target not in best:
        return None, best
    arcs, v = [], target
    while v != source:
        v, a = last[v]
        arcs.append(a)
    return (best[target], arcs), best


def edge_disjoint(problem, j, planes, room, draw):
    """The K paths without a common arc."""
    s, t, _ = problem.demands[j]
    most, found, flow, cost = max(len(problem.planes[i].arcs) for i in planes), [], {}, {}
    for i in planes:
        p, salt = problem.planes[i], draw.next()
        if p.at[s] == p.at[t]:
            found += [(i, ())]
            continue
        flow[i] = set()
        cost[i] = [x * (most + 1 << 16) + (Stream(salt, a).next() >> 48) for a, x in enumerate(p.metric)]
    found = found[:room]
    for _ in range(room - len(found)):
        each = {i: cheapest_path(p := problem.planes[i], p.at[s], p.at[t], cost[i], flow[i])[0] for i in flow}
        each = {i: x for i, x in each.items() if x}
        if not each:
            break
        i = min(each, key=lambda i: each[i][0])
        flow[i] ^= set(each[i][1])
    for i, used in flow.items():
        p = problem.planes[i]
        _, best = cheapest_path(p, p.at[s], p.at[t], cost[i], used)
        tight = defaultdict(set)
        for a, (u, v, _) in enumerate(p.arcs):
            tail, head, x = (v, u, -cost[i][a]) if a in used else (u, v, cost[i][a])
            if tail in best and best[head] == best[tail] + x:
                tight[head].add(tail)
        try:
            TopologicalSorter(tight).prepare()
        except CycleError:
            raise RefusedError("routing: two cheapest flows, of which the page defines none: not checked") from None
        while path := first_found(p, p.at[s], p.at[t], used):
            found.append((i, path))
            used -= set(path)
    return found


def first_found(plane, source, target, used):
    """The shortest path along arcs that are used, by breadth-first search with arcs in order; None without one."""
    paths, queue = {source: ()}, [source]
    for v in queue:
        for a in plane.leaving[v]:
            if a in used and plane.arcs[a][1] not in paths:
                paths[plane.arcs[a][1]] = (*paths[v], a)
                queue.append(plane.arcs[a][1])
    return paths.get(target)


LISTS = {"ksp": k_shortest, "edge-disjoint": edge_disjoint, "ecmp": one_shortest}


class FixedSplit(FixedParts):
    """The form `load`: nothing is open."""

    keys = f"{LENGTHS} share load"

    def __init__(self, problem, proof):
        self.problem, self.known, self.parts = problem, {}, []
        self.stored = array(proof, "load", "<f8", sum(link[0] == "arc" for link in problem.speed))
        for j, claimed in enumerate(stored_shares(problem, proof)):
            parts, shares = defaultdict(Fraction), defaultdict(Fraction)
            for i, share, inside in self.entering(j):
                shares[i] += share
                for a in problem.links(j, i, ()):
                    parts[a] += share
                for a, x in inside.items():
                    parts["arc", i, a] += share * x
            good = set(claimed) == set(shares) and all(near(claimed[i], x) for i, x in shares.items())
            need(good, "share: not that of the routing")
            self.parts.append(parts)

    def entering(self, j):
        """The planes of demand j, as (plane, share, what each arc of it carries of a unit that enters)."""
        problem, routing = self.problem, self.problem.routing
        if routing == "ecmp":
            return [(i, Fraction(1), dict.fromkeys(arcs, Fraction(1))) for i, arcs in path_list(problem, j)]
        s, t, _ = problem.demands[j]
        usable, part = problem.available[j], {}
        if problem.policy == "single":
            draw = Stream(problem.seed, problem.name[s], problem.name[t])
            usable = [usable[draw.below(len(usable))]]
        elif problem.policy == "shortest" or (problem.policy == "any" and routing == "ecmp-split"):
            usable = problem.nearest(j, usable)
        for i in usable:
            p = problem.planes[i]
            begin = p.nearest(p.at[t])[p.at[s]] if p.at[s] != p.at[t] else [None]
            part[i] = len(begin) if routing == "ecmp-split" and problem.policy != "round-robin" else 1
        total = sum(part.values())
        return [(i, Fraction(x, total), self.inside(i, problem.planes[i].at[s], problem.planes[i].at[t]))
                for i, x in part.items()]  # fmt: skip

    def inside(self, i, a, b):
        """What each arc of plane i carries of a unit from switch a to switch b."""
        p = self.problem.planes[i]
        if self.problem.routing == "ecmp-split" or a == b:
            return self.equal(i, a, b)
        if (i, a, b) not in self.known:
            load = defaultdict(Fraction)
            via = [w for w in range(p.switches) if a in p.far(w) and b in p.far(w) and {w} <= {*p.far(a)} & {*p.far(b)}]
            for w in via:
                for legs in (self.equal(i, a, w), self.equal(i, w, b)):
                    for arc, x in legs.items():
                        load[arc] += x / len(via)
            self.known[i, a, b] = load
        return self.known[i, a, b]

    def equal(self, i, a, b):
        """What each arc carries of a unit that is split equally at every switch."""
        if (i, a, b, "equal") not in self.known:
            p = self.problem.planes[i]
            parts = {arc: Fraction(1, len(arcs)) for arcs in p.nearest(b).values() for arc in arcs}
            self.known[i, a, b, "equal"] = push(p, b, {a: Fraction(1)}, parts) if a != b else {}
        return self.known[i, a, b, "equal"]

    def agree(self, rates):
        """Refuse unless the loads of the file are those at these rates."""
        load = self.load(rates)
        arcs = (load[link] for link in self.problem.speed if link[0] == "arc")
        need(all(near(x, y) for x, y in zip(self.stored, arcs, strict=True)), "load: not that of the routing")


class Quotient:
    """The form `quotient`: classes and symmetries."""

    keys = QUOTIENT

    def __init__(self, problem, proof):
        self.problem, planes = problem, problem.planes
        first = [sum(p.switches for p in planes[:i]) for i in range(len(planes) + 1)]
        self.switches, self.nodes = first[-1], first[-1] + problem.ends
        shape = len(planes), problem.ends
        found = array(proof, "arc_class", "<i4", sum(link[0] == "arc" for link in problem.speed))
        found += [x for direction in ("up", "down") for x in array(proof, f"{direction}_class", "<i4", *shape)]
        lengths = array(proof, "class_length", "<f8", None)
        self.length, self.group, self.out = {}, {}, defaultdict(list)
        for (sort, i, x), c in zip(problem.speed, found, strict=True):
            speed, e = problem.speed[sort, i, x], self.switches + x
            if sort == "arc":
                tail, head = (first[i] + v for v in planes[i].arcs[x][:2])
            else:
                tail, head = (e, first[i] + planes[i].at[x]) if sort == "up" else (first[i] + planes[i].at[x], e)
            there = sort == "arc" or (planes[i].at[x] >= 0 and speed != 0)
            need(0 <= c < len(lengths) if there else c == -1, f"{sort}_class: no such class, or a class of no link")
            self.length[sort, i, x] = lengths[c] if there else Fraction(0)
            need(speed is not None or not self.length[sort, i, x], "class_length: not 0 where the speed is infinite")
            if there:
                self.group[sort, i, x] = (sort, tail, head, speed, c)
        self.count = Counter(self.group.values())
        for group in self.count:
            self.out[group[1]].append(group)
        self.demand = {(self.switches + s, self.switches + t): d for s, t, d in problem.demands}
        self.orbits(rows(array(proof, "generator", "<i4", None, self.nodes), self.nodes))
        self.targets(proof)

    def orbits(self, generators):
        """Check the permutations, and find the orbits of nodes and links."""
        self.root = {x: x for x in (*range(self.nodes), *self.count)}
        for image in generators:
            need(sorted(image) == list(range(self.nodes)), "generator: not a permutation")
            need(all((x < self.switches) == (y < self.switches) for x, y in enumerate(image)), "generator: a switch "
                 "becomes an endpoint")  # fmt: skip
            moved = {(sort, image[u], image[v], *rest): n for (sort, u, v, *rest), n in self.count.items()}
            need(moved == self.count, "generator: not a symmetry of the links")
            demand = {(image[s], image[t]): d for (s, t), d in self.demand.items()}
            need(demand == self.demand, "generator: not a symmetry of the demands")
            for x in self.root:
                y = image[x] if isinstance(x, int) else (x[0], image[x[1]], image[x[2]], *x[3:])
                self.root[self.orbit(x)] = self.orbit(y)

    def orbit(self, x):
        """What stands for the orbit of a node or link."""
        while self.root[x] != x:
            x = self.root[x]
        return x

    def targets(self, proof):
        """Read the targets and how traffic is split towards them."""
        self.target = array(proof, "target", "<i4", None)
        kind = array(proof, "kind", "<i4", len(self.target))
        node = rows(array(proof, "node_class", "<i4", len(self.target), self.nodes), self.nodes)
        entries = rows(array(proof, "entry", "<i4", None, 4), 4)
        need(len(set(entries)) == len(entries), "entry: a row occurs twice")
        parts = defaultdict(list)
        for (k, *entry), x in zip(entries, array(proof, "fraction", "<f8", len(entries)), strict=True):
            parts[k] += [(*entry, x)] if x > 0 else []
        receive = Counter(self.orbit(v) for v in {t for _, t in self.demand})
        need(all(self.switches <= v + self.switches < self.nodes for v in self.target), "target: no such endpoint")
        self.target = [v + self.switches for v in self.target]
        need(sorted(map(self.orbit, self.target)) == sorted(receive), "target: not one of each orbit")
        self.size = [receive[self.orbit(v)] for v in self.target]
        self.split = list(zip(self.target, node, (parts[k] for k in kind), strict=True))

    def flow(self, target, node, parts):
        """What each group of parallel links carries of all that the target receives."""
        amount = defaultdict(Fraction, {s: d for (s, t), d in self.demand.items() if t == target})
        out, before, stack = {}, defaultdict(set), list(amount)
        while stack:
            v = stack.pop()
            if v in out or v == "end":
                continue
            rules = [(head, link, x) for tail, head, link, x in parts if tail == node[v]]
            need(rules, "entry: nothing leads on from a node that traffic passes")
            out[v], total = [], sum(x for *_, x in rules)
            for head, link, x in rules:
                groups = [g for g in self.out[v] if node[g[2]] == head and g[4] == link]
                need(groups, "entry: a node has no such link")
                n = sum(self.count[g] for g in groups)
                for g in groups:
                    need(g[0] != "down" or g[2] == target, "entry: traffic arrives at another endpoint")
                    to = "end" if g[2] == target else g[2]
                    out[v].append((g, to, x / total * self.count[g] / n))
                    before[to].add(v)
                    stack.append(to)
        load = defaultdict(Fraction)
        for v in TopologicalSorter(before).static_order():
            for g, to, x in out.get(v, ()):
                load[g] += amount[v] * x
                amount[to] += amount[v] * x
        return load

    def whole(self, length):
        """What each link carries at K = 1, and the sum of d_j dist_j."""
        total, many, load = defaultdict(Fraction), Counter(), defaultdict(Fraction)
        for g, n in self.count.items():
            many[self.orbit(g)] += n
        for size, split in zip(self.size, self.split, strict=True):
            for g, x in self.flow(*split).items():
                total[self.orbit(g)] += size * x
        for link, g in self.group.items():
            load[link] = total[self.orbit(g)] / many[self.orbit(g)]
        far, sizes = self.far(length), zip(self.size, self.target, strict=True)
        demand = self.demand.items()
        return load, sum(n * d * far[target][s] for n, target in sizes for (s, t), d in demand if t == target)

    def agree(self, rates):
        """Refuse nothing: there are no loads in the file."""

    def dist(self, length):
        """The least lengths of units to the targets, as far as something is sent there."""
        return [far[s] for target, far in self.far(length).items() for s, t in self.demand if t == target]

    def far(self, length):
        """The least length from each endpoint to each target."""
        found, into = {}, defaultdict(list)
        for (sort, tail, head, *_), x in {g: length[link] for link, g in self.group.items()}.items():
            into[sort, head].append((x, tail))
        for target in self.target:
            best, queue = {}, sorted(into["down", target])
            while queue:
                d, v = heapq.heappop(queue)
                if v not in best:
                    best[v] = d
                    for x, tail in into["arc", v]:
                        heapq.heappush(queue, (d + x, tail))
            far = {}
            for v, d in best.items():
                for x, s in into["up", v]:
                    far[s] = min(d + x, far.get(s, d + x))
            found[target] = far
        return found


FORMS = {"arc": AnyPath, "path": ListedPaths, "load": FixedSplit, "quotient": Quotient}
ROUTINGS = {"ideal": "arc", "ecmp-lp": "path", "ksp": "path", "edge-disjoint": "path"}
ROUTINGS |= dict.fromkeys(["ecmp-split", "vlb", "ecmp"], "load")
