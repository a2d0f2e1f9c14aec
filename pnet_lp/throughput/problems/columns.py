"""What the problems have in common in which a column is a bundle of links: a path, or a fixed split of a demand."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from typing_extensions import TypeVar

from pnet_lp.errors import SolverError
from pnet_lp.model import PathCertificate
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.certificates import LinkCertificate
from pnet_lp.model.flow import Lengths
from pnet_lp.model.paths import OffsetArray
from pnet_lp.throughput.problems.base import Problem
from pnet_lp.throughput.problems.proof import Attained, fitting

if TYPE_CHECKING:
    import scipy.sparse as sp

L = TypeVar("L", bound=LinkCertificate, default=Any)


class ColumnProblem(Problem[PathCertificate, L]):
    """A problem of ``J`` demands with ``N`` columns, of one demand each.

    A *link* is an arc or an access link: the ``A`` arcs come first, then the access links up ``[P, E]`` and down
    ``[P, E]``, both flattened: ``L = A + 2 P E`` in all.
    """

    form = "path"

    @property
    def over_columns(self) -> ColumnProblem:
        """See :attr:`Problem.over_columns`."""
        return self

    @property
    @abstractmethod
    def usage(self) -> sp.csc_array:
        """float64 ``[L, N]``: the load of each link per unit of a column; links that limit nothing are left out."""

    @property
    @abstractmethod
    def demand_of_column(self) -> OffsetArray:
        """int64 ``[N]``: the demand that each column belongs to."""

    @abstractmethod
    def certificate(self, weight: FloatArray, load: FloatArray, lengths: Lengths) -> L:
        """Return the certificate of weights ``[N]``, which put ``load`` ``[A]`` on arcs, and lengths."""

    def certify_bundles(self, load: FloatArray, length: FloatArray) -> L:
        """See :meth:`Problem.certify_bundles`."""
        weight = self.normalised(np.ones(self.flow_variables))
        return self.certificate(weight, load, self.proof(weight, length).lengths)

    @property
    @abstractmethod
    def most_entries(self) -> int:
        """As many as :attr:`usage` has, or a few more."""

    @property
    def size(self) -> tuple[int, int, int]:
        """See :attr:`Problem.size`: every link counts."""
        demands, columns = self.demand_count, self.flow_variables
        return len(self.flow.link_capacity) + demands, columns + 1, self.most_entries + columns + demands

    def nothing(self) -> PathCertificate:
        """Even splits, and lengths by which all links cost the same."""
        return self.proof(np.ones(self.flow_variables), 1.0 / self.flow.link_capacity)

    def proof(self, weight: FloatArray, length: FloatArray) -> PathCertificate:
        """Return the proof of weights ``[N]`` and lengths ``[L]``."""
        arcs, shape = len(self.flow.capacity), self.flow.attach.shape
        up, down = length[arcs:].reshape(2, *shape)
        return PathCertificate(floats(length[:arcs]), floats(up), floats(down), floats(weight))

    def normalised(self, weight: FloatArray) -> FloatArray:
        """Return weights ``[N]`` that sum to 1 over the columns of each demand; equal ones where they were all 0."""
        owner = self.demand_of_column
        weight = np.maximum(weight, 0.0)
        total = np.bincount(owner, weights=weight, minlength=self.demand_count)[owner]
        count = np.bincount(owner, minlength=self.demand_count)[owner]
        return floats(np.where(total > 0, weight / np.where(total > 0, total, 1.0), 1.0 / count))

    def attain(self, weight: FloatArray, rate: FloatArray) -> Attained:
        """Return ``rate`` ``[J]``, split by weights ``[N]`` and scaled down until everything fits.

        Raises:
            SolverError: a weight is not a number.
        """
        weight = self.normalised(weight)
        if not np.all(np.isfinite(weight)):
            raise SolverError("the solver's answer cannot be certified: a weight is not a number")
        load = self.usage @ (weight * rate[self.demand_of_column])
        used = load > 0
        factor = fitting(float((self.flow.link_capacity[used] / load[used]).min(initial=np.inf)))
        arcs = floats(factor * load[: len(self.flow.capacity)])
        nothing = np.zeros(len(arcs)), *np.zeros((2, *self.flow.attach.shape))
        attained = floats(np.where(rate > 0, rate * factor, 0.0))
        return Attained(attained, factor, arcs, self.certificate(weight, arcs, nothing))


def joined(lengths: Lengths) -> FloatArray:
    """Return lengths as one array, ``[L]``."""
    length, up, down = lengths
    return np.concatenate([length, up.ravel(), down.ravel()])
