"""The form of a result file, key by key.

The document is that of ``pnet-lp throughput --json`` with up to four more keys: ``format``, ``instance`` (the network
and the traffic in full), ``certificate`` and, where the objective has more to say than a value, ``answer``: the rates
of all demands, the levels of fair ones, and what the objective read beside network and traffic.  Arrays are
``{"dtype", "shape", "data"}``, the data being base64 of zlib-compressed little-endian bytes in C order.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import math
import operator
import zlib
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias, cast, get_type_hints

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from pnet_lp.model import Certificate
from pnet_lp.model.certificates import CERTIFICATES, ArrayForm, float_axes, int_axes
from pnet_lp.model.network import Level, Variant
from pnet_lp.model.result import Status
from pnet_lp.model.servers import LinkKind, Relay
from pnet_lp.routing import Policy

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FORMAT = "pnet-lp-result/1"

_Finite = Annotated[float, Field(allow_inf_nan=False)]
_Count = Annotated[int, Field(ge=0)]


class Stored(BaseModel):
    """An object whose keys are known, and whose values have the types that they are said to have."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    @model_validator(mode="after")
    def _check_arrays(self) -> Self:
        """Refuse arrays of another type or number of axes than their field says, or of lengths that do not agree."""
        lengths: dict[str | int, tuple[str, int]] = {}
        for name, field in type(self).model_fields.items():
            form = next((item for item in field.metadata if isinstance(item, ArrayForm)), None)
            stored = getattr(self, name)
            if stored is None and name in self.model_fields_set and not field.is_required():
                raise ValueError(f"{name} is null, and not left out")
            if form is None or stored is None or (form.or_empty and stored.shape == [0]):
                continue
            if stored.dtype != form.dtype or len(stored.shape) != len(form.axes):
                raise ValueError(
                    f"{name} is of type {stored.dtype} and shape {stored.shape}, not of {form.dtype} and "
                    f"[{', '.join(map(str, form.axes))}]"
                )
            for axis, length in zip(form.axes, stored.shape, strict=True):
                known, expected = lengths.setdefault(axis, (name, axis if isinstance(axis, int) else length))
                if length != expected:
                    raise ValueError(f"{name} has {length} {axis}, and {known} has {expected}")
        return self


class StoredArray(Stored):
    """An array of numbers."""

    dtype: Literal["<i4", "<i8", "<f8"]
    shape: Annotated[list[_Count], Field(min_length=1, max_length=2)]
    data: str

    @classmethod
    def of(cls, array: npt.NDArray[Any]) -> Self:
        """Return an array as it is stored."""
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


class StoredPlane(Stored):
    """A plane; keys as the arguments of :class:`~pnet_lp.model.Plane`."""

    switch_names: list[str]
    cable_u: Annotated[StoredArray, int_axes("cables")]
    cable_v: Annotated[StoredArray, int_axes("cables")]
    capacity_uv_gbps: Annotated[StoredArray, float_axes("cables")]
    capacity_vu_gbps: Annotated[StoredArray, float_axes("cables")]
    rack_switch: Annotated[StoredArray, int_axes("racks")]
    host_switch: Annotated[StoredArray, int_axes("hosts")]
    access_up_gbps: Annotated[StoredArray, float_axes("hosts")]
    access_down_gbps: Annotated[StoredArray, float_axes("hosts")]
    host_names: list[str]
    tier: Annotated[StoredArray, int_axes("switches")]
    label: str
    box: Annotated[StoredArray | None, int_axes("switches")] = None
    delay_ns: Annotated[StoredArray | None, float_axes("cables")] = None
    access_delay_ns: Annotated[StoredArray | None, float_axes("hosts")] = None
    metric: Annotated[StoredArray | None, int_axes("cables", 2)] = None


class StoredServers(Stored):
    """What is inside servers; keys as of :class:`~pnet_lp.model.servers.Servers`."""

    scale_up: StoredPlane
    relay: Relay
    rails: Annotated[int, Field(ge=1)]
    down: Annotated[StoredArray | None, int_axes("links")] = None
    hops: Literal[0] | None = None


class StoredNetwork(Stored):
    """A network."""

    variant: Variant
    planes: Annotated[list[StoredPlane], Field(min_length=1)]
    servers: StoredServers | None = None


class StoredTraffic(Stored):
    """A traffic matrix: pairs, the weights of a rule, or both, whose demands add up."""

    level: Level
    endpoints: _Count
    src: Annotated[StoredArray | None, int_axes("demands")] = None
    dst: Annotated[StoredArray | None, int_axes("demands")] = None
    demand: Annotated[StoredArray | None, float_axes("demands")] = None
    sends: Annotated[StoredArray | None, float_axes("endpoints")] = None
    receives: Annotated[StoredArray | None, float_axes("endpoints")] = None
    group: Annotated[StoredArray | None, int_axes("endpoints")] = None
    outside: Annotated[float | None, Field(gt=0, lt=1)] = None
    label: str


class StoredInstance(Stored):
    """What a result is about."""

    network: StoredNetwork
    traffic: StoredTraffic


def _stored(kind: type[Certificate]) -> type[Stored]:
    """Return the form in which a certificate is stored: its arrays, and its name."""
    name = kind.name
    fields: dict[str, Any] = {"form": (Literal[name], name)} | {
        field.name: (Annotated[StoredArray, *get_type_hints(kind, include_extras=True)[field.name].__metadata__], ...)
        for field in dataclasses.fields(cast("type[DataclassInstance]", kind))
    }
    return create_model(f"Stored{kind.__name__}", __base__=Stored, **fields)


FORMS: dict[str, type[Stored]] = {name: _stored(kind) for name, kind in CERTIFICATES.items()}
"""How certificates are stored, by their names."""

if TYPE_CHECKING:
    StoredCertificate: TypeAlias = Stored
else:
    StoredCertificate = Annotated[functools.reduce(operator.or_, FORMS.values()), Field(discriminator="form")]


class StoredBottleneck(Stored):
    """A link that limits the value."""

    plane: _Count
    link: Annotated[list[str], Field(min_length=2, max_length=2)]
    kind: LinkKind
    share: _Finite
    capacity_gbps: _Finite
    equivalent: _Count = 0


class StoredLevel(Stored):
    """A level of fair rates; lengths are empty where full links prove it."""

    rate: _Finite
    upper: _Finite | None
    demands: Annotated[StoredArray, int_axes("demands")]
    length: Annotated[StoredArray, ArrayForm("<f8", ("arcs",), or_empty=True)]
    up_length: Annotated[StoredArray, ArrayForm("<f8", ("planes", "endpoints"), or_empty=True)]
    down_length: Annotated[StoredArray, ArrayForm("<f8", ("planes", "endpoints"), or_empty=True)]
    margin: _Finite | None = Field(None, exclude=True)
    """Of files of earlier versions, whose proof holds without it or not at all."""

    @property
    def lengths(self) -> tuple[StoredArray, StoredArray, StoredArray]:
        """Of all links."""
        return self.length, self.up_length, self.down_length


class StoredLoad(Stored):
    """The least total load."""

    total_gbps_links: _Finite
    lower_bound_gbps_links: _Finite
    relative_gap: _Finite


class StoredInput(StoredArray):
    """What an objective read: a number for each link."""

    dtype: Literal["<f8"]
    shape: Annotated[list[_Count], Field(min_length=1, max_length=1)]


class StoredAnswer(Stored):
    """What an objective says beside its figures."""

    rates_gbps: Annotated[StoredArray, float_axes("demands")]
    levels: list[StoredLevel]
    inputs: dict[str, StoredInput]


class Document(Stored):
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
    bottlenecks: list[StoredBottleneck]
    warnings: list[str]
    least_load: StoredLoad | None = None
    instance: StoredInstance
    certificate: StoredCertificate | None
    answer: StoredAnswer | None = None
