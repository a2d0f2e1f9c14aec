"""What a search found, as tables and networks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from pnet_lp.design import Found
from pnet_lp.notebook.frame import frame
from pnet_lp.notebook.solved import Solved
from pnet_lp.report.find import find_columns, find_document, find_lines, front_chart

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class NetworksFound:
    """The networks that carry what is asked, each more than anything that costs no more.

    Attributes:
        found: all that the search returned.
    """

    found: Found

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.found.front)

    def __getitem__(self, place: int) -> Solved:
        """Return one of them, best first, as :func:`~pnet_lp.solve` does: network, links, proof."""
        one = self.found.front[place]
        return Solved(one.candidate.network, one.traffic, one.result)

    @cached_property
    def front(self) -> pd.DataFrame:
        """A row per network, best first: ``command``, ``gbps_per_host``, ``total_usd``, ``watts``, ``switches``, ..."""
        return frame(find_columns(self.found, self.to_json(), everything=False))

    @cached_property
    def candidates(self) -> pd.DataFrame:
        """The same with a row for each candidate that was ruled out, and the reason: ``ruled_out``."""
        return frame(find_columns(self.found, self.to_json(), everything=True))

    def plot(self) -> Figure:
        """Return a chart of the front: throughput over price, or over power where that ranks."""
        return front_chart(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """Return the document of ``pnet-lp find --json``."""
        return find_document(self.found)

    def __repr__(self) -> str:
        best = self.found.front[0]
        return (
            f"<{len(self)} networks found; best: {best.candidate.command}, {best.gbps_per_host:.6g} Gb/s per host for "
            f"{best.quote.total_usd:,.0f} USD>"
        )

    def _repr_html_(self) -> str:
        """Show the front as a table, and how the other candidates were ruled out."""
        document = self.to_json()
        columns = {
            "command": "network",
            "gbps_per_host": "Gb/s per host",
            "total_usd": "USD",
            "usd_per_host": "USD per host",
            "watts": "watts",
            "switches": "switches",
        }
        head = "".join(f"<th scope='col'>{name}</th>" for name in columns.values())
        rows = "".join(f"<tr>{''.join(_cell(one[key]) for key in columns)}</tr>" for one in document["front"])
        said = "<br>".join(map(escape, find_lines(document)))
        return f"<div><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table><p>{said}</p></div>"


def _cell(value: object) -> str:
    if isinstance(value, str):
        return f"<td style='text-align:left'><code>{escape(value)}</code></td>"
    return f"<td style='text-align:right'>{value:,.6g}</td>"
