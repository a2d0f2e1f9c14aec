"""Faults of structure, beside those of single bytes in `fuzz.py`: tokens, nesting, size, encodings, other formats."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from .structures import structure

TOKEN = re.compile(rb"[A-Za-z0-9_.+-]+")

VALUES = [
    *(b"1e308", b"1e-320", b"-1e-5", b"1e15", b"1.0000001e15", b"Infinity", b"-0", b"+1", b"1e", b"00001", b"."),
    *(str(n).encode() for n in (2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, 10**12, 10**40)),
    *(b"9" * 4300, b"9" * 4301, b"0x" + b"f" * 4000, b"1:" * 2000 + b"1", b"2001-01-01", b"2001-13-45T25:61:61Z"),
    *("\u0663\u0664".encode(), "\uff11".encode(), b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b"no", b"~", b"None"),
    *(b"a" * 20_000, b" " * 20_000, b"'", b'"', b"../../../../etc/passwd", b"/dev/null", b"f", b"spec.yaml"),
]
SIGNS = [
    *(
        b"&a ",
        b"*a",
        b"<<: *a\n",
        b"? ",
        b"| \n",
        b"> \n",
        b"%",
        b"@",
        b"`",
        b"---\n",
        b"...\n",
        b"!!set ",
        b"!!binary ",
    ),
    *(
        b"!!python/object:os.system ",
        b"!!int ",
        b"!!bool ",
        b"\\",
        b"\\x00",
        b",",
        b";",
        b"\t",
        b"=",
        b"*",
        b"+",
        b"->",
    ),
    *(
        b"<!--",
        b"-->",
        b"<?",
        b"?>",
        b"<![CDATA[",
        b"&#0;",
        b"&#x110000;",
        b"xmlns='a' ",
        b"#:",
        b"#: host ",
        b"( ",
        b" )",
    ),
]
OPENERS = [b"[", b"{", b"(", b"- ", b"{a: ", b'{"a":', b"<a>", b"graph [ ", b"'", b"!!map {", b"? ", b"#"]

Mutator = Callable[[bytes, random.Random], bytes]


def _place(data: bytes, rng: random.Random) -> tuple[int, int]:
    """Return where a token is."""
    tokens = list(TOKEN.finditer(data))
    if not tokens:
        return 0, 0
    chosen = rng.choice(tokens)
    return chosen.span()


def _with(data: bytes, span: tuple[int, int], new: bytes) -> bytes:
    return data[: span[0]] + new + data[span[1] :]


def value(data: bytes, rng: random.Random) -> bytes:
    return _with(data, _place(data, rng), rng.choice(VALUES))


def sign(data: bytes, rng: random.Random) -> bytes:
    i = _place(data, rng)[0]
    return _with(data, (i, i), rng.choice(SIGNS))


def swap(data: bytes, rng: random.Random) -> bytes:
    (a, b), (c, d) = sorted((_place(data, rng), _place(data, rng)))
    return data if b > c else data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def many(data: bytes, rng: random.Random) -> bytes:
    begin, end = _place(data, rng)
    piece = data[begin:end] + rng.choice([b" ", b",", b"\n", b""])
    return _with(data, (begin, end), piece * min(rng.choice([100, 1000]), 20_000 // max(len(piece), 1)))


def lines(data: bytes, rng: random.Random) -> bytes:
    found = data.split(b"\n")
    i = rng.randrange(len(found))
    j = i + rng.randrange(1, 4)
    block = found[i:j] * min(rng.choice([2, 50, 1000]), 20_000 // (sum(map(len, found[i:j])) + 1))
    return b"\n".join([*found[:i], *block, *found[j:]])


def nest(data: bytes, rng: random.Random) -> bytes:
    i = _place(data, rng)[0]
    return _with(data, (i, i), rng.choice(OPENERS) * rng.choice([3, 500, 5000]))


def ends(data: bytes, rng: random.Random) -> bytes:
    return data.replace(b"\n", rng.choice([b"\r\n", b"\r", "\u2028".encode(), b"\n\n\n", b" ", b"\x0b"]))


def case(data: bytes, rng: random.Random) -> bytes:
    span = _place(data, rng)
    return _with(data, span, data[span[0] : span[1]].swapcase())


def quote(data: bytes, rng: random.Random) -> bytes:
    span, mark = _place(data, rng), rng.choice([b"'", b'"', b"`", b"<", b"["])
    return _with(data, span, mark + data[span[0] : span[1]] + mark)


def separator(data: bytes, rng: random.Random) -> bytes:
    old, new = rng.sample([b",", b":", b" ", b"=", b";", b"\t", b"(", b'"'], 2)
    return data.replace(old, new, rng.choice([1, 5, -1]))


def encoding(data: bytes, rng: random.Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(rng.choice(["utf-16", "utf-8-sig", "latin-1", "utf-7", "utf-32-le"]), "replace")


def integer(data: bytes, rng: random.Random) -> bytes:
    width = rng.choice([2, 4, 8])
    number = rng.choice([0, 1, 2**15, 2 ** (8 * width - 1) - 1, 2 ** (8 * width - 1), 2 ** (8 * width) - 1])
    i = rng.randrange(len(data) + 1)
    return _with(data, (i, i + width), number.to_bytes(width, rng.choice(["little", "big"])))


MUTATORS: tuple[Mutator, ...] = (
    *(value, value, value, sign, sign, swap, many, lines, nest, ends, case, quote, separator, encoding, integer),
    *[structure] * 15,
)


def distorted(data: bytes, rng: random.Random, foreign: list[bytes]) -> bytes:
    """Return ``data``, or one time in twenty a valid file of another format, with one to three faults."""
    if rng.random() < 0.05:
        data = rng.choice(foreign)
    for _ in range(rng.choice([1, 1, 2, 3])):
        data = rng.choice(MUTATORS)(data, rng)[: 1 << 20]
    return data
