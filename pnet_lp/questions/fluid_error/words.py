"""The error of the fluid to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pnet_lp.questions.fluid_error.answer import FluidErrorAnswer
from pnet_lp.questions.fluid_error.case import SIZE_CLASSES
from pnet_lp.tables import Columns, fact_grid, from_rows, table_of

if TYPE_CHECKING:
    from rich.table import Table


def report(document: Mapping[str, Any]) -> list[Table | str]:
    """Return the mix, and the errors by size of flows."""
    mix = [(key, document[f"mix_{key}"]) for key in ("topology", "traffic", "workload")]
    packets = ("packets", f"99th percentile of slowdowns {document['packets_p99']:.4g}")
    rows = []
    for model in ("plain", "corrected"):
        errors = (document[f"{model}_{key}"] for key in ("percent", *SIZE_CLASSES))
        shown = ("-" if error is None else f"{error:+.1f} %" for error in errors)
        rows.append((model, f"{document[f'{model}_p99']:.4g}", *shown))
    names = ("fluid", "99th percentile", "all", *(name.replace("_", " ") for name in SIZE_CLASSES))
    return [fact_grid([*mix, packets]), "", table_of(names, rows, texts=("fluid",))]


def table(answer: FluidErrorAnswer) -> Columns:
    """Return one row."""
    return from_rows([answer.columns])
