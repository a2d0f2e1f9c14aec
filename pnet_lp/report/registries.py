"""What is registered under which name, with which parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from rich.table import Table

from pnet_lp.registry import Entry, Registry
from pnet_lp.throughput import ROUTINGS
from pnet_lp.throughput.solvers import Solver

WIDEST_PARAMETER = 52
"""Characters of a parameter and its choices on one line."""

_ROUTINGS = {"ideal": "any path in any plane, split in the best way"}
"""One line for each routing."""


def entry_documents(entries: Iterable[Entry[Any]]) -> list[dict[str, Any]]:
    """Return each entry as its JSON document: name, summary, source and parameters."""
    return [
        {
            "name": entry.name,
            "summary": entry.summary,
            "source": entry.source,
            "parameters": _parameters(entry.params),
        }
        for entry in entries
    ]


def solver_documents(solvers: Registry[type[Solver]]) -> list[dict[str, Any]]:
    """Return each solver as its JSON document: an entry's, and its capabilities."""
    return [
        {
            **document,
            "installed": solver.installed(),
            "interruptible": solver.interruptible,
            "routings": sorted(solver.routings),
            "objectives": sorted(solver.objectives),
            "install_hint": solver.install_hint,
        }
        for document in entry_documents(solvers)
        for solver in [solvers.get(document["name"]).build]
    ]


def routing_documents() -> list[dict[str, Any]]:
    """Return each routing as its JSON document."""
    return [{"name": name, "summary": _ROUTINGS[name], "source": "", "parameters": []} for name in ROUTINGS]


def entries_table(documents: Sequence[dict[str, Any]]) -> Table:
    """Return documents of entries as a table to read."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    typed = [f"{item['name']}={item['type']}" for document in documents for item in document["parameters"]]
    for column in ("name", "parameter", "default", "meaning"):
        # What is to be typed must be read whole: on one line, or, where there are very many choices, folded.
        widest = min(max(map(len, typed), default=0), WIDEST_PARAMETER) if column == "parameter" else None
        table.add_column(column, min_width=widest, max_width=widest, overflow="fold")
    for document in documents:
        notes = [document["summary"]]
        if document["source"]:
            notes.append(f"({document['source']})")
        if not document.get("installed", True):
            notes.append(f"(not installed: {document['install_hint']})")
        table.add_row(document["name"], "", "", " ".join(notes), style="bold")
        for item in document["parameters"]:
            default = "required" if item["required"] else item["default"]
            shown = "" if default is None else str(default)
            table.add_row("", f"{item['name']}={item['type']}", shown, item["description"])
    return table


def flat_entries(documents: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row per parameter, and one for an entry that has none."""
    nothing = {"name": "", "type": "", "required": False, "default": None, "description": ""}
    return [
        {
            "name": document["name"],
            "summary": document["summary"],
            "source": document["source"],
            "parameter": item["name"],
            "type": item["type"],
            "required": item["required"],
            "default": "" if item["default"] is None else str(item["default"]),
            "description": item["description"],
        }
        for document in documents
        for item in document["parameters"] or [nothing]
    ]


def _parameters(model: type[BaseModel]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "type": _type_in_words(field.annotation),
            "required": field.is_required(),
            "default": None if field.is_required() else field.get_default(call_default_factory=False),
            "description": field.description or "",
        }
        for name, field in model.model_fields.items()
    ]


def _type_in_words(annotation: Any) -> str:
    """Return how a parameter's values are written, e.g. ``int``, ``random|pairs`` or ``list of int``."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type_in_words(arguments[0])
    if origin is Literal:
        return "|".join(map(str, arguments))
    if origin in (Union, UnionType):
        return "|".join(_type_in_words(item) for item in arguments if item is not NoneType)
    if origin in (tuple, list):
        return f"list of {_type_in_words(arguments[0])}"
    return getattr(annotation, "__name__", str(annotation))
