"""Demand specs: YAML files that name a pattern with its parameters, or a file of demands.

For example::

    description: every host sends to one other and receives from it
    source: P-Net, section 5.1.1
    pattern: permutation:kind=pairs,seed=0
    level: host

or, with a file beside the spec::

    file: sopa-four-flows.csv
    sha256: 6bd4...
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, model_validator

from pnet_lp.errors import TrafficError
from pnet_lp.files import read_yaml
from pnet_lp.model.network import Level
from pnet_lp.registry import Params, validate

SUFFIXES = (".yaml", ".yml")


class TrafficSpec(Params):
    """What a spec says of a demand."""

    description: str = Field("", description="one line")
    source: str = Field("", description="paper and section, or where the file is from")
    pattern: str | None = Field(None, description="a pattern with its parameters, or a sum of patterns")
    file: str | None = Field(None, description="file of the demands, relative to the spec")
    sha256: str | None = Field(None, description="checksum of the file, in hexadecimal digits")
    level: Level | None = Field(None, description="what the demands are between, if only that makes sense")

    @model_validator(mode="after")
    def _pattern_or_file(self) -> TrafficSpec:
        if (self.pattern is None) == (self.file is None):
            raise ValueError("a demand has either a pattern or a file")
        if self.file is None and self.sha256 is not None:
            raise ValueError("sha256 has no meaning beside pattern")
        return self


def is_spec(path: str | Path) -> bool:
    """Whether a file is a demand spec, by its suffix."""
    return Path(path).suffix.lower() in SUFFIXES


def read_spec(path: str | Path) -> TrafficSpec:
    """Return the spec in a file.

    Raises:
        TrafficError: no mapping.
        SpecError: the file cannot be read or is not YAML, with the line; an unknown key or an invalid value.
    """
    document = read_yaml(path)
    if not isinstance(document, dict):
        raise TrafficError("not a demand spec", where=str(path), allowed="a mapping with pattern or file")
    return validate(TrafficSpec, document, str(path))
