"""The cheapest networks that carry what is asked: candidates of all families, ruled out by proofs before any is solved.

``settings`` is what is asked, ``candidates`` which networks there are, ``search`` rules out and certifies.
"""

from pnet_lp.design.candidates import Candidate, candidates, candidates_between
from pnet_lp.design.search import Found, Ruled, Survivor, find
from pnet_lp.design.settings import FindSettings

__all__ = [
    "Candidate",
    "FindSettings",
    "Found",
    "Ruled",
    "Survivor",
    "candidates",
    "candidates_between",
    "find",
]
