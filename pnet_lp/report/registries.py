"""What is registered or in a catalogue under which name: builders with their parameters, specs with their content."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.files import named_files, read_yaml
from pnet_lp.registry import Entry, NoParams, nearest, one_or_more
from pnet_lp.tables import fact_grid, table_of, text_table
from pnet_lp.units import Quantity, quantity_of

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

WIDEST_PARAMETER = 52
"""Characters of a parameter and its choices on one line."""

BUILDER, CATALOGUE = "builder", "catalogue"
"""Types of entries: code with parameters, or a spec in a data folder."""


def entry_documents(entries: Iterable[Entry[Any]]) -> list[dict[str, Any]]:
    """Return each entry as its JSON document: name, type, summary, source and parameters."""
    return [
        {
            "name": entry.name,
            "type": BUILDER,
            "summary": entry.summary,
            "source": entry.source,
            "example": entry.expression,
            "parameters": _parameters(entry.params),
        }
        for entry in entries
    ]


def catalogue_documents(specs: Mapping[str, Path]) -> list[dict[str, Any]]:
    """Return each spec as its JSON document: that of an entry without parameters, its file and its content.

    A file that is no mapping of YAML does not stand in the way of the others: its content is null, and the summary says
    what is wrong with it.
    """
    return [_spec_document(name, path) for name, path in sorted(specs.items())]


def _of_solver(_: object, solver: Any) -> dict[str, Any]:
    """Return the capabilities of a solver."""
    return {
        "installed": solver.installed(),
        "interruptible": solver.interruptible,
        "forms": sorted(solver.forms),
        "objectives": sorted(solver.objectives),
        "install_hint": solver.install_hint,
    }


def _of_routing(document: Mapping[str, Any], _: object) -> dict[str, Any]:
    """Return a name that shows a parameter without default: ``ksp:K``."""
    first = [item["name"].upper() for item in document["parameters"][:1] if item["required"]]
    return {"name": ":".join([document["name"], *first])}


def experiment_specs() -> dict[str, Path]:
    """Return the specs of the folders called ``experiments``, by the names of the experiments."""
    found = named_files("experiments").items()
    return {name.removesuffix("/spec"): path for name, path in found if name.endswith("/spec")}


def experiment_documents() -> list[dict[str, Any]]:
    """Return each of :func:`experiment_specs` as its JSON document."""
    return [
        {
            **document,
            "summary": str(spec.get("title", document["summary"])),
            "aliases": [str(name) for name in one_or_more(spec.get("aliases") or ())],
        }
        for document in catalogue_documents(experiment_specs())
        for spec in [document["spec"] or {}]
    ]


def _books(quantity: Literal["price", "power"]) -> list[dict[str, Any]]:
    from pnet_lp.cost.books import shipped_books  # noqa: PLC0415

    return [
        {**document, "parts": [{"part": part, **rate} for part, rate in document["spec"]["entries"].items()]}
        for document in catalogue_documents(shipped_books(quantity))
    ]


_RATES = {"usd": "USD", "usd_per_gbps": "USD per Gb/s", "watts": "W", "watts_per_gbps": "W per Gb/s"}
"""Columns of books."""


def _book_table(parts: Sequence[Mapping[str, Any]]) -> Table:
    """Return the entries of a book of prices or powers as a table to read."""
    given = {key for part in parts for key in part}

    def cell(key: str) -> Callable[[Mapping[str, Any]], str]:
        return lambda part: f"{part[key]:,g}" if key in part else ""

    rates = [(label, cell(key)) for key, label in _RATES.items() if key in given]
    style = {"padding": (0, 2, 0, 0), "pad_edge": True, "header_style": "bold"}
    columns = ("date", "{date}"), ("source", "{source}")
    return table_of(parts, ("part", "{part}"), *rates, *columns, texts=("part", "date", "source"), **style)


def _of_preset(_: object, preset: Any) -> dict[str, Any]:
    """Return the values of a preset with their sources."""
    rows = preset(NoParams()).rows()
    return {"values": [dict(zip(("name", "value", "source"), row, strict=True)) for row in rows]}


_FORMATS = (
    "topology.io.NETWORK_FORMATS",
    "traffic.io.MATRIX_FORMATS",
    "workload.io.WORKLOAD_FORMATS",
    "workload.traces.TRACE_FORMATS",
    "tables.TABLE_FORMATS",
    "charts.CHART_FORMATS",
    "drawing.formats.PICTURE_FORMATS",
)


def _formats() -> list[dict[str, Any]]:
    """Return each format of files as its JSON document: an entry's, what it holds, its suffixes, whether it is read."""
    found = []
    for place in _FORMATS:
        module, _, name = place.rpartition(".")
        noun = getattr(importlib.import_module(f"pnet_lp.{module}"), name).noun

        def more(document: Mapping[str, Any], known: Any, noun: str = noun) -> dict[str, Any]:
            suffixes = [*known.suffixes, *known.vague_suffixes]
            return {
                "summary": f"{noun}, {' '.join(suffixes) or 'any suffix'}: {document['summary']}",
                "holds": noun,
                "suffixes": suffixes,
                "read": known.read is not None,
            }

        found += _of(module, name, more=more)()
    return found


def _of(
    module: str, registry: str, folder: str = "", more: Callable[[dict[str, Any], Any], dict[str, Any]] = lambda *_: {}
) -> Callable[[], list[dict[str, Any]]]:
    """Return what lists a registry, imported when it is asked for, and the catalogue in the folders of that name.

    ``more`` returns what the document of an entry has besides, given it and what is registered.
    """

    def documents() -> list[dict[str, Any]]:
        entries = getattr(importlib.import_module(f"pnet_lp.{module}"), registry)
        found = [
            {**document, **more(document, entry.build)}
            for document, entry in zip(entry_documents(entries), entries, strict=True)
        ]
        return found + catalogue_documents(named_files(folder)) if folder else found

    return documents


KINDS: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "topologies": _of("topology", "topologies", "topologies"),
    "traffic": _of("traffic", "traffics", "traffic_matrices"),
    "routings": _of("routing", "ROUTINGS", more=_of_routing),
    "objectives": _of("throughput", "OBJECTIVES"),
    "solvers": _of("throughput.solvers", "SOLVERS", more=_of_solver),
    "bounds": _of("throughput.bounds", "BOUNDS"),
    "questions": _of("questions.base", "QUESTIONS"),
    "experiments": experiment_documents,
    "executors": _of("executors.base", "EXECUTORS"),
    "workloads": _of("workload", "WORKLOADS"),
    "sizes": _of("workload", "SIZES"),
    "collectives": _of("collectives", "ALGORITHMS"),
    "transports": _of("sim", "TRANSPORTS"),
    "queues": _of("sim", "QUEUES"),
    "forwardings": _of("sim", "FORWARDINGS"),
    "presets": _of("sim.preset", "PRESETS", more=_of_preset),
    "architectures": _of("cost", "ARCHITECTURES"),
    "prices": lambda: _books("price"),
    "powers": lambda: _books("power"),
    "charts": _of("charts.kinds", "CHART_KINDS"),
    "formats": _formats,
}
"""What can be listed."""

KIND_LINES = {
    "topologies": "networks: families with parameters, and the catalogue",
    "traffic": "traffic matrices: who sends to whom",
    "routings": "paths that demands may use",
    "objectives": "what a solve optimises",
    "solvers": "what solves linear programs here",
    "bounds": "bounds on the throughput without solving",
    "questions": "what can be asked, with all keys of a case",
    "experiments": "published figures and tables that `pnet-lp sweep` repeats",
    "executors": "where sweeps compute",
    "workloads": "flows over time",
    "sizes": "distributions of flow sizes",
    "collectives": "algorithms of collective operations, for traffic and workloads",
    "transports": "how simulated hosts send",
    "queues": "queue disciplines of simulated ports",
    "forwardings": "how simulated packets get their path",
    "presets": "settings of simulations by paper",
    "architectures": "networks that are only priced",
    "prices": "price books",
    "powers": "power books",
    "charts": "kinds of charts of experiments",
    "formats": "file formats of networks, matrices, workloads, tables, charts and drawings",
}
"""One line about each of :data:`KINDS`."""


def list_documents(kind: str, name: str | None = None) -> list[dict[str, Any]]:
    """Return the documents of one of :data:`KINDS`; with ``name``, of the entries of that name or alias only.

    A builder and a spec can have one name, and a command then takes the builder.

    Raises:
        SpecError: there is no such entry; the message offers the nearest.
    """
    documents = KINDS[kind]()
    if name is None:
        return documents
    names = [(document["name"], *document.get("aliases", ())) for document in documents]
    found = [document for document, known in zip(documents, names, strict=True) if name in known]
    if not found:
        offered = nearest(name, list(chain.from_iterable(names)))
        allowed = ", ".join(dict.fromkeys(first for first, *_ in names))
        raise SpecError(f"there is no {name!r} among the {kind}{offered}", allowed=allowed)
    return found


def overview(documents: Sequence[Mapping[str, Any]]) -> list[RenderableType]:
    """Return one line for each entry, builders before the catalogue, as lines to read."""
    width = max((len(document["name"]) for document in documents), default=0)
    lines: list[RenderableType] = []
    for kind, title in ((BUILDER, ""), (CATALOGUE, "catalogue")):
        chosen = [document for document in documents if document["type"] == kind]
        if title and chosen and lines:
            lines += ["", title]
        lines += [f"{document['name']:<{width}}  {_summary_line(document)}" for document in chosen]
    for document in documents:
        if "parts" in document:
            lines += ["", document["name"], _book_table(document["parts"])]
    return lines


def in_full(document: Mapping[str, Any]) -> list[RenderableType]:
    """Return one entry as lines to read: where it is from, and its parameters or its content."""
    head = fact_grid()
    head.add_row(document["name"], _summary_line(document))
    if document["source"]:
        head.add_row("source", document["source"])
    if document.get("example", document["name"]) != document["name"]:
        head.add_row("example", document["example"])
    if document["type"] == CATALOGUE:
        head.add_row("spec", document["file"])
        if "parts" in document:
            return [head, "", _book_table(document["parts"])]
        for key, value in (document["spec"] or {}).items():
            if key not in {"description", "source"}:
                head.add_row(key, _value_text(value))
        return [head]
    if "values" in document:
        columns = [("value", "{name}"), ("", "{value}"), ("source", "{source}")]
        style = {"padding": (0, 2, 0, 0), "pad_edge": True, "header_style": "bold"}
        return [head, "", table_of(document["values"], *columns, texts=dict(columns), **style)]
    if not document["parameters"]:
        head.add_row("parameters", "none")
        return [head]
    return [head, "", _parameter_table(document["parameters"])]


def flat_entries(documents: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return one row per parameter, and one for an entry that has none."""
    nothing = {"name": "", "type": "", "required": False, "default": None, "description": ""}
    return [
        {
            "name": document["name"],
            "entry": document["type"],
            "summary": document["summary"],
            "source": document["source"],
            "parameter": item["name"],
            "type": item["type"],
            "required": item["required"],
            "default": _value_text(item["default"]),
            "description": item["description"],
        }
        for document in documents
        for item in document["parameters"] or [nothing]
    ]


def _spec_document(name: str, path: Path) -> dict[str, Any]:
    summary, source = "", ""
    try:
        spec = read_yaml(path)
        if not isinstance(spec, dict):
            raise SpecError("not a spec", where=str(path), allowed="a mapping")
        summary, source = (" ".join(str(spec.get(key, "")).split()) for key in ("description", "source"))
    except PnetError as error:
        spec, summary = None, f"(cannot be used: {error})"
    return {
        "name": name,
        "type": CATALOGUE,
        "summary": summary,
        "source": source,
        "parameters": [],
        "file": str(path),
        "spec": _plain(spec),
    }


def _plain(value: object) -> object:
    """Return what a YAML file holds without the types that JSON lacks, such as dates."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _summary_line(document: Mapping[str, Any]) -> str:
    missing = "" if document.get("installed", True) else f" (not installed: {document['install_hint']})"
    called = ", ".join(document.get("aliases", ()))
    return f"{document['summary']}{f' ({called})' if called else ''}{missing}"


def _parameter_table(parameters: Sequence[Mapping[str, Any]]) -> Table:
    table = text_table(padding=(0, 2, 0, 0), pad_edge=True, header_style="bold")
    typed = [f"{item['name']}={item['type']}" for item in parameters]
    for column in ("parameter", "default", "meaning"):
        # What is to be typed must be read whole: on one line, or, where there are very many choices, folded.
        widest = min(max(map(len, typed)), WIDEST_PARAMETER) if column == "parameter" else None
        table.add_column(column, min_width=widest, max_width=widest, overflow="fold")
    for written, item in zip(typed, parameters, strict=True):
        default = "required" if item["required"] else _value_text(item["default"])
        table.add_row(written, default, item["description"])
    return table


def _parameters(model: type[BaseModel]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "type": quantity.name if quantity else _type_text(field.annotation),
            "required": field.is_required(),
            "default": None if field.is_required() else _default(field, quantity),
            "description": field.description or "",
        }
        for name, field in model.model_fields.items()
        for quantity in [quantity_of(field.annotation, field.metadata)]
    ]


def _default(field: FieldInfo, quantity: Quantity | None) -> Any:
    value = field.get_default(call_default_factory=False)
    return value if quantity is None or value is None else quantity.format(value)


def _value_text(value: object) -> str:
    """Return a value as it is written in an expression; nothing is None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return ", ".join(f"{key}={_value_text(item)}" for key, item in value.items())
    if isinstance(value, tuple):
        return "x".join(map(_value_text, value))
    if isinstance(value, list):
        return "\n".join(map(_value_text, value))
    return str(value)


def _type_text(annotation: Any) -> str:
    """Return how a parameter's values are written, e.g. ``int``, ``random|pairs`` or ``list of int``."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type_text(arguments[0])
    if origin is Literal:
        return "|".join(map(str, arguments))
    if origin in (Union, UnionType):
        return "|".join(_type_text(item) for item in arguments if item is not NoneType)
    if origin in (tuple, list):
        return f"list of {_type_text(arguments[0])}"
    return getattr(annotation, "__name__", str(annotation))
