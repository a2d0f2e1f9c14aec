"""The command ``pnet-lp``, which ``python -m pnet_lp`` is too."""

from __future__ import annotations

import sys

from pnet_lp import interrupts


def run() -> None:
    """Run the command line; Ctrl-C is heard from the first import on."""
    try:
        interrupts.install()
        from pnet_lp.cli import main  # noqa: PLC0415 - takes a while

        main(prog_name="pnet-lp")
    except KeyboardInterrupt:
        sys.stderr.write("Error: interrupted\n")
        sys.exit(interrupts.INTERRUPTED)


if __name__ == "__main__":
    run()
