"""Files by name, JSON that any reader accepts, YAML without surprises."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.layouts import decoded, parse_csv
from pnet_lp.memory import check_fits
from pnet_lp.travel import PACKAGE, located, names_in
from pnet_lp.units import MIB, MOST_DIGITS, format_bytes, misread

if TYPE_CHECKING:
    import yaml

LARGEST_FILE = 256 * MIB
"""Bytes of a file of a network, a matrix or a table that is read."""

LARGEST_YAML = MIB
"""Bytes of a YAML file that is read."""

MOST_VALUES = 100_000
"""Values in a YAML document, those that aliases stand for counted each time."""

_WORTH_A_LOOK = 16 * MIB
"""Bytes up to which free memory is not checked."""


def shipped(folder: str) -> Path:
    """Return the data folder of that name that comes with this package.

    In a checkout it is beside the package, which an installed one has it inside.
    """
    inside = PACKAGE / "data"
    return (inside if inside.is_dir() else PACKAGE.parent) / folder


def named_files(folder: str) -> dict[str, Path]:
    """Return the YAML files of a data folder by their names, which are their paths without suffix.

    They are those in ``folder`` below the working directory and those that come with this package; the former win.
    """
    found: dict[str, Path] = {}
    for place in (shipped(folder), Path(folder)):
        for path in names_in(place, "**/*.yaml"):
            found[path.relative_to(place).with_suffix("").as_posix()] = path
    return found


def exists(text: str) -> bool:
    """Whether ``text`` is a path to something; one too long for a path is none."""
    try:
        return located(text).exists()
    except (OSError, ValueError):
        return False


def check_readable(path: Path, fault: type[PnetError]) -> None:
    """Raise ``fault`` unless the file can be read."""
    try:
        located(path).open("rb").close()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise fault(f"cannot read the file: {reason}", where=str(path)) from None


def check_regular(path: Path, fault: type[PnetError]) -> None:
    """Raise ``fault`` unless the path leads to a regular file: a pipe is waited for, and a device may have no end."""
    try:
        regular = located(path).is_file()
    except (OSError, ValueError):
        regular = False
    if not regular:
        raise fault("not a regular file", where=str(path))


def read_limited(path: str | Path, fault: type[PnetError], most: int = LARGEST_FILE, *, grows: int = 1) -> bytes:
    """Return the content of a file.

    Args:
        path: the file.
        fault: what is raised.
        most: bytes.
        grows: bytes of memory that are taken for each byte of the file while what it holds is read out of it.

    Raises:
        fault: the file cannot be read, has more than ``most`` bytes, or what it holds does not fit into memory.
    """
    try:
        with located(path).open("rb") as file:
            # A device or a pipe says that it has 0 bytes, and may have any number.
            size = os.fstat(file.fileno()).st_size
            if size <= most:
                _check_memory(path, grows * size, fault)
            data = file.read(min(size, most) + 1) if size else file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise fault(f"cannot read the file: {reason}", where=str(path)) from None
    if len(data) > most:
        raise fault("the file is too large", where=str(path), allowed=f"at most {format_bytes(most)}")
    if not size:
        _check_memory(path, grows * len(data), fault)
    return data


def _check_memory(path: str | Path, needed: int, fault: type[PnetError]) -> None:
    if needed > _WORTH_A_LOOK:
        check_fits(needed, f"reading {path}", fault, allowed="a smaller file, or more memory")


def read_table(path: str | Path, columns: Sequence[str], fault: type[PnetError]) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows ``(where, fields)`` below the header of a CSV file, each with as many fields as ``columns``.

    Raises:
        fault: the file cannot be read, is no text or no CSV, has another header, or a row with more or fewer fields.
    """
    header = True
    for where, row in parse_csv(decoded(read_limited(path, fault), str(path), fault), str(path), fault):
        if len(row) != len(columns) or (header and row != list(columns)):
            what = "the header" if header else "a row"
            raise fault(f"not {what}", where=where, found=",".join(row), allowed=",".join(columns))
        if not header:
            yield where, row
        header = False


def check_sha256(path: Path, expected: str, fault: type[PnetError]) -> None:
    """Raise ``fault`` unless the file can be read and has the checksum expected, in hexadecimal digits."""
    found = hashlib.sha256(read_limited(path, fault)).hexdigest()
    if found != expected.lower():
        raise fault("the checksum does not match", where=str(path), found=found, allowed=expected)


def json_text(document: object) -> str:
    """Return ``document`` as indented ASCII JSON with a final newline; NaN and infinities become null."""
    return json.dumps(_plain(document), indent=2, allow_nan=False) + "\n"


def read_yaml(path: str | Path) -> Any:
    """Return the document in a YAML file.

    Raises:
        SpecError: the file cannot be read, or as :func:`parse_yaml`; the message names file and line.
    """
    return parse_yaml(read_yaml_text(path), str(path))


def read_yaml_text(path: str | Path) -> str:
    """Return the text of a YAML file, for :func:`parse_yaml`.

    Raises:
        SpecError: the file cannot be read, is too large, or is not text; the message names it.
    """
    try:
        return read_limited(path, SpecError, LARGEST_YAML).decode("utf-8")
    except UnicodeDecodeError as error:
        raise SpecError(f"not YAML: {error}", where=str(path)) from None


def parse_yaml(text: str, where: str) -> Any:
    """Return the document in a YAML text; ``where`` is the file it came from, for messages.

    It holds mappings, lists, texts, numbers, booleans and null; a date is a text.

    Raises:
        SpecError: it is too large, not YAML, gives a key twice, or holds other things, itself, or more values than
            :data:`MOST_VALUES`; the message names file and line.
    """
    import yaml  # noqa: PLC0415 - slow to load

    if len(text) > LARGEST_YAML:
        raise SpecError("too large for YAML", where=where, allowed=f"at most {format_bytes(LARGEST_YAML)}")
    if yaml.__with_libyaml__:
        # Five times as fast.  What it refuses is refused in the words of the other one.
        with suppress(yaml.YAMLError, ValueError, TypeError, LookupError, RecursionError):
            loader, told = _plain_yaml()(""), yaml.CSafeLoader(text)
            for name in ("check_event", "peek_event", "get_event"):
                setattr(loader, name, getattr(told, name))
            return loader.get_single_data()
    try:
        return yaml.load(text, _plain_yaml())
    except yaml.MarkedYAMLError as error:
        line = f"{where}:{error.problem_mark.line + 1}" if error.problem_mark else where
        raise SpecError(f"not YAML: {error.problem or error.context}", where=line) from None
    except (yaml.YAMLError, ValueError, TypeError, LookupError, RecursionError) as error:
        # The last four come from texts whose tag says that they are numbers, and from lists as keys.
        raise SpecError(f"not YAML: {str(error).partition(chr(10))[0]}", where=where) from None


@cache
def _plain_yaml() -> type[yaml.SafeLoader]:
    """Return the safe loader without surprises, in meaning and in size.

    A repeated key is an error rather than the last one winning, and a date is a text.  Nothing is constructed before
    it is known how large it is.
    """
    import yaml  # noqa: PLC0415 - slow to load

    prefix = "tag:yaml.org,2002:"
    # Sixty-two is no 1:02, eight no 010, and a thousand no 1_000.
    plain = {
        f"{prefix}int": re.compile(r"[+-]?(?:0|[1-9][0-9]*)"),
        f"{prefix}float": re.compile(r"[+-]?(?:[0-9]*\.?[0-9]+|[0-9]+\.)(?:[eE][+-]?[0-9]+)?|[+-]?\.(?i:inf|nan)"),
    }
    known = {prefix + name for name in ("null", "bool", "int", "float", "str", "seq", "map", "merge")}

    def fault(problem: str, node: yaml.Node) -> yaml.MarkedYAMLError:
        return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)

    class PlainYaml(yaml.SafeLoader):
        yaml_implicit_resolvers = {  # noqa: RUF012 - as PyYAML declares it
            first: [(tag, pattern) for tag, pattern in pairs if tag != f"{prefix}timestamp"]
            for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }
        nodes = 0

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            self.nodes += 1
            node = super().compose_node(parent, index)
            if node is not None and self.nodes > MOST_VALUES:
                raise fault(f"more than {MOST_VALUES} values", node)
            return node

        def get_single_node(self) -> yaml.Node | None:
            node = super().get_single_node()
            if node is not None:
                self.values_in(node, {})
            return node

        def values_in(self, node: yaml.Node, counted: dict[int, int]) -> int:
            """Return how many values ``node`` stands for, aliases followed."""
            if id(node) in counted:
                if not counted[id(node)]:
                    raise fault("a value contains itself", node)
                return counted[id(node)]
            if node.tag not in known:
                raise fault(f"a value with the tag {node.tag.replace(prefix, '!!')}", node)
            count, counted[id(node)] = 1, 0
            if isinstance(node, yaml.ScalarNode):
                if node.tag == f"{prefix}int" and len(node.value) > MOST_DIGITS:
                    raise fault(f"a whole number of {len(node.value)} digits", node)
                if node.tag in plain and (misread(node.value) or not plain[node.tag].fullmatch(node.value)):
                    raise fault(f"not a decimal number (quotes make a text of it): {node.value}", node)
            else:
                for item in node.value:
                    parts = item if isinstance(item, tuple) else (item,)
                    count += sum(self.values_in(part, counted) for part in parts)
            if count > MOST_VALUES:
                raise fault(f"aliases that stand for more than {MOST_VALUES} values", node)
            counted[id(node)] = count
            return count

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
            seen: set[str] = set()
            for key, _ in node.value:
                if key.value in seen:
                    raise fault(f"key {key.value!r} is given twice", key)
                seen.add(key.value)
            return super().construct_mapping(node, deep)

    return PlainYaml


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
