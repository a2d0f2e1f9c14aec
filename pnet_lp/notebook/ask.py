"""Each question as a function, made from the model of its cases; ``ask.pyi`` states their arguments with types.

The stub is written by ``python tools/stubs.py``, and a test holds it to the models.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.executors.base import DEFAULT_EXECUTOR, parse_executor
from pnet_lp.flags import flag_of
from pnet_lp.notebook.inputs import given, matrix_of, network_of, workload_of
from pnet_lp.notebook.progress import progress_text
from pnet_lp.questions.ask import ask
from pnet_lp.questions.base import QUESTIONS, Answer, Case, Run, model_of
from pnet_lp.questions.keys import NOTHING_BUILT, Built
from pnet_lp.registry import nearest, validate
from pnet_lp.threads import check_threads
from pnet_lp.topology import PlaneSettings

_TEXTS = (str, Path)

_IN_PLACE = {"architecture": "topology:ring:n=3", "traffic": "all-to-all", "workload": "incast:senders=1,sizes=1B"}
"""What a case says of what is given as a value: models check that it is an expression; nothing is built of it."""

_NETWORKS = ("topology", "architecture")
"""Keys that a network can be the value of."""


def question(name: str) -> Callable[..., Answer]:
    """Return the function that asks a question.

    Raises:
        SpecError: there is no such question.
    """
    model, with_values = model_of(name), takes_values(name)
    argument = first_argument(model)

    def call(*arguments: Any, **keys: Any) -> Answer:
        for key in keys:
            if key not in signature.parameters:
                raise TypeError(
                    f"{called}() got an unexpected keyword argument {key!r}{nearest(key, signature.parameters)}"
                )
        try:
            bound = signature.bind(*arguments, **keys)
        except TypeError as error:
            raise TypeError(f"{called}(): {error}") from None
        values = dict(bound.arguments)
        check_threads(values.get("threads", 0), values.get("jobs", 1))
        for key, needs in (("threads", model.threads), ("jobs", model.jobs), ("executor", model.jobs)):
            if key in values and needs and not any(values.get(name) for name in needs):
                raise SpecError(f"has no meaning without {' or '.join(needs)}", where=key, found=values[key])
        threads = values.pop("threads", 0)
        where = parse_executor(values.pop("executor", DEFAULT_EXECUTOR), values.pop("jobs", None))
        progress, capacity = values.pop("progress", False), values.pop("capacity", None)
        values = {key: value for key, value in values.items() if value is not None or key == argument}
        built = _built(values, capacity) if with_values else NOTHING_BUILT
        case = validate(model, {key: _plain(value) for key, value in values.items()})
        case.check_alone()
        shown: AbstractContextManager[Any] = progress_text() if progress else nullcontext()
        with shown as on_progress:
            run = Run(threads, where, on_progress=on_progress, deadline=case.deadline())
            return ask(name, case, run, built=built)

    signature, called = inspect.Signature(_parameters(model)), name.replace("-", "_")
    call.__name__ = call.__qualname__ = called
    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__doc__ = _doc(model)
    return call


def first_argument(model: type[Case]) -> str | None:
    """Return the key that needs no name, None where each does."""
    return next((key for key, field in model.model_fields.items() if flag_of(field.metadata).argument), None)


def own_keys(model: type[Case]) -> list[str]:
    """Return the keys that are keywords of the function, those without a default first."""
    fields = model.model_fields
    keys = [key for key in fields if key != first_argument(model) and (key != "draws" or model.pooled)]
    return sorted(keys, key=lambda key: not fields[key].is_required())


def shared_keywords(model: type[Case]) -> dict[str, tuple[str, str]]:
    """Return the keywords that are no keys of a case: type and description by name."""
    found = {"capacity": ("str | None", "name of the edge attribute, or of the column, that holds the Gb/s of links")}
    if first_argument(model) not in _NETWORKS:
        found = {}
    if model.threads is not None:
        found["threads"] = ("int", "number of threads; 0 for all cores")
    if model.jobs is not None:
        found["jobs"] = ("int", "number of parallel processes")
        found["executor"] = ("str", "where it is computed, as of ``--executor``")
    return {**found, "progress": ("bool", "whether to show on stderr how far it is")}


def _parameters(model: type[Case]) -> list[inspect.Parameter]:
    first = first_argument(model)
    named = [*own_keys(model), *shared_keywords(model)]
    return [
        *([inspect.Parameter(first, inspect.Parameter.POSITIONAL_OR_KEYWORD)] if first else []),
        *(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in named),
    ]


def _doc(model: type[Case]) -> str:
    """Return the help text of a question, with its arguments."""
    fields = model.model_fields
    first = first_argument(model)
    keys = {key: str(fields[key].description) for key in (*([first] if first else []), *own_keys(model))}
    keys |= {name: text for name, (_, text) in shared_keywords(model).items()}
    lines = [f"    {key}: {text}." for key, text in keys.items()]
    return f"{inspect.getdoc(model)}\n\nArgs:\n" + "\n".join(lines)


def takes_values(name: str) -> bool:
    """Return whether networks, demands and flows of a question can be values; a search builds its own."""
    return "built" in inspect.signature(QUESTIONS.get(name).build).parameters


def _built(values: dict[str, Any], capacity: str | None) -> Built:
    """Return the values among the arguments, and leave what is called like them in their place."""
    found: dict[str, Any] = {}
    key = next((key for key in _NETWORKS if key in values), None)
    if key is not None and (capacity is not None or not _named(values[key], several=key == "topology")):
        planes = {name: values.pop(name) for name in PlaneSettings.model_fields if name in values}
        try:
            network = network_of(
                values[key], given(PlaneSettings, **planes), capacity=capacity, seed=values.get("seed", 0)
            )
        except PnetError as error:
            if error.where != "topology":
                raise
            raise type(error)(error.problem, where=key, found=error.found, allowed=error.allowed) from None
        found["network"] = network
        values[key] = _IN_PLACE.get(key, tuple(plane.label or "plane" for plane in network.planes))
    traffic, workload = values.get("traffic"), values.get("workload")
    if not (traffic is None or isinstance(traffic, _TEXTS)):
        found["traffic"] = partial(matrix_of, traffic, level=values.get("level"), seed=0)
        values["traffic"] = _IN_PLACE["traffic"]
    if not (workload is None or isinstance(workload, _TEXTS)):
        if traffic is not None:
            raise SpecError("the flows say who sends to whom", where="traffic", allowed="no traffic beside them")
        found["workload"] = partial(workload_of, workload)
        values["workload"] = _IN_PLACE["workload"]
    return Built(**found) if found else NOTHING_BUILT


def _named(topology: object, *, several: bool) -> bool:
    """Whether a network is given by name, or where there can be ``several``, by names of its planes."""
    items = topology if several and isinstance(topology, list | tuple) else [topology]
    return all(isinstance(item, _TEXTS) for item in items)


def _plain(value: object) -> object:
    """Return a value as a spec would have it."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, range | list | tuple):
        return [_plain(item) for item in value]
    return value


def __getattr__(name: str) -> Callable[..., Answer]:
    if name.startswith("_") or name.replace("_", "-") not in QUESTIONS:
        raise AttributeError(f"there is no question {name!r}")
    return globals().setdefault(name, question(name.replace("_", "-")))
