"""Whether the paths that demands may take are those that the routing gives them, found out without the core.

A list is right if as many paths cannot be better, and more do not exist where it has fewer than it may.  For shortest
paths that is a matter of counting those that are shorter than the longest listed: by products of matrices up to one
link more than the distance, beyond by a search whose every step leads to a path.  Paths without a common link are a
flow, and shortest in total if its residual graph has no negative cycle.

Taken as it is: which of equally long paths the seed has drawn.
"""

from pnet_lp.verification.path_lists.complete import STEPS, Completeness, check_complete

__all__ = ["STEPS", "Completeness", "check_complete"]
