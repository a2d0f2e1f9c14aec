"""Results in files: one JSON document that holds the claim, the network, the traffic and the proof.

The document is that of ``pnet-lp throughput --json`` with up to four more keys: ``format``, ``instance`` (the network
and the traffic in full), ``certificate`` and, where the objective has more to say than a value, ``answer``: the rates
of all demands, the levels of fair ones, and what the objective read beside network and traffic.  Arrays are
``{"dtype", "shape", "data"}``, the data being base64 of zlib-compressed little-endian bytes in C order.

Reading checks the form only; :mod:`pnet_lp.throughput.verify` checks the claim, the objective's own figures included.
"""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.files import read_limited, write_json
from pnet_lp.memory import check_fits
from pnet_lp.model import (
    AnyCertificate,
    Bottleneck,
    Certificate,
    LoadCertificate,
    Network,
    PathCertificate,
    Plane,
    ThroughputResult,
    TrafficMatrix,
)
from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.brief import brief
from pnet_lp.model.network import Level, Variant
from pnet_lp.model.result import FairLevel, LinkKind, Status
from pnet_lp.routing import Policy
from pnet_lp.units import GIB, MIB, format_bytes

FORMAT = "pnet-lp-result/1"

LARGEST_RESULT = 4 * GIB
"""Bytes of a result file that is read."""

UNPACKED = 512 * MIB
"""Bytes to which the arrays of any result file may unpack."""

_EXPANSION = 32
"""How often the bytes of a file its arrays may take, if that is more: those of large results compress no better."""

_Finite = Annotated[float, Field(allow_inf_nan=False)]
_Count = Annotated[int, Field(ge=0)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class _Array(_Strict):
    dtype: Literal["<i4", "<i8", "<f8"]
    shape: Annotated[list[_Count], Field(min_length=1, max_length=2)]
    data: str

    @classmethod
    def of(cls, array: npt.NDArray[Any]) -> _Array:
        little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
        data = base64.b64encode(zlib.compress(little.tobytes(), level=6)).decode("ascii")
        return cls.model_validate({"dtype": little.dtype.str, "shape": list(little.shape), "data": data})

    @property
    def size(self) -> int:
        """Bytes that dtype and shape say."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize

    def decode(self) -> npt.NDArray[Any]:
        """Return the array; ValueError where the data do not have the bytes that dtype and shape say."""
        dtype, size = np.dtype(self.dtype), self.size
        stream = zlib.decompressobj()
        # One byte more than needed tells a longer array, without unpacking what it hides.
        raw = stream.decompress(base64.b64decode(self.data, validate=True), size + 1)
        if len(raw) != size or not stream.eof:
            raise ValueError(f"the data are not the {size} bytes of shape {self.shape}")
        array = np.frombuffer(raw, dtype=dtype).reshape(self.shape).astype(dtype.newbyteorder("="))
        array.setflags(write=False)
        return array


class _Plane(_Strict):
    switch_names: list[str]
    cable_u: _Array
    cable_v: _Array
    capacity_uv_gbps: _Array
    capacity_vu_gbps: _Array
    rack_switch: _Array
    host_switch: _Array
    access_up_gbps: _Array
    access_down_gbps: _Array
    host_names: list[str]
    tier: _Array
    label: str
    box: _Array | None = None


class _Network(_Strict):
    variant: Variant
    planes: Annotated[list[_Plane], Field(min_length=1)]


class _Traffic(_Strict):
    level: Level
    endpoints: _Count
    src: _Array
    dst: _Array
    demand: _Array
    label: str


class _Instance(_Strict):
    network: _Network
    traffic: _Traffic


class _Lengths(_Strict):
    length: _Array
    up_length: _Array
    down_length: _Array


class _ArcCertificate(_Lengths):
    form: Literal["arc"] = "arc"
    share: _Array
    split_ptr: _Array
    split_arc: _Array
    split_fraction: _Array


class _PathCertificate(_Lengths):
    form: Literal["path"] = "path"
    weight: _Array


class _LoadCertificate(_Lengths):
    form: Literal["load"] = "load"
    load: _Array
    share: _Array


_AnyCertificate: TypeAlias = Annotated[
    _ArcCertificate | _PathCertificate | _LoadCertificate, Field(discriminator="form")
]
_FORMS: dict[type, type[_Lengths]] = {
    Certificate: _ArcCertificate,
    PathCertificate: _PathCertificate,
    LoadCertificate: _LoadCertificate,
}
_PROOFS: dict[type, type[AnyCertificate]] = {stored: proof for proof, stored in _FORMS.items()}


class _Bottleneck(_Strict):
    plane: _Count
    link: Annotated[list[str], Field(min_length=2, max_length=2)]
    kind: LinkKind
    share: _Finite
    capacity_gbps: _Finite


class _Level(_Lengths):
    rate: _Finite
    upper: _Finite | None
    margin: _Finite
    demands: _Array


class _Answer(_Strict):
    rates_gbps: _Array | None = None
    levels: list[_Level] = []
    inputs: dict[str, _Array] = {}


class _Document(_Strict):
    """What every result has; the figures of its objective are further keys."""

    model_config = ConfigDict(extra="allow")

    format: Literal["pnet-lp-result/1"]
    tolerance: Annotated[_Finite, Field(ge=0)]
    status: Status
    interrupted: bool
    objective: str
    routing: str
    plane_policy: Policy
    routing_seed: int
    level: Level
    solver: str
    iterations: _Count
    seconds: dict[str, _Finite]
    network: dict[str, Any]
    traffic: dict[str, Any]
    binding: str
    bottlenecks: list[_Bottleneck]
    warnings: list[str]
    instance: _Instance
    certificate: _AnyCertificate | None
    answer: _Answer = _Answer()


_COPIED = (
    "status",
    "tolerance",
    "objective",
    "routing",
    "plane_policy",
    "routing_seed",
    "level",
    "solver",
    "iterations",
    "binding",
    "seconds",
    "network",
    "traffic",
    "interrupted",
    "warnings",
)
"""Keys of the document that verification looks at as they stand."""


@brief()
@dataclass(frozen=True, eq=False)
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
    """

    path: str
    network: Network
    traffic: TrafficMatrix
    figures: Mapping[str, Any]
    claims: Mapping[str, Any]
    bottlenecks: tuple[Bottleneck, ...]
    certificate: AnyCertificate | None
    rates_gbps: FloatArray | None
    levels: tuple[FairLevel, ...]
    inputs: Mapping[str, FloatArray]


def save_result(path: str | Path, network: Network, traffic: TrafficMatrix, result: ThroughputResult) -> None:
    """Write the result with all that is needed to check it to ``path``, whole or not at all.

    Raises:
        SpecError: the directory does not exist, or cannot be written.
    """
    certificate = result.certificate
    document = result.to_json() | {
        "format": FORMAT,
        "instance": {
            "network": {
                "variant": network.variant,
                "planes": [_packed(plane, _Plane) for plane in network.planes],
            },
            "traffic": _packed(traffic, _Traffic),
        },
        "certificate": None if certificate is None else _packed(certificate, _FORMS[type(certificate)]),
    }
    if result.rates_gbps is not None:
        answer = _Answer(
            rates_gbps=_Array.of(result.rates_gbps),
            levels=[_Level(**_packed_level(level)) for level in result.levels],
            inputs={name: _Array.of(values) for name, values in result.inputs.items()},
        )
        document["answer"] = answer.model_dump()
    try:
        write_json(path, document)
    except OSError as error:
        raise SpecError(f"cannot be written ({error.strerror})", where=str(path)) from None


def load_result(path: str | Path) -> StoredResult:
    """Read what :func:`save_result` wrote.

    Raises:
        SpecError: the file cannot be read, or is not a result; the message names file and key.
    """
    text = read_limited(path, SpecError, LARGEST_RESULT)
    try:
        document = _Document.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for i, part in enumerate(first["loc"]) if not _is_form(first["loc"], i))
        raise _malformed(path, key, first["msg"]) from None
    _check_sizes(path, len(text), document)
    extra = document.__pydantic_extra__ or {}
    proof, answer, instance = document.certificate, document.answer, document.instance
    return StoredResult(
        path=str(path),
        network=_network(path, instance.network),
        traffic=_traffic(path, instance.traffic),
        figures=extra,
        claims={key: getattr(document, key) for key in _COPIED},
        bottlenecks=tuple(
            Bottleneck(item.plane, (item.link[0], item.link[1]), item.kind, item.share, item.capacity_gbps)
            for item in document.bottlenecks
        ),
        certificate=None if proof is None else _proof(path, proof),
        rates_gbps=None
        if answer.rates_gbps is None
        else _decoded(path, "answer.rates_gbps", answer.rates_gbps),
        levels=tuple(
            FairLevel(**{**_unpacked(path, f"answer.levels.{i}", level), "upper": _or_inf(level.upper)})
            for i, level in enumerate(answer.levels)
        ),
        inputs={
            name: _decoded(path, f"answer.inputs.{name}", values) for name, values in answer.inputs.items()
        },
    )


def _check_sizes(path: str | Path, stored: int, document: _Document) -> None:
    """Raise SpecError where the arrays of a file of ``stored`` bytes are larger than it should unpack to."""
    size, rest = 0, [document]  # type: tuple[int, list[Any]]
    while rest:
        item = rest.pop()
        if isinstance(item, _Array):
            size += item.size
        elif isinstance(item, BaseModel):
            rest += [value for _, value in item]
        elif isinstance(item, list) and item and isinstance(item[0], BaseModel):
            rest += item
        elif isinstance(item, dict):
            rest += [value for value in item.values() if isinstance(value, _Array)]
    if size > (most := max(UNPACKED, _EXPANSION * stored)):
        raise SpecError(
            f"the arrays unpack to {format_bytes(size)}",
            where=str(path),
            allowed=f"at most {format_bytes(most)}",
        )
    check_fits(3 * size, f"checking {path}", SpecError, allowed="more memory")


def _or_inf(value: float | None) -> float:
    return math.inf if value is None else value


def _packed_level(level: FairLevel) -> dict[str, Any]:
    packed = _packed(level, _Level)
    return packed | {"upper": level.upper if math.isfinite(level.upper) else None}


def _is_form(place: tuple[int | str, ...], i: int) -> bool:
    """Whether the i-th part of a place in a document is no key of it, but the form of the certificate."""
    return i == 1 and place[0] == "certificate" and place[1] in ("arc", "path", "load")


def _proof(path: str | Path, stored: _Lengths) -> AnyCertificate:
    values = _unpacked(path, "certificate", stored)
    del values["form"]
    return _PROOFS[type(stored)](**values)


def _packed(
    value: Network | Plane | TrafficMatrix | AnyCertificate | FairLevel, model: type[_Strict]
) -> dict[str, Any]:
    """Return the fields of ``value`` that ``model`` has, arrays encoded."""
    packed: dict[str, Any] = {}
    for key, field in model.model_fields.items():
        # What a value does not have is a constant of its form.
        item = getattr(value, key, field.default)
        if item is None:  # a plane without boxes has no such key
            continue
        packed[key] = _Array.of(item).model_dump() if isinstance(item, np.ndarray) else item
    return packed


def _unpacked(path: str | Path, where: str, model: _Strict) -> dict[str, Any]:
    """Return the fields of ``model``, arrays decoded."""
    values: dict[str, Any] = {}
    for key in type(model).model_fields:
        item = getattr(model, key)
        values[key] = _decoded(path, f"{where}.{key}", item) if isinstance(item, _Array) else item
    return values


def _decoded(path: str | Path, where: str, stored: _Array) -> npt.NDArray[Any]:
    try:
        return stored.decode()
    except (ValueError, binascii.Error, zlib.error) as error:
        raise _malformed(path, where, str(error)) from None


def _network(path: str | Path, stored: _Network) -> Network:
    planes = []
    for i, plane in enumerate(stored.planes):
        where = f"instance.network.planes.{i}"
        values = _unpacked(path, where, plane)
        # Public builders check what the constructors trust.
        with _naming(path, where):
            planes.append(
                Plane.from_cables(
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
                )
            )
    with _naming(path, "instance.network"):
        return Network.from_planes(planes, stored.variant)


def _traffic(path: str | Path, stored: _Traffic) -> TrafficMatrix:
    where = "instance.traffic"
    values = _unpacked(path, where, stored)
    with _naming(path, where):
        return TrafficMatrix.from_entries(**values)


@contextmanager
def _naming(path: str | Path, where: str) -> Iterator[None]:
    """Turn what a builder objects to into an error that names the file and the key."""
    try:
        yield
    except PnetError as error:
        raise _malformed(path, where, str(error)) from None
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        # Arrays whose shapes do not go together, integers beyond those of arrays.
        raise _malformed(path, where, str(error)) from None


def _malformed(path: str | Path, key: str, problem: str) -> SpecError:
    where = f"{path}: {key}" if key else str(path)
    return SpecError(problem[0].lower() + problem[1:], where=where, allowed=f"a file written as {FORMAT}")
