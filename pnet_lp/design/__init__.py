"""The cheapest networks that carry a load: candidates of all families, ruled out by proofs before any is solved.

``settings`` is the request, ``candidates`` lists the networks, ``search`` rules out and certifies.
"""

from pnet_lp.design.candidates import Candidate, candidates, candidates_between
from pnet_lp.design.search import Found, RuledOut, Survivor, find
from pnet_lp.design.settings import FindSettings

__all__ = ["Candidate", "FindSettings", "Found", "RuledOut", "Survivor", "candidates", "candidates_between", "find"]
