"""The command ``pnet-lp``, which ``python -m pnet_lp`` is too."""

from __future__ import annotations

import gc
import sys

from pnet_lp import interrupts, stdout

_OBJECTS = 100_000
"""Made before garbage is looked for: of what is imported nothing is garbage, and looking takes 6 % of the start."""


def run() -> None:
    """Run the command line; Ctrl-C is heard, and nobody else prints, from the first import on."""
    try:
        stdout.claim()  # before anything is opened that could get its number
        interrupts.install()
        gc.set_threshold(_OBJECTS)
        from pnet_lp.cli import main  # noqa: PLC0415 - takes a while

        main(prog_name="pnet-lp")
    except SystemExit as ended:
        interrupts.end(ended.code if isinstance(ended.code, int) else 0)
    except KeyboardInterrupt:
        sys.stderr.write("Error: interrupted\n")
        interrupts.end(interrupts.INTERRUPTED)


if __name__ == "__main__":
    run()
