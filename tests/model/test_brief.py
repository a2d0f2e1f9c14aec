"""What values that hold arrays say of themselves: one short line."""

import dataclasses
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import pytest
import scipy.sparse

import pnet_lp
from pnet_lp.cost import design, load_book, quote
from pnet_lp.model.brief import brief
from pnet_lp.model.distances import find_sites
from pnet_lp.questions.base import Answer
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network, describe
from pnet_lp.traffic import build_traffic

# What a notebook shows is sentences.
OTHERS = ("pnet_lp.experiment.", "pnet_lp.notebook.", "pnet_lp.__main__")


def test_the_words_of_the_first_values() -> None:
    network = build_network("jellyfish:k=8", planes=2, link_gbps=10)
    traffic = build_traffic("all-to-all", network, "rack")
    assert repr(network) == (
        "Network(variant='homogeneous', plane_count=2, rack_count=80, host_count=128, switch_count=160, "
        "cable_count=512)"
    )
    assert repr(network.planes[0]) == ("Plane(label='jellyfish:k=8', switch_count=80, cable_count=256, host_count=128)")
    assert repr(traffic) == (
        "TrafficMatrix(label='all-to-all', level='rack', endpoints=80, demand_count=6320, total=6320)"
    )


def test_a_result_is_one_line() -> None:
    network = build_network("ring:n=4", link_gbps=1)
    traffic = build_traffic("all-to-all", network)
    result = solve(network, traffic, routing="ksp:2")
    shown = repr(result)
    assert shown.startswith("ThroughputResult(interval=Interval(lower=0.5, upper=0.5")
    assert "status='certified', objective='concurrent', routing='ksp:2', level='rack'" in shown
    certificate = "PathCertificate(length=float64[8], up_length=float64[1, 4], down_length=float64[1, 4], weight="
    assert repr(result.certificate).startswith(certificate)
    bill = design("hybrid:servers=10240,beta=1").bill
    sold = quote(bill, load_book("price"), load_book("power"))
    for value in (result, find_sites(network, "rack"), describe(network), bill, sold):
        assert len(repr(value)) <= 200
        assert "\n" not in repr(value)


def test_parts_are_shortened() -> None:
    @brief()
    @dataclasses.dataclass
    class Value:
        number: float
        names: tuple[str, ...]
        many: dict[str, float]
        array: Any
        hidden: int = dataclasses.field(repr=False)

    value = Value(np.float64(1 / 3), ("a", "b", "c", "d"), {"x": 1.0}, np.zeros((2, 3)), 5)
    name = "test_parts_are_shortened.<locals>.Value"
    assert repr(value) == (
        f"{name}(number=0.333333333, names=('a', 'b', 'c', ...), many={{'x': 1}}, array=float64[2, 3])"
    )
    long = repr(Value(1.0, tuple("n" * 100 for _ in range(9)), {}, None, 5))
    assert len(long) == 200
    assert long.endswith("...)")


def values() -> Iterator[type[Any]]:
    """Yield the public dataclasses of the package."""
    for module in pkgutil.walk_packages(pnet_lp.__path__, "pnet_lp."):
        if not module.name.startswith(OTHERS):
            for name, kind in vars(importlib.import_module(module.name)).items():
                own = isinstance(kind, type) and kind.__module__ == module.name and not issubclass(kind, Answer)
                if own and dataclasses.is_dataclass(kind) and not name.startswith("_"):
                    yield kind


def holds_arrays(kind: Any) -> bool:
    """Whether a type is an array, or a dataclass or container of some."""
    if np.ndarray in (kind, get_origin(kind)):
        return True
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind, localns={"sp": scipy.sparse})
        return any(holds_arrays(hints[field.name]) for field in dataclasses.fields(kind))
    return get_origin(kind) is not Callable and any(map(holds_arrays, get_args(kind)))


@pytest.mark.parametrize("kind", [kind for kind in values() if holds_arrays(kind)], ids=lambda kind: kind.__name__)
def test_every_value_that_holds_arrays_is_brief(kind: type[Any]) -> None:
    assert kind.__repr__.__module__ == brief.__module__
