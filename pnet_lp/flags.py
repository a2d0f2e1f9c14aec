"""How a parameter is written on a command line, where its name, type, default and description do not say it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from pnet_lp.errors import SpecError

SPEED_WORDS = ("speed", "bandwidth", "capacity", "link-speed", "gbps")
"""Other words for the speed of links."""

RUNNING = "Running"
"""Heading of options that no figure depends on, and of seeds."""


@dataclass(frozen=True)
class Flag:
    """The option of a parameter; put into the metadata of its field.

    Attributes:
        name: ``--time-limit``; empty for ``--`` and the parameter.
        argument: what the usage line calls a positional argument; empty for an option.
        metavar: what the help text calls its value.
        needs: parameters, one of which must be given too: without them this one has no meaning.
        excludes: parameters that must not be given too.
        also: other words for the name, which messages take for it.
        heading: of the options of a command among which it is listed; default: that of the model.
        help: the help text where the description does not do; ``{}`` stands for the names that ``listed`` returns.
        listed: see ``help``; called only where that text is shown.
        parse: makes the value of the text; raises ValueError, which says what was found and what is allowed.
        several: ``repeated`` for an option given once per value, ``commas`` for one with all values of a tuple.
        width: values of one option, as of ``--pair A B``.
    """

    name: str = ""
    argument: str = ""
    metavar: str = ""
    needs: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    heading: str = ""
    help: str = ""
    listed: Callable[[], Iterable[str]] | None = None
    parse: Callable[[str], Any] | None = None
    several: str = "commas"
    width: int = 1


_PLAIN = Flag()


def flag_of(metadata: Sequence[Any]) -> Flag:
    """Return the flag among the metadata of a field, or one that says nothing."""
    return next((one for one in metadata if isinstance(one, Flag)), _PLAIN)


def heading_of(model: type[BaseModel], key: str) -> str:
    """Return the heading of the options among which a parameter is listed: its own, or that of the model it is from."""
    first = [kind for kind in model.__mro__ if key in vars(kind).get("__annotations__", ())][-1]
    return flag_of(model.model_fields[key].metadata).heading or vars(first).get("heading", "")


@functools.cache
def _conditions(model: type[BaseModel]) -> Mapping[str, Flag]:
    flags = {key: flag_of(field.metadata) for key, field in model.model_fields.items()}
    return {key: flag for key, flag in flags.items() if flag.needs or flag.excludes}


def check_together(settings: BaseModel) -> None:
    """Raise SpecError where a parameter is given without one that it needs, or beside one that it excludes."""
    given = settings.model_fields_set
    for key, flag in _conditions(type(settings)).items():
        if key not in given:
            continue
        known = [name for name in flag.needs if name in type(settings).model_fields]
        if known and given.isdisjoint(known):
            raise SpecError(f"has no meaning without {' or '.join(known)}", where=key, found=getattr(settings, key))
        for other in flag.excludes:
            if other in given:
                raise SpecError(f"has no meaning beside {other}", where=key, found=getattr(settings, key))
