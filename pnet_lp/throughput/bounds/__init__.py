"""Upper bounds on K that need no solver, one file each; :mod:`~pnet_lp.throughput.bounds.base` says what a bound is.

Every bound is a special case of the one inequality of :mod:`pnet_lp.throughput.certificate`: choose a length for every
link, and K is at most the sum of capacity times length over the sum of demand times distance.  The bounds differ in
the lengths they choose: one for every link (``mean-path``, ``moore``, ``tub``), one for the links of a cut
(``bisection``, ``sparsest-cut``), one for the access links of one endpoint (``nic``).
"""

from pnet_lp.throughput.bounds.base import BOUNDS, Bound, Bounds, Instance, chosen_bounds, compute_bounds
from pnet_lp.throughput.bounds.halves import Bisection, find_bisection
from pnet_lp.throughput.bounds.witness import AccessLinks, Cut, EqualLengths, Matching

__all__ = [
    "BOUNDS",
    "AccessLinks",
    "Bisection",
    "Bound",
    "Bounds",
    "Cut",
    "EqualLengths",
    "Instance",
    "Matching",
    "chosen_bounds",
    "compute_bounds",
    "find_bisection",
]
