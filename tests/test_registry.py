"""The registry: names, parameters, expressions, and the help a wrong one gets."""

import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import pytest
from pydantic import Field, model_validator

from pnet_lp.errors import SpecError
from pnet_lp.registry import NoParams, Params, Registry, meant, nearest, parse_expression, validate


class Box(Params):
    width: int = Field(gt=0)
    height: float = 2.5

    @model_validator(mode="after")
    def _not_square(self) -> "Box":
        if self.width == self.height:
            raise ValueError("A square is not a box")
        return self


@pytest.fixture
def shapes() -> Registry[Callable[..., Any]]:
    # An existing package that registers nothing here stands in for that of the built-in entries.
    registry: Registry[Callable[..., Any]] = Registry("shape", package="pnet_lp.model", group="pnet_lp.no_such_group")
    registry.register("box", params=Box, summary="a box", source="Euclid")(lambda params: params.width * params.height)
    registry.register("point", summary="a point")(lambda _: 0)
    return registry


def test_entries_are_found_by_name(shapes: Registry[Any]) -> None:
    assert shapes.names() == ["box", "point"]
    assert [entry.summary for entry in shapes] == ["a box", "a point"]
    assert "box" in shapes
    assert "cone" not in shapes
    entry = shapes.get("box")
    assert (entry.name, entry.params, entry.source) == ("box", Box, "Euclid")
    assert entry.build(entry.validate({"width": "3"})) == 7.5
    assert isinstance(shapes.get("point").validate({}), NoParams)


def test_models_of_parameters_derive_from_the_base_of_their_registry() -> None:
    registry: Registry[Any] = Registry("shape", package="pnet_lp.model", group="pnet_lp.shapes", base=Box)
    registry.register("plain", summary="a box as it is")(lambda _: 1)
    assert registry.get("plain").params is Box
    with pytest.raises(SpecError, match="parameters of shape 'point', found 'NoParams'; allowed: models that derive"):
        registry.register("point", params=NoParams, summary="a point")(lambda _: 2)


def test_a_name_is_registered_once(shapes: Registry[Any]) -> None:
    with pytest.raises(SpecError, match="shape 'box' is registered twice"):
        shapes.register("box", summary="another")(lambda _: 1)


def test_an_unknown_name_gets_the_nearest(shapes: Registry[Any]) -> None:
    with pytest.raises(SpecError) as caught:
        shapes.get("bix")
    assert str(caught.value) == "unknown shape 'bix' (did you mean 'box'?); allowed: box, point"
    with pytest.raises(SpecError) as caught:
        shapes.get("zzz")
    assert str(caught.value) == "unknown shape 'zzz'; allowed: box, point"
    assert nearest("POINT", {"point": 0}) == " (did you mean 'point'?)"


def test_an_entry_is_found_by_another_word_for_it(shapes: Registry[Any]) -> None:
    shapes.register("disc", summary="round", also=("circle",))(lambda _: 1)
    with pytest.raises(SpecError, match=r"^unknown shape 'circle' \(did you mean 'disc'\?\); allowed: "):
        shapes.get("circle")


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("dcqcn", ["dctcp", "tcp"], ""),
        ("plot", ["report", "sweep", "out"], ""),
        ("topology", ["plot"], ""),
        ("thruput", ["throughput"], "throughput"),
        ("rign", ["ring"], "ring"),
        ("fattree", ["fat-clique", "fat-tree"], "fat-tree"),
        ("all2all", ["all-to-one", "all-to-all"], "all-to-all"),
        ("sim", ["simulate"], "simulate"),
        ("mean", ["mean_hops"], "mean_hops"),
        ("speed", ["seed", "link-gbps"], "seed"),
    ],
)
def test_what_is_offered_is_what_is_meant(name: str, known: list[str], found: str) -> None:
    assert meant(name, known) == found
    assert meant(name, known, {name: "another"}) == "another"


def test_third_parties_register_through_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    registry: Registry[Any] = Registry("shape", package="pnet_lp.model", group="pnet_lp.shapes")

    def load(_: EntryPoint) -> None:
        registry.register("cone", summary="a cone")(lambda _: 1)

    point = EntryPoint("cones", "cones_package", "pnet_lp.shapes")
    other = EntryPoint("cones", "cones_package", "pnet_lp.others")
    monkeypatch.setattr("pnet_lp.registry._entry_points", lambda: EntryPoints([other, point]))
    monkeypatch.setattr(EntryPoint, "load", load)
    assert registry.names() == ["cone"]


def modules_of_families(text: str) -> set[str]:
    """Return which families a fresh interpreter has imported to answer ``text``."""
    program = (
        "import sys; from pnet_lp.topology import topologies\n"
        f"{text}\n"
        "print(*(name.rpartition('.')[2] for name in sys.modules if name.startswith('pnet_lp.topology.families.')))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def test_the_module_called_like_an_entry_is_enough() -> None:
    assert modules_of_families("topologies.get('slim-fly')") == {"slim_fly"}
    assert modules_of_families("assert 'ring' in topologies") == {"ring"}
    # The flattened butterfly is in the module of HyperX.
    assert {"hyperx", "ring"} < modules_of_families("topologies.get('flattened-butterfly')")
    assert {"hyperx", "ring"} < modules_of_families("assert 'no.such-name' not in topologies")
    assert {"hyperx", "ring"} < modules_of_families("topologies.get('ring'); topologies.names()")


def test_an_entry_of_others_does_not_hide_behind_one_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    registry: Registry[Any] = Registry("shape", package="pnet_lp.model", group="pnet_lp.shapes")
    registry.register("cone", summary="a cone")(lambda _: 1)

    def load(_: EntryPoint) -> None:
        registry.register("network", summary="in a module of that name")(lambda _: 2)
        registry.register("cone", summary="another cone")(lambda _: 3)

    point = EntryPoint("cones", "cones_package", "pnet_lp.shapes")
    monkeypatch.setattr("pnet_lp.registry._entry_points", lambda: EntryPoints([point]))
    monkeypatch.setattr(EntryPoint, "load", load)
    with pytest.raises(SpecError, match="shape 'cone' is registered twice"):
        registry.get("network")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "box: parameter 'width' is required"),
        ({"width": 1, "hieght": 2}, "box: unknown parameter 'hieght' (did you mean 'height'?); allowed: width, height"),
        (
            {"width": "x"},
            "box: width: input should be a valid integer, unable to parse string as an integer, found 'x'",
        ),
        ({"width": 0}, "box: width: input should be greater than 0, found 0"),
        ({"width": 2, "height": 2}, "box: a square is not a box"),
    ],
)
def test_wrong_parameters(shapes: Registry[Any], values: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        shapes.get("box").validate(values)
    assert str(caught.value) == message


def test_parameters_are_frozen() -> None:
    box = validate(Box, {"width": 1}, "box")
    with pytest.raises(ValueError, match="frozen"):
        box.width = 2
    with pytest.raises(SpecError, match=r"point: unknown parameter 'x'; allowed: no parameters"):
        validate(NoParams, {"x": 1}, "point")


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("ring", "ring", {}),
        ("fat-tree:k=8", "fat-tree", {"k": "8"}),
        (" torus : dims = 4x8 , link_gbps=10 ".replace(" :", ":"), "torus", {"dims": "4x8", "link_gbps": "10"}),
        ("a.b_c:x=y=z", "a.b_c", {"x": "y=z"}),
    ],
)
def test_expressions(text: str, name: str, values: dict[str, str]) -> None:
    assert parse_expression(text) == (name, values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not an expression, found ''; allowed: name or name:key=value,key=value"),
        ("8:k=1", "not an expression, found '8:k=1'; allowed: name or name:key=value,key=value"),
        ("a b", "not an expression, found 'a b'; allowed: name or name:key=value,key=value"),
        ("ring:4", "ring: not a key=value parameter, found '4'; allowed: key=value"),
        ("ring:n=", "ring: not a key=value parameter, found 'n='; allowed: key=value"),
        ("ring:=4", "ring: not a key=value parameter, found '=4'; allowed: key=value"),
        ("ring:n=4,n=5", "ring: parameter 'n' is given twice"),
    ],
)
def test_what_is_no_expression(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_expression(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("text", ["1e31", "-1e300", "1" + 35 * "0"])
def test_numbers_whose_products_are_none_are_refused(text: str) -> None:
    class Amounts(Params):
        one: float = 1.0
        several: tuple[int, ...] = ()

    with pytest.raises(SpecError, match=r"^e: one: beyond 1e\+30, the largest number that is taken, found"):
        validate(Amounts, {"one": text}, "e")
    with pytest.raises(SpecError, match=r"^e: several: beyond 1e\+30"):
        validate(Amounts, {"several": [3, 10**35]}, "e")
    assert validate(Amounts, {"one": 1e30, "several": [10**30]}, "e").one == 1e30
