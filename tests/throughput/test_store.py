"""A result file holds all that was said, and anything else in its place is refused with the key named."""

import dataclasses
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pnet_lp.errors import OutputError, PnetError, SpecError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.certificates import CERTIFICATES
from pnet_lp.throughput import solve
from pnet_lp.throughput.proofs.document import FORMS, StoredArray
from pnet_lp.throughput.proofs.store import load_result, save_result
from pnet_lp.throughput.verify import _SECOND, verify_file
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from .conftest import all_to_all, fat_tree, random_network


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("result") / "r.json"
    network, traffic = random_network(7)
    save_result(path, network, traffic, solve(network, traffic, tolerance=1e-4))
    return path


@pytest.mark.parametrize("case", ["rack", "host"])
def test_round_trip(case: str, tmp_path: Path) -> None:
    network, traffic = random_network(11)
    if case == "host":
        network = Network.from_planes([fat_tree(4), fat_tree(4)])
        traffic = all_to_all(network, "host")
    result = solve(network, traffic, tolerance=1e-4)
    save_result(tmp_path / "r.json", network, traffic, result)
    again = load_result(tmp_path / "r.json")
    assert again.network.fingerprint == network.fingerprint
    assert again.network.variant == network.variant
    assert [p.label for p in again.network.planes] == [p.label for p in network.planes]
    assert again.traffic.fingerprint == traffic.fingerprint
    document = result.to_json()
    assert {**again.figures, **again.claims, "bottlenecks": document["bottlenecks"]} == document
    assert again.bottlenecks == result.bottlenecks
    assert result.certificate is not None
    for key, values in vars(result.certificate).items():
        found = getattr(again.certificate, key)
        assert found.dtype == values.dtype
        assert np.array_equal(found, values)
        assert not found.flags.writeable


def test_saving_replaces_the_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text("old")
    network, traffic = random_network(7)
    save_result(path, network, traffic, solve(network, traffic))
    assert load_result(path).traffic.fingerprint == traffic.fingerprint
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.json"]


def test_unwritable_place_is_named(tmp_path: Path) -> None:
    network, traffic = random_network(7)
    path = tmp_path / "missing" / "r.json"
    with pytest.raises(OutputError, match=r"missing/r\.json: cannot be written \(no such file or directory\)$"):
        save_result(path, network, traffic, solve(network, traffic))


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"none\.json: cannot read the file: No such file"):
        load_result(tmp_path / "none.json")


def bad_array(**changes: object) -> dict[str, object]:
    return StoredArray.of(np.arange(3.0)).model_dump() | changes


def test_lengths_of_levels_are_kept_without_their_zeros(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, n = tmp_path / "r.json", 60
    network = Network.from_planes([Plane.from_cables(n, range(n - 1), range(1, n), 1.0, racks=range(n))])
    traffic = TrafficMatrix.from_entries("rack", n, range(n - 1), range(1, n), np.arange(1.0, n))
    found = solve(network, traffic, tolerance=1e-4, objective="max-min")
    levels = [
        level.by(np.where(level.length < level.length.max(), 0.0, 1.0), *level.lengths[1:]) for level in found.levels
    ]
    save_result(path, network, traffic, dataclasses.replace(found, levels=tuple(levels)))
    dense = [level.by(np.maximum(level.length, 1e-9), *level.lengths[1:]) for level in found.levels]
    save_result(tmp_path / "dense.json", network, traffic, dataclasses.replace(found, levels=tuple(dense)))
    monkeypatch.setattr("pnet_lp.throughput.proofs.store._EXPANSION", 0)
    monkeypatch.setattr("pnet_lp.throughput.proofs.store.UNPACKED", 16384)
    read = load_result(path).levels
    assert sum(array.nbytes for level in read for array in level.lengths) > 65536
    assert [level.length.tolist() for level in read] == [level.length.tolist() for level in levels]
    assert verify_file(path).status == "certified"
    with pytest.raises(SpecError, match="the arrays unpack to"):
        load_result(tmp_path / "dense.json")


MALFORMED: dict[str, tuple[tuple[str | int, ...], object, str]] = {
    "format": (("format",), "pnet-lp-result/2", r"format: input should be 'pnet-lp-result/1'"),
    "status": (("status",), "probably", r"status: input should be 'certified' or 'bounds'"),
    "iterations": (("iterations",), 1.5, r"iterations: input should be a valid integer"),
    "network": (("instance", "network"), [], r"instance\.network: "),
    "no planes": (("instance", "network", "planes"), [], r"instance\.network\.planes: "),
    "dtype": (("certificate", "length"), bad_array(dtype="<c16"), r"certificate\.length\.dtype: "),
    "object dtype": (("certificate", "length"), bad_array(dtype="|O"), r"certificate\.length\.dtype: "),
    "base64": (("certificate", "length"), bad_array(data="@@@"), r"certificate\.length: "),
    "zlib": (("certificate", "length"), bad_array(data="QUJD"), r"certificate\.length: "),
    "shape": (("certificate", "length"), bad_array(shape=[4]), r"certificate\.length: the data are not the 32 bytes"),
    "longer": (("certificate", "length"), bad_array(shape=[2]), r"certificate\.length: the data are not the 16 bytes"),
    "huge": (
        ("certificate", "length"),
        bad_array(shape=[2**40]),
        r"the arrays unpack to 8\.0 TiB; allowed: at most 512\.0 MiB",
    ),
    "cable": (
        ("instance", "network", "planes", 0, "cable_u"),
        bad_array(),
        r"planes\.0: cable_u is of type <f8 and .*, not of <i4",
    ),
    "speed": (
        ("instance", "network", "planes", 0, "capacity_uv_gbps"),
        StoredArray.of(np.array([-1.0])).model_dump(),
        r"instance\.network\.planes\.0: ",
    ),
    "names": (("instance", "network", "planes", 0, "switch_names", 1), "0", r"the name '0' is used by two switches"),
    "sources": (
        ("instance", "traffic", "src"),
        StoredArray.of(np.array([99], np.int32)).model_dump(),
        r"instance\.traffic: ",
    ),
    "endpoints": (("instance", "traffic", "endpoints"), 1, r"instance\.traffic: "),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_key_is_named(name: str, saved: Path, tmp_path: Path) -> None:
    keys, value, sentence = MALFORMED[name]
    document = json.loads(saved.read_text())
    parent = document
    for key in keys[:-1]:
        parent = parent[key]
    parent[keys[-1]] = value
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(document))
    with pytest.raises(SpecError, match=sentence) as raised:
        load_result(path)
    assert str(raised.value).startswith(f"{path}: ")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "1", '{"format": 1}', "\x00", "NaN"])
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(SpecError, match=r"bad\.json"):
        load_result(path)


def every_key(document: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the path of every value in a document."""
    if isinstance(document, dict):
        items: Any = document.items()
    elif isinstance(document, list):
        items = enumerate(document)
    else:
        return [path]
    return [path] * bool(path) + [found for key, value in items for found in every_key(value, (*path, key))]


ABOUT_THE_RUN = {"seconds", "warnings", "solver", "iterations", "interrupted", "binding"}


def test_no_value_of_another_type_gets_through(saved: Path, tmp_path: Path) -> None:
    """Whatever replaces or removes a value, the answer is an error of ours, or the value does not matter."""
    text = saved.read_text()
    draw = random.Random(0)
    path = tmp_path / "fuzzed.json"
    replacements = [None, True, -1, 10**400, 1e308, "", "x" * 50, [], {}, [[1]], {"dtype": "<f8"}]
    for keys in every_key(json.loads(text)):
        document = json.loads(text)
        parent = document
        for key in keys[:-1]:
            parent = parent[key]
        if draw.random() < 0.3 and isinstance(parent, dict):
            del parent[keys[-1]]
        else:
            parent[keys[-1]] = draw.choice(replacements)
        path.write_text(json.dumps(document))
        try:
            verify_file(path)
        except PnetError as error:
            assert str(error).startswith(str(path))  # noqa: PT017
        else:
            unchanged = document == json.loads(text)
            # Files of earlier versions say nothing of equivalent links.
            harmless = {"label", "tier", "equivalent"}
            assert unchanged or keys[0] in ABOUT_THE_RUN or keys[-1] in harmless, keys


def test_damaged_bytes_are_refused_or_harmless(saved: Path, tmp_path: Path) -> None:
    clean = saved.read_bytes()
    draw = random.Random(1)
    path = tmp_path / "damaged.json"
    for _ in range(300):
        damaged = bytearray(clean)
        for _ in range(draw.randint(1, 3)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        path.write_bytes(bytes(damaged[: draw.choice([len(damaged), draw.randrange(len(damaged))])]))
        try:
            verify_file(path)
        except PnetError as error:
            assert str(error).startswith(str(path))  # noqa: PT017


def test_every_certificate_is_stored_and_computed_a_second_time() -> None:
    """Under names that older files have."""
    names = {"arc", "shortest", "tree", "quotient", "load", "path", "one-path"}
    assert set(CERTIFICATES) == set(FORMS) == set(_SECOND) == names
    for name, certificate in CERTIFICATES.items():
        arrays = {field.name for field in dataclasses.fields(certificate)}  # type: ignore[arg-type]
        assert FORMS[name].model_fields.keys() == {"form"} | arrays


def arrays(value: Any, where: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every array of a document with its place."""
    if isinstance(value, dict) and value.keys() == {"dtype", "shape", "data"}:
        yield where, value
        return
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from arrays(item, f"{where}.{key}" if where else str(key))


@pytest.mark.parametrize(
    ("objective", "routing", "solver"),
    [
        ("concurrent", "ideal", "auto"),
        ("concurrent", "ideal", "symmetric"),
        ("max-min", "ksp:2", "auto"),
        ("total", "ecmp-split", "auto"),
    ],
)
def test_every_array_has_the_type_and_shape_it_is_said_to_have(
    objective: str, routing: str, solver: str, tmp_path: Path
) -> None:
    """Nothing is computed from arrays of other types and shapes; the message names the key."""
    network = build_network("ring:n=4", planes=2, hosts_per_switch=1)
    traffic = build_traffic("all-to-all", network)
    path = tmp_path / "r.json"
    found = solve(network, traffic, objective=objective, routing=routing, solver=solver)
    save_result(path, network, traffic, found)
    text = path.read_text()
    places = [where for where, _ in arrays(json.loads(text))]
    assert len(places) > 15
    for where in places:
        for change in (
            lambda values: values.astype(np.int64 if values.dtype.kind == "f" else np.float64),
            lambda values: values.reshape(1, -1) if values.ndim == 1 else values.reshape(-1),
        ):
            document = json.loads(text)
            stored = dict(arrays(document))[where]
            stored |= StoredArray.of(change(StoredArray.model_validate(stored).decode())).model_dump()
            path.write_text(json.dumps(document))
            owner, _, key = where.rpartition(".")
            with pytest.raises(SpecError) as caught:
                load_result(path)
            assert str(caught.value).startswith(f"{path}: {owner}: {key} is of type "), where


def test_arrays_that_go_together_have_one_length(tmp_path: Path) -> None:
    network = build_network("ring:n=4")
    traffic = build_traffic("all-to-all", network)
    path = tmp_path / "r.json"
    save_result(path, network, traffic, solve(network, traffic))
    document = json.loads(path.read_text())
    document["certificate"]["split_fraction"] = StoredArray.of(np.ones(3)).model_dump()
    path.write_text(json.dumps(document))
    with pytest.raises(SpecError, match=r"certificate: split_fraction has 3 entries, and split_arc has \d+"):
        load_result(path)
