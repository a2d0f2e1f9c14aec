"""Price books and power books: what a part costs, and what it draws, with date and source of every entry."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Field, model_validator

from pnet_lp.cost.bill import KINDS, WITH_PORTS, Part
from pnet_lp.cost.chips import links_of
from pnet_lp.errors import SpecError, naming
from pnet_lp.files import exists, parse_yaml, read_yaml_text
from pnet_lp.flags import Flag
from pnet_lp.model.brief import brief
from pnet_lp.registry import OneOrMore, Params, one_or_more, unknown, validate
from pnet_lp.travel import names_in

Quantity: TypeAlias = Literal["price", "power"]

UNITS: Mapping[Quantity, str] = {"price": "USD", "power": "W"}

_Amount = Annotated[float | None, Field(ge=0)]
_SPEED = r"[0-9]+(?:\.[0-9]+)?g"
_SIZED = re.compile(rf"(?:[0-9]+x)?{_SPEED}")
_PORTS = re.compile(rf"({'|'.join(sorted(WITH_PORTS))})-([1-9][0-9]*x{_SPEED}(?:\+[1-9][0-9]*x{_SPEED})*)")


class Rate(Params):
    """An entry of a book: an amount for a piece, one for each Gb/s of its ports together, or the sum of both."""

    date: Annotated[str, BeforeValidator(str)] = Field("", description="when it was so")
    source: str = Field("", description="who says so")
    example: bool = Field(False, description="whether it is an example rather than a published value")

    @model_validator(mode="after")
    def _check_amount(self) -> Rate:
        if self._amounts() == (None, None):
            raise ValueError("an entry needs an amount")
        return self

    def _amounts(self) -> tuple[float | None, float | None]:
        raise NotImplementedError

    def of(self, part: Part) -> float:
        """Return the amount for one such part."""
        piece, per_gbps = self._amounts()
        return (piece or 0.0) + (per_gbps or 0.0) * part.capacity_gbps


class PriceRate(Rate):
    """What a part costs."""

    usd: _Amount = Field(None, description="USD for a piece")
    usd_per_gbps: _Amount = Field(None, description="USD for each Gb/s of the capacity of all its ports")

    def _amounts(self) -> tuple[float | None, float | None]:
        return self.usd, self.usd_per_gbps


class PowerRate(Rate):
    """What a part draws."""

    watts: _Amount = Field(None, description="watts of a piece")
    watts_per_gbps: _Amount = Field(None, description="watts for each Gb/s of the capacity of all its ports")

    def _amounts(self) -> tuple[float | None, float | None]:
        return self.watts, self.watts_per_gbps


_MODELS: Mapping[Quantity, type[Rate]] = {"price": PriceRate, "power": PowerRate}
_PIECE: Mapping[Quantity, str] = {"price": "usd", "power": "watts"}
_FOLDERS: Mapping[Quantity, str] = {"price": "prices", "power": "powers"}
_DEFAULTS: Mapping[Quantity, tuple[str, ...]] = {"price": ("hybrid-list", "example"), "power": ("example",)}


@brief("quantity", "label")
@dataclass(frozen=True, repr=False)
class Book:
    """What parts cost in USD, or draw in watts.

    Attributes:
        quantity: which of the two.
        label: where the entries are from.
        rates: by name of a part (``switch-64x10g``), or of a kind of parts (``switch``) for all others of that kind.
    """

    quantity: Quantity
    label: str
    rates: Mapping[str, Rate]

    def rate(self, part: Part) -> Rate:
        """Return the entry for ``part``: that of its name, else that of its kind.

        Raises:
            SpecError: there is neither; the message says what the book has.
        """
        found = self.rates.get(part.name) or self.rates.get(part.kind)
        if found is None:
            names = " or ".join(dict.fromkeys(map(repr, (part.name, part.kind))))
            same = [name for name in self.rates if name.startswith(f"{part.kind}-")]
            more = "" if self.label in shipped_books(self.quantity) else ", or 'over: example' in the file"
            raise SpecError(
                f"no {self.quantity} for part {part.name!r}; the book has {', '.join(same or self.rates)}",
                where=self.label,
                allowed=f"an entry {names}{more}",
            )
        return found

    def bought(self, part: Part) -> Part:
        """Return what is bought for ``part``: itself, or the cheapest box that holds its links if it has no entry."""
        if part.kind not in WITH_PORTS or part.name in self.rates or part.kind in self.rates:
            return part
        boxes = filter(None, map(_with_ports, self.rates))
        holding = [box for box in boxes if box.kind == part.kind and box.holds(part.port_counts)]
        return min(holding, key=lambda box: (self.rate(box).of(box), box), default=part)

    @property
    def content(self) -> str:
        """Its entries as text, the same for equal entries."""
        return repr(sorted(self.rates.items()))

    def over(self, other: Book) -> Book:
        """Return ``other`` with the entries of this book in place of its own."""
        return Book(self.quantity, f"{self.label} over {other.label}", {**other.rates, **self.rates})


def shipped_books(quantity: Quantity) -> dict[str, Path]:
    """Return the books that come with the package, by name."""
    folder = Path(__file__).parent / _FOLDERS[quantity]
    return {path.stem: path for path in names_in(folder, "*.yaml")}


def load_book(quantity: Quantity, names: str | Sequence[str] = ()) -> Book:
    """Return the book of the given names.

    Args:
        quantity: prices or powers.
        names: in order; a shipped book's name replaces everything before it, a file overrides single entries of what is
            before it.  What a file at the beginning does not have, the books have that it names as ``over``.
            Default: the published entries, and the example where there are none.

    Raises:
        SpecError: as :func:`read_book`; an unknown name.
    """
    shipped = shipped_books(quantity)

    def layers(ordered: Sequence[str]) -> list[Book]:
        return [read_book(shipped[name], quantity, name) for name in ordered]

    book: list[Book] = []
    for name in one_or_more(names):
        if name in shipped:
            book = layers([name])
        elif Path(name).suffix.lower() in {".yaml", ".yml"} or exists(name):
            own, over = _read(name, quantity)
            book = [own, *(book or layers(over))]
        else:
            raise unknown(f"unknown {quantity} book", name, shipped, more=", or a YAML file")
    return functools.reduce(lambda lower, upper: upper.over(lower), reversed(book or layers(_DEFAULTS[quantity])))


class PriceSettings(Params):
    """At which prices."""

    heading = "Prices"

    prices: Annotated[
        tuple[str, ...],
        OneOrMore,
        Flag(
            metavar="BOOK|FILE",
            several="repeated",
            help="{}; a YAML file overrides single entries of those before it.  [default: hybrid-list over example]",
            listed=lambda: shipped_books("price"),
        ),
    ] = Field((), description="price books, by name or file, in order")

    @model_validator(mode="after")
    def _check_prices(self) -> Self:
        with naming("prices"):
            load_book("price", self.prices)
        return self


class BookSettings(PriceSettings):
    """At which prices and powers."""

    heading = "Prices"

    powers: Annotated[
        tuple[str, ...],
        OneOrMore,
        Flag(
            "--power",
            metavar="BOOK|FILE",
            several="repeated",
            help="{}; a YAML file overrides single entries of those before it.  [default: example]",
            listed=lambda: shipped_books("power"),
        ),
    ] = Field((), description="power books, by name or file, in order")

    @model_validator(mode="after")
    def _check_powers(self) -> Self:
        with naming("powers"):
            load_book("power", self.powers)
        return self

    @property
    def books(self) -> tuple[Book, Book]:
        """Prices and powers, as the books say now."""
        return load_book("price", self.prices), load_book("power", self.powers)


def read_book(path: str | Path, quantity: Quantity, label: str | None = None) -> Book:
    """Return the book in a YAML file alone: ``entries`` by part, each a number or a mapping, as in :class:`PriceRate`.

    Raises:
        SpecError: not a book, an unknown part or key, an amount that is negative, NaN or infinite; the message names
            file and entry.
    """
    book, _ = _read(path, quantity, label)
    return book


def _read(path: str | Path, quantity: Quantity, label: str | None = None) -> tuple[Book, Sequence[str]]:
    """Return the book in a file, and the books that have what it does not have."""
    where = str(path)
    rates, over = _parse_book(read_yaml_text(path), quantity, where)
    return Book(quantity, where if label is None else label, rates), over


@functools.lru_cache(maxsize=64)
def _parse_book(text: str, quantity: Quantity, where: str) -> tuple[Mapping[str, Rate], Sequence[str]]:
    """Return the entries in a book's text, and the books that it is ``over``.

    Every case of an experiment asks for its books, and parsing one takes some ten milliseconds.
    """
    document = parse_yaml(text, where)
    entries = document.get("entries") if isinstance(document, dict) else None
    if not isinstance(entries, dict) or not entries:
        raise SpecError("not a book", where=where, allowed="a mapping with entries by part")
    if others := [str(key) for key in document if key not in {"description", "over", "entries"}]:
        raise SpecError(f"unknown key {others[0]!r}", where=where, allowed="description, over, entries")
    shipped, named = shipped_books(quantity), document.get("over", [])
    over = tuple(map(str, named if isinstance(named, list) else [named]))
    for name in over:
        if name not in shipped:
            raise unknown(f"over: unknown {quantity} book", name, shipped, where=where)
    rates: dict[str, Rate] = {}
    for part, entry in entries.items():
        name, rate = _rate(str(part), entry, quantity, where)
        if name in rates:
            raise SpecError(f"part {name!r} is given twice", where=where, found=str(part))
        rates[name] = rate
    return MappingProxyType(rates), over


def _rate(part: str, entry: Any, quantity: Quantity, where: str) -> tuple[str, Rate]:
    box = _with_ports(part)
    kinds = [kind for kind in KINDS if part == kind or part.startswith(f"{kind}-")]
    if box is None and (not kinds or not (part == kinds[0] or _SIZED.fullmatch(part.removeprefix(f"{kinds[0]}-")))):
        more = ", and with ports and speed as in switch-64x10g, switch-8x400g+48x100g or copper-1g"
        raise unknown("unknown part", part, KINDS, where=where, more=more)
    # A user's own file need not say more than a number.
    values = entry if isinstance(entry, dict) else {_PIECE[quantity]: entry}
    rate = validate(_MODELS[quantity], {str(key): value for key, value in values.items()}, f"{where}: {part}")
    return (box.name if box else part), rate


def _with_ports(name: str) -> Part | None:
    """Return the switch or chip of that name, or None where it is the name of something else."""
    match = _PORTS.fullmatch(name)
    if match is None:
        return None
    ports = (item[:-1].split("x") for item in match[2].split("+"))
    return Part.with_ports(match[1], links_of(*((float(gbps), int(count)) for count, gbps in ports)))
