"""Ways to tamper with a saved result: every field and array, alone or with what follows from it put right."""

from __future__ import annotations

import base64
import copy
import json
import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from tempfile import NamedTemporaryFile
from typing import Any, TypeAlias
from unittest import mock

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import PnetError
from pnet_lp.model.summary import summarise_network, summarise_traffic
from pnet_lp.throughput import verify as verification
from pnet_lp.throughput.proofs.store import StoredResult, load_result
from pnet_lp.verification.checks import Checks

from .answers import Document

Place: TypeAlias = tuple[str | int, ...]

PARTS: list[Place] = [
    ("certificate",),
    ("answer",),
    ("instance",),
    ("instance", "network"),
    ("instance", "traffic"),
    ("bottlenecks",),
    ("network",),
    ("traffic",),
    ("objective",),
    ("routing",),
]
"""What is exchanged whole for that of another result."""

QUESTION: list[Place] = [("routing_seed",), ("plane_policy",), ("tolerance",), ("status",), ("level",), ("binding",)]
"""What else decides what a result says."""

FACTORS = [0.0, -1.0, 0.5, 2.0, 10.0, 1e-3, 1e3, 1 + 1e-7, 1 - 1e-7, 1e-9, 1e9]
WILD = [float("nan"), float("inf"), -float("inf"), 1e308, 1.7e308, 1e300, 5e-324, 1e-310, 10**400, -1, 0, 2**63]
FOREIGN: list[Any] = [None, True, "", "x", [], {}, [1], "1.0", 1.5]


def decoded(stored: Document) -> npt.NDArray[Any]:
    """Return a writable copy of a stored array."""
    raw = zlib.decompress(base64.b64decode(stored["data"]))
    return np.frombuffer(raw, dtype=stored["dtype"]).reshape(stored["shape"]).copy()


def encoded(array: npt.NDArray[Any]) -> Document:
    """Return an array as a result file holds it."""
    data = base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes())).decode()
    return {"dtype": array.dtype.str, "shape": list(array.shape), "data": data}


def is_array(value: Any) -> bool:
    """Whether a value of a document is a stored array."""
    return isinstance(value, dict) and value.keys() == {"dtype", "shape", "data"}


def places(value: Any, here: Place = ()) -> Iterator[Place]:
    """Yield where everything is in a document: keys, entries, arrays."""
    if here:
        yield here
    if is_array(value):
        return
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*here, key))


def at(document: Any, place: Place) -> Any:
    """Return what is at a place."""
    for key in place:
        document = document[key]
    return document


def mutated(document: Document, others: list[Document], draw: random.Random) -> str:
    """Return the text of a file that is the document but for a change or two, of which it may hide what it can."""
    changed = copy.deepcopy(document)
    lie = draw.random() < 0.3
    if lie:
        _lie(changed, draw)
    else:
        for _ in range(draw.choice([1, 1, 1, 2])):
            _change(changed, others, draw)
    how = draw.random()
    if how < (0.7 if lie else 0.4):
        _refit(changed)
    elif how < 0.8:
        _describe(changed)
    text = json.dumps(changed)
    return _with_twice(text, draw) if draw.random() < 0.03 else text


def _change(document: Document, others: list[Document], draw: random.Random) -> None:
    if draw.random() < 0.1:
        place = draw.choice(PARTS)
        found, parent = _found(draw.choice(others), place), _found(document, place[:-1])
        # An earlier change may have removed what it is in.
        if found is not None and isinstance(parent, dict):
            parent[place[-1]] = copy.deepcopy(found)
        return
    every = list(places(document))
    # Most places are names of switches: arrays and figures get their share.
    arrays = [place for place in every if is_array(at(document, place))]
    place = draw.choice(draw.choices([arrays or every, every, QUESTION], [6, 3, 1])[0])
    parent, key, value = at(document, place[:-1]), place[-1], at(document, place)
    other = _found(draw.choice(others), place)
    if draw.random() < 0.05 and other is not None:
        parent[key] = copy.deepcopy(other)
    elif is_array(value) and draw.random() < 0.95:
        with np.errstate(all="ignore"):
            parent[key] = encoded(_array(decoded(value), draw))
    elif isinstance(value, list) and value and draw.random() < 0.8:
        parent[key] = _listed(value, draw)
    elif isinstance(value, bool | str | None):
        choices = [at(each, place) for each in others if _found(each, place) is not None]
        parent[key] = draw.choice([*choices, *FOREIGN]) if choices else draw.choice(FOREIGN)
    elif isinstance(value, int | float) and draw.random() < 0.9:
        factor = draw.choice(FACTORS)
        scaled = value * factor if draw.random() < 0.7 else draw.choice([value + 1, value - 1, *WILD])
        parent[key] = int(scaled) if isinstance(value, int) and scaled == scaled // 1 else scaled
    elif draw.random() < 0.4:
        del parent[key]
    else:
        parent[key] = draw.choice([*FOREIGN, *WILD])


def _lie(document: Document, draw: random.Random) -> None:
    """Claim more or less, consistently, and put something in the place of the lengths that prove otherwise."""
    factor = draw.choice([0.5, 0.99, 1.01, 2.0, 100.0])
    for key in document.keys() & {"throughput_gbps", "max_utilisation", "total_gbps", "cost_gbps_links"}:
        document[key] = document[key] and document[key] * factor
    for key in document:
        if key.startswith(("lower_bound", "upper_bound")) and draw.random() < 0.8:
            document[key] = document[key] and document[key] * factor
    answer = document.get("answer", {})
    levels = answer.get("levels", [])
    if "rates_gbps" in answer and draw.random() < 0.8:
        rates = decoded(answer["rates_gbps"])
        rates[draw.randrange(len(rates)) if draw.random() < 0.5 else slice(None)] *= factor
        answer["rates_gbps"] = encoded(rates)
    for level in levels if draw.random() < 0.6 else draw.sample(levels, draw.randint(0, len(levels))):
        level["upper"] = level["upper"] and level["upper"] * factor
    if draw.random() < 0.1:
        for level in levels:
            level.update(dict.fromkeys(("length", "up_length", "down_length"), encoded(np.zeros(0))))
    keys = draw.choice([["length"], ["up_length", "down_length"], ["length", "up_length", "down_length"]])
    value = draw.choice([0.0, 0.0, 0.0, 1.0, 1e-320, 5e-324, 1e-300, 1e18, 1e300, 1e306, 1.5e307, 1.7e308])
    some = draw.choice([0.0, 0.5, 1.0, 1.0])
    for proof in (document["certificate"] or {}, *levels):
        for key in proof.keys() & set(keys):
            lengths = decoded(proof[key])
            chosen = np.array([draw.random() < some for _ in range(lengths.size)], bool).reshape(lengths.shape)
            proof[key] = encoded(np.where(chosen & (lengths > 0 if value > 0 else True), value, lengths))


def _found(document: Any, place: Place) -> Any:
    try:
        return at(document, place)
    except (KeyError, IndexError, TypeError):
        return None


def _array(values: npt.NDArray[Any], draw: random.Random) -> npt.NDArray[Any]:
    flat = values.reshape(-1)
    if not len(flat):
        return np.append(flat, values.dtype.type(draw.choice([0, 1])))
    i, j = draw.randrange(len(flat)), draw.randrange(len(flat))
    real = values.dtype.kind == "f"
    match draw.randrange(12):
        case 0 | 1:
            flat[i] = flat[i] * draw.choice(FACTORS if real else [0, 2, -1])
        case 2:
            flat *= draw.choice(FACTORS) if real else draw.choice([0, 2, -1])
        case 3:
            flat[i], flat[j] = flat[j], flat[i]
        case 4:
            flat[i] = draw.choice(WILD[:8]) if real else draw.choice([-1, 2**31 - 1, len(flat)])
        case 5:
            flat[:] = draw.choice(WILD[:8]) if real else draw.choice([-1, 2**31 - 1])
        case 6:
            flat += 1
        case 7:
            flat[i] += flat[j]
        case 8:
            # As much here as is taken there: sums stay.
            moved = flat[j] * draw.choice([1.0, 0.5, 1e-6]) if real else flat[j]
            flat[i], flat[j] = flat[i] + moved, flat[j] - moved
        case 9:
            return np.roll(values, 1, axis=-1) if draw.random() < 0.5 else values[..., ::-1]
        case 10:
            return np.delete(values, draw.randrange(values.shape[-1]), axis=-1)
        case _:
            k = draw.randrange(values.shape[-1])
            return np.insert(values, k, values[..., k], axis=-1)
    return values


def _listed(value: list[Any], draw: random.Random) -> list[Any]:
    i, j = draw.randrange(len(value)), draw.randrange(len(value))
    match draw.randrange(5):
        case 0:
            return value[:i] + value[i + 1 :]
        case 1:
            return [*value[: i + 1], *value[i:]]
        case 2:
            return value[:i]
        case 3:
            return value[::-1]
    changed = list(value)
    changed[i], changed[j] = changed[j], changed[i]
    return changed


def _with_twice(text: str, draw: random.Random) -> str:
    """Return the text with a key of the document given twice, the first time with another value."""
    key = draw.choice(['"throughput_gbps"', '"tolerance"', '"instance"', '"certificate"', '"data"'])
    return text.replace(f"{key}: ", f"{key}: 1, {key}: ", 1)


def _describe(document: Document) -> None:
    """Put right what the document says of the instance, fingerprints included."""
    stored = _loaded(document)
    if stored is not None:
        with np.errstate(all="ignore"):
            document["network"] = summarise_network(stored.network)
            document["traffic"] = summarise_traffic(stored.traffic)


@dataclass(frozen=True)
class Proved:
    """What the checks compute of a result, whatever it claims.

    Attributes:
        status: the one by which it passes, ``certified`` rather than ``bounds``.
        figures, arrays: by key, as far as the checks come.
        limits: the links that limit and their kind, where the checks come to that.
        found: the verification; None where it passes by neither.
    """

    status: str
    figures: dict[str, Any]
    arrays: dict[str, Any]
    limits: list[Any]
    found: verification.Verification | None

    @classmethod
    def of(cls, stored: StoredResult) -> Proved:
        """Check a result, with whatever it claims taken as right."""
        figures: dict[str, Any] = {}
        arrays: dict[str, Any] = {}
        limits: list[Any] = []
        with (
            mock.patch.object(Checks, "same", lambda _, key, __, computed: figures.update({key: computed})),
            mock.patch.object(Checks, "equal", lambda _, key, __, computed: arrays.update({key: computed})),
            mock.patch.object(verification, "_check_limits", lambda *found: limits.extend(found[2:])),
        ):
            for status in ("certified", "bounds"):
                try:
                    found = verification.verify(replace(stored, claims={**stored.claims, "status": status}))
                except PnetError:
                    continue
                return cls(status, figures, arrays, limits[-2:], found)
        return cls("", figures, arrays, limits[-2:], None)


def _refit(document: Document) -> None:
    """Put right all that the proof does not contradict, as one who knows the checks would."""
    _describe(document)
    stored = _loaded(document)
    if stored is None:
        return
    proved = Proved.of(stored)
    if proved.found is not None:
        document["status"] = proved.status
    document |= {key: value for key, value in proved.figures.items() if key in document}
    for key, values in proved.arrays.items():
        document["certificate"][key] = encoded(values)
    if proved.limits:
        links, document["binding"] = proved.limits
        document["bottlenecks"] = [vars(item) | {"link": list(item.link)} for item in links]
    for i, level in enumerate(document.get("answer", {}).get("levels", ())):
        level["rate"] = proved.figures.get(f"the rate of level {i}", level["rate"])


def _loaded(document: Document) -> StoredResult | None:
    with NamedTemporaryFile("w", suffix=".json") as file:
        try:
            json.dump(document, file)
            file.flush()
            with np.errstate(all="ignore"):
                return load_result(file.name)
        except (PnetError, ValueError):
            return None
