"""What is shown of any answer, by the words of its question: its table, and what a notebook displays.

Like words, it is loaded for nothing else.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from pnet_lp.errors import SpecError
from pnet_lp.extras import frame
from pnet_lp.questions.base import Answer, sibling
from pnet_lp.tables import WIDTH, Columns, from_rows, printed

if TYPE_CHECKING:
    import pandas as pd


def table(answer: Answer) -> Columns:
    """Return the table that the command writes with ``--out``.

    Raises:
        SpecError: the question has none.
    """
    words = sibling(type(answer).__module__, "words")
    if hasattr(words, "table"):
        found: Columns = words.table(answer)
        return found
    if not answer.rows_at:
        raise SpecError(f"{type(answer).__name__} has no table", allowed="to_json()")
    return from_rows(answer.document[answer.rows_at])


def table_frame(answer: Answer) -> pd.DataFrame:
    """Return the table as a DataFrame."""
    return frame(table(answer))


def report_html(answer: Answer) -> str:
    """Return as HTML what the command prints."""
    parts = sibling(type(answer).__module__, "words").report(answer.document)
    console = printed(parts, file=io.StringIO(), record=True, width=WIDTH)
    return console.export_html(inline_styles=True, code_format="<pre style='line-height:1.25'>{code}</pre>")
