"""What the page says, held against the command line, the native core and ``verify``."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from lab import choose, drag, known, saved, settle
from playwright.sync_api import Page

from pnet_lp.cli import main
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

CASES = [
    ("ring", 2, "all-to-all"),
    ("path", 3, "opposite"),
    ("mesh", 3, "all-to-all"),
    ("torus", 4, "all-to-all"),
    ("hypercube", 2, "next"),
    ("random", 3, "all-to-all"),
    ("dragonfly", 2, "all-to-all"),
    ("fat-tree", None, "all-to-all"),
    ("jellyfish", None, "all-to-all"),
    ("different", 2, "all-to-all"),
    ("random", 3, "permutation"),
    ("torus", 4, "random"),
    ("random", 2, "incast"),
    ("jellyfish", None, "hotspot"),
    ("mesh", 3, "all-to-one"),
    ("dragonfly", 1, "one-to-all"),
    ("different", 0, "pipeline"),
]

SMALL = [(family, size) for family in ("ring", "path", "mesh", "torus") for size in (0, 1, 2, 3)]
SMALL += [("hypercube", 2), ("random", 1), ("random", 2), ("dragonfly", 2), ("different", 0)]


def answered(folder: Path, *words: str) -> dict[str, Any]:
    """Return what ``pnet-lp`` answers, asked in a folder."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        done = CliRunner().invoke(main, [*words, "--json"])
    finally:
        os.chdir(here)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def command(page: Page) -> list[str]:
    """Return the words of the command that the page shows, the program's name left out."""
    return shlex.split(page.input_value("#command"))[1:]


@pytest.mark.parametrize(("family", "size", "pattern"), CASES)
def test_both_bounds_are_those_of_the_command(
    page: Page, tmp_path: Path, family: str, size: int | None, pattern: str
) -> None:
    choose(page, family, size, pattern)
    found = known(page)
    said = answered(tmp_path, *command(page), "--tolerance", "1e-5")
    for key in ("lower", "upper"):
        assert found[key] == pytest.approx(said[f"{key}_bound_gbps"], rel=1e-4)
    bounds = {b["name"]: b for b in answered(tmp_path, "bounds", *command(page)[1:])["bounds"]}
    assert found["meanPath"] == pytest.approx(bounds["mean-path"]["value_gbps"], rel=1e-9)
    assert found["bisection"]["gbps"] == pytest.approx(bounds["bisection"]["bisection_gbps"], rel=1e-9)


def test_demands_of_every_pattern_are_those_of_its_expression(page: Page) -> None:
    program = """async (counts) => {
        const { PATTERNS, demandsOf } = await import("./patterns.js");
        return PATTERNS.flatMap(({ id }) => counts.flatMap((racks) => [0, 1, 7, 999999].map((seed) =>
            [racks, demandsOf({ id, seed }, racks)])));
    }"""
    counts = [2, 3, 4, 5, 16, 33, 80]
    networks = {n: build_network(f"path:n={n}") for n in counts}
    found = page.evaluate(program, counts)
    assert len({demands["expression"].split(":")[0] for _, demands in found}) >= 8
    for racks, demands in found:
        matrix = build_traffic(demands["expression"], networks[racks], "rack")
        for key in ("src", "dst", "demand"):
            assert getattr(matrix, key).tolist() == demands[key], demands["expression"]


def test_draws_are_others_with_another_seed(page: Page, tmp_path: Path) -> None:
    choose(page, "random", 3, "permutation")
    first = known(page)["lower"]
    page.fill("#seed", "3")
    settle(page)
    assert command(page)[-2:] == ["--traffic", "permutation:seed=3"]
    said = answered(tmp_path, *command(page), "--tolerance", "1e-5")
    assert known(page)["lower"] == pytest.approx(said["lower_bound_gbps"], rel=1e-4)
    assert known(page)["lower"] != pytest.approx(first, rel=1e-3)
    page.fill("#seed", "0")
    settle(page)


@pytest.mark.parametrize(("family", "size"), SMALL)
def test_wasm_and_native_give_the_same_bounds(page: Page, tmp_path: Path, family: str, size: int | None) -> None:
    choose(page, family, size)
    found = known(page)
    settings = ["--solver", "structured", "--tolerance", "1e-5", "--threads", "1"]
    said = answered(tmp_path, *command(page), *settings)
    for key in ("lower", "upper"):
        assert found[key] == pytest.approx(said[f"{key}_bound_gbps"], rel=1e-9)


def test_ecmp_is_that_of_the_command(page: Page, tmp_path: Path) -> None:
    choose(page, "random", 3)
    page.check("#show [name=ecmp]")
    assert command(page)[-2:] == ["--routing", "ecmp-split"]
    said = answered(tmp_path, *command(page))
    assert known(page)["ecmp"] == pytest.approx(said["throughput_gbps"], rel=1e-9)
    page.uncheck("#show [name=ecmp]")


@pytest.mark.parametrize(("family", "size", "pattern"), [*CASES[:2], *CASES[6:], ("prism", None, "all-to-all")])
def test_proof_is_accepted(page: Page, tmp_path: Path, family: str, size: int | None, pattern: str) -> None:
    choose(page, family, size, pattern)
    (proof,) = saved(page, "save-proof", tmp_path)
    verified = answered(tmp_path, "verify", proof.name)
    found = known(page)
    assert verified["lower_bound_gbps"] == pytest.approx(found["lower"], rel=1e-9)
    assert verified["upper_bound_gbps"] == pytest.approx(found["upper"], rel=1e-9)


def test_forged_proof_is_refused(page: Page, tmp_path: Path) -> None:
    choose(page, "ring", 1)
    (proof,) = saved(page, "save-proof", tmp_path)
    document = json.loads(proof.read_text())
    document["upper_bound_gbps"] *= 0.999
    proof.write_text(json.dumps(document))
    assert CliRunner().invoke(main, ["verify", str(proof)]).exit_code == 1


def test_edited_network_is_that_of_its_file(page: Page, tmp_path: Path) -> None:
    choose(page, "ring", 1)
    before = known(page)["lower"]
    drag(page, 0, 0, 3)
    found = known(page)
    assert found["lower"] > before * 1.01
    assert command(page) == ["throughput", "network.edges"]
    page.click("#copy")
    page.get_by_text("Copied. The command reads network.edges: save the network beside it.").wait_for()
    assert [path.name for path in saved(page, "save-edges", tmp_path)] == ["network.edges"]
    said = answered(tmp_path, *command(page), "--tolerance", "1e-5")
    assert found["lower"] == pytest.approx(said["lower_bound_gbps"], rel=1e-4)
    (proof,) = saved(page, "save-proof", tmp_path)
    assert answered(tmp_path, "verify", proof.name)["status"] == "certified"


def test_two_edited_planes_are_those_of_their_files(page: Page, tmp_path: Path) -> None:
    choose(page, "different", 0)
    drag(page, 1, 0, 4)
    found = known(page)
    assert command(page) == ["throughput", "plane-1.edges", "plane-2.edges"]
    saved(page, "save-edges", tmp_path)
    said = answered(tmp_path, *command(page), "--tolerance", "1e-5")
    assert found["upper"] == pytest.approx(said["upper_bound_gbps"], rel=1e-4)


def test_dead_plane_is_that_of_the_command(page: Page, tmp_path: Path) -> None:
    choose(page, "identical", 0)
    whole = known(page)["lower"]
    page.click("text=Kill plane 2 >> nth=-1")
    settle(page)
    found = known(page)
    assert found["lower"] == pytest.approx(whole / 2, rel=1e-4)
    assert command(page)[-2:] == ["--fail-planes", "1"]
    said = answered(tmp_path, *command(page), "--tolerance", "1e-5")
    assert found["lower"] == pytest.approx(said["lower_bound_gbps"], rel=1e-4)


def test_eighty_racks_in_two_planes(page: Page) -> None:
    choose(page, "large")
    found = known(page)
    assert found["lower"] <= found["upper"] <= found["lower"] * (1 + 1e-4)
    # A few hundred iterations are a second at most; two thousand would be felt.
    assert found["iterations"] < 2000
