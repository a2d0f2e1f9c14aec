"""Network specs: YAML files that name a builder and its parameters, or files, instead of listing cables.

A spec describes one plane, repeated on demand::

    description: the 80-switch Jellyfish
    source: P-Net, section 5
    builder: jellyfish
    parameters: {k: 8, seed: 1}
    planes: 4
    variant: heterogeneous

or lists its planes, each with a ``builder`` or a ``file`` (relative to the spec)::

    planes:
      - file: plane1.adj
        link_gbps: 10
        sha256: 6bd4...
      - builder: jellyfish
        parameters: {k: 8, seed: 1, link_gbps: 10}
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from pnet_lp.errors import TopologyError
from pnet_lp.files import parse_yaml
from pnet_lp.formats import LAST
from pnet_lp.layouts import opening
from pnet_lp.model.network import MOST_PLANES, Variant
from pnet_lp.registry import Params, validate
from pnet_lp.topology.io.format import NETWORK_FORMATS

SUFFIXES = (".yaml", ".yml")

_FIRST_LINE = re.compile(r"---|(?:description|source|builder|parameters|planes|variant|file)[^\S\n]*+:(?:\s|$)")


class PlaneSpec(Params):
    """One plane: a builder with its parameters, or a file."""

    builder: str | None = Field(None, description="name of a family")
    parameters: dict[str, Any] = Field(default_factory=dict, description="its parameters")
    file: str | None = Field(None, description="file of the plane, relative to the spec")
    link_gbps: float | None = Field(None, gt=0, description="speed of links to which the file gives none, Gb/s")
    sha256: str | None = Field(None, description="checksum of the file, in hexadecimal digits")

    @model_validator(mode="after")
    def _builder_or_file(self) -> PlaneSpec:
        if (self.builder is None) == (self.file is None):
            raise ValueError("a plane has either a builder or a file")
        idle = self.model_fields_set & ({"link_gbps", "sha256"} if self.builder else {"parameters"})
        if idle:
            raise ValueError(f"{min(idle)} has no meaning beside {'builder' if self.builder else 'file'}")
        return self


class _Repeated(PlaneSpec):
    """A spec of one plane, repeated."""

    description: str = Field("", description="one line")
    source: str = Field("", description="paper and section, or where the file is from")
    planes: int = Field(1, ge=1, le=MOST_PLANES, description="how often the plane is repeated")
    variant: Variant | None = Field(None, description="how the planes relate")


class _Listed(Params):
    """A spec that lists its planes."""

    description: str = Field("", description="one line")
    source: str = Field("", description="paper and section, or where the files are from")
    planes: tuple[PlaneSpec, ...] = Field(min_length=1, max_length=MOST_PLANES, description="the planes")
    variant: Variant | None = Field(None, description="how the planes relate")


@dataclass(frozen=True)
class NetworkSpec:
    """What a spec says of a network.

    Attributes:
        members: the planes described, at least one.
        planes: how often a single member is repeated.
        variant: how the planes relate, if the spec says so.
    """

    members: tuple[PlaneSpec, ...]
    planes: int
    variant: Variant | None


def is_spec(path: str | Path, data: bytes) -> bool:
    """Whether a file is a network spec, by its first line or its suffix, and no network in another kind of YAML."""
    head = opening(data)
    if any(known.order < LAST and known.recognise(head) for known in NETWORK_FORMATS.formats):
        return False
    return Path(path).suffix.lower() in SUFFIXES or _FIRST_LINE.match(head) is not None


def parse_spec(text: str, where: str) -> NetworkSpec:
    """Return the spec in a YAML text; ``where`` is the file, for messages.

    Raises:
        TopologyError: no mapping.
        SpecError: not YAML, with the line; an unknown key or an invalid value, with the key.
    """
    document = parse_yaml(text, where)
    if not isinstance(document, dict):
        raise TopologyError("not a network spec", where=where, allowed="a mapping with builder, file or planes")
    if isinstance(document.get("planes"), list):
        listed = validate(_Listed, document, where)
        return NetworkSpec(listed.planes, 1, listed.variant)
    repeated = validate(_Repeated, document, where)
    return NetworkSpec((repeated,), repeated.planes, repeated.variant)
