"""Random one-to-one assignments with places that are ruled out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_Groups = npt.NDArray[np.integer]


def random_bijection(sources: _Groups, targets: _Groups, random: np.random.Generator) -> npt.NDArray[np.int64] | None:
    """Return a random target for each source, no target twice and none of the source's own group.

    A random assignment is mended by swaps.  A source that got its own group g swaps with one that neither is nor has
    g, which sets it right and harms nobody; there is one whenever an assignment exists.

    Args:
        sources: the group of each source, at least 0.
        targets: the group of each target, at least 0; may be more than the sources, and some then stay free.
        random: equal generators give equal assignments.

    Returns:
        int64 ``[sources]``, indices into ``targets``; None where there is no such assignment.
    """
    n = len(targets)
    if len(sources) > n:
        return None
    groups = max(sources.max(initial=0), targets.max(initial=0)) + 1
    if np.any(np.bincount(sources, minlength=groups) + np.bincount(targets, minlength=groups) > n):
        return None
    # Whoever takes the targets that stay free is of no group.
    group = np.concatenate([sources, np.full(n - len(sources), -1)])
    chosen = random.permutation(n)
    for i in np.flatnonzero(group == targets[chosen]):
        if targets[chosen[i]] != group[i]:
            continue  # mended as the partner of another
        partners = np.flatnonzero((group != group[i]) & (targets[chosen] != group[i]))
        j = partners[random.integers(len(partners))]
        chosen[[i, j]] = chosen[[j, i]]
    return chosen[: len(sources)]
