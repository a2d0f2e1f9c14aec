"""Files by name, JSON that any reader accepts, YAML without surprises."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Hashable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pnet_lp.errors import PnetError, SpecError

if TYPE_CHECKING:
    import yaml

_CHECKOUT = Path(__file__).resolve().parents[1]


def named_files(folder: str) -> dict[str, Path]:
    """Return the YAML files of a data folder by their names, which are their paths without suffix.

    They are those in ``folder`` below the working directory and below the checkout that this package runs from, if it
    does; the former win.
    """
    found: dict[str, Path] = {}
    for place in (_CHECKOUT / folder, Path(folder)):
        for path in sorted(place.glob("**/*.yaml")):
            found[path.relative_to(place).with_suffix("").as_posix()] = path
    return found


def check_sha256(path: Path, expected: str, fault: type[PnetError]) -> None:
    """Raise ``fault`` unless the file can be read and has the checksum expected, in hexadecimal digits."""
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise fault(f"cannot read the file: {error.strerror}", where=str(path)) from None
    if found != expected.lower():
        raise fault("the file is not the one meant", where=str(path), found=found, allowed=expected)


def json_text(document: object) -> str:
    """Return ``document`` as indented ASCII JSON with a final newline; NaN and infinities become null."""
    return json.dumps(_plain(document), indent=2, allow_nan=False) + "\n"


def read_yaml(path: str | Path) -> Any:
    """Return the document in a YAML file.

    Raises:
        SpecError: the file cannot be read, is not YAML, or gives a key twice; the message names file and line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise SpecError(f"cannot read the file: {error.strerror}", where=str(path)) from None
    except ValueError as error:
        raise SpecError(f"not YAML: {error}", where=str(path)) from None
    return parse_yaml(text, str(path))


def parse_yaml(text: str, where: str) -> Any:
    """Return the document in a YAML text; ``where`` is the file it came from, for messages.

    Raises:
        SpecError: it is not YAML, or gives a key twice; the message names file and line.
    """
    import yaml  # noqa: PLC0415 - slow to load

    try:
        return yaml.load(text, _unique_keys())
    except yaml.MarkedYAMLError as error:
        line = f"{where}:{error.problem_mark.line + 1}" if error.problem_mark else where
        raise SpecError(f"not YAML: {error.problem or error.context}", where=line) from None
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise SpecError(f"not YAML: {str(error).splitlines()[0]}", where=where) from None


@cache
def _unique_keys() -> type[yaml.SafeLoader]:
    """Return the safe loader, except that a repeated key is an error rather than the last one winning."""
    import yaml  # noqa: PLC0415 - slow to load

    class UniqueKeys(yaml.SafeLoader):
        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
            seen: set[str] = set()
            for key, _ in node.value:
                if key.value in seen:
                    raise yaml.MarkedYAMLError(
                        problem=f"key {key.value!r} is given twice", problem_mark=key.start_mark
                    )
                seen.add(key.value)
            return super().construct_mapping(node, deep)

    return UniqueKeys


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
