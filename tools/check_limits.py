"""The bottlenecks of a saved result and the kind of its limit, as docs/certificates.md says; used by check.py."""

import math
from collections import defaultdict

from check_problem import near, need

KINDS = {"arc": "core", "up": "access-up", "down": "access-down"}
KEYS = {"plane", "link", "kind", "share", "capacity_gbps"}


def rounded(share):
    """A share with a mantissa of 10 bits."""
    mantissa, exponent = math.frexp(share)
    return math.ldexp(round(mantissa * 1024), exponent - 10)


def title(problem, sort, i, x):
    """The names of the two ends of a link."""
    p = problem.planes[i]
    if sort == "arc":
        return [p.switch_names[v] for v in p.arcs[x][:2]]
    ends = [problem.titles[x], p.switch_names[p.at[x]]]
    return ends if sort == "up" else ends[::-1]


def bottlenecks(problem, share):
    """The bottlenecks of each kind, as (share, link, how many are equal)."""
    groups, found = defaultdict(list), []
    for link, x in share.items():
        if x > 1e-9:
            groups[link[0], -rounded(float(x)), problem.speed[link]].append(link)
    for sort in KINDS:
        own = [(float(share[link]), link, len(groups[key])) for key in sorted(groups) if key[0] == sort
               for link in groups[key][:4]]  # fmt: skip
        found += own[:10]
    return found


def limit(claim, share, length):
    """The kind of the limit."""
    if claim.lost:
        return "disconnected"
    if not share:
        return {"min-cost": "nothing"}.get(claim.objective, "demand" if claim.rated else "core link")
    if sum(x for link, x in share.items() if link[0] == "arc") * 2 < 1:
        return "access link"
    arcs = [x for link, x in length.items() if link[0] == "arc"]
    most = max(arcs)
    even = not any(most < 1000 * x <= 999 * most for x in arcs)
    if claim.proof["form"] == "load" or not even or 100 * max(claim.form.dist(length)) > 101 * most:
        return "core link"
    return "cut"


def check_limits(claim):
    """Compare `bottlenecks` and `binding` with what the lengths say."""
    problem, length = claim.problem, claim.length or {}
    volume, file = problem.volume(length) if length else 0, claim.file
    speed = {link: c for link, c in problem.speed.items() if c is not None and volume}
    share = {link: c * length[link] / volume for link, c in speed.items()}
    need(file["binding"] == limit(claim, share, length), f"binding: not {limit(claim, share, length)}")
    known = bottlenecks(problem, share)
    shares = sorted((x for x, *_ in known), reverse=True)[:10]
    claimed = file["bottlenecks"]
    need(isinstance(claimed, list) and len(claimed) == len(shares), f"bottlenecks: not {len(shares)} of them")
    for item, x in zip(claimed, shares, strict=True):
        need(isinstance(item, dict) and KEYS <= set(item) <= KEYS | {"equivalent"}, "bottlenecks: the keys of an entry")
        good = near(item["share"], x) and [entry for entry in known if matches(problem, item, *entry)]
        need(good, "bottlenecks: an entry is not a bottleneck of the proof, or not in order")
        known.remove(good[0])


def matches(problem, item, share, link, equal):
    """Whether an entry of a file describes this link."""
    sort, i, _ = link
    same = (item["plane"], item["kind"], item["link"]) == (i, KINDS[sort], title(problem, *link))
    amounts = near(item["share"], share) and near(item["capacity_gbps"], problem.speed[link])
    return same and amounts and item.get("equivalent", equal) == equal
