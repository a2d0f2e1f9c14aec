"""``pnet-lp verify``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command, json_option
from pnet_lp.cli.output import print_json, print_report
from pnet_lp.report.verification import verification_document, verification_report
from pnet_lp.throughput.verify import verify_file


@click.command(cls=Command, example="pnet-lp verify results/ideal-planes/serial/draw-0/proof.json")
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--full", is_flag=True, help="Also run the checks that take long.")
@json_option
def command(result: Path, full: bool, as_json: bool) -> None:
    """Check a saved result without any solver.

    RESULT is a file written by `pnet-lp throughput --save`.  Both bounds are recomputed from the flow, the link
    lengths, the network and the traffic in it.  What cannot be checked, or is checked only with --full, is listed as on
    trust.

    Exit code 1: the file does not prove what it claims; 2: it cannot be read as a result.
    """
    verification = verify_file(result, full=full)
    if as_json:
        print_json(verification_document(verification))
    else:
        print_report(*verification_report(verification))
