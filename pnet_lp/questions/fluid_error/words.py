"""The error of the fluid to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pnet_lp.questions.fluid_error.answer import FluidErrorAnswer
from pnet_lp.questions.fluid_error.case import SIZE_CLASSES
from pnet_lp.tables import Columns, fact_grid, from_rows, text_table

if TYPE_CHECKING:
    from rich.table import Table


def report(document: Mapping[str, Any]) -> list[Table | str]:
    """Return the mix, and the errors by size of flows."""
    grid = fact_grid()
    for key in ("topology", "traffic", "workload"):
        grid.add_row(key, document[f"mix_{key}"])
    grid.add_row("packets", f"99th percentile of slowdowns {document['packets_p99']:.4g}")
    table = text_table()
    table.add_column("fluid")
    for name in ("99th percentile", "all", *SIZE_CLASSES):
        table.add_column(name.replace("_", " "), justify="right")
    for model in ("plain", "corrected"):
        errors = (document[f"{model}_{key}"] for key in ("percent", *SIZE_CLASSES))
        shown = ("-" if error is None else f"{error:+.1f} %" for error in errors)
        table.add_row(model, f"{document[f'{model}_p99']:.4g}", *shown)
    return [grid, "", table]


def table(answer: FluidErrorAnswer) -> Columns:
    """Return one row."""
    return from_rows([answer.columns])
