"""The least times of collectives and training steps, against closed forms."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NoReturn

import pytest

import pnet_lp as pn
from pnet_lp.errors import CertificateError, PnetError, SpecError
from pnet_lp.questions.base import QUESTIONS, Run
from pnet_lp.questions.step_time.answer import StepTimeAnswer
from pnet_lp.questions.step_time.case import StepTimeCase
from pnet_lp.questions.throughput import answer as answer_of_throughput
from pnet_lp.throughput import Interrupted, solve
from pnet_lp.throughput.verify import verify_file
from pnet_lp.traffic.parts import parts_of
from pnet_lp.workload import build_workload

from ..traces import ALL_REDUCE, BROADCAST, COLLECTIVE, chakra, generated, node

MODEL = "layers=4,hidden=64,sequence=32,vocabulary=128,batch=4"


def step_time(traffic: str, **keys: object) -> StepTimeAnswer:
    found = pn.step_time("single-switch:hosts=16", traffic=traffic, **keys)  # type: ignore[arg-type]
    assert isinstance(found, StepTimeAnswer)
    return found


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("ring", [("ring", "ring")]),
        ("2*ring+all-to-all", [("ring", "2.0*ring"), ("all-to-all", "all-to-all")]),
        (
            "3*groups:size=4,of=[ring+2*stride:s=1]",
            [
                ("ring in groups of 4", "3.0*groups:size=4,of=ring"),
                ("stride in groups of 4", "6.0*groups:size=4,of=[stride:s=1]"),
            ],
        ),
        (
            f"groups:size=4,of=[training:tp=2,pp=2,{MODEL}]",
            [
                ("training tp in groups of 4", f"groups:size=4,of=[training:tp=2,pp=2,{MODEL},phase=tp]"),
                ("training pp in groups of 4", f"groups:size=4,of=[training:tp=2,pp=2,{MODEL},phase=pp]"),
            ],
        ),
        (f"training:dp=4,{MODEL},phase=dp", [("training dp", f"training:dp=4,{MODEL},phase=dp")]),
    ],
)
def test_parts_add_up_to_the_whole(text: str, parts: list[tuple[str, str]]) -> None:
    found = parts_of(text)
    assert [(part.name, part.traffic) for part in found] == parts
    if "training:dp" not in text:
        network = pn.build_network("single-switch:hosts=16")
        whole = pn.build_traffic(text, network).total
        assert sum(pn.build_traffic(part.traffic, network).total for part in found) == pytest.approx(whole, rel=1e-12)


def test_stages_of_flows_are_parts(tmp_path: Path) -> None:
    """At 8 Gb/s a byte takes a ns: of four ranks with 65536 bytes, 6/4 for a sum; a root sends it twice, by a tree."""
    kinds = enumerate((ALL_REDUCE, BROADCAST))
    data = chakra(*(node(number, COLLECTIVE, comm_type=kind, comm_size=65536) for number, kind in kinds))
    for rank, idle in enumerate(generated(4)["BARRIER"]):
        (tmp_path / f"run.{rank}.et").write_bytes(data)
        (tmp_path / f"idle.{rank}.et").write_bytes(idle)
    network = "single-switch:hosts=4,link_gbps=8"
    found = pn.step_time(network, workload=f"{tmp_path}/run.0.et")
    assert isinstance(found, StepTimeAnswer)
    document = found.document
    assert [(row["part"], row["total_bytes"]) for row in document["parts"]] == [
        ("all-reduce", 6 * 65536),
        ("broadcast", 3 * 65536),
    ]
    assert [row["time_s"] for row in document["parts"]] == pytest.approx([1.5 * 65536e-9, 2 * 65536e-9], rel=1e-6)
    assert (document["time_s"], document["in_turn_s"]) == pytest.approx((3.5 * 65536e-9,) * 2, rel=1e-6)
    found.whole.save(tmp_path / "whole.json")  # type: ignore[union-attr]
    verify_file(tmp_path / "whole.json")
    flows = build_workload(f"all-reduce:size=1kB,hosts=0-1+{tmp_path}/idle.0.et", pn.build_network(network))
    assert pn.step_time(network, workload=flows).document["time_s"] == pytest.approx(1e-6)
    with pytest.raises(PnetError, match=r"idle\.0\.et: nothing is sent between hosts$"):
        pn.step_time(network, workload=f"{tmp_path}/idle.0.et")


def test_drawn_parts_are_those_of_the_sum() -> None:
    """With one seed a placement is the same in each part: a step of two phases in groups that are drawn."""
    network = pn.build_network("single-switch:hosts=16")
    text = f"groups:size=4,placement=random,of=[training:tp=2,pp=2,placement=random,{MODEL}]"
    one, two = (pn.build_traffic(part.traffic, network, seed=5) for part in parts_of(text))
    assert (one + two).fingerprint == pn.build_traffic(text, network, seed=5).fingerprint


def test_each_part_takes_what_its_closed_form_says() -> None:
    # Rings of 8 send 2 * 7/8 of 1 GB over each port of 100 Gb/s, all-to-all 15 times 2 MB; together their sum.
    found = step_time("500*groups:size=8,of=all-reduce+all-to-all", demand_size="2MB")
    ring, exchange = 14e9 / 1e11, 15 * 16e6 / 1e11
    document = found.to_json()
    for row, seconds in zip(document["parts"], (ring, exchange), strict=True):
        assert row["lower_bound_s"] <= seconds * (1 + 1e-12)
        assert row["time_s"] == pytest.approx(seconds, rel=1e-4)
    assert found.in_turn.lower <= ring + exchange <= found.in_turn.upper * (1 + 1e-12)
    assert found.time.upper == pytest.approx(ring + exchange, rel=1e-4)
    assert found.time.lower <= found.in_turn.upper
    assert document["total_bytes"] == pytest.approx(16 * 1.75e9 + 240 * 2e6)
    assert document["slowest"] == "all-reduce in groups of 8"


def test_all_at_once_is_never_longer_than_in_turn_nor_shorter_than_a_part() -> None:
    keys = {"server": "single-switch:hosts=4", "server_gbps": 900, "link_gbps": 100}
    found = step_time(f"training:tp=4,pp=2,dp=2,{MODEL}", **keys)
    assert len(found.parts) == 3
    parts = [found.document["parts"][i] for i in range(3)]
    assert max(row["lower_bound_s"] for row in parts) <= found.time.upper
    assert found.time.lower <= found.in_turn.upper
    assert {row["binding"] for row in parts} == {"scale-up link", "access link"}


def test_parts_alone_bound_what_all_take_at_once() -> None:
    """No less than the longest part, no more than all in turn; the sum is not built."""
    traffic = "500*groups:size=8,of=all-reduce+all-to-all"
    alone, both = (step_time(traffic, demand_size="2MB", in_turn=in_turn) for in_turn in (True, False))
    assert alone.whole is None
    assert alone.in_turn == both.in_turn
    assert alone.time.lower == max(row["lower_bound_s"] for row in alone.document["parts"])
    assert alone.time.lower <= both.time.upper
    assert both.time.lower <= alone.time.upper == alone.in_turn.upper
    assert alone.document["traffic"] is None
    # One part is solved all the same.
    assert step_time("ring", in_turn=True).document == step_time("ring").document


def test_what_has_no_path_takes_no_time_that_is_known() -> None:
    found = pn.step_time("path:n=4", traffic="all-to-all+ring", fail_links=3, level="rack")
    document = found.to_json()
    assert document["time_s"] is document["in_turn_s"] is document["parts"][0]["lower_bound_s"] is None
    assert math.isnan(found.headline.value)


def test_proofs_of_all_parts_hold_and_forgeries_do_not(tmp_path: Path) -> None:
    from pnet_lp.questions.step_time.words import write_save

    write_save(step_time("ring+2*all-to-all"), tmp_path)
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["part-1.json", "part-2.json", "whole.json"]
    for file in files:
        assert pn.verify(file).status == "certified"
    text = files[0].read_text()
    files[0].write_text(text.replace('"lower_bound_gbps": 99', '"lower_bound_gbps": 98').replace("100.0", "101.0"))
    with pytest.raises(CertificateError):
        pn.verify(files[0])


@pytest.mark.parametrize(("traffic", "partial"), [("ring", True), ("ring+all-to-all", False)])
def test_ctrl_c_leaves_bounds_of_one_part_alone(traffic: str, partial: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any, **options: Any) -> NoReturn:
        raise Interrupted(solve(*arguments, **options))

    monkeypatch.setattr(answer_of_throughput, "solve", interrupted)
    posed = QUESTIONS.get("step-time").build(StepTimeCase(topology="single-switch:hosts=4", traffic=traffic), 0)
    if partial:
        assert isinstance(posed.answer(Run(keep_partial=True)), StepTimeAnswer)
    else:
        with pytest.raises(KeyboardInterrupt):
            posed.answer(Run(keep_partial=True))


def test_bytes_of_none_have_no_time() -> None:
    with pytest.raises(SpecError, match="demand_size: input should be greater than or equal to 1"):
        step_time("ring", demand_size=0)
