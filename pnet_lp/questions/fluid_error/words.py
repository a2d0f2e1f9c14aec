"""The error of the fluid to read."""

from __future__ import annotations

from functools import partial

from pnet_lp.questions.fluid_error.answer import MODELS, FluidErrorAnswer
from pnet_lp.questions.fluid_error.case import SIZE_CLASSES
from pnet_lp.tables import Columns, Document, Report, facts, from_rows, table_of


def report(document: Document) -> Report:
    """Return the mix, and the errors by size of flows."""
    grid = facts(
        document,
        *((key, f"{{mix_{key}}}") for key in ("topology", "traffic", "workload")),
        ("packets", "99th percentile of slowdowns {packets_p99:.4g}"),
    )

    def error(model: str, key: str) -> str:
        percent = document[f"{model}_{key}"]
        return "-" if percent is None else f"{percent:+.1f} %"

    table = table_of(
        MODELS,
        ("fluid", str),
        ("99th percentile", lambda model: f"{document[f'{model}_p99']:.4g}"),
        ("all", partial(error, key="percent")),
        *((key.replace("_", " "), partial(error, key=key)) for key in SIZE_CLASSES),
        texts=("fluid",),
    )
    return [grid, "", table]


def table(answer: FluidErrorAnswer) -> Columns:
    """Return one row."""
    return from_rows([answer.columns])
