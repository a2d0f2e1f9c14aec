"""What makes a list of paths right."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.model.arrays import BoolArray
from pnet_lp.verification.path_lists.lists import Lists

Verdicts: TypeAlias = npt.NDArray[np.int8]

NO, OPEN, YES = 0, 1, 2
"""Verdicts, in an order in which the minimum is "and" and the maximum "or"; open is what the budget left open."""

STEP = 8
"""Links that are visited in the time that one step takes besides."""


def verdicts(holds: BoolArray) -> Verdicts:
    """Return yes where something ``holds``, no elsewhere."""
    return np.where(holds, YES, NO).astype(np.int8)


class Judge(ABC):
    """What makes a list right, for one kind of routing.

    Attributes:
        worse: what a demand does whose list is not the best of its number.
    """

    worse: ClassVar[str]

    def __init__(self, lists: Lists) -> None:
        self.lists = lists

    @abstractmethod
    def best(self) -> Verdicts:
        """Return whether no lists of as many paths are better, ``[J]``."""

    @abstractmethod
    def all(self, requested: BoolArray) -> Verdicts:
        """Return whether no list is longer, ``[groups, J]``; yes where that is not ``requested``, ``[groups, J]``."""
