"""``pnet-lp verify``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import click
from pydantic import Field

from pnet_lp.cli.command import Command, json_option
from pnet_lp.cli.options import option, options_of
from pnet_lp.cli.output import print_json, print_report
from pnet_lp.cli.time_limit import ending_at
from pnet_lp.deadline import Deadline
from pnet_lp.flags import Flag
from pnet_lp.registry import Params
from pnet_lp.report.verification import verification_report
from pnet_lp.throughput.verify import verify_file


class _Keys(Params):
    """How long to check."""

    time_limit_s: Annotated[float | None, Flag("--time-limit")] = Field(
        None, gt=0, allow_inf_nan=True, description="seconds after which to give up"
    )


@click.command(cls=Command, example="pnet-lp verify results/ideal-planes/serial/draw-0/proof.json")
@click.argument("result", type=click.Path(path_type=Path))
@option("--full", is_flag=True, help="Also run the checks that take long.")
@options_of("keys", _Keys)
@json_option
def command(result: Path, full: bool, keys: _Keys, as_json: bool) -> None:
    """Check a saved result without any solver.

    RESULT is a file written by `pnet-lp throughput --save`.  Both bounds are recomputed from the flow, the link
    lengths, the network and the traffic in it.  What cannot be checked, or is checked only with --full, is listed as on
    trust.

    Exit code 1: the file does not prove what it claims, or that takes more memory or time than there is; 2: it cannot
    be read as a result.
    """
    deadline = Deadline(math.inf if keys.time_limit_s is None else keys.time_limit_s, before="all was checked")
    with ending_at(deadline, "checking the result"):
        verification = verify_file(result, full=full)
    if as_json:
        print_json(verification.to_json())
    else:
        print_report(*verification_report(verification))
