"""A number is what stands there in decimal digits; anything else is refused wherever numbers are read."""

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner

from pnet_lp.cli import main
from pnet_lp.cost.books import read_book
from pnet_lp.errors import PnetError, SpecError
from pnet_lp.failures import read_groups
from pnet_lp.files import parse_yaml
from pnet_lp.layouts import parse_json
from pnet_lp.routing import parse_routing
from pnet_lp.sim.traces import split_trace
from pnet_lp.topology import build_network, build_plane, read_plane
from pnet_lp.traffic import build_traffic
from pnet_lp.traffic.io import read_traffic
from pnet_lp.units import misread, parse_number
from pnet_lp.workload import build_workload, parse_sizes, read_workload

MISREAD = ["1_000", "1_0.5", "\u0661\u0662", "\uff11\uff12", "1e400", "-1e400", "1e-400", "\uff11e3", "1_0e2"]
AS_WRITTEN = {
    "10": 10.0,
    "+1.5": 1.5,
    "-.5": -0.5,
    "1e3": 1000.0,
    "5.": 5.0,
    "0e-400": 0.0,
    " 7 ": 7.0,
    "1E-300": 1e-300,
}


@pytest.mark.parametrize("text", MISREAD)
def test_what_is_no_number(text: str) -> None:
    assert misread(text)
    assert math.isnan(parse_number(text))


def test_what_is_a_number_or_never_was_one() -> None:
    assert {text: parse_number(text) for text in AS_WRITTEN} == AS_WRITTEN
    assert not any(map(misread, [*AS_WRITTEN, "inf", "-Infinity", "NaN", "", "a", "0x10", "--1", "1 0", "10MB"]))


def _write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


RING = build_network("ring:n=4", hosts_per_switch=1)
EDGE = '<graphml><key id="c" for="edge" attr.name="capacity_gbps" attr.type="{}"/><graph><node id="a"/><node id="b"/>'

READERS = {
    "expression": lambda text, _: build_plane(f"ring:n=4,link_gbps={text}"),
    "count": lambda text, _: build_plane(f"ring:n={text}"),
    "counts": lambda text, _: build_plane(f"torus:dims={text}x4"),
    "factor": lambda text, _: build_traffic(f"{text}*all-to-all", RING),
    "sum": lambda text, _: build_workload(f"poisson:load=0.5,sizes=9kB,flows=5,capacity_gbps={text}", RING),
    "edge list": lambda text, folder: read_plane(_write(folder, "n.edges", f"a b {text}\n")),
    "position": lambda text, folder: read_plane(_write(folder, "n.edges", f"#: switch a at={text},1\na b 1\n")),
    "gml": lambda text, folder: read_plane(
        _write(
            folder, "n.gml", f"graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 capacity_gbps {text} ] ]"
        )
    ),
    "graphml": lambda text, folder: read_plane(
        _write(
            folder,
            "n.graphml",
            f'{EDGE.format("double")}<edge source="a" target="b"><data key="c">{text}</data></edge></graph></graphml>',
        )
    ),
    "node-link": lambda text, folder: read_plane(
        _write(
            folder,
            "n.json",
            json.dumps(
                {
                    "nodes": [{"id": 0}, {"id": 1}],
                    "edges": [{"source": 0, "target": 1, "capacity_gbps": text if text in MISREAD else float(text)}],
                }
            ),
        )
    ),
    "matrix": lambda text, folder: read_traffic(_write(folder, "m.csv", f"src,dst,demand\n0,1,{text}\n"), RING, "host"),
    "workload": lambda text, folder: read_workload(
        _write(folder, "w.csv", f"src,dst,bytes,start_s,weight\n0,1,9,0,{text}\n"), RING
    ),
    "sizes": lambda text, folder: parse_sizes(_write(folder, "s.csv", f"bytes,share\n{text},1\n")),
    "percentiles": lambda text, folder: parse_sizes(_write(folder, "s.txt", f"{text} 100\n")),
    "groups": lambda text, folder: read_groups(
        Path(_write(folder, "g.yaml", f"groups: {{a: {{switches: ['1'], probability: '{text}'}}}}\n"))
    ),
    "book": lambda text, folder: read_book(
        Path(_write(folder, "b.yaml", f"entries: {{switch: {{usd: '{text}', date: '2025', source: a}}}}\n")), "price"
    ),
    "trace": lambda text, _: split_trace(f"flow:{text}"),
}


@pytest.mark.parametrize("name", READERS)
def test_every_reader_takes_a_number(name: str, tmp_path: Path) -> None:
    READERS[name]("1" if name in {"groups", "book"} else "4", tmp_path)


@pytest.mark.parametrize("text", MISREAD)
@pytest.mark.parametrize("name", READERS)
def test_no_reader_takes_it(name: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(PnetError) as caught:
        READERS[name](text, tmp_path)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("text", ["3.0", "+3", "3e0", "3.5", "3."])
@pytest.mark.parametrize("expression", ["ksp:{}", "ksp:k={}", "edge-disjoint:{}"])
def test_whole_numbers_in_expressions_are_digits(expression: str, text: str) -> None:
    """Such as stand in results as they are typed, where other checkers read them."""
    with pytest.raises(SpecError, match=r"k: not a whole number in decimal digits, found"):
        parse_routing(expression.format(text))


@pytest.mark.parametrize("text", ["3x+3", "3x3.0", "-3.0"])
def test_each_of_several_whole_numbers_is_digits(text: str) -> None:
    with pytest.raises(PnetError, match="not a whole number in decimal digits"):
        build_plane(f"torus:dims={text}")


def test_digits_may_begin_with_zeros_and_quantities_have_units() -> None:
    assert parse_routing("ksp:03").params == parse_routing("ksp:3").params
    assert build_workload("poisson:load=0.5,sizes=1.5kB,flows=5", RING).flow_count == 5


@pytest.mark.parametrize(
    "text", ["1_000", "010", "0x10", "0b1", "1:30", "1:30.5", "1_0.5", "1.0e+400", "1.0e-400", "!!int '1_0'"]
)
def test_yaml_numbers_are_decimal(text: str) -> None:
    with pytest.raises(SpecError, match=r"^f:1: not YAML: not a decimal number"):
        parse_yaml(f"a: {text}", "f")


def test_yaml_numbers_and_texts() -> None:
    found = parse_yaml("[10, -3, +2, 0, 1.5, -0.5, 1.0e+3, '1_000', 1e3, .5]", "f")
    assert found == [10, -3, 2, 0, 1.5, -0.5, 1000.0, "1_000", "1e3", 0.5]


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e-400"])
def test_json_numbers_are_held(text: str) -> None:
    with pytest.raises(SpecError, match="beyond the range of numbers"):
        parse_json(f'{{"a": {text}}}', "f", SpecError)


@pytest.mark.parametrize("text", MISREAD)
@pytest.mark.parametrize("option", ["--link-gbps", "--planes", "--threads", "--tolerance", "--fail-planes", "--ports"])
def test_no_option_takes_it(option: str, text: str) -> None:
    command = ["topology", "ring:n=4"] if option == "--ports" else ["throughput", "ring:n=4", "--traffic", "all-to-all"]
    found = CliRunner().invoke(main, [*command, f"{option}={text}"], prog_name="pnet-lp")
    assert found.exit_code == 2, found.output
    assert "unexpected" not in found.stderr
