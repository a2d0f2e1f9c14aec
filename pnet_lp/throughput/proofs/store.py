"""Results in files: one JSON document that holds the claim, the network, the traffic and the proof.

Reading checks the form only, which :mod:`pnet_lp.throughput.proofs.document` describes;
:mod:`pnet_lp.throughput.verify` checks the claim, the objective's own figures included.
"""

from __future__ import annotations

import binascii
import json
import math
import reprlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.files import read_limited
from pnet_lp.layouts import json_number
from pnet_lp.memory import check_fits
from pnet_lp.model import Bottleneck, Certificate, Network, Plane, ThroughputResult, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.certificates import CERTIFICATES
from pnet_lp.model.demands import Demands
from pnet_lp.model.network import Level
from pnet_lp.model.result import FairLevel
from pnet_lp.model.servers import Servers
from pnet_lp.throughput.proofs.document import (
    FORMAT,
    FORMS,
    Document,
    Stored,
    StoredAnswer,
    StoredArray,
    StoredInput,
    StoredLevel,
    StoredNetwork,
    StoredPlane,
    StoredServers,
    StoredTraffic,
)
from pnet_lp.units import GIB, MIB, format_bytes
from pnet_lp.writing import write_json

LARGEST_RESULT = 4 * GIB
"""Bytes of a result file that is read."""

UNPACKED = 512 * MIB
"""Bytes to which the arrays of any result file may unpack."""

_EXPANSION = 32
"""How often the bytes of a file its arrays may take, if that is more: those of large results compress no better."""

_READ = {"format", "bottlenecks", "instance", "certificate", "answer", "least_load"}
"""Keys of the document that are read into values; the others stay as they stand."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class StoredResult:
    """What a result file holds: the instance, and the claim about it with its proof.

    Attributes:
        path: the file, for messages.
        network, traffic: the instance.
        figures: what the objective says, as read.
        claims: the other keys of the document by name, as they stand there.
        bottlenecks: the links listed.
        certificate: the proof; None where nothing is carried.
        rates_gbps: float64 ``[demands of the matrix]``, where the objective rates demands.
        levels: of fair rates.
        inputs: what the objective read beside network and traffic.
        least_load: the least total load and a lower bound on it, Gb/s times links, where the flow is said to be that.
    """

    path: str
    network: Network
    traffic: TrafficMatrix
    figures: Mapping[str, Any]
    claims: Mapping[str, Any]
    bottlenecks: tuple[Bottleneck, ...]
    certificate: Certificate | None
    rates_gbps: FloatArray | None
    levels: tuple[FairLevel, ...]
    inputs: Mapping[str, FloatArray]
    least_load: tuple[float, float] | None = None


def save_result(path: str | Path, network: Network, traffic: TrafficMatrix, result: ThroughputResult) -> None:
    """Write the result with all that is needed to check it to ``path``, whole or not at all.

    Raises:
        OutputError: it cannot be written.
    """
    certificate = result.certificate
    document = result.to_json() | {
        "format": FORMAT,
        "instance": {
            "network": {
                "variant": network.variant,
                "planes": [_packed(plane, StoredPlane) for plane in network.planes],
                **_packed_servers(network),
            },
            "traffic": _packed_traffic(traffic),
        },
        "certificate": None if certificate is None else _packed(certificate, FORMS[certificate.name]),
    }
    if result.rates_gbps is not None:
        answer = StoredAnswer(
            rates_gbps=StoredArray.of(result.rates_gbps),
            levels=[StoredLevel(**_packed_level(level)) for level in result.levels],
            inputs={name: StoredInput.of(values) for name, values in result.inputs.items()},
        )
        document["answer"] = answer.model_dump()
    write_json(path, document)


def load_result(path: str | Path) -> StoredResult:
    """Read what :func:`save_result` wrote.

    Raises:
        SpecError: the file cannot be read, or is not a result; the message names file and key.
    """
    content, length = _read_json(path)
    try:
        document = Document.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if first.get("ctx", {}).get("tag") == "colour":
            old = "equivalence classes without automorphisms, from an earlier version: solve again"
            raise _malformed(path, "certificate", old) from None
        key = ".".join(str(part) for i, part in enumerate(first["loc"]) if not _is_form(first["loc"], i))
        raise _malformed(path, key, first["msg"].removeprefix("Value error, ")) from None
    room = _check_sizes(path, length, document)
    extra = document.__pydantic_extra__ or {}
    proof, answer, instance = document.certificate, document.answer, document.instance
    return StoredResult(
        path=str(path),
        network=_network(path, instance.network),
        traffic=_traffic(path, instance.traffic),
        figures=extra,
        claims={key: getattr(document, key) for key in Document.model_fields if key not in _READ},
        bottlenecks=tuple(
            Bottleneck(**{**vars(item), "link": (item.link[0], item.link[1])}) for item in document.bottlenecks
        ),
        certificate=None if proof is None else _proof(path, proof),
        rates_gbps=None if answer is None else _decoded(path, "answer.rates_gbps", answer.rates_gbps),
        levels=tuple(_levels(path, answer.levels, room)) if answer else (),
        least_load=None
        if (load := document.least_load) is None
        else (load.total_gbps_links, load.lower_bound_gbps_links),
        inputs={
            name: _decoded(path, f"answer.inputs.{name}", values)
            for name, values in (answer.inputs if answer else {}).items()
        },
    )


def _read_json(path: str | Path) -> tuple[Any, int]:
    """Return the JSON value in a file, in which no key is given twice, and the file's bytes."""
    text = read_limited(path, SpecError, LARGEST_RESULT)
    try:
        content = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number, parse_float=json_number)
    except (ValueError, RecursionError) as error:
        raise _malformed(path, "", f"not JSON: {error}") from None
    return content, len(text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"key {reprlib.repr(key)} is given twice")
        found[key] = value
    return found


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def _check_sizes(path: str | Path, stored: int, document: Document) -> int:
    """Check that the arrays of a file of ``stored`` bytes are no larger than it should unpack to.

    Returns:
        The bytes left for lengths of levels, which are unpacked level by level.

    Raises:
        SpecError: they are.
    """
    size, largest, rest = 0, 0, [document]  # type: tuple[int, int, list[Any]]
    while rest:
        item = rest.pop()
        if isinstance(item, StoredLevel):
            largest = max(largest, sum(lengths.size for lengths in item.lengths))
            rest.append(item.demands)
        elif isinstance(item, StoredArray):
            size += item.size
        elif isinstance(item, Stored):
            rest += [value for _, value in item]
        elif isinstance(item, list) and item and isinstance(item[0], Stored):
            rest += item
        elif isinstance(item, dict):
            rest += [value for value in item.values() if isinstance(value, StoredArray)]
    most = max(UNPACKED, _EXPANSION * stored)
    if size + largest > most:
        raise _too_large(path, size + largest, most)
    check_fits(3 * (size + largest), f"checking {path}", SpecError, allowed="more memory")
    return most - size


def _too_large(path: str | Path, size: int, most: int) -> SpecError:
    found = f"the arrays unpack to {format_bytes(size)}"
    return SpecError(found, where=str(path), allowed=f"at most {format_bytes(most)}")


def _levels(path: str | Path, stored: Sequence[StoredLevel], room: int) -> Iterator[FairLevel]:
    """Yield the levels of a file; SpecError where what is kept of them is more than ``room``, bytes."""
    size = 0
    for i, item in enumerate(stored):
        values = _unpacked(path, f"answer.levels.{i}", item)
        level = FairLevel(values["rate"], math.inf if item.upper is None else item.upper, values["demands"])
        level = level.by(values["length"], values["up_length"], values["down_length"])
        size += sum(priced.size for priced in level.priced)
        if size > room:
            raise _too_large(path, size, room)
        yield level


def _packed_level(level: FairLevel) -> dict[str, Any]:
    packed = _packed(level, StoredLevel)
    return packed | {"upper": level.upper if math.isfinite(level.upper) else None}


def _is_form(place: tuple[int | str, ...], i: int) -> bool:
    """Whether the i-th part of a place in a document is not a key of it, but the form of the certificate."""
    return i == 1 and place[0] == "certificate" and place[1] in FORMS


def _packed_traffic(traffic: TrafficMatrix) -> dict[str, Any]:
    packed: dict[str, Any] = {}
    for part in traffic.demands.parts:
        packed |= _packed(part, StoredTraffic)
    return packed | {"level": traffic.level, "endpoints": traffic.endpoints, "label": traffic.label}


def _proof(path: str | Path, stored: Stored) -> Certificate:
    values = _unpacked(path, "certificate", stored)
    return CERTIFICATES[values.pop("form")](**values)


def _packed(value: Plane | Demands | Certificate | FairLevel, model: type[Stored]) -> dict[str, Any]:
    """Return the fields of ``value`` that ``model`` has, arrays encoded."""
    packed: dict[str, Any] = {}
    for key, field in model.model_fields.items():
        # What a value does not have is a constant of its form.
        item = getattr(value, key, field.default)
        if item is None:  # a plane without boxes has no such key
            continue
        packed[key] = StoredArray.of(item).model_dump() if isinstance(item, np.ndarray) else item
    return packed


def _unpacked(path: str | Path, where: str, model: Stored) -> dict[str, Any]:
    """Return the fields of ``model``, arrays decoded."""
    values: dict[str, Any] = {}
    for key, field in type(model).model_fields.items():
        if field.exclude:
            continue
        item = getattr(model, key)
        values[key] = _decoded(path, f"{where}.{key}", item) if isinstance(item, StoredArray) else item
    return values


def _decoded(path: str | Path, where: str, stored: StoredArray) -> npt.NDArray[Any]:
    try:
        return stored.decode()
    except (ValueError, binascii.Error, zlib.error) as error:
        raise _malformed(path, where, str(error)) from None


def _network(path: str | Path, stored: StoredNetwork) -> Network:
    where = "instance.network"
    planes = [_plane(path, f"{where}.planes.{i}", plane) for i, plane in enumerate(stored.planes)]
    servers = None
    if stored.servers is not None:
        servers = _servers(path, f"{where}.servers", stored.servers, planes[0].host_count)
    with _naming(path, where):
        network = Network.from_planes(planes, stored.variant, servers)
    for i, (made, item) in enumerate(zip(network.planes, stored.planes, strict=True)):
        _check_as_written(path, f"{where}.planes.{i}", made, item)
    if network.servers is not None and stored.servers is not None:
        _check_as_written(path, f"{where}.servers.scale_up", network.servers.scale_up, stored.servers.scale_up)
    return network


def _servers(path: str | Path, where: str, stored: StoredServers, hosts: int) -> Servers:
    servers = Servers(_plane(path, f"{where}.scale_up", stored.scale_up), stored.relay, stored.rails)
    servers = servers if stored.hops is None else replace(servers, hops=stored.hops)
    if stored.down is None:
        return servers
    down = _decoded(path, f"{where}.down", stored.down)
    count = hosts // servers.size * servers.link_count
    if not (len(down) and down[0] >= 0 and down[-1] < count and np.all(np.diff(down) > 0)):
        raise _malformed(path, f"{where}.down", f"not numbers of links inside servers, sorted, from 0 to {count - 1}")
    return replace(servers, down=ints(down))


def _plane(path: str | Path, where: str, stored: StoredPlane) -> Plane:
    values = _unpacked(path, where, stored)
    # Public builders check what the constructors trust.
    with _naming(path, where):
        return Plane.from_cables(
            values["switch_names"],
            values["cable_u"],
            values["cable_v"],
            values["capacity_uv_gbps"],
            capacity_back_gbps=values["capacity_vu_gbps"],
            racks=values["rack_switch"],
            host_switch=values["host_switch"],
            access_gbps=values["access_up_gbps"],
            access_down_gbps=values["access_down_gbps"],
            host_names=values["host_names"],
            tier=values["tier"],
            label=values["label"],
            box=values["box"],
            delay_ns=values["delay_ns"],
            access_delay_ns=values["access_delay_ns"],
            metric=values["metric"],
        )


def _check_as_written(path: str | Path, where: str, made: Plane, stored: StoredPlane) -> None:
    for key, value in _unpacked(path, where, stored).items():
        built = getattr(made, key)
        if not (np.array_equal(built, value) if isinstance(value, np.ndarray) else _plain(built) == value):
            raise _malformed(path, f"{where}.{key}", "not as a solve writes it: " + _WRITTEN)


def _packed_servers(network: Network) -> dict[str, Any]:
    """Return the key of what is inside servers; none where there are none."""
    if network.servers is None:
        return {}
    inside = network.servers
    scale_up = _packed(inside.scale_up, StoredPlane)
    known = {"scale_up": scale_up, "relay": inside.relay, "rails": inside.rails}
    known |= {} if inside.hops else {"hops": 0}
    return {"servers": known | ({"down": StoredArray.of(inside.down).model_dump()} if len(inside.down) else {})}


_WRITTEN = "hosts and racks in the order of the first plane, no speed without a switch, and a tier for each switch"


def _plain(value: object) -> object:
    """Return a tuple as JSON has it."""
    return list(value) if isinstance(value, tuple) else value


def _traffic(path: str | Path, stored: StoredTraffic) -> TrafficMatrix:
    where = "instance.traffic"
    values = {key: value for key, value in _unpacked(path, where, stored).items() if value is not None}
    level, endpoints, label = (values.pop(key) for key in ("level", "endpoints", "label"))
    listed: dict[str, Any] = {key: values.pop(key) for key in ("demand", "dst", "src") if key in values}
    with _naming(path, where):
        terms = [_term(level, endpoints, each, label) for each in (values, listed) if each]
        known = [term for term in terms if term is not None]
        if known and len(known) == len(terms):
            return known[0] if len(known) == 1 else replace(known[0] + known[1], label=label)
    raise _malformed(path, where, "neither src, dst and demand, nor sends and receives of every endpoint")


def _term(level: Level, endpoints: int, values: dict[str, Any], label: str) -> TrafficMatrix | None:
    """Return the matrix of a list, or of a rule; None where keys are missing."""
    match sorted(values):
        case ["demand", "dst", "src"]:
            return TrafficMatrix.from_entries(level, endpoints, **values, label=label)
        case ["receives", "sends"] if all(len(weights) == endpoints for weights in values.values()):
            return TrafficMatrix.from_weights(level, **values, label=label)
        case ["group", "outside", "receives", "sends"] if all(
            len(values[key]) == endpoints for key in ("group", "receives", "sends")
        ):
            group, outside = values.pop("group"), values.pop("outside")
            return TrafficMatrix.from_weights(level, **values, label=label).in_groups(group, outside)
    return None


@contextmanager
def _naming(path: str | Path, where: str) -> Iterator[None]:
    """Turn what a builder objects to into an error that names the file and the key."""
    try:
        yield
    except (PnetError, ValueError, IndexError, TypeError, OverflowError) as error:
        # The last four: arrays whose shapes do not go together, integers beyond those of arrays.
        raise _malformed(path, where, str(error)) from None


def _malformed(path: str | Path, key: str, problem: str) -> SpecError:
    where = f"{path}: {key}" if key else str(path)
    return SpecError(problem[0].lower() + problem[1:], where=where, allowed=f"a file written as {FORMAT}")
