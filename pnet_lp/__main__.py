"""``python -m pnet_lp`` is ``pnet-lp``."""

from pnet_lp.cli import main

main(prog_name="pnet-lp")
