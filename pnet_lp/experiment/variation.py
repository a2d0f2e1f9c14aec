"""A published experiment with other settings: which cases it has, and which claims are still about it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pnet_lp.errors import SpecError, Verbatim
from pnet_lp.experiment.axes import axis_values, key_of, keys_of
from pnet_lp.experiment.claims import Claim, Claims, Size
from pnet_lp.experiment.grid import GRID, expand, slug
from pnet_lp.experiment.spec import QUICK, Chart, Experiment, Variation, load_experiment, read_spec, state_experiment
from pnet_lp.experiment.spec import value_text as chart_text
from pnet_lp.experiment.store import Store
from pnet_lp.questions.base import DEFAULT_QUESTION, Case, model_of
from pnet_lp.registry import unknown, validate

OF_SPEC = ("title", "column", "unit", "baseline", "spread")
"""Keys of a spec beside those of its cases that can be set."""

_SAMPLING = {"draws", "seed"}
"""Keys that say which draws are made, not of what."""


def parse_settings(texts: Iterable[str], question: str) -> dict[str, list[Any]]:
    """Return the settings in texts such as ``planes=2,4``: values by key.

    Args:
        texts: a key, or the name of its option, and a value or several with commas, as on an axis of a sweep.
        question: the question of the experiment.

    Raises:
        SpecError: not KEY=VALUE, a key that neither a case nor the spec has, a key twice, or a value that it cannot
            have.
    """
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise SpecError("not KEY=VALUE", found=text, allowed=Verbatim("such as draws=10"))
        key = name if name in OF_SPEC else _key(name, question)
        if key in found:
            raise SpecError("is given twice", where=key, allowed="all values in one list")
        found[key] = [value] if key in OF_SPEC else axis_values(key, value, question)
    return found


def load_variation(
    path: str | Path, settings: Mapping[str, Sequence[Any]], *, seed: int | None = None, size: Size = "paper"
) -> Experiment:
    """Return the experiment in a folder with other settings, which has a name of its own.

    A value takes the place of what the spec says of its key, for all cases, for some or at quick size; values of a grid
    are replaced by those given.  A key that the spec does not say is set for all cases.  A chart loses the words, and
    quick size the cases, that are not there.  Claims are kept that are about cases which the published experiment has
    with the same keys, draws and seed aside.

    Args:
        path: the folder, or its ``spec.yaml``.
        settings: values by key of a case, or of :data:`OF_SPEC`; several only for a key that is said in grids alone.
        seed: as of :func:`~pnet_lp.experiment.spec.load_experiment`.
        size: as of :func:`~pnet_lp.experiment.spec.load_experiment`.

    Raises:
        SpecError: as there; a key that is none; several values where there is no grid.
    """
    published = load_experiment(path, seed=seed, size=size)
    files = read_spec(path)
    values, question = deepcopy(files.values), str(files.values.get("question", DEFAULT_QUESTION))
    changed = {name if name in OF_SPEC else _key(name, question): list(given) for name, given in settings.items()}
    for key, given in changed.items():
        if not given:
            raise SpecError("no values", where=key, allowed="one at least")
        if key in OF_SPEC:
            values[key] = _single(key, given, "the spec")
        else:
            _set(values, key, given, model_of(question))
    chart = _prune(values, question, files.file)
    name = _name(files.name, changed)
    variation = Variation(of=files.name, settings=changed)
    values["title"] = f"Variation of {files.name} ({variation.text}): {values['title']}"
    made = state_experiment(values, name, f"{files.file} with {variation.text}", seed=seed, size=size)
    kept = () if "column" in changed else _applying(published, made)
    total = len(published.claimed.claims) if published.claimed else 0
    return made.model_copy(
        update={
            "chart": made.chart and made.chart.model_copy(update={"words": _words(made.chart, chart, made)}),
            "claimed": Claims(source=published.claimed.source, claims=kept) if published.claimed and kept else None,
            "variation": variation.model_copy(update={"dropped": total - len(kept)}),
        }
    )


def stored_variation(folder: Path) -> tuple[Variation, Size] | None:
    """Return what a complete run in a folder of results has changed, and its size; None where it is of no variation.

    Raises:
        SpecError: what is left is not as it was written.
    """
    left = Store(folder).read()
    spec = left[0]["spec"] if left else {}
    if not spec.get("variation"):
        return None
    return validate(Variation, spec["variation"], str(folder)), QUICK if spec["size"] == QUICK else "paper"


def _key(name: str, question: str) -> str:
    """Return the key of a case that a word stands for."""
    try:
        return key_of(name, question)
    except SpecError:
        known = [key.replace("_", "-") for key in keys_of(question)] + list(OF_SPEC)
        raise unknown("no key of the experiment is called", name, known) from None


def _single(key: str, given: Sequence[Any], what: str) -> Any:
    if len(given) > 1:
        raise SpecError(f"several values, and {what} has no grid of them", where=key, found=given, allowed="one")
    return given[0]


def _set(values: dict[str, Any], key: str, given: list[Any], model: type[Case]) -> None:
    """Put the values of a key into a spec: wherever the spec says the key, or for all cases where it does not.

    Where some cases say it, presets of others do so as well.
    """
    values.get(QUICK, {}).pop(key, None)
    said = False
    for name, entry in values["cases"].items():
        entry.get(QUICK, {}).pop(key, None)
        if key in entry.get(GRID, {}):
            entry[GRID][key], said = given, True
        elif key in entry:
            entry[key], said = _single(key, given, f"case {name}"), True
    common = values.setdefault("common", {})
    for name, entry in values["cases"].items() if said else ():
        if key not in entry and key not in entry.get(GRID, {}) and key in model.stated({**common, **entry}):
            entry[key] = _single(key, given, f"case {name}")
    if key in common or key in _SAMPLING or not said:
        common[key] = _single(key, given, "the spec")


def _prune(values: dict[str, Any], question: str, where: str) -> Mapping[str, str]:
    """Remove patterns of cases, and words of the chart, that may have lost what they stand for; return these words."""
    names: list[str] = []
    for entry, own in values["cases"].items():
        given = {key: value for key, value in own.items() if key != QUICK}
        names += expand(entry, given, f"{where}: cases.{entry}", keys_of(question))
    for part in (values.get(QUICK), values.get("chart")):
        if part and "cases" in part:
            part["cases"] = _found(part["cases"], names)
            if not part["cases"]:
                del part["cases"]
    words: Mapping[str, str] = (values.get("chart") or {}).pop("words", {})
    return words


def _found(patterns: Iterable[str], names: Collection[str]) -> list[str]:
    return [pattern for pattern in patterns if any(fnmatchcase(name, pattern) for name in names)]


def _words(chart: Chart, words: Mapping[str, str], experiment: Experiment) -> dict[str, str]:
    """Return those words of a chart that are about keys and values which it shows."""
    shown = {chart_text(case.chart_value(key)) for case in experiment.cases.values() for key in chart.keys}
    return {word: label for word, label in words.items() if word in {*chart.keys, *shown}}


def _name(name: str, settings: Mapping[str, Sequence[Any]]) -> str:
    """Return the name of a variation; with more draws it is the same, unless nothing else is set."""
    kept = {key: value for key, value in settings.items() if key != "draws"}
    if not kept:
        return f"{name}-set-draws"
    content = hashlib.sha256(repr(sorted(kept.items())).encode()).hexdigest()[:8]
    return "-".join([name, "set", *map(slug, kept), content])


def _applying(published: Experiment, made: Experiment) -> tuple[Claim, ...]:
    """Return the claims whose cases are the same in both experiments."""
    same = {name for name, case in made.cases.items() if _content(case) == _content(published.cases.get(name))}

    def applies(claim: Claim) -> bool:
        for pattern in claim.about:
            about = [{name for name in one.cases if fnmatchcase(name, pattern)} for one in (published, made)]
            if not about[0] or about[0] != about[1] or not about[0] <= same:
                return False
        return True

    return tuple(claim for claim in (published.claimed.claims if published.claimed else ()) if applies(claim))


def _content(case: Case | None) -> Mapping[str, Any] | None:
    return None if case is None else case.model_dump(exclude=_SAMPLING)
