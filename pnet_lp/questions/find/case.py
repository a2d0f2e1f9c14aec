"""Keys of a question about a search for networks."""

from __future__ import annotations

from pnet_lp.design import FindSettings
from pnet_lp.failures import DRAWN
from pnet_lp.questions.base import Case, OutputOption
from pnet_lp.tables import TABLE_FORMATS


class FindCase(FindSettings, Case):
    """Find the cheapest networks that carry a given load, each with its proof.

    Candidates are all topology families, numbers of planes, speeds and oversubscriptions.  Proved bounds rule out most
    of them without a solve; the others are solved and certified.  The result is the Pareto front: networks that carry
    more than any that costs no more.

    Ctrl-C and --time-limit end the search with the front so far.  A candidate that does not fit into memory is left out
    and named.

    Exit code 3: the time was over, or the bounds of a network have not met within the tolerance; they hold all the
    same.  Exit code 130: Ctrl-C.
    """

    headline = "total_usd"
    columns = {  # noqa: RUF012 - of a model, which is frozen
        **{key: f"front.0.{key}" for key in ("gbps_per_host", "watts", "switches")},
        "networks": "",
        "candidates": "",
        "command": "front.0.command",
    }
    example = "--hosts 64 --min-gbps-per-host 100 --radix 16 --speeds 100,400 --planes 1,4"
    rows = "network"
    plot = "throughput over price, or over power where that ranks"
    outputs = {  # noqa: RUF012 - of a model, which is frozen
        "candidates": OutputOption(
            "Write a table of all candidates, those that were ruled out with the reason.", TABLE_FORMATS
        )
    }
    jobs = DRAWN
