"""A training step: its bytes by hand, and its pipeline against one that is computed otherwise."""

from __future__ import annotations

import math
import re

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pnet_lp as pn
from pnet_lp.errors import PnetError, SpecError, TrafficError, WorkloadError
from pnet_lp.sim import simulate
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.training import PHASES, Step, TrainingParams
from pnet_lp.training.groups import Groups
from pnet_lp.training.models import MODELS
from pnet_lp.workload import build_workload

GPT3 = {"layers": 96, "hidden": 12288, "sequence": 2048, "vocabulary": 51200}
TINY = "layers=4,hidden=64,sequence=32,vocabulary=128,batch=8"


def volumes(phase: str, **values: object) -> npt.NDArray[np.float64]:
    """Bytes from rank to rank."""
    params = TrainingParams.model_validate(values)
    found = np.zeros((params.ranks, params.ranks))
    src, dst, moved = Step(params).volumes(PHASES if phase == "all" else [phase])
    np.add.at(found, (src, dst), moved)
    return found


def test_gpt_3_by_hand() -> None:
    """175 billion parameters on 8 x 8 x 2 ranks: 32 micro-batches of a sequence go through 8 stages of 12 layers."""
    degrees = {"tp": 8, "pp": 8, "dp": 2, "batch": 64}
    activation = 2048 * 12288 * 2
    assert activation == 50_331_648

    # A ring of 8: 2 x 7/8 of each buffer to the next rank; 4 all-reduces a layer.
    tensor = volumes("tp", **GPT3, **degrees)
    each = 12 * 32 * 4 * (2 * 7 / 8) * activation
    assert each == 135_291_469_824
    for rank in range(128):
        server = rank // 8 * 8
        assert tensor[rank, server + (rank + 1) % 8] == each
    assert tensor.sum() == 128 * each

    # To the stage behind, 16 ranks further, and back: 32 activations.
    pipeline = volumes("pp", **GPT3, **degrees)
    for rank in range(112):
        assert pipeline[rank, rank + 16] == pipeline[rank + 16, rank] == 32 * activation == 1_610_612_736
    assert pipeline.sum() == 2 * 112 * 32 * activation

    # Two replicas, 8 ranks apart, exchange halves of sums twice: 4 bytes of each parameter.
    data = volumes("dp", **GPT3, **degrees)
    layer, embedding = 12 * 12288**2, 51200 * 12288
    inner, outer = 12 * layer // 8, (12 * layer + embedding) // 8
    assert (inner, outer) == (2_717_908_992, 2_796_552_192)
    for rank in range(128):
        parameters = outer if rank // 16 in (0, 7) else inner
        assert data[rank, rank ^ 8] == 4 * parameters
    assert data.sum() == 4 * 16 * (2 * outer + 6 * inner)

    assert np.array_equal(volumes("all", **GPT3, **degrees), tensor + pipeline + data)


def test_parameters_are_those_of_equation_2() -> None:
    """Megatron: 12 l h^2 (1 + 13/(12 h) + (V + s)/(12 l h)); we have no vectors, no positions, and two embeddings."""
    whole = TrainingParams.model_validate({**GPT3, "batch": 1})
    h, layers, vocabulary, sequence = 12288, 96, 51200, 2048
    published = 12 * layers * h**2 + 13 * layers * h + (vocabulary + sequence) * h
    assert whole.shared_parameters(0) == published - 13 * layers * h - sequence * h + vocabulary * h
    assert published == pytest.approx(174.6e9, rel=1e-3)
    # SwiGLU and grouped queries, as in Llama 3 of 70 billion: 2.25 h^2 of attention, 3 h f.
    llama = {"layers": 80, "hidden": 8192, "ffn": 28672, "gated": True, "kv_share": 1 / 8, "vocabulary": 128256}
    found = TrainingParams.model_validate({**llama, "sequence": 8192, "batch": 1}).shared_parameters(0)
    assert found == 80 * (8192**2 * 9 // 4 + 3 * 8192 * 28672) + 2 * 128256 * 8192
    assert found == pytest.approx(70.6e9, rel=1e-3)


MOE = {
    "layers": 24,
    "hidden": 1024,
    "sequence": 1024,
    "vocabulary": 32000,
    "experts": 64,
    "moe_every": 2,
    "batch": 64,
    "micro_batch": 2,
}


def test_experts_by_hand() -> None:
    """64 experts, of which 8 replicas have 8 each, in 6 of the 12 layers of a stage; each token goes to 2."""
    degrees = {"pp": 2, "dp": 8, "ep": 8}
    moved = volumes("ep", **MOE, **degrees)
    # 2,048 tokens of 1,024 values twice, an eighth to each; there and back, and so for gradients; 4 micro-batches.
    block = 2 * 2048 * 1024 * 2 // 8
    each = block * 4 * 6 * 4
    assert (block, each) == (1_048_576, 100_663_296)
    stage = np.arange(16) // 8
    expected = np.where((stage[:, None] == stage) & ~np.eye(16, dtype=bool), each, 0)
    assert np.array_equal(moved, expected)
    # DeepSeek-V3 dispatches in 8 bits and combines in 16.
    assert np.array_equal(volumes("ep", **MOE, **degrees, dispatch_precision=1), expected * 3 / 4)
    # Each block for another server of 4 is on two links.
    two = volumes("ep", **MOE, **degrees, ep_algorithm="hierarchical:local=4")
    assert (two[0, 1], two[0, 4], two[0, 5]) == (2 * each, 4 * each, 0)

    data = volumes("dp", **MOE, **degrees)
    shared = 12 * 4 * 1024**2 + 6 * 8 * 1024**2 + 32000 * 1024 + 6 * 1024 * 64
    assert data[0, 1] == 2 * 7 / 8 * 4 * shared
    assert data[0].sum() == data[0, 1]
    # 16 replicas, the experts twice: ranks 8 apart have the same ones.
    data = volumes("dp", **MOE, pp=2, dp=16, ep=8)
    expert = 6 * 8 * 8 * 1024**2
    assert data[0, 1] == 2 * 15 / 16 * 4 * shared
    assert data[0, 8] == data[8, 0] == 4 * expert


def test_experts_with_tensor_parallelism_by_hand() -> None:
    """Each of two ranks sends its half of the tokens; both have a half of each expert, and gather all tokens for it."""
    values = {**MOE, "tp": 2, "dp": 8, "ep": 8, "moe_every": 1, "sequence_parallel": True}
    moved = volumes("ep", **values)
    assert moved[0, 2] == 24 * 4 * 4 * (2 * 2048 * 1024 * 2 // 2 // 8)
    # Attention gathers and scatters, and gathers again going back: 3 and 2; experts 2 and 2, of twice the tokens.
    activation = 2048 * 1024 * 2
    assert volumes("tp", **values)[0, 1] == 24 * 4 * (5 * activation + 4 * 2 * activation) / 2


def test_what_changes_bytes() -> None:
    base = {**GPT3, "tp": 4, "pp": 2, "dp": 2, "batch": 4}
    activation = 2048 * 12288 * 2
    plain = volumes("tp", **base)[0, 1]
    assert plain == 48 * 2 * 4 * 1.5 * activation
    # All-gathers and reduce-scatters instead, and two more all-gathers: 10 halves for 8.
    assert volumes("tp", **base, sequence_parallel=True)[0, 1] == plain * 10 / 8
    # A stage receives a quarter from each rank, and gathers the rest.
    assert volumes("pp", **base)[0, 8] == 2 * activation
    assert volumes("pp", **base, sequence_parallel=True)[0, 8] == 2 * activation / 4
    gathered = volumes("pp", **base, scatter_gather=True)
    assert gathered[0, 8] == 2 * activation / 4
    # Behind, forward; before, going back.
    assert gathered[8, 9] == gathered[0, 1] == 2 * activation * 3 / 4
    parameters = (48 * 12 * 12288**2 + 51200 * 12288) // 4
    assert volumes("dp", **base)[0, 4] == 4 * parameters
    # A half of 4 bytes to scatter, a half of 2 to gather.
    assert volumes("dp", **base, zero=1)[0, 4] == 3 * parameters
    assert volumes("dp", **base, gradient_precision=2)[0, 4] == 2 * parameters
    two = volumes("tp", **base, tp_algorithm="two-level:local=2")
    assert (two[0, 1], two[0, 2]) == (48 * 2 * 4 * activation, 48 * 2 * 4 * activation / 2)


def test_ranks_by_hand() -> None:
    values = {"tp": 2, "pp": 2, "dp": 4, "ep": 2, "experts": 2, "sequence_parallel": True, "batch": 4}
    shape = {"layers": 2, "hidden": 2, "sequence": 1, "vocabulary": 1}
    first = Groups(TrainingParams.model_validate({**values, **shape}))
    assert first.stage.tolist() == [list(range(8)), list(range(8, 16))]
    assert first.of("tp", 1).tolist() == [[8, 9], [10, 11], [12, 13], [14, 15]]
    assert first.of("ep", 0).tolist() == [[0, 2], [1, 3], [4, 6], [5, 7]]
    assert first.of("dp", 0).tolist() == [[0, 2, 4, 6], [1, 3, 5, 7]]
    assert first.of("expert_dp", 0).tolist() == [[0, 4], [1, 5], [2, 6], [3, 7]]
    other = Groups(TrainingParams.model_validate({**values, **shape, "order": "pp-dp-ep-tp"}))
    assert other.stage.tolist() == [[0, 8, 4, 12, 2, 10, 6, 14], [1, 9, 5, 13, 3, 11, 7, 15]]
    assert other.of("tp", 0).tolist() == [[0, 8], [4, 12], [2, 10], [6, 14]]
    assert other.of("ep", 0).tolist() == [[0, 4], [8, 12], [2, 6], [10, 14]]
    assert other.of("dp", 0).tolist() == [[0, 2, 4, 6], [8, 10, 12, 14]]


@given(
    tp=st.sampled_from([1, 2, 4]),
    pp=st.sampled_from([1, 2, 4]),
    shared=st.integers(1, 2),
    ep=st.sampled_from([1, 2]),
    experts=st.booleans(),
    zero=st.integers(0, 1),
    layer=st.booleans(),
    order=st.permutations(["tp", "ep", "dp", "pp"]),
    more=st.sampled_from(["", ",scatter_gather=true", ",sequence_parallel=true", ",micro_batch=2,gated=true"]),
)
def test_flows_add_up_to_the_matrix(
    tp: int, pp: int, shared: int, ep: int, experts: bool, zero: int, layer: bool, order: list[str], more: str
) -> None:
    if tp * pp * ep * shared == 1:
        return
    if experts:
        more = ",experts=4" + (",ep=2" if ep == 2 else "") + ",sequence_parallel=true"
    # What has no meaning is refused.
    if tp == 1:
        more = more.replace(",sequence_parallel=true", "")
    if tp == 1 or pp == 1:
        more = more.replace(",scatter_gather=true", "")
    zero *= ep * shared > 1
    text = f"training:tp={tp},pp={pp},dp={ep * shared},zero={zero},order={'-'.join(order)},{TINY}{more}"
    network = build_network(f"single-switch:hosts={tp * pp * ep * shared}")
    workload = build_workload(f"{text},each={'layer' if layer else 'stage'}", network)
    assert workload.flow_count == Step(TrainingParams.model_validate(parsed(text))).message_count(by_layer=layer)
    whole = np.zeros((network.host_count, network.host_count))
    for number, phase in enumerate(workload.stages):
        inside = workload.stage == number
        found = np.zeros_like(whole)
        np.add.at(found, (workload.src[inside], workload.dst[inside]), workload.size[inside])
        assert np.array_equal(found, build_traffic(f"{text},phase={phase}", network).to_csr().toarray())
        whole += found
    assert np.array_equal(whole, build_traffic(text, network).to_csr().toarray())


def parsed(text: str) -> dict[str, str]:
    return dict(item.split("=") for item in text.partition(":")[2].split(","))


def arrivals(workload: pn.model.Workload, transfer: int) -> npt.NDArray[np.int64]:
    """When each flow has arrived, if each takes the same time."""
    found = np.zeros(workload.flow_count, dtype=np.int64)
    for flow in range(workload.flow_count):
        waits = workload.after[workload.after_ptr[flow] : workload.after_ptr[flow + 1]]
        assert np.all(waits < flow)
        found[flow] = found[waits].max(initial=0) + workload.start_ps[flow] + transfer
    return found


@given(
    p=st.integers(1, 5),
    m=st.integers(1, 7),
    forward=st.integers(0, 9),
    backward=st.integers(0, 9),
    transfer=st.integers(1, 9),
)
def test_one_forward_one_backward(p: int, m: int, forward: int, backward: int, transfer: int) -> None:
    """Against a pipeline that goes through time: a stage does its next pass when it can, and has sent the last."""
    network = build_network(f"single-switch:hosts={2 * p}")
    shape = f"layers={p},hidden=2,sequence=8,vocabulary=1,batch={2 * m}"
    text = f"training:pp={p},dp=2,order=pp-tp-ep-dp,{shape},forward={forward}ps,backward={backward}ps"
    workload = build_workload(text, network)
    plans = []
    for stage in range(p):
        plan: list[tuple[str, int]] = []
        sent = done = 0
        while done < m:
            if sent < m and sent - done <= p - 1 - stage:
                plan.append(("f", sent))
                sent += 1
            else:
                plan.append(("b", done))
                done += 1
        plans.append(plan)
    came: dict[tuple[str, int, int], int] = {("f", 0, i): 0 for i in range(m)}
    free, sends, expected = [0] * p, 0, []
    while any(plans):
        for stage, plan in enumerate(plans):
            if not plan:
                continue
            direction, number = plan[0]
            ready = free[stage] if direction == "b" and stage == p - 1 else came.get((direction, stage, number))
            if ready is None:
                continue
            plan.pop(0)
            end = max(free[stage], ready) + (forward if direction == "f" else backward)
            to = stage + (1 if direction == "f" else -1)
            free[stage] = end
            if 0 <= to < p:
                free[stage] = came[direction, to, number] = end + transfer
                expected.append(end + transfer)
                sends += 1
    found = arrivals(workload, transfer)
    pipeline = workload.stage == (workload.stages.index("pp") if p > 1 else -1)
    assert sorted(found[pipeline].tolist()) == sorted(expected * 2)
    # The first messages of a reduction of gradients begin when the last pass of their stage is over.
    begins = found[~pipeline].reshape(p, -1).min(axis=1) - transfer
    assert begins.tolist() == free


def test_a_pipeline_takes_what_its_bubble_says() -> None:
    """(m + p - 1) (forward + backward), as messages are small; the reduction of gradients is at its end."""
    network = build_network("single-switch:hosts=8", link_gbps=400)
    shape = "layers=4,hidden=8,sequence=8,vocabulary=8,batch=12"
    text = f"training:pp=4,dp=2,{shape},forward=1ms,backward=2ms"
    found = simulate(network, text, model="fluid", correction="none", header="0")
    assert found.flow["arrived_ps"].max() == pytest.approx((6 + 4 - 1) * 3e9, rel=1e-4)


def test_the_certified_time_of_a_phase() -> None:
    """Of what a rank sends: at 400 Gb/s, 14 all-reduces of rings of 8 and so on by hand, over its access link."""
    text = ",".join(f"{key}={value}" for key, value in GPT3.items())
    for phase, sends in (("tp", 135_291_469_824), ("pp", 2 * 1_610_612_736), ("dp", 4 * 2_796_552_192)):
        found = pn.throughput(
            "single-switch:hosts=128",
            traffic=f"training:tp=8,pp=8,dp=2,batch=64,{text},phase={phase}",
            link_gbps=400,
            demand_size=1,
        )
        assert found.least_time is not None
        assert found.least_time.upper == pytest.approx(sends / 50e9, rel=1e-6)
        assert math.isclose(found.least_time.lower, found.least_time.upper, rel_tol=1e-3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"tp=2,pp=2,dp=3,{TINY}", "batch is 8, which dp times micro_batch, 3, does not divide"),
        (f"tp=2,pp=2,dp=2,{TINY}", "tp, pp and dp make 2 x 2 x 2 = 8 ranks, found '16 hosts'"),
        (f"pp=3,{TINY}", "layers is 4, which pp, 3, does not divide"),
        (f"tp=3,{TINY}", "hidden is 64, which tp, 3, does not divide"),
        (f"dp=4,ep=4,experts=6,{TINY}", "experts is 6, which ep, 4, does not divide"),
        (f"dp=4,ep=8,experts=8,{TINY}", "dp is 4, which ep, 8, does not divide"),
        (f"dp=4,ep=2,{TINY}", "ep has a meaning for experts only"),
        (f"dp=4,sequence_parallel=true,{TINY}", "sequence_parallel has a meaning with tp above 1 only"),
        (f"pp=4,tp_algorithm=tree,{TINY}", "tp_algorithm has a meaning with tp above 1 only"),
        (f"pp=4,zero=1,{TINY}", "zero has a meaning with dp above 1 only"),
        (f"dp=4,seed=3,{TINY}", "seed has a meaning with placement=random only"),
        (f"dp=4,top_k=2,{TINY}", "top_k has a meaning for experts only"),
        (f"dp=4,experts=4,top_k=5,{TINY}", "a token goes to 5 of 4 experts"),
        (f"dp=4,experts=4,moe_every=5,{TINY}", "no layer has experts: one of 5, and layers is 4"),
        (f"tp=4,experts=4,{TINY}", "experts with tp above 1 need sequence_parallel=true, so that a token is sent once"),
        (f"order=tp-dp-pp,{TINY}", "order is tp, ep, dp and pp in some order, as in tp-ep-dp-pp, found 'tp-dp-pp'"),
        (
            f"tp=2,pp=2,dp=4,sequence_parallel=true,scatter_gather=true,{TINY}",
            "with sequence_parallel each rank has a part already, so that scatter_gather has no meaning",
        ),
        (
            f"tp=4,sequence_parallel=true,tp_algorithm=tree,{TINY}",
            "tp_algorithm: no algorithm of all-gather: 'tree'; allowed: recursive, ring, two-level",
        ),
        (f"tp=16,tp_algorithm=two-level:local=3,{TINY}", None),
        ("layers=4", None),
    ],
)
def test_wrong_steps(text: str, message: str | None) -> None:
    network = build_network("single-switch:hosts=16")
    for build in (build_traffic, build_workload):
        with pytest.raises(PnetError) as caught:
            build(f"training:{text}", network)
        assert "\n" not in str(caught.value)
        assert caught.value.exit_code == 2
        if message:
            assert message in str(caught.value)


def test_a_phase_of_nothing() -> None:
    network = build_network("single-switch:hosts=2")
    with pytest.raises(TrafficError, match=r": phase: nothing is sent, found 'ep'$"):
        build_traffic(f"training:tp=2,{TINY},phase=ep", network)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "pp=2,sequence=100000000,batch=1000000,micro_batch=1000000",
            "size: a buffer is too large, found 12800000000000",
        ),
        (
            "dp=2,sequence=1,batch=4000000,forward=1000000s",
            "each stage computes for 2e+12 s; allowed: at most 1,000,000 s",
        ),
    ],
)
def test_numbers_that_no_integer_holds_are_refused(text: str, message: str) -> None:
    """Bytes and picoseconds would wrap around."""
    shape = "layers=4,hidden=64,vocabulary=128"
    with pytest.raises(PnetError, match=re.escape(message)):
        build_workload(f"training:{text},{shape}", build_network("single-switch:hosts=2"))


def test_too_many_flows_are_refused_at_once() -> None:
    network = build_network("single-switch:hosts=128")
    shape = "layers=96,hidden=12288,sequence=2048,vocabulary=51200,batch=1000000,each=layer"
    with pytest.raises(WorkloadError, match="fewer flows"):
        build_workload(f"training:tp=8,pp=8,dp=2,{shape}", network)


def test_models_are_their_shapes_and_what_is_given_counts_instead() -> None:
    ranks = {"pp": 2, "dp": 4, "batch": 4}
    assert np.array_equal(volumes("all", model="gpt-3", tp=2, **ranks), volumes("all", tp=2, **GPT3, **ranks))
    fewer = volumes("all", model="gpt-3", layers=48, **ranks)
    assert np.array_equal(fewer, volumes("all", **{**GPT3, "layers": 48}, **ranks))
    assert all(volumes("all", model=model, **ranks).any() for model in MODELS)
    with pytest.raises(SpecError, match="training: model: unknown model, found 'gpt'; allowed: gpt-3, "):
        build_traffic("training:model=gpt,batch=1", build_network(["single-switch:hosts=2"]))
