"""Faults in what a file holds rather than in its bytes: keys, values, arrays, rows, members of archives."""

from __future__ import annotations

import base64
import contextlib
import copy
import csv
import io
import json
import random
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
import yaml

from pnet_lp.errors import PnetError
from pnet_lp.files import parse_yaml

DTYPES = (*("<i4", "<i8", "<f8") * 4, "<u8", "<f4", "<f2", ">i4", "|b1", "|i1", "<c16", "<U3", "|S2", "<M8[s]", "O")


def nested(depth: int, inner: object = 1) -> Any:
    """Return a list in a list in a list."""
    for _ in range(depth):
        inner = [inner]
    return inner


WILD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 1.5, -0.0, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**63)),
    *(10**30, 10**400, float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 1e-310, 5e-324, 1e15, 1e-15),
    *("", "x", " ", "1", "1_000", "1e-400", "1e400", "nan", "\u0661\u0662", "\uff11", "0x10", "a" * 5000, "1:30"),
    *("\x1b[2J", "\x1b]52;c;eA==\x07", "\u202e", "\u200b", "\ud800", "=1+1", "$\\frac{$", "{a}", "..", "/", "~", "*"),
    *([], {}, [None], [[]], [1, "a"], {"a": 1}, {"": []}, [0] * 500, ["a"] * 500),
)


def wild(rng: random.Random) -> Any:
    """Return a value that nobody expects."""
    return nested(rng.choice([3, 60])) if rng.random() < 0.05 else copy.deepcopy(rng.choice(WILD))


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container of a document with each key in it; stored arrays are single values."""
    rest = [value]
    while rest:
        item = rest.pop()
        if is_array(item):
            continue
        pairs = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ()
        for key, inner in pairs:
            yield item, key
            rest.append(inner)


def is_array(value: Any) -> bool:
    """Whether a value is an array as result files hold it."""
    return isinstance(value, dict) and value.keys() == {"dtype", "shape", "data"} and isinstance(value["data"], str)


def document(value: Any, rng: random.Random) -> Any:
    """Return a document with one to three faults."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        every = list(places(value))
        if not every:
            return wild(rng)
        arrays = [place for place in every if is_array(place[0][place[1]])]
        # Deep places are many, and few of them at the top.
        chosen = rng.choice([every, every[:20], arrays or every])
        owner, key = rng.choice(chosen)
        item = owner[key]
        other_owner, other = rng.choice(every)
        match rng.randrange(12):
            case 0:
                del owner[key]
            case 1:
                owner[key] = copy.deepcopy(other_owner[other])
            case 2 if isinstance(owner, dict):
                owner[rng.choice([f"{key}s", str(key).upper(), "", "x", "\u202e", "name"])] = owner.pop(key)
            case 2 | 3 if isinstance(owner, list):
                owner[key:key] = [copy.deepcopy(item) for _ in range(rng.choice([1, 2, 100]))]
            case 4:
                owner[key] = [item]
            case 5 if isinstance(item, list):
                owner[key] = rng.choice([item[::-1], item[: len(item) // 2], item * 2, dict(enumerate(map(str, item)))])
            case 5 | 6 if isinstance(item, int | float) and not isinstance(item, bool):
                factor = rng.choice([-1, 0, 2, 0.5, 1e-9, 1e9, 1 + 1e-9])
                with contextlib.suppress(OverflowError):
                    owner[key] = item * factor
            case 6 if isinstance(item, str) and item:
                i = rng.randrange(len(item))
                owner[key] = rng.choice(
                    [item[:i], item[i:], item + item, item[:i] + str(wild(rng)) + item[i:], [*item]]
                )
            case 7 if isinstance(item, int | float | bool):
                owner[key] = rng.choice([str(item), [item, item], {"value": item}])
            case _ if is_array(item):
                owner[key] = stored_array(item, rng)
            case _:
                owner[key] = wild(rng)
    return value


def stored_array(stored: dict[str, Any], rng: random.Random) -> Any:
    """Return an array of a result file with a fault: in what is said of it, in its data, or in its values."""
    stored = dict(stored)
    if rng.random() < 0.3:
        match rng.randrange(6):
            case 0:
                stored["dtype"] = rng.choice([*DTYPES, "", 1, "garbage", "<i4,<f8"])
            case 1:
                stored["shape"] = rng.choice(
                    [[], [0], [-1], [1, 1, 1], [2**31, 2**33], [10**12], [1.0], ["1"], None, [True], [0, 5], [2**62, 4]]
                )
            case 2:
                stored["data"] = stored["data"][: rng.randrange(len(stored["data"]) + 1)]
            case 3:
                stored["data"] = base64.b64encode(zlib.compress(b"\0" * rng.choice([0, 1, 7, 10**6]))).decode()
            case 4:
                stored["data"] = rng.choice(["", "====", "\u0661", "AAAA", 1, None])
            case _:
                stored[rng.choice(["x", "dtype "])] = 1
        return stored
    try:
        raw = zlib.decompress(base64.b64decode(stored["data"]))
        values = np.frombuffer(raw, dtype=stored["dtype"]).reshape(stored["shape"])
    except (ValueError, TypeError, zlib.error):
        return wild(rng)
    values = array(values, rng)
    if values.dtype.hasobject:
        return stored
    data = base64.b64encode(zlib.compress(np.ascontiguousarray(values).tobytes())).decode()
    return {"dtype": values.dtype.str, "shape": list(values.shape), "data": data}


def array(values: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    """Return an array with another shape, type, size or value."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = values.copy()
        real = values.dtype.kind == "f"
        match rng.randrange(9):
            case 0:
                with contextlib.suppress(TypeError, ValueError, OverflowError):
                    return values.astype(rng.choice(DTYPES))
            case 1:
                return values.reshape(rng.choice([(-1,), (1, -1), (-1, 1), (1, 1, -1)]))
            case 2:
                return values.T
            case 3:
                return values[..., : values.shape[-1] // 2] if values.ndim else values
            case 4:
                return (
                    np.concatenate([values, values], axis=rng.randrange(max(values.ndim, 1))) if values.ndim else values
                )
            case 5:
                return values[:0]
            case 6 if values.size:
                some = [np.nan, np.inf, -np.inf, 1e308, -1.0, 0.0, 5e-324] if real else [-1, 2**31 - 1, -(2**31), 0, 7]
                with contextlib.suppress(TypeError, ValueError, OverflowError):
                    values[...] = rng.choice(some)
                return values
        if values.size:
            some = [np.nan, np.inf, -np.inf, 1e308, 1e-310, -1.0, 0.0] if real else [-1, 2**31 - 1, -(2**31), 0, 1, 99]
            with contextlib.suppress(TypeError, ValueError, OverflowError):
                values.reshape(-1)[rng.randrange(values.size)] = rng.choice(some)
        return values


def _json(data: bytes, rng: random.Random) -> bytes:
    found = document(json.loads(data), rng)
    text = json.dumps(found)
    if rng.random() < 0.05 and isinstance(found, dict) and found:
        key = json.dumps(str(rng.choice(list(found))))
        text = text.replace(f"{key}: ", f"{key}: {json.dumps(wild(rng))}, {key}: ", 1)
    return text.encode()


def _yaml(data: bytes, rng: random.Random) -> bytes:
    try:
        value = parse_yaml(data.decode(), "f")
    except PnetError:
        return data
    if not isinstance(value, dict | list):
        return data
    found = document(value, rng)
    text = json.dumps(found) if rng.random() < 0.2 else yaml.safe_dump(found, allow_unicode=rng.random() < 0.5)
    return text.encode("utf-8", "surrogatepass")


def _zip(data: bytes, rng: random.Random) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    i = rng.randrange(len(members))
    name, content = members[i]
    match rng.randrange(7):
        case 0:
            del members[i]
        case 1:
            members.append(members[i])
        case 2:
            members[i] = (rng.choice(["x.npy", "../x", name.upper(), "", name.removesuffix(".npy")]), content)
        case 3:
            members[i] = (name, rng.choice(members)[1])
        case 4:
            members[i] = (name, content[: rng.randrange(len(content) + 1)])
        case _:
            buffer = io.BytesIO()
            np.save(buffer, array(np.load(io.BytesIO(content)), rng))
            members[i] = (name, buffer.getvalue())
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name twice is what is meant
        for each, inner in members:
            archive.writestr(each, inner)
    return buffer.getvalue()


def _parquet(data: bytes, rng: random.Random) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(pa.BufferReader(data))
    i = rng.randrange(table.num_columns)
    name, column = table.column_names[i], table.column(i)
    rows = column.to_pylist()
    match rng.randrange(6):
        case 0:
            table = table.remove_column(i)
        case 1:
            table = table.append_column(rng.choice([name, "x", name.upper()]), column)
        case 2:
            table = table.slice(0, rng.randrange(len(rows) + 1))
        case 3:
            kind = rng.choice([pa.string(), pa.int8(), pa.uint64(), pa.float16(), pa.binary(), pa.bool_()])
            table = table.set_column(i, name, column.cast(kind, safe=False))
        case 4:
            table = table.set_column(i, name, pa.array([rng.choice([None, row]) for row in rows], column.type))
        case _:
            one = rng.choice([None, True, -1, 2**62, float("nan"), float("inf"), "", "\u202e", [1], {"a": 1}, b"\xff"])
            table = table.set_column(i, name, pa.array([one] * len(rows)))
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def _xml(data: bytes, rng: random.Random) -> bytes:
    root = ElementTree.fromstring(data)
    owners = [(owner, child) for owner in root.iter() for child in owner]
    if not owners:
        raise ValueError
    owner, child = rng.choice(owners)
    match rng.randrange(5):
        case 0:
            owner.remove(child)
        case 1:
            owner.extend([copy.deepcopy(child) for _ in range(rng.choice([1, 50]))])
        case 2:
            child.text = "".join(c for c in str(wild(rng)) if c.isprintable())
        case 3 if child.attrib:
            key = rng.choice(list(child.attrib))
            child.attrib[key] = "".join(c for c in str(wild(rng)) if c.isprintable())
        case 3 | 4 if child.attrib:
            del child.attrib[rng.choice(list(child.attrib))]
        case _:
            owner.remove(child)
            rng.choice(owners)[0].append(child)
    return ElementTree.tostring(root)


def _rows(data: bytes, rng: random.Random) -> bytes:
    """Of what has a line for each thing: a cell or a column lost, doubled or changed."""
    mark = "," if data.count(b",") > data.count(b"\n") else " "
    lines = list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter=mark))
    wide = [line for line in lines if len(line) > 1]
    if not wide:
        raise ValueError
    line = rng.choice(wide)
    i = rng.randrange(len(line))
    match rng.randrange(5):
        case 0:
            for each in lines:
                del each[i : i + 1]
        case 1:
            for each in lines:
                each[i:i] = each[i : i + 1]
        case 2:
            del line[i]
        case 3:
            line[i], other = rng.choice(rng.choice(wide)), line[i]
            rng.choice(wide)[-1] = other
        case _:
            line[i] = str(wild(rng))
    return "\n".join(mark.join(each) for each in lines).encode("utf-8", "surrogatepass")


_KINDS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes, random.Random], bytes]], ...] = (
    (lambda data: data.startswith(b"PK"), _zip),
    (lambda data: data.startswith(b"PAR1"), _parquet),
    (lambda data: data.lstrip()[:1] == b"<", _xml),
    (lambda data: data.lstrip()[:1] in (b"{", b"["), _json),
    (lambda data: b": " in data or b":\n" in data, _yaml),
    (lambda _: True, _rows),
)


_BEYOND = (
    *(ArithmeticError, EOFError, LookupError, NotImplementedError, OSError, RecursionError, SyntaxError, TypeError),
    *(ValueError, csv.Error, yaml.YAMLError, zipfile.BadZipFile, zlib.error),
)
"""What libraries raise that read or write what an earlier fault, or this one, has made too broken for them."""


def structure(data: bytes, rng: random.Random) -> bytes:
    """Return a file of which something is wrong in what it holds; one that is broken already stays as it is."""
    change = next(change for is_one, change in _KINDS if is_one(data))
    try:
        return change(data, rng)
    except _BEYOND:
        return data
