"""The tables of a run as a data package: what each column is, in the words that other programs read.

A ``datapackage.json`` by the Data Package standard (frictionless), version 1.  It has the same bytes for equal specs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pnet_lp.experiment.spec import Experiment
from pnet_lp.report.chart import UNITS
from pnet_lp.tables import Columns

_UNITS = {**UNITS, "ns": "ns", "ps": "ps", "watts": "W", "hops": "hops"}
"""What the ends of names of columns say; charts write the others as they are."""

_FORMS = {
    "csv": {"format": "csv", "mediatype": "text/csv", "encoding": "utf-8"},
    "parquet": {"format": "parquet", "mediatype": "application/vnd.apache.parquet"},
}
"""What a resource says of its file, by the suffix."""

TABLES = tuple(_FORMS)
"""Formats of the tables of a run."""


def data_package(experiment: Experiment, tables: Mapping[str, Columns]) -> dict[str, Any]:
    """Return the descriptor of the tables of a run.

    Args:
        experiment: what ran.
        tables: by the name of the file beside the descriptor, in CSV or Parquet.
    """
    claimed = experiment.claimed
    # What is not CSV is not tabular data in the words of the standard.
    tabular = all(path.endswith(".csv") for path in tables)
    return {
        "profile": "tabular-data-package" if tabular else "data-package",
        "name": re.sub(r"[^a-z0-9._-]+", "-", experiment.folder.lower()),
        "title": experiment.title,
        **({"sources": [{"title": claimed.source}]} if claimed else {}),
        "resources": [
            {
                "profile": "tabular-data-resource" if tabular else "data-resource",
                "name": path.partition(".")[0],
                "path": path,
                **_FORMS[path.rpartition(".")[2]],
                "schema": {
                    "fields": [_field(name, values) for name, values in columns.items()],
                    **({"missingValues": [""]} if tabular else {}),
                },
            }
            for path, columns in tables.items()
        ],
    }


def _field(name: str, values: Iterable[object]) -> dict[str, str]:
    unit = _UNITS.get(name.rpartition("_")[2]) if "_" in name or name == "percent" else None
    return {"name": name, "type": _type(values), **({"unit": unit} if unit else {})}


def _type(values: Iterable[object]) -> str:
    """Return what all values of a column are, but for those that are missing."""
    kinds = {type(value) for value in values if value is not None}
    for type_, kind in (("boolean", {bool}), ("integer", {int}), ("number", {int, float})):
        if kinds and kinds <= kind:
            return type_
    return "string"
