"""What the problems have in common in which a column is a bundle of links: a path, or a fixed split of a demand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.paths import OffsetArray
from pnet_lp.throughput.problem import FlowProblem
from pnet_lp.throughput.proof import PathProof

if TYPE_CHECKING:
    import scipy.sparse as sp


class LinkProblem(ABC):
    """A problem of ``J`` demands with ``N`` columns, of one demand each.

    A *link* is an arc or an access link: the ``A`` arcs come first, then the access links up ``[P, E]`` and down
    ``[P, E]``, both flattened: ``L = A + 2 P E`` in all.

    Attributes:
        flow: links and demands.
    """

    flow: FlowProblem

    @property
    @abstractmethod
    def usage(self) -> sp.csc_array:
        """float64 ``[L, N]``: the load of each link per unit of a column; links that limit nothing are left out."""

    @property
    @abstractmethod
    def demand_of_path(self) -> OffsetArray:
        """int64 ``[N]``: the demand that each column belongs to."""

    @property
    def demand_count(self) -> int:
        """Number of demands, J."""
        return self.flow.demand_count

    @cached_property
    def capacity(self) -> FloatArray:
        """float64 ``[L]``, Gb/s, ``inf`` where a link limits nothing or no path uses it."""
        access = np.concatenate([self.flow.access_up.ravel(), self.flow.access_down.ravel()])
        # Access links of capacity 0 are on no path.
        return floats(np.concatenate([self.flow.capacity, np.where(access > 0, access, np.inf)]))

    def lengths(self, proof: PathProof) -> FloatArray:
        """Return the lengths of a proof as one array, ``[L]``."""
        return np.concatenate([proof.length, proof.up_length.ravel(), proof.down_length.ravel()])

    def proof(self, weight: FloatArray, length: FloatArray) -> PathProof:
        """Return the proof of weights ``[N]`` and lengths ``[L]``."""
        arcs, shape = len(self.flow.capacity), self.flow.attach.shape
        up, down = length[arcs:].reshape(2, *shape)
        return PathProof(floats(weight), floats(length[:arcs]), floats(up), floats(down))
