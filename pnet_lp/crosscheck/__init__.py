"""One network and its flows by linear program, as a fluid and in packets, side by side, and what explains the gaps.

``settings`` says how, ``linear`` what no routing can beat, ``run`` runs all of them, ``comparison`` puts their figures
beside each other, ``gaps`` names the causes of their differences.
"""

from .comparison import compare
from .run import Crosscheck, crosscheck, run
from .settings import CrosscheckSettings

__all__ = ["Crosscheck", "CrosscheckSettings", "compare", "crosscheck", "run"]
