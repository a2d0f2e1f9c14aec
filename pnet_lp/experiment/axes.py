"""Keys of cases as words of a command line, ``fail-links=0,0.1``: which question they are of, and which values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_origin

from pydantic import create_model

from pnet_lp.errors import SpecError
from pnet_lp.flags import flag_of
from pnet_lp.questions.base import Case, model_of
from pnet_lp.registry import Params, nearest, synonyms, validate
from pnet_lp.units import quantity_of

GUESSED = ("throughput", "hops", "cost", "simulate", "failures")
"""Questions that need not be named: the first of them that has all keys given is meant."""

_VALUE = re.compile(r'(?:"[^"]*"|[^",])+')
PARAMETER = re.compile(r"[A-Za-z_][\w-]*=")
"""What begins like this belongs to the expression before it."""


def question_of(words: Sequence[str]) -> str:
    """Return the first of :data:`GUESSED` that has keys for all ``words``.

    Raises:
        SpecError: none has.
    """
    models = {name: model_of(name) for name in GUESSED}
    for name, model in models.items():
        if all(_key(word, model) for word in words):
            return name
    for word in words:
        if not any(_key(word, model) for model in models.values()):
            raise _unknown(word, models)
    first = GUESSED[0]
    lacking = ", ".join(word for word in words if not _key(word, models[first]))
    raise SpecError(
        f"no question has all of {', '.join(words)}; {first} lacks {lacking}", allowed=f"one of {', '.join(GUESSED)}"
    )


def key_of(word: str, question: str) -> str:
    """Return the key that the name of an option stands for: ``time_limit_s`` for ``time-limit``, say.

    Raises:
        SpecError: it stands for none.
    """
    model = model_of(question)
    key = _key(word, model)
    if key is None:
        raise _unknown(word, {question: model})
    return key


def keys_of(question: str) -> tuple[str, ...]:
    """Return the keys of a question's cases."""
    return tuple(model_of(question).model_fields)


def is_flag(word: str, questions: Iterable[str]) -> bool:
    """Whether a word stands for a key that is true where it is given, in the first question that has it."""
    for model in map(model_of, questions):
        if key := _key(word, model):
            return model.model_fields[key].annotation is bool
    return False


def axis_values(key: str, text: str, question: str) -> list[Any]:
    """Return the values of an axis, given as ``1,2,4``, as a spec has them; see :func:`split_values`.

    Raises:
        SpecError: one is empty, given twice, or none that the key can have.
    """
    values: list[Any] = []
    for item in split_values(text):
        quoted = item[0] == item[-1] == '"' and item.count('"') == 2
        inner = item[1:-1] if quoted else item
        several = quoted and takes_several(key, question)
        value = spec_value(key, split_values(inner) if several else inner, question)
        if value in values:
            raise SpecError("a value is given twice", where=key, found=item)
        values.append(value)
    return values


def spec_value(key: str, given: str | list[str], question: str) -> Any:
    """Return what is given for a key as a spec has it: numbers as such, anything else as it is written.

    Raises:
        SpecError: the key cannot have it.
    """
    field = model_of(question).model_fields[key]
    model = create_model("Given", __base__=Params, **{key: (field.annotation, field)})  # type: ignore[call-overload]
    found = getattr(validate(model, {key: given}), key)
    if quantity_of(field.annotation, field.metadata) is not None:
        return given
    if isinstance(found, tuple):
        numbers = [_number(value) for value in found]
        return numbers if isinstance(given, list) else numbers[0]
    return _number(found) if isinstance(found, int | float) else given


def takes_several(key: str, question: str) -> bool:
    """Whether a key has several values at once, as ``topology`` has planes."""
    return get_origin(model_of(question).model_fields[key].annotation) is tuple


def split_values(text: str) -> list[str]:
    """Return the values in ``1,2,4``.

    A comma ends a value, unless a parameter follows, as in ``jellyfish:k=8,seed=1,fat-tree:k=4``, which is two, or it
    stands in double quotes, which are kept.

    Raises:
        SpecError: a value is empty, or a quote is not closed.
    """
    found: list[str] = []
    place = 0
    while piece := _VALUE.match(text, place):
        value, place = piece[0].strip(), piece.end() + 1
        if found and PARAMETER.match(value):
            found[-1] += f",{value}"
        elif value.strip('" '):
            found.append(value)
        else:
            break
        if piece.end() == len(text):
            return found
        if text[piece.end()] != ",":
            break
    raise SpecError(
        "an empty value, or a quote that is not closed", found=text, allowed="values joined by commas: 1,2,4"
    )


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _key(word: str, model: type[Case]) -> str | None:
    """Return the key of this name, or whose option has it: ``time_limit_s`` is given by ``--time-limit``."""
    fields = model.model_fields.items()
    options = {flag_of(field.metadata).name: key for key, field in fields}
    name = word.replace("-", "_")
    return name if name in model.model_fields else options.get(f"--{word}")


def _unknown(word: str, models: Mapping[str, type[Case]]) -> SpecError:
    keys = dict.fromkeys(key.replace("_", "-") for model in models.values() for key in model.model_fields)
    also = {word: key.replace("_", "-") for model in models.values() for word, key in synonyms(model).items()}
    return SpecError(
        f"no option, and no key of a case, is called {word!r}{nearest(word, keys, also)}",
        allowed=f"what `pnet-lp list questions NAME` lists; NAME: {', '.join(models)}",
    )
