"""Patterns inside groups: who is in which, what each draws, what it may look at."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pnet_lp as pn
from pnet_lp.errors import PnetError, SpecError
from pnet_lp.model import TrafficMatrix
from pnet_lp.traffic import build_traffic
from pnet_lp.workload import build_workload

from .conftest import fat_tree, ring_of


def built(text: str, n: int, seed: int = 0) -> TrafficMatrix:
    return build_traffic(text, ring_of(n), "rack", seed=seed)


def pairs(matrix: TrafficMatrix) -> list[tuple[int, int]]:
    return list(zip(matrix.src.tolist(), matrix.dst.tolist(), strict=True))


def test_members_are_a_stride_apart() -> None:
    matrix = built("groups:size=2,stride=3,of=ring", 12)
    assert pairs(matrix) == [
        *[(0, 3), (1, 4), (2, 5), (3, 0), (4, 1), (5, 2)],
        *[(6, 9), (7, 10), (8, 11), (9, 6), (10, 7), (11, 8)],
    ]
    assert np.all(matrix.demand == 1)


@given(groups=st.integers(1, 4), size=st.integers(2, 5), stride=st.integers(1, 3))
def test_every_endpoint_is_in_one_group(groups: int, size: int, stride: int) -> None:
    n = groups * size * stride
    matrix = built(f"groups:size={size},stride={stride}", n)
    reached = matrix.to_csr().toarray() + np.eye(n)
    # Who reaches whom is an equivalence with classes of that size.
    assert np.array_equal(reached, reached.T)
    assert np.array_equal(reached @ reached, size * reached)
    assert np.all(np.diff(np.flatnonzero(reached[0])) == stride)


def test_what_is_stated_in_two_ways_is_the_same() -> None:
    whole = built("groups:size=8,of=[all-to-all+2*ring]", 24)
    assert whole.fingerprint == built("groups:size=8+2*groups:size=8,of=ring", 24).fingerprint
    assert built("groups:size=24,of=[hotspot:share=0.5,seed=3]", 24, 1).demand_count
    nested = built("groups:size=12,of=[groups:size=2,stride=2,of=ring]", 24)
    assert nested.fingerprint == built("groups:size=2,stride=2,of=ring", 24).fingerprint


@given(
    sizes=st.lists(st.tuples(st.integers(2, 4), st.integers(1, 3)), min_size=1, max_size=3),
    stride=st.integers(1, 2),
    idle=st.integers(0, 2),
)
def test_jobs_are_side_by_side(sizes: list[tuple[int, int]], stride: int, idle: int) -> None:
    """Each has its endpoints after those of the others, and the sum has nothing else."""
    first, terms, expected = idle, [], []
    for size, count in sizes:
        terms.append(f"groups:size={size},stride={stride},count={count},first={first}")
        blocks = -(-count // stride)
        alone = built(f"groups:size={size},stride={stride}", size * stride * blocks)
        # Of the last block the first groups, which are those of the lowest members.
        members = np.arange(size * stride * blocks)
        group = members // (size * stride) * stride + members % stride
        expected += [(first + s, first + t) for s, t in pairs(alone) if group[s] < count]
        first += size * stride * blocks
    assert pairs(built("+".join(terms), first + idle)) == expected


def test_jobs_at_random_places_do_not_meet() -> None:
    one, other = (f"groups:size=4,count=2,first={first},placement=random,seed=3" for first in (0, 8))
    matrices = [built(text, 24) for text in (one, other, f"{one}+{other}")]
    used = [set(matrix.src.tolist()) | set(matrix.dst.tolist()) for matrix in matrices]
    assert not used[0] & used[1]
    assert used[2] == used[0] | used[1]


@given(seed=st.integers(0, 2**32))
def test_each_group_draws_on_its_own(seed: int) -> None:
    matrix = built("groups:size=12,of=permutation", 48, seed)
    drawn = {tuple(matrix.dst[12 * i : 12 * i + 12] - 12 * i) for i in range(4)}
    assert len(drawn) == 4
    assert np.all(matrix.src // 12 == matrix.dst // 12)
    assert matrix.fingerprint == built("groups:size=12,of=permutation", 48, seed).fingerprint


@given(seed=st.integers(0, 2**32))
def test_groups_are_drawn_from_all(seed: int) -> None:
    matrix = built("groups:size=4,placement=random", 32, seed)
    reached = matrix.to_csr().toarray() + np.eye(32)
    assert np.array_equal(reached @ reached, 4 * reached)
    assert matrix.fingerprint != built("groups:size=4", 32).fingerprint
    assert matrix.fingerprint == built(f"groups:size=4,placement=random,seed={seed}", 32).fingerprint


def test_a_group_is_where_its_members_are() -> None:
    # Four hosts of a pod, two in each rack: the furthest partner is in the other rack.
    matrix = build_traffic("groups:size=4,of=longest-matching", fat_tree(4), "host")
    assert np.all(matrix.src // 4 == matrix.dst // 4)
    assert np.all(matrix.src // 2 != matrix.dst // 2)
    between = build_traffic("groups:size=4,of=longest-matching", fat_tree(4), "rack")
    assert np.all(between.src // 4 == between.dst // 4)
    # Members sixteen racks apart are in other pods, and draw from these.
    far = build_traffic("groups:size=4,stride=4,of=[staggered:edge=0,pod=0]", fat_tree(4), "host", seed=5)
    assert np.all(far.src // 4 != far.dst // 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("groups:size=4", "groups:size=4: 6 racks do not fill groups of 4; allowed: size a divisor of 6"),
        (
            "groups:size=3,stride=4",
            "groups:size=3,stride=4: 6 racks do not fill groups of 3 with members 4 apart; "
            "allowed: size times stride a divisor of 6",
        ),
        (
            "groups:size=2,count=3,first=2",
            "groups:size=2,count=3,first=2: groups take 6 racks after the first 2, of 6; "
            "allowed: fewer or smaller groups, or a smaller first",
        ),
        ("groups:size=3,first=6", "groups:size=3,first=6: groups take 3 racks after the first 6, of 6; allowed: "),
        ("groups:size=4,count=2", "groups:size=4,count=2: groups take 8 racks, of 6; allowed: fewer"),
        ("groups:size=4,first=1", "groups:size=4,first=1: 5 racks after the first 1 do not fill groups of 4; allowed"),
        ("groups:size=2,count=0", "groups: count: input should be greater than or equal to 1, found '0'"),
        ("groups:size=1", "groups: size: input should be greater than or equal to 2, found '1'"),
        ("groups:size=2,of=sopa-four-flows", "groups: of: a file is for all endpoints, not for groups, found"),
        ("groups:size=2,of=rng", "groups: of: unknown traffic 'rng' (did you mean 'ring'?)"),
        ("groups:size=2,of=stride:s=2", "a stride of 2 over 2 racks makes every rack a fixed point"),
        ("groups:size=2,of=[ring", "brackets that do not match, found 'groups:size=2,of=[ring'"),
        ("groups:size=2,of=ring]", "brackets that do not match"),
        ("groups:size=2,of=[]", "groups: of: "),
    ],
)
def test_what_fits_no_group_is_refused(text: str, message: str) -> None:
    with pytest.raises(PnetError) as caught:
        built(text, 6)
    assert str(caught.value).startswith(message) or message in str(caught.value)


def test_ranks_along_rails_are_in_consecutive_servers() -> None:
    """Ranks 0 to 3 are the accelerators of index 0 of four servers."""
    network = pn.build_network("single-switch:hosts=16", server="single-switch:hosts=4")
    found = build_traffic("groups:size=4,placement=rail,of=ring", network)
    rails = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]]
    assert pairs(found) == sorted((rail[i], rail[(i + 1) % 4]) for rail in rails for i in range(4))
    assert found.fingerprint == build_traffic("groups:size=4,stride=4,of=ring", network).fingerprint
    two = build_traffic("groups:size=2,placement=rail,of=ring", network)
    assert {(0, 4), (8, 12), (4, 0)} <= set(pairs(two))
    model = "layers=4,hidden=64,sequence=32,vocabulary=128,batch=4"
    step = build_traffic(f"training:tp=4,pp=2,dp=2,{model},placement=rail", network)
    plain = build_traffic(f"training:tp=4,pp=2,dp=2,{model}", network)
    at = np.concatenate(rails)
    assert sorted(pairs(step)) == sorted(zip(at[plain.src].tolist(), at[plain.dst].tolist(), strict=True))
    flows = build_workload("all-reduce:size=1kB,algorithm=ring,hosts=0-7,placement=rail", network)
    assert set(zip(flows.src.tolist(), flows.dst.tolist(), strict=True)) == {
        (a, b) for a, b in zip([0, 4, 1, 5, 2, 6, 3, 7], [4, 1, 5, 2, 6, 3, 7, 0], strict=True)
    }


@pytest.mark.parametrize("text", ["groups:size=2,placement=rail", "groups:size=8,of=[groups:size=2,placement=rail]"])
def test_rails_are_of_servers(text: str) -> None:
    with pytest.raises(SpecError, match="rails are those of accelerators in servers, found 'rail'"):
        built(text, 16)
    network = pn.build_network("single-switch:hosts=16", server="single-switch:hosts=4")
    if "of=" in text:
        with pytest.raises(SpecError, match="between hosts and not inside of groups"):
            build_traffic(text, network)
