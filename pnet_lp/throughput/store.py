"""Results in files: one JSON document that holds the claim, the network, the traffic and the proof.

The document is that of ``pnet-lp throughput --json`` with three more keys: ``format``, ``instance`` (the network and
the traffic in full) and ``certificate``.  Arrays are ``{"dtype", "shape", "data"}``, the data being base64 of
zlib-compressed little-endian bytes in C order.

Reading checks the form only; :mod:`pnet_lp.throughput.verify` checks the claim.
"""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pnet_lp.errors import CertificateError, PnetError, SpecError
from pnet_lp.files import write_json
from pnet_lp.model import (
    AnyCertificate,
    Bottleneck,
    Certificate,
    Interval,
    LoadCertificate,
    Network,
    PathCertificate,
    Plane,
    ThroughputResult,
    TrafficMatrix,
)
from pnet_lp.model.network import Level, Variant
from pnet_lp.model.result import LinkKind, Status
from pnet_lp.routing import Policy

FORMAT = "pnet-lp-result/1"

_MAX_ARRAY_BYTES = 1 << 36
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

    def decode(self) -> npt.NDArray[Any]:
        """Return the array; ValueError where the data do not have the bytes that dtype and shape say."""
        dtype = np.dtype(self.dtype)
        size = math.prod(self.shape) * dtype.itemsize
        if size > _MAX_ARRAY_BYTES:
            raise ValueError(f"an array of {size} bytes is too large")
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


class _Document(_Strict):
    format: Literal["pnet-lp-result/1"]
    throughput_gbps: _Finite
    lower_bound_gbps: Annotated[_Finite, Field(ge=0)]
    upper_bound_gbps: Annotated[_Finite, Field(ge=0)]
    relative_gap: _Finite
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
)
"""Keys of the document that are attributes of ThroughputResult as they stand."""


@dataclass(frozen=True, eq=False)
class StoredResult:
    """What a result file holds: the instance, and the claim about it with its proof."""

    network: Network
    traffic: TrafficMatrix
    result: ThroughputResult


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
    try:
        write_json(path, document)
    except OSError as error:
        raise SpecError(f"cannot be written ({error.strerror})", where=str(path)) from None


def load_result(path: str | Path) -> StoredResult:
    """Read what :func:`save_result` wrote.

    Raises:
        SpecError: the file cannot be read, or is not a result in every key; the message names file and key.
        CertificateError: the document contradicts itself.
    """
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise SpecError(f"cannot be read ({error.strerror})", where=str(path)) from None
    try:
        document = _Document.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for i, part in enumerate(first["loc"]) if not _is_form(first["loc"], i))
        raise _malformed(path, key, first["msg"]) from None
    claim = {key: getattr(document, key) for key in _COPIED}
    proof = document.certificate
    result = ThroughputResult(
        interval=Interval(document.lower_bound_gbps, document.upper_bound_gbps),
        bottlenecks=tuple(
            Bottleneck(item.plane, (item.link[0], item.link[1]), item.kind, item.share, item.capacity_gbps)
            for item in document.bottlenecks
        ),
        warnings=tuple(document.warnings),
        certificate=None if proof is None else _proof(path, proof),
        **claim,
    )
    for key, value in (("throughput_gbps", result.throughput_gbps), ("relative_gap", result.interval.gap)):
        if getattr(document, key) != value:
            raise CertificateError(
                f"{key} does not follow from the bounds, which give {value!r}",
                where=str(path),
                found=getattr(document, key),
            )
    instance = document.instance
    return StoredResult(_network(path, instance.network), _traffic(path, instance.traffic), result)


def _is_form(place: tuple[int | str, ...], i: int) -> bool:
    """Whether the i-th part of a place in a document is no key of it, but the form of the certificate."""
    return i == 1 and place[0] == "certificate" and place[1] in ("arc", "path", "load")


def _proof(path: str | Path, stored: _Lengths) -> AnyCertificate:
    values = _unpacked(path, "certificate", stored)
    del values["form"]
    return _PROOFS[type(stored)](**values)


def _packed(value: Network | Plane | TrafficMatrix | AnyCertificate, model: type[_Strict]) -> dict[str, Any]:
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
        if isinstance(item, _Array):
            try:
                item = item.decode()
            except (ValueError, binascii.Error, zlib.error) as error:
                raise _malformed(path, f"{where}.{key}", str(error)) from None
        values[key] = item
    return values


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
    except (ValueError, IndexError, TypeError) as error:
        # Arrays whose shapes do not go together.
        raise _malformed(path, where, str(error)) from None


def _malformed(path: str | Path, key: str, problem: str) -> SpecError:
    where = f"{path}: {key}" if key else str(path)
    return SpecError(problem[0].lower() + problem[1:], where=where, allowed=f"a file written as {FORMAT}")
