"""Workloads in groups of hosts, and several at the same time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.errors import PnetError
from pnet_lp.model import Network
from pnet_lp.model.workload import Workload
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.workload import build_workload


def star(hosts: int) -> Network:
    return build_network(f"single-switch:hosts={hosts}")


def built(text: str, hosts: int = 12, seed: int = 0) -> Workload:
    return build_workload(text, star(hosts), seed=seed)


def alike(one: Workload, other: Workload) -> bool:
    return one.fingerprint == other.fingerprint


@given(groups=st.integers(1, 3), size=st.integers(2, 4), stride=st.integers(1, 3))
def test_every_group_does_what_one_does_alone(groups: int, size: int, stride: int) -> None:
    n = groups * size * stride
    whole = built(f"groups:size={size},stride={stride},of=[all-gather:size=1kB,chunks=2]", n)
    alone = built("all-gather:size=1kB,chunks=2", size)
    count = alone.flow_count
    assert whole.flow_count == groups * stride * count
    for number in range(groups * stride):
        mine = slice(number * count, (number + 1) * count)
        first = number // stride * size * stride + number % stride
        assert np.array_equal(whole.src[mine], first + stride * alone.src)
        assert np.array_equal(whole.dst[mine], first + stride * alone.dst)
        waits = slice(whole.after_ptr[number * count], whole.after_ptr[(number + 1) * count])
        assert np.array_equal(whole.after[waits] - number * count, alone.after)
        assert np.array_equal(whole.connection[mine] - number * count, alone.connection)
        assert np.array_equal(whole.task[mine] - number * int(alone.task.max() + 1), alone.task)
        assert np.array_equal(whole.size[mine], alone.size)


def test_jobs_run_on_hosts_of_their_own() -> None:
    text = "groups:size=4,count=1,of=[all-gather:size=1kB]+groups:size=3,first=6,of=[all-reduce:size=2kB]"
    found, alone = built(text), [built(text, n) for text, n in (("all-gather:size=1kB", 4), ("all-reduce:size=2kB", 3))]
    assert found.flow_count == alone[0].flow_count + 2 * alone[1].flow_count
    assert set(found.src.tolist()) == {0, 1, 2, 3, *range(6, 12)}


def test_groups_draw_on_their_own() -> None:
    whole = built("groups:size=6,of=[incast:senders=2,sizes=1kB]", seed=3)
    drawn = {(*whole.src[2 * i : 2 * i + 2] - 6 * i, whole.dst[2 * i] - 6 * i) for i in range(2)}
    assert np.all(whole.src // 6 == whole.dst // 6)
    assert len(drawn) == 2
    assert alike(whole, built("groups:size=6,of=[incast:senders=2,sizes=1kB]", seed=3))


def test_several_run_at_the_same_time() -> None:
    first, second = "all-reduce:size=1MB,hosts=0-3+8", "hadoop:data=40MB,mappers=4,reducers=4,block=10MB"
    network = build_network("leaf-spine:leaves=3,spines=2,hosts_per_leaf=4")
    both, one, other = (build_workload(text, network) for text in (f"{first} + {second}", first, second))
    n = one.flow_count
    assert both.flow_count == n + other.flow_count
    assert both.label == f"{first} + {second}"
    assert np.array_equal(both.src, np.concatenate([one.src, other.src]))
    assert np.array_equal(both.after, np.concatenate([one.after, other.after + n]))
    assert np.array_equal(both.start_ps[:n], one.start_ps)
    assert len(np.unique(both.task)) == len(np.unique(one.task)) + len(np.unique(other.task))
    # What has no stages beside what has some is one stage.
    assert both.stages == (first, *other.stages)
    assert np.all(both.stage[:n] == 0)


def test_terms_draw_as_they_do_alone() -> None:
    text = "incast:senders=3,sizes=1kB"
    twice, once = built(f"{text}+{text}", seed=7), built(text, seed=7)
    assert np.array_equal(twice.src, np.tile(once.src, 2))
    assert alike(built(f"groups:size=12,of=[{text},seed=1]"), built(f"groups:size=12,of=[{text},seed=1]", seed=9))


def test_a_matrix_is_for_the_terms_that_take_one() -> None:
    network = star(6)
    traffic = build_traffic("stride:s=1", network, "host")
    both = build_workload("each:sizes=1kB+all-gather:size=6kB", network, traffic)
    assert both.flow_count == 6 + build_workload("all-gather:size=6kB", network).flow_count
    assert np.array_equal(both.dst[:6], (both.src[:6] + 1) % 6)


def test_the_mean_size_is_that_of_all_flows() -> None:
    part = "poisson:sizes=pfabric-web-search,load=0.3,flows={}"
    one = built(part.format(10)).mean_bytes
    assert one is not None
    assert built(f"{part.format(10)}+{part.format(30)}").mean_bytes == pytest.approx(one)
    assert built(f"{part.format(10)}+all-gather:size=1kB").mean_bytes is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "groups:size=5,of=[all-gather:size=1kB]",
            "groups:size=5,of=[all-gather:size=1kB]: 12 hosts do not fill groups of 5; allowed: size a divisor of 12",
        ),
        ("groups:size=4", "groups: parameter 'of' is required"),
        ("groups:size=4,of=each:sizes=1kB", "groups: of: traffic: workload 'each' needs a traffic matrix"),
        ("groups:size=4,of=flows.csv", "groups: of: a file is for all hosts, not for groups, found 'flows.csv'"),
        ("groups:size=4,of=[incast:senders=9,sizes=1kB]", "incast:senders=9,sizes=1kB: "),
        ("groups:size=4,of=[incast", "brackets that do not match"),
        ("incast:senders=2,sizes=1kB+", "incast: sizes: not a quantity, found '1kB+'"),
        ("incast:senders=2,sizes=1kB+all-gathr:size=1kB", "unknown workload 'all-gathr' (did you mean 'all-gather'?)"),
        ("incast:senders=2,sizes=1kB+each:sizes=1kB", "traffic: workload 'each' needs a traffic matrix"),
    ],
)
def test_what_cannot_run_is_refused(text: str, message: str) -> None:
    with pytest.raises(PnetError) as caught:
        built(text)
    assert message in str(caught.value)


def test_a_matrix_that_nobody_takes_is_refused() -> None:
    network = star(6)
    traffic = build_traffic("stride:s=1", network, "host")
    with pytest.raises(PnetError, match="traffic: workload 'all-gather' chooses its pairs itself"):
        build_workload("all-gather:size=1kB+all-reduce:size=1kB", network, traffic)
