"""Expressions for several planes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.experiment.axes import axis_values
from pnet_lp.topology import build_network
from pnet_lp.topology.planes import Term, is_planes, leaves, parse_planes

pytestmark = pytest.mark.usefixtures("_elsewhere")

TREE, GRAPH = "fat-tree:k=4", "jellyfish:k=4,seed=3"


@pytest.fixture
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def planes_of(*texts: str, **options: object) -> list[str]:
    return [plane.fingerprint for plane in build_network(texts, **options).planes]  # type: ignore[arg-type]


# An expression, and the TOPOLOGIES and options that mean the same.
SAME = {
    f"[{TREE}]": ([TREE], {}),
    f"1x[{TREE}]": ([TREE], {}),
    f"3x[{TREE}]": ([TREE], {"planes": 3}),
    f" 3 x [ {TREE} ] ": ([TREE], {"planes": 3}),
    f"[3x[{TREE}]]": ([TREE], {"planes": 3}),
    f"2x[3x[{TREE}]]": ([TREE], {"planes": 6}),
    f"[{TREE}]+[{GRAPH}]": ([TREE, GRAPH], {}),
    f"[{TREE}] + 2x[{GRAPH}]": ([TREE, GRAPH, GRAPH], {}),
    f"2x[[{TREE}]+[{GRAPH}]]": ([TREE, GRAPH, TREE, GRAPH], {}),
    f"3~[{GRAPH}]": ([GRAPH], {"planes": 3, "variant": "heterogeneous"}),
    "[jellyfish-k8]": (["jellyfish:k=8,seed=1"], {}),
}


@pytest.mark.parametrize(("text", "same"), SAME.items(), ids=list(SAME))
def test_expressions_mean_what_arguments_and_options_do(text: str, same: tuple[list[str], dict[str, object]]) -> None:
    texts, options = same
    found = build_network([text])
    expected = build_network(texts, **options)  # type: ignore[arg-type]
    assert (found.fingerprint, found.variant) == (expected.fingerprint, expected.variant)


def test_different_planes_have_the_seeds_of_the_option() -> None:
    """Wherever they stand: the first has the seed given, the others those that ``planes`` derives from it."""
    tree = planes_of(TREE)
    drawn = planes_of(GRAPH, planes=3, variant="heterogeneous")
    assert planes_of(f"[{TREE}]+3~[{GRAPH}]") == tree + drawn
    assert planes_of(f"2x[[{TREE}]+3~[{GRAPH}]]") == 2 * (tree + drawn)
    assert planes_of("[fat-tree:k=4]+2~[jellyfish:k=4]", seed=3) == tree + drawn[:2]
    assert len(set(drawn)) == 3


def test_options_fit_what_the_expression_says() -> None:
    assert planes_of(f"3x[{GRAPH}]", variant="heterogeneous") == planes_of(f"3~[{GRAPH}]")
    assert planes_of(f"3x[{TREE}]", planes=3) == planes_of(TREE, planes=3)
    [fast] = build_network([f"4x[{TREE}]"], variant="serial-high", link_gbps=25).planes
    assert set(fast.capacity_uv_gbps.tolist()) == {100.0}
    for options, message in (
        ({"planes": 2}, rf"planes: 3x\[{TREE}\] says 3, found 2"),
        ({"variant": "serial"}, "variant: a serial network has one plane, but 3 are requested"),
    ):
        with pytest.raises(SpecError, match=message):
            build_network([f"3x[{TREE}]"], **options)  # type: ignore[arg-type]


def test_speeds_and_hosts_are_for_planes_that_leave_them_open() -> None:
    network = build_network(["[ring:n=4,link_gbps=800]+2x[ring:n=4]"], link_gbps=100, hosts_per_switch=1)
    assert [plane.capacity_uv_gbps[0] for plane in network.planes] == [800.0, 100.0, 100.0]
    assert network.host_count == 4


def test_specs_and_files_stand_in_brackets() -> None:
    Path("a[1].edges").write_text("0 1\n1 2\n2 0\n")
    Path("net.yaml").write_text("builder: jellyfish\nparameters: {k: 4, seed: 3}\nplanes: 2\nvariant: heterogeneous\n")
    assert planes_of("2x[./a[1].edges]") == planes_of("./a[1].edges", planes=2)
    assert planes_of(f"2x[net.yaml]+[{TREE}]") == [*2 * planes_of("net.yaml"), *planes_of(TREE)]
    with pytest.raises(SpecError, match=r"2~\[net\.yaml\]: several planes cannot be drawn again"):
        build_network(["2~[net.yaml]"])
    Path("net.yaml").write_text("builder: ring\nparameters: {n: 4}\nplanes: 2\nvariant: serial-high\n")
    assert planes_of("[net.yaml]") == planes_of("net.yaml")
    with pytest.raises(SpecError, match=r"net\.yaml: a serial-high network cannot be a plane of another"):
        build_network(["[net.yaml]+[ring:n=4]"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"8x[{TREE}", f"'[' is not closed at character 3, found '8x[{TREE}'; allowed: such as 8x[TOPOLOGY] or "),
        (f"[{TREE}]+[[{TREE}]", "'[' is not closed at character 16, found "),
        (f"[{TREE}]]", "']' closes no bracket at character 15, found "),
        (f"{TREE}]", "']' closes no bracket at character 13, found "),
        (f"{TREE}+[{TREE}]", "a TOPOLOGY stands before a bracket at character 14, found "),
        (f"8y[{TREE}]", "a TOPOLOGY stands before a bracket at character 3, found "),
        (f"[{TREE}]+", "expected a term at character 16, found "),
        (f"[{TREE}]+{TREE}", "expected a term at character 16, found "),
        (f"[{TREE}] [{TREE}]", "expected '+' at character 16, found "),
        ("[]", "empty brackets at character 1, found '[]'"),
        (f"[{TREE}]+2x[ ]", "empty brackets at character 18, found "),
        (f"0x[{TREE}]", f"0x[{TREE}]: number of planes out of range, found '0'; allowed: 1 to 4096"),
        (f"{'9' * 50}x[{TREE}]", ": number of planes out of range, found '9999"),
        (f"4096x[2x[{TREE}]]", f"4096x[2x[{TREE}]]: too many planes, found 8192; allowed: at most 4096"),
        ("[" * 20 + "]" * 20, "brackets are nested more than 16 deep at character 17, found "),
        (f"3~[{TREE}]", f"3~[{TREE}]: heterogeneous planes differ by seed, and topology 'fat-tree' has none; "),
        (f"1~[{GRAPH}]", "variant: a single plane cannot be heterogeneous"),
        (f"2~[2x[{GRAPH}]]", f"2~[2x[{GRAPH}]]: several planes cannot be drawn again; allowed: one TOPOLOGY"),
        ("2x[jelyfish:k=4]", "unknown topology 'jelyfish' (did you mean 'jellyfish'?)"),
        ("2x[fat-tree:k=five]", "fat-tree: k: input should be a valid integer"),
    ],
)
def test_broken_expressions(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        build_network([text])
    said = str(caught.value)
    assert said.startswith(message) or (message.startswith(":") and message in said)


LEAVES = st.sampled_from([TREE, GRAPH, "ring:n=4", "./a file[1].txt", "name"])
TERMS = st.builds(Term, LEAVES, st.integers(1, 4096), st.sampled_from(["x", "~"]))
EXPRESSIONS = st.lists(TERMS, min_size=1, max_size=4).map(tuple)


@given(terms=EXPRESSIONS, outer=st.integers(1, 4096))
def test_what_is_written_is_parsed(terms: tuple[Term, ...], outer: int) -> None:
    text = "+".join(map(str, terms))
    assert is_planes(text)
    assert parse_planes(text) == terms
    assert leaves(text) == tuple(term.text for term in terms)
    nested = f"{Term(text, outer)}+{text}"
    assert parse_planes(nested) == (Term(text, outer), *terms)
    assert leaves(nested) == 2 * leaves(text)
    assert axis_values("topology", f"{text},{TREE}", "throughput") == [text, TREE]


@given(terms=EXPRESSIONS, place=st.integers(0, 10_000), bracket=st.sampled_from("[]"))
def test_a_bracket_more_is_refused_where_it_is(terms: tuple[Term, ...], place: int, bracket: str) -> None:
    text = "+".join(map(str, terms))
    place %= len(text) + 1
    broken = text[:place] + bracket + text[place:]
    with pytest.raises(PnetError, match=r"at character \d+|unknown topology|not an expression|cannot read") as caught:
        build_network([broken])
    assert len(str(caught.value)) < 1000


@given(counts=st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_counts_multiply_and_add_up(counts: list[int]) -> None:
    nested = "ring:n=4"
    for count in counts:
        nested = f"{count}x[{nested}]"
    product = 1
    for count in counts:
        product *= count
    assert build_network([nested]).plane_count == product
    assert build_network(["+".join(f"{count}x[ring:n=4]" for count in counts)]).plane_count == sum(counts)
