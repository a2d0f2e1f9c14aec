"""Shared-risk groups: files, names, and what falls with them."""

from pathlib import Path

import numpy as np
import pytest

from pnet_lp.errors import SpecError
from pnet_lp.failures import FailureModel, Failures, fail, read_groups
from pnet_lp.model import Network, Plane
from pnet_lp.topology import build_network


def write(folder: Path, text: str) -> Path:
    path = folder / "groups.yaml"
    path.write_text(text)
    return path


def two_planes() -> Network:
    return build_network(["ring:n=5"], planes=2, hosts_per_switch=1)


def test_cables_and_switches_of_a_group_fail_together(tmp_path: Path) -> None:
    path = write(tmp_path, "groups: {duct: {cables: [[0, 1], [3, 2]], planes: [1]}, feed: {switches: ['4']}}")
    mask = FailureModel(two_planes(), Failures(groups=read_groups(path))).draw()
    ring = two_planes().planes[0]
    ends = [{int(ring.cable_u[i]), int(ring.cable_v[i])} for i in np.flatnonzero(mask.arcs[1][0::2]).tolist()]
    assert sorted(map(sorted, ends)) == [[0, 1], [0, 4], [2, 3], [3, 4]]
    assert mask.arcs[0].sum() == 4
    assert [np.flatnonzero(dead).tolist() for dead in mask.switches] == [[4], [4]]


def test_json_and_parallel_cables(tmp_path: Path) -> None:
    path = tmp_path / "groups.json"
    path.write_text('{"groups": {"duct": {"cables": [["b", "a"]]}}}')
    network = Network.from_planes([Plane.from_cables(["a", "b", "c"], [0, 1, 1], [1, 0, 2])])
    assert fail(network, Failures(groups=read_groups(path))).planes[0].capacity_uv_gbps.tolist() == [0, 0, 100]


def test_switches_that_only_some_planes_have(tmp_path: Path) -> None:
    planes = [Plane.from_cables(list(names), [0], [1], host_switch=[0, 1]) for names in ("ab", "ac")]
    path = write(tmp_path, "groups: {g: {switches: [c], cables: [[a, b]]}}")
    mask = FailureModel(Network.from_planes(planes), Failures(groups=read_groups(path))).draw()
    assert [dead.tolist() for dead in mask.switches] == [[False, False], [False, True]]
    assert all(down.all() for down in mask.arcs)


def test_groups_fail_with_their_probability(tmp_path: Path) -> None:
    groups = read_groups(write(tmp_path, "groups: {rare: {switches: [0], probability: 0.25}}"))
    model = FailureModel(two_planes(), Failures(groups=groups))
    hits = sum(model.draw(trial=trial).switch_count == 2 for trial in range(400))
    assert hits == pytest.approx(100, abs=30)
    assert Failures(groups=groups).random


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "{}: not a file of shared-risk groups; allowed: one key 'groups', with names below it"),
        ("groups: {a: 3}", "{}: groups.a: not a group; allowed: cables, switches, parts, planes, probability"),
        ("groups: {a: {}}", "{}: groups.a: an empty group; allowed: cables, switches or parts"),
        (
            "groups: {a: {switch: [1]}}",
            "{}: groups.a: unknown parameter 'switch' (did you mean 'switches'?); "
            "allowed: name, cables, switches, parts, planes, probability",
        ),
        (
            "groups: {a: {switches: [1], probability: 2}}",
            "{}: groups.a: probability: input should be less than or equal to 1, found 2",
        ),
        ("groups: {a: {switches: [7]}}", "fail_groups: a: unknown switch '7'"),
        ("groups: {a: {switches: [7], planes: [1]}}", "fail_groups: a: plane 1: unknown switch '7'"),
        ("groups: {a: {cables: [[0, 2]]}}", "fail_groups: a: no plane has a cable '0' - '2'"),
        ("groups: {a: {cables: [[0, 2]], planes: [0]}}", "fail_groups: a: plane 0 has no cable '0' - '2'"),
        ("groups: {a: {switches: [1], planes: [2]}}", "fail_groups: a: no such plane, found 2; allowed: 0 to 1"),
    ],
)
def test_wrong_groups(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(SpecError) as caught:
        fail(two_planes(), Failures(groups=read_groups(path)))
    assert str(caught.value) == message.format(path)
