"""The one registry: named builders with typed parameters.

Topologies, traffic matrices, solvers and every later family register here by name.  A registry rejects
duplicates, answers an unknown name with the nearest known one, validates parameters by the entry's pydantic model
and finds third parties' entries through Python entry points.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import importlib.util
import math
import pkgutil
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType, NoneType
from typing import Any, ClassVar, Generic, Self, TypeVar, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo

from pnet_lp.errors import PnetError, SpecError, Verbatim
from pnet_lp.flags import check_together, flag_of
from pnet_lp.sums import outside_brackets
from pnet_lp.units import MOST_DIGITS, misread, not_whole, quantity_of

_LONGEST_NAME, _MOST_COMPARED = 100, 10_000
"""Characters of a name, and names, that are compared to find the nearest."""

_SIMILAR = 2 / 3
"""Part of the letters of two names, without dashes, that match in order where one is a misspelling of the other."""

M = TypeVar("M", bound="Params")
F = TypeVar("F")

MOST = 1e30
"""Of a parameter: sums and products of a few of them are numbers, too."""

_entry_points = functools.cache(importlib.metadata.entry_points)
"""Those of everything installed; to read them takes no longer than to read one group's."""

_COMMA = re.compile(",")
_EXPRESSION = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_.-]*)(?::(?P<parameters>.*))?", re.DOTALL)


class Params(BaseModel):
    """Base of all parameter models: immutable, unknown keys are errors, and numbers are finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    heading: ClassVar[str] = ""
    """Of the options of a command that are this model's own parameters, not those of its bases."""

    alternatives: ClassVar[tuple[frozenset[str], ...]] = ()
    """Parameters that exclude each other: stating one of them suppresses the defaults of the others."""

    @field_validator("*", mode="before")
    @classmethod
    def _check_numbers(cls, value: object, info: ValidationInfo) -> object:
        number, whole = _kinds(cls, str(info.field_name))
        if not number:
            return value
        # Several numbers are written 4x8.
        items = value.split("x") if isinstance(value, str) else value if isinstance(value, list | tuple) else []
        texts = [item for item in items if isinstance(item, str)]
        if any(map(misread, texts)):
            raise ValueError("not a decimal number that can be held")
        several = value if isinstance(value, list | tuple) else (value,)
        if any(isinstance(item, bool) for item in several):
            raise ValueError("true and false are not numbers")
        if whole and any(map(not_whole, texts)):
            raise ValueError("not a whole number in decimal digits")
        return value

    @field_validator("*", mode="after")
    @classmethod
    def _check_magnitude(cls, value: object) -> object:
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, int | float) and MOST < abs(number) < math.inf:
                raise ValueError(f"beyond {MOST:g}, the largest number that is taken")
        return value

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        check_together(self)
        return self

    def idle(self) -> dict[str, str]:
        """Return the parameters that change nothing beside the values of the others, and why."""
        return {}


class NoParams(Params):
    """The parameter model of an entry that takes none."""


class Named:
    """Base of classes whose objects say what they are called.

    Class attributes:
        name: what users type; set where the class is registered.
    """

    name: ClassVar[str]


def _is_number(annotation: object, *kinds: type) -> bool:
    """Whether what is said to be of this type is a number of these kinds, or numbers, and no text."""
    inner = get_args(annotation)
    return all(_is_number(each, *kinds) for each in inner) if inner else annotation in (*kinds, NoneType, Ellipsis)


@functools.cache
def _kinds(model: type[Params], name: str) -> tuple[bool, bool]:
    """Return whether a field holds a number or numbers, and whether these are whole ones without a unit."""
    field = model.model_fields[name]
    whole = _is_number(field.annotation, int) and quantity_of(field.annotation, field.metadata) is None
    return _is_number(field.annotation, int, float), whole


@dataclass(frozen=True)
class Entry(Generic[F]):
    """One registered builder.

    Attributes:
        name: the name users type.
        params: the pydantic model of its parameters.
        build: the function; its first argument is a ``params`` instance.
        summary: one line for ``pnet-lp list``.
        source: paper and section, or empty.
        example: parameters of a small instance as they are typed, ``"k=4"``; empty where the defaults are one.
        beside: settings that the example does not work without, by name: ``{"traffic": "permutation"}``.
        also: other words for the name, which messages take for it.
    """

    name: str
    params: type[Params]
    build: F
    summary: str
    source: str = ""
    example: str = ""
    beside: Mapping[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()

    @property
    def expression(self) -> str:
        """The expression of the example, for tests, pages and ``pnet-lp list``."""
        return f"{self.name}:{self.example}" if self.example else self.name

    def validate(self, values: Mapping[str, object]) -> Params:
        """Return the validated parameters, or raise SpecError naming the key, what was found and what is allowed."""
        return validate(self.params, values, self.name, names=Verbatim)


def validate(model: type[M], values: Mapping[str, object], where: str = "", *, names: type[str] = str) -> M:
    """Return ``values`` as a ``model``, or raise SpecError naming the key, what was found and what is allowed.

    Args:
        model: of the parameters.
        values: by parameter.
        where: what the parameters are of, for messages.
        names: what their names are in a message: an expression's, :class:`~pnet_lp.errors.Verbatim`, are no options.
    """
    fields = model.model_fields
    for key, value in values.items():
        if isinstance(value, str) and value.isdecimal() and len(value) > MOST_DIGITS:
            raise SpecError(f"a whole number of {len(value)} digits", where=f"{where}: {key}", found=value)
        if key not in fields:
            raise SpecError(
                f"unknown parameter {key!r}{nearest(str(key), fields, synonyms(model))}",
                where=where,
                allowed=names(", ".join(fields) or "no parameters"),
            )
    try:
        return model.model_validate(values)
    except PnetError as error:
        # A validator of the model has refused an expression, and says of which key.
        raise (error.at(where) if where else error) from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        if first["type"] == "missing":
            raise SpecError(f"parameter {key!r} is required", where=where) from None
        message = first["msg"].removeprefix("Value error, ")
        # A fault of several parameters together has no key, and pydantic's "input" is then all of them.
        found = first["input"] if key else None
        where = ": ".join(filter(None, (where, key)))
        raise SpecError(message[0].lower() + message[1:], where=where, found=found) from None


class Registry(Generic[F]):
    """Entries of one kind, by name.

    Args:
        kind: what the entries are, for messages (``"topology"``).
        package: the package whose modules and subpackages register the built-in entries.  They are imported when first
            asked for: the one called like an entry when that is, all others when that is not enough.
        group: entry-point group in which third parties name modules that register theirs.
        part: the module of an entry that is a folder in which it is registered; empty for the folder itself.
        base: what the models of parameters derive from, and the model of entries without parameters.
    """

    def __init__(
        self, kind: str, *, package: str, group: str, part: str = "", base: type[Params] | None = None
    ) -> None:
        self.kind = kind
        self._base = base
        self._package = package
        self._group = group
        self._part = f".{part}" if part else ""
        self._entries: dict[str, Entry[F]] = {}
        self._all_loaded = False
        self._others_loaded = False

    def register(
        self,
        name: str,
        *,
        params: type[Params] | None = None,
        summary: str,
        source: str = "",
        example: str = "",
        beside: Mapping[str, str] = MappingProxyType({}),
        also: tuple[str, ...] = (),
    ) -> Callable[[F], F]:
        """Return a decorator that registers a function or a class under ``name``; a second of that name is an error.

        The other arguments are attributes of :class:`Entry`.
        """
        model = params or self._base or NoParams
        if self._base and not issubclass(model, self._base):
            allowed = f"models that derive from {self._base.__name__}"
            raise SpecError(f"parameters of {self.kind} {name!r}", found=model.__name__, allowed=allowed)

        def decorate(build: F) -> F:
            if name in self._entries:
                raise SpecError(f"{self.kind} {name!r} is registered twice")
            self._entries[name] = Entry(name, model, build, summary, source, example, beside, also)
            if isinstance(build, type) and issubclass(build, Named):
                build.name = name
            return build

        return decorate

    def _load_all(self) -> None:
        if self._all_loaded:
            return
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{self._package}.{module.name}{self._part if module.ispkg else ''}")
        self._load_others()
        # Last, so that an interrupted load starts again.
        self._all_loaded = True

    def _load_others(self) -> None:
        if self._others_loaded:
            return
        self._others_loaded = True
        for point in _entry_points().select(group=self._group):
            point.load()

    def _find(self, name: str) -> Entry[F] | None:
        """Return the entry called ``name``, having imported no more than it takes to know that there is one."""
        if name not in self._entries and not self._all_loaded:
            module = name.replace("-", "_")
            spec = importlib.util.find_spec(f"{self._package}.{module}") if module.isidentifier() else None
            if spec is not None:
                part = self._part if spec.submodule_search_locations else ""
                importlib.import_module(f"{self._package}.{module}{part}")
            # A duplicate from another package must not go unnoticed.
            self._load_others()
            if name not in self._entries:
                self._load_all()
        return self._entries.get(name)

    def __iter__(self) -> Iterator[Entry[F]]:
        self._load_all()
        return iter(sorted(self._entries.values(), key=lambda entry: entry.name))

    def __contains__(self, name: str) -> bool:
        return self._find(name) is not None

    def names(self) -> list[str]:
        """Return all names, sorted."""
        return [entry.name for entry in self]

    def get(self, name: str) -> Entry[F]:
        """Return the entry called ``name``; an unknown name is a SpecError that offers the nearest."""
        entry = self._find(name)
        if entry is None:
            also = {word: entry.name for entry in self for word in entry.also}
            raise unknown(f"unknown {self.kind}", name, self.names(), also=also)
        return entry


def written(value: object, field: FieldInfo) -> str:
    """Return the value of a parameter as it is written in an expression."""
    quantity = quantity_of(field.annotation, field.metadata)
    if quantity is not None and isinstance(value, int):
        return quantity.format(value)
    if isinstance(value, tuple):
        return "x".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def unknown(
    problem: str,
    name: object,
    known: Collection[str],
    *,
    where: str | None = None,
    more: str = "",
    also: Mapping[str, str] = MappingProxyType({}),
) -> SpecError:
    """Return the error for a name that is none of those known, beside which ``more`` is allowed."""
    offered = nearest(str(name), known, also)
    return SpecError(f"{problem} {name!r}{offered}", where=where, allowed=f"{', '.join(known)}{more}")


def synonyms(model: type[BaseModel]) -> dict[str, str]:
    """Return the names of parameters by other words for them."""
    return {word: key for key, field in model.model_fields.items() for word in flag_of(field.metadata).also}


def nearest(name: str, known: Collection[str], also: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return ``" (did you mean 'x'?)"`` for :func:`meant`, or an empty string."""
    found = meant(name, known, also)
    return f" (did you mean {found!r}?)" if found else ""


def meant(name: str, known: Collection[str], also: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the known name that ``name`` is misspelt, shortened or another word for, by ``also``; empty if none.

    Not for long names, and not among too many: the comparison takes time.
    """
    word = name.lower().replace("_", "-")
    if word in also:
        return also[word]
    if len(name) > _LONGEST_NAME or len(known) > _MOST_COMPARED:
        return ""
    import difflib  # noqa: PLC0415 - needed for wrong names only

    for found in difflib.get_close_matches(word, list(known), n=5, cutoff=0.5):
        plain = found.lower().replace("_", "-")
        begins = min(len(plain), len(word)) > 2 and (plain.startswith(word) or word.startswith(plain))
        letters = difflib.SequenceMatcher(None, plain.replace("-", ""), word.replace("-", ""))
        if begins or letters.ratio() >= _SIMILAR:
            return found
    return ""


def one_or_more(texts: str | Iterable[str]) -> tuple[str, ...]:
    """Return ``texts`` as a tuple; a text by itself is one, not its letters."""
    return (texts,) if isinstance(texts, str) else tuple(texts)


OneOrMore = BeforeValidator(lambda value: value if isinstance(value, list | tuple) else [value])
"""Marks a field that is a tuple, of which a single value can be written without brackets."""


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


AsText = BeforeValidator(_as_text)
"""Marks a field that is a text, which may look like a number and be written as one."""


def parse_expression(text: str, among: Registry[Any] | None = None) -> tuple[str, dict[str, str]]:
    """Split ``name:key=value,...`` into the name and its raw parameters.

    Values stay strings; the entry's parameter model converts them.  One in brackets, as another expression with several
    parameters is, loses these.  Raises SpecError for anything else; a message shows
    an expression of the entry ``among`` a registry.
    """
    match = _EXPRESSION.fullmatch(text.strip())
    if match is None:
        raise SpecError("not an expression", found=text, allowed="name or name:key=value,key=value")
    # A colon promises parameters.
    return match["name"], {} if match["parameters"] is None else parse_values(match["parameters"], match["name"], among)


def parse_values(text: str, name: str = "", among: Registry[Any] | None = None) -> dict[str, str]:
    """Split ``key=value,...``, the parameters of an expression of that ``name``; otherwise as the function above."""
    values: dict[str, str] = {}
    items = list(outside_brackets(_COMMA, text))
    for item in items:
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not key or not value:
            offered, shown = _with_key(name, item, among) if len(items) == 1 else ("", "")
            raise SpecError(f"not a key=value parameter{offered}", where=name, found=item, allowed=f"key=value{shown}")
        if key in values:
            raise SpecError(f"parameter {key!r} is given twice", where=name)
        values[key] = value[1:-1].strip() if value[0] == "[" and value[-1] == "]" else value
    return values


def _with_key(name: str, value: str, among: Registry[Any] | None) -> tuple[str, str]:
    """Return what the only parameter of an expression is offered as, and an example."""
    if among is None or name not in among:
        return "", ""
    entry = among.get(name)
    required = [key for key, field in entry.params.model_fields.items() if field.is_required()]
    try:
        entry.validate(dict.fromkeys(required, value))
    except SpecError:
        required = []
    offered = f" (did you mean {f'{name}:{required[0]}={value}'!r}?)" if len(required) == 1 else ""
    return offered, f", such as {entry.expression}" if entry.example and not offered else ""


def write_expression(name: str, values: Mapping[str, str]) -> str:
    """Return the expression, without blanks, that :func:`parse_expression` splits into these."""
    return ":".join(filter(None, [name, ",".join(f"{key}={value}" for key, value in values.items())]))
