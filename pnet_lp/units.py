"""Units used in names: ``_gbps`` (10^9 bit/s), ``_bytes``, ``_ps`` (10^-12 s), ``_usd``, ``_watts``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import get_args

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import SpecError

DEFAULT_LINK_GBPS = 100.0
"""Speed of a link in Gb/s where neither a file nor the user gives one."""

SMALLEST, LARGEST = 1e-15, 1e15
"""Of capacities and demands, in any unit: sums and products of these neither vanish nor overflow."""

AMOUNTS = f"0, or {SMALLEST:g} to {LARGEST:g}"
"""What a capacity or a demand can be, for messages."""

NS_PER_METRE = 5.0
"""How long light takes in a fibre."""

_LONGEST_DELAY_NS = 1e9

DELAYS = f"0 to {_LONGEST_DELAY_NS:g} ns, which is a second"
"""What the delay of a link can be, for messages."""

MIB, GIB = 1 << 20, 1 << 30

MOST_DIGITS = 40
"""Of a whole number in a file or an expression; nothing that is counted needs half of them."""

_BYTES = {
    "": 1,
    "B": 1,
    **{f"{letter}B": 1000**power for power, letter in enumerate("kMGT", start=1)},
    **{f"{letter}iB": 1024**power for power, letter in enumerate("KMGT", start=1)},
}
_PICOSECONDS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
_SECONDS = {"s": 1, "min": 60, "h": 3600}
_BITS_PER_SECOND = {f"{letter}bps": 1000**power for power, letter in enumerate(("", *"kMGT"))}
_MOST = 10**18
"""Bytes, bits a second, or picoseconds, which are eleven and a half days."""

_SPEED = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?)[ ]?([GT]?)(?:b/s|bps)?")

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"-?[0-9]+")
_NO_DECIMAL = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE | re.ASCII)
_QUANTITY = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?(?:e[+-]?[0-9]{1,2})?)[ ]?([A-Za-z]{0,4})")


def misread(text: str) -> bool:
    """Whether Python reads a number out of ``text`` that does not stand there.

    ``1_000`` and digits of other scripts are no decimal numbers; ``1e400`` is not infinite, and ``1e-400`` is not 0.
    """
    try:
        value = float(text)
    except ValueError:
        return False
    text = text.strip()
    if not _DECIMAL.fullmatch(text):
        return not _NO_DECIMAL.fullmatch(text)
    return math.isinf(value) or (value == 0 and any(digit in "123456789" for digit in text.lower().partition("e")[0]))


def not_whole(text: str) -> bool:
    """Whether ``text`` is a number, but not a whole one in decimal digits: ``3.5``, and also ``3.0`` and ``+3``.

    Expressions stand in results as they are typed, and are read again from there by programs of others.
    """
    return not (math.isnan(parse_number(text)) or _WHOLE.fullmatch(text.strip()))


def parse_number(text: str) -> float:
    """Return the number that ``text`` is, as it stands there; NaN where it is none."""
    try:
        return math.nan if misread(text) else float(text)
    except ValueError:
        return math.nan


def are_amounts(values: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return, for each value, whether it is a capacity or a demand: 0, or between the smallest and the largest."""
    array = np.asarray(values, dtype=np.float64)
    return np.asarray((array == 0) | ((array >= SMALLEST) & (array <= LARGEST)))


def are_delays(ns: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return, for each number of nanoseconds, whether a link can have it as delay; NaN is none."""
    array = np.asarray(ns, dtype=np.float64)
    return np.asarray((array >= 0) & (array <= _LONGEST_DELAY_NS))


def parse_gbps(text: str) -> float:
    """Return the Gb/s that a text such as ``51.2T``, ``800G`` or ``800`` stands for; ValueError where that is none."""
    found = _SPEED.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"not a speed, found {text!r}; allowed: such as 51.2T, 800G, or a number of Gb/s")
    return float(Decimal(found[1]) * (1000 if found[2] == "T" else 1))


@dataclass(frozen=True, eq=False)
class Quantity:
    """A quantity that a whole number counts; a parameter's annotation carries it.

    Attributes:
        name: what is to be typed, ``time``, ``bytes`` or ``rate``.
        units: what each unit counts.
        allowed: examples, for messages.
        format: how a value is written so that it is read back.
    """

    name: str
    units: Mapping[str, int]
    allowed: str
    format: Callable[[int], str] = str

    def parse(self, text: str, where: str) -> int:
        """Return the number that a text such as ``1.5us`` stands for; SpecError where that is none, or not whole."""
        found = _QUANTITY.fullmatch(text.strip())
        if found and found[2] in self.units:
            value = Decimal(found[1]) * self.units[found[2]]
            if value == int(value) and value <= _MOST:
                return int(value)
        raise SpecError("not a quantity", where=where, found=text, allowed=self.allowed)


def format_duration(time_ps: int) -> str:
    """Return picoseconds as :data:`TIME` reads them, in the largest unit that leaves a whole number."""
    return _in_largest(time_ps, _PICOSECONDS) if time_ps else "0s"


def format_us(us: float) -> str:
    """Return microseconds to read, to four digits, in the largest unit of which it is one at least."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size:
            return f"{us / size:.4g} {unit}"
    return f"{us:.4g} us"


def format_seconds(seconds: float) -> str:
    """Return a time to read: ``"0.12 s"``, ``"45 s"``, ``"12 min"``, ``"3.5 h"``."""
    if seconds < 99.5:  # two digits
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.0f} min" if seconds < 100 * 60 else f"{seconds / 3600:.1f} h"


def format_size(count: int) -> str:
    """Return a number of bytes as :data:`BYTES` reads it, the same way."""
    return _in_largest(count, _BYTES)


def format_rate(bits_per_second: int) -> str:
    """Return bits a second as :data:`RATE` reads them, the same way."""
    return _in_largest(bits_per_second, _BITS_PER_SECOND)


def _in_largest(value: int, units: Mapping[str, int]) -> str:
    unit = max((unit for unit in units if value % units[unit] == 0), key=units.__getitem__)
    return f"{value // units[unit]}{unit}"


TIME = Quantity("time", _PICOSECONDS, "a time with its unit: 25ns, 1.5us, 2s", format_duration)
BYTES = Quantity("bytes", _BYTES, "a number of bytes: 1500, 10MB, 64KiB")
RATE = Quantity("rate", _BITS_PER_SECOND, "a rate with its unit: 800Mbps, 2.5Gbps", format_rate)
WAIT = Quantity("time", _SECONDS, "a time with its unit: 90s, 30min, 2h")
"""Simulated time, in picoseconds; amounts of data; bits a second; time that a person waits, in seconds."""


def quantity_of(annotation: object, metadata: Iterable[object] = ()) -> Quantity | None:
    """Return what the values of a parameter count, given its annotation and what pydantic has taken out of it."""
    for item in (*metadata, *getattr(annotation, "__metadata__", ())):
        if isinstance(item, Quantity):
            return item
    inner = (quantity_of(argument) for argument in get_args(annotation))
    return next((found for found in inner if found is not None), None)


def format_bytes(count: float) -> str:
    """Return ``count`` bytes with a binary unit, e.g. ``"1.5 GiB"``."""
    if count < 1024:
        return f"{count:.0f} B"
    if count >= 1 << 60:  # what a broken file says may be beyond any float
        return "more than 1023 PiB"
    power = min(int(math.log2(count) // 10), 5)
    return f"{count / (1 << (10 * power)):.1f} {('KiB', 'MiB', 'GiB', 'TiB', 'PiB')[power - 1]}"


_DIGITS = 9
_DOWN, _UP = (Context(prec=_DIGITS, rounding=direction) for direction in (ROUND_FLOOR, ROUND_CEILING))

_NO_GAP = 1e-12
"""A relative gap below this is what rounding leaves between bounds that meet."""


def format_gbps(value: float) -> str:
    """Return a rate in Gb/s with nine significant digits, without trailing zeros, to the nearest."""
    return f"{value:.{_DIGITS}g}"


def format_short(value: float) -> str:
    """Return a number with four significant digits, for what no proof stands behind: ``"1590"``, ``"0.09939"``."""
    return format_gbps(float(f"{value:.4g}"))


def format_most(value: float) -> str:
    """Return an upper bound with six significant digits, rounded up unless all that is left is rounding."""
    nearest = float(f"{value:.6g}")
    up = Context(prec=6, rounding=ROUND_CEILING).create_decimal_from_float(value)
    return format_gbps(nearest if abs(value - nearest) <= _NO_GAP * value else float(up))


def format_bounds(lower: float, upper: float) -> str:
    """Return two bounds as :func:`format_gbps` does, but rounded outwards, so that what is printed holds as well."""
    least, most = (format_gbps(float(each.create_decimal_from_float(v))) for each, v in ((_DOWN, lower), (_UP, upper)))
    return f"at least {least}, at most {most}"


def format_gap(gap: float) -> str:
    """Return a relative gap with two significant digits; what rounding leaves is shown by its size only."""
    return f"below {_NO_GAP:g}" if 0 < gap < _NO_GAP else f"{gap:.2g}"
