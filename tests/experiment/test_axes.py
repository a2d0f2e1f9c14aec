"""Keys of cases as words of a command line."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.errors import SpecError
from pnet_lp.experiment.axes import axis_values, is_flag, key_of, question_of, split_values
from pnet_lp.experiment.varied import spec_text, varied_experiment, varied_spec
from pnet_lp.files import parse_yaml


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,2,4", ["1", "2", "4"]),
        (" 1 , 2", ["1", "2"]),
        ("jellyfish:k=8,r=5,fat-tree:k=4", ["jellyfish:k=8,r=5", "fat-tree:k=4"]),
        ("jellyfish:k=8, seed=1,net.txt,ring:n=4", ["jellyfish:k=8,seed=1", "net.txt", "ring:n=4"]),
        ("permutation,all-to-all", ["permutation", "all-to-all"]),
        ("0.5*permutation:seed=3+2*stride:s=1,random", ["0.5*permutation:seed=3+2*stride:s=1", "random"]),
        ('"slow-start,queueing",none', ['"slow-start,queueing"', "none"]),
        ('given:routing="a,b",ecmp', ['given:routing="a,b"', "ecmp"]),
    ],
)
def test_what_a_comma_ends(text: str, values: list[str]) -> None:
    assert split_values(text) == values


@given(st.lists(st.sampled_from(["1", "ksp:8", "jellyfish:k=8,seed=1", "a.txt", '"x,y"']), min_size=1))
def test_values_that_are_joined_are_split_again(values: list[str]) -> None:
    assert split_values(",".join(values)) == values


@pytest.mark.parametrize("text", ["", ",", "1,", ",1", "1,,2", '"1,2', '1,"', '""', " "])
def test_nothing_is_no_value(text: str) -> None:
    with pytest.raises(SpecError, match="an empty value, or a quote that is not closed"):
        split_values(text)


@pytest.mark.parametrize(
    ("key", "text", "question", "values"),
    [
        ("planes", "1,02", "throughput", [1, 2]),
        ("fail_links", "0,0.1,1e-2", "hops", [0, 0.1, 0.01]),
        ("fail_links", "0,1%,3,1 link,100%", "hops", [0, 0.01, 3, "1 link", "100%"]),
        ("routing", "ecmp,ksp:8", "throughput", ["ecmp", "ksp:8"]),
        ("separate", "yes,no", "cost", [True, False]),
        ("link_delay", "1us,2500ns", "simulate", ["1us", "2500ns"]),
        ("flow_size", "10kB,web-search", "simulate", ["10kB", "web-search"]),
        ("correction", '"slow-start,queueing",none', "simulate", ["slow-start,queueing", "none"]),
        ("fail_planes", '0,"1,2"', "throughput", [0, [1, 2]]),
        (
            "topology",
            '"ring:n=4,mesh:dims=2x2,link_gbps=5",a',
            "hops",
            [["ring:n=4", "mesh:dims=2x2,link_gbps=5"], "a"],
        ),
    ],
)
def test_values_are_as_a_spec_has_them(key: str, text: str, question: str, values: list[Any]) -> None:
    found = axis_values(key, text, question)
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("planes", "1,x", "planes: input should be a valid integer, unable to parse string as an integer, found 'x'"),
        ("planes", "1,01", "planes: a value is given twice, found '01'"),
        ("fail_links", "0,1", "fail_links: may mean all of them or a single one, found '1'; allowed: 100% for all"),
        ("variant", "homogenous", "variant: input should be 'serial', 'homogeneous', "),
    ],
)
def test_a_wrong_value_names_its_key(key: str, text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        axis_values(key, text, "throughput")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("words", "question"),
    [
        (["planes"], "throughput"),
        (["time-limit", "objective"], "throughput"),
        (["fail-links", "trials"], "hops"),
        (["trials", "routing"], "failures"),
        (["beta"], "cost"),
        (["rpc-bytes", "rate", "hop-delay"], "hops"),
        (["separate", "fail-links"], "cost"),
        (["power"], "cost"),
        (["transport", "flow-size", "routing"], "simulate"),
    ],
)
def test_the_question_is_the_first_that_has_all_keys(words: list[str], question: str) -> None:
    assert question_of(words) == question
    for word in words:
        key_of(word, question)


def test_words_of_no_question() -> None:
    with pytest.raises(SpecError, match=r"is called 'plans' \(did you mean 'planes'\?\); allowed: what `pnet-lp list"):
        question_of(["routing", "plans"])
    with pytest.raises(SpecError, match="no question has all of routing, beta; throughput lacks beta"):
        question_of(["routing", "beta"])
    with pytest.raises(SpecError, match=r"is called 'fail-linkz' \(did you mean 'fail-links'"):
        key_of("fail-linkz", "throughput")


def test_options_have_the_names_of_the_command_line() -> None:
    assert key_of("time-limit", "throughput") == "time_limit_s"
    assert key_of("time-limit", "simulate") == "time_limit"
    assert key_of("power", "cost") == "powers"
    assert key_of("rate", "hops") == "rate_gbps"
    assert key_of("hop-delay", "hops") == "hop_delay_us"
    assert is_flag("separate", ["throughput", "cost"])
    assert not is_flag("planes", ["throughput"])


def spec(**axes: list[Any]) -> dict[str, Any]:
    return varied_spec("throughput", {"topology": "ring:n=6"}, axes)


def test_a_spec_is_the_same_when_it_is_read() -> None:
    given_ = varied_spec(
        "throughput",
        {"topology": ["ring:n=6", "1:30", "on"], "tolerance": 1e-5, "draws": 2},
        {"traffic": ["stride:s=1", "1e3*random"], "fail_links": [0, 1e-9, 0.1], "fail_planes": [0, [0, 1]]},
        baseline={"fail_links": 0},
        facet="traffic",
        percent=False,
        spread="standard-deviation",
    )
    assert parse_yaml(spec_text(given_), "spec.yaml") == given_


def test_results_are_found_again_under_the_name_of_what_is_requested() -> None:
    one = varied_experiment(spec(planes=[1, 2]))
    assert one.name.startswith("throughput-by-planes-")
    assert one.name == varied_experiment(spec(planes=[1, 2, 4])).name
    assert one.name != varied_experiment(varied_spec("throughput", {"topology": "ring:n=5"}, {"planes": [1]})).name
    again = varied_spec("throughput", {"topology": "ring:n=6", "draws": 3}, {"planes": [1]})
    assert one.name == varied_experiment(again).name


def test_a_baseline_is_found_whatever_the_values_look_like() -> None:
    """A share of 0 is 0.0 to the case, a delay of 1us a number of picoseconds."""
    common = {"topology": "fat-tree:k=4", "traffic": "permutation", "flow_size": "1kB"}
    axes: dict[str, list[Any]] = {"transport": ["tcp", "ndp"], "fail_links": [0, 0.1], "link_delay": ["1us", "2us"]}
    made = varied_experiment(varied_spec("simulate", common, axes, baseline={"transport": "tcp"}))
    assert made.base_of("transport-ndp-fail-links-0-link-delay-2us") == "transport-tcp-fail-links-0-link-delay-2us"
    assert made.baseline_label == "transport-tcp of the same fail links and link delay"
    assert made.cases["transport-tcp-fail-links-0-link-delay-1us"].cell("link_delay") == "1us"


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"routing": ["kps:8"]}, "vary: routing: unknown routing 'kps'"),
        (
            {"variant": ["homogeneous", "heterogeneous"], "level": ["rack"]},
            r"vary: variant: a single plane cannot be heterogeneous \(case variant-heterogeneous-level-rack\)",
        ),
        ({"draws": [1, 2]}, "vary: draws: the number of draws cannot vary"),
    ],
)
def test_a_wrong_axis_is_named(axes: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        varied_experiment(spec(**axes))


def test_numbers_make_a_line_and_words_bars() -> None:
    assert varied_experiment(spec(routing=["ecmp", "ideal"])).chart is None
    chart = varied_experiment(spec(planes=[1, 2])).chart
    assert chart
    assert (chart.x, chart.lines) == ("planes", ())
