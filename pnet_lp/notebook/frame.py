"""Tables as DataFrames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pnet_lp.extras import load
from pnet_lp.tables import Columns

if TYPE_CHECKING:
    import pandas as pd


def frame(columns: Columns) -> pd.DataFrame:
    """Return a table as a DataFrame."""
    found: pd.DataFrame = load("pandas", "tables").DataFrame(columns)
    return found
