"""What a problem asks of its demands, however they are held."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.errors import TrafficError
from pnet_lp.memory import check_fits
from pnet_lp.model.arrays import FloatArray

if TYPE_CHECKING:
    from pnet_lp.model.demands.pairs import Pairs

Index = npt.NDArray[np.int64]

BYTES_PER_PAIR = 120
"""Measured peak of writing pairs out and of their flow problem: 86 to 91 bytes each, up to 115 where they are drawn."""

LISTED_PAIRS = 1_000_000
"""Up to this many pairs, demands that are a rule have the fingerprint of those that list them."""


def check_pairs(count: int, what: str) -> None:
    """Raise TrafficError where ``what`` with ``count`` pairs, and the problem made of it, need too much memory."""
    check_fits(
        count * BYTES_PER_PAIR,
        what,
        TrafficError,
        allowed="level=rack, sparser traffic, or a smaller network",
    )


class Demands(ABC):
    """Demands between numbered endpoints."""

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of demands above 0."""

    @property
    @abstractmethod
    def total(self) -> float:
        """Sum of all demands."""

    @property
    @abstractmethod
    def range(self) -> FloatArray:
        """float64: some demands, the smallest and the largest among them."""

    @property
    @abstractmethod
    def complete(self) -> bool:
        """Whether it is seen without a look at each pair that every endpoint sends to every other."""

    @property
    def factors(self) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """Weights of sources and of destinations whose products demands are, and demands to oneself; None if listed."""
        return None

    @abstractmethod
    def listed(self, what: str) -> Pairs:
        """Return the demands one by one, sorted by source, then destination.

        Raises:
            TrafficError: they do not fit into memory; the message begins with ``what``.
        """

    @abstractmethod
    def scaled(self, factor: float) -> Demands:
        """Return demands ``factor`` times as large."""

    @abstractmethod
    def named(self, endpoints: int) -> npt.NDArray[np.bool_]:
        """Return bool ``[endpoints]``: which of them send or receive anything."""

    @abstractmethod
    def received(self, endpoints: int) -> npt.NDArray[np.bool_]:
        """Return bool ``[endpoints]``: which of them are destinations."""

    @abstractmethod
    def totals(self, endpoints: int) -> FloatArray:
        """Return float64 ``[2, endpoints]``: what each sends, and what it receives."""

    @abstractmethod
    def leaving(self, inside: npt.NDArray[np.bool_]) -> float:
        """Return the sum of the demands from endpoints ``inside``, bool ``[endpoints]``, to others."""

    @abstractmethod
    def weights(self, endpoints: int) -> FloatArray:
        """Return float64 ``[n, endpoints]``: columns that are equal only where endpoints can be exchanged."""

    @abstractmethod
    def sent_to(self, endpoint: int, endpoints: int) -> FloatArray:
        """Return float64 ``[endpoints]``: what each sends to another one with the column of weights of ``endpoint``.

        Where no other has it, what it sends to ``endpoint`` itself.
        """

    @abstractmethod
    def sent_to_itself(self, endpoint: int) -> float:
        """Return what an endpoint sends to itself: as a class of hosts, what these send to each other."""

    @abstractmethod
    def refined(self, group: Index, used: Index) -> Index:
        """Return the coarsest partition into classes of endpoints that send to, and receive from, every class equally.

        Args:
            group: int64 ``[used]``, a partition in which only equivalent endpoints are together already.
            used: int64, the endpoints that send or receive anything.
        """

    @abstractmethod
    def merged(self, classes: Index, size: Index, member: Index) -> Demands:
        """Return the demands between classes of equivalent endpoints.

        Args:
            classes: int64 ``[endpoints]``, the class of each, -1 for none.
            size: int64 ``[classes]``, how many are in each.
            member: int64 ``[classes]``, one of each.
        """

    @abstractmethod
    def core(self, endpoints: int) -> _core.Demands:
        """Return them as the core holds them."""

    @abstractmethod
    def identity(self, head: str) -> list[str | npt.NDArray[np.generic]]:
        """Return what a fingerprint is taken of, ``head`` within it; of few demands the same for list and rule."""
