"""The command line: one module per command, which reads options, calls the library and prints the answer.

No command computes anything: numbers come from the library, their wording from :mod:`pnet_lp.report`.
"""

from pnet_lp.cli.app import main

__all__ = ["main"]
