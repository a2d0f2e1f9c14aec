"""The checks of one result, in order, and small arithmetic that they share."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import CertificateError
from pnet_lp.model.arrays import FloatArray

SAME = 1e-9
"""How far, relatively, a number that describes may be from the one that is computed; no proof depends on it.

It is a part of the number itself, never of a larger one beside it.
"""

SMALLEST, LARGEST = 1e-100, 1e100
"""Between these, products of capacities, demands and normalised lengths neither overflow nor vanish."""


@dataclass
class Checks:
    """The checks of one file, in order.

    Attributes:
        path: the file, for messages.
        passed: one clause per check that passed.
        trusted: one clause for each thing that is taken as it stands.
    """

    path: str
    passed: list[str] = field(default_factory=list)
    trusted: list[str] = field(default_factory=list)

    def require(self, holds: bool | np.bool_, what: str, otherwise: str) -> None:
        """Note that ``what`` holds, or raise CertificateError saying ``otherwise``."""
        if not holds:
            raise CertificateError(otherwise, where=self.path)
        self.passed.append(what)

    def trust(self, what: str) -> None:
        """Note that ``what`` was not checked."""
        self.trusted.append(what)

    def magnitudes(self, key: str, values: FloatArray) -> None:
        """Check that sums and products of these numbers, each at least 0, can be computed with."""
        some = values[(values > 0) & (values < np.inf)]
        self.require(
            np.all((some >= SMALLEST) & (some <= LARGEST)),
            f"{key} can be computed with",
            f"{key} has a number that is too small or too large to compute with; allowed: {SMALLEST:g} to {LARGEST:g}",
        )

    def same(self, key: str, claimed: object, computed: object) -> None:
        """Compare a claimed figure with the recomputed one: numbers up to rounding, all else exactly."""
        shown = f"{computed:.9g}" if isinstance(computed, float) else reprlib.repr(computed)
        # A gap is a difference of nearly equal numbers, relative to them.
        offset = 1.0 if key == "relative_gap" else 0.0
        self.require(
            same_json(claimed, computed) or same_json(_raised(claimed, offset), _raised(computed, offset)),
            f"{key} is {shown}",
            f"{key} is claimed to be {reprlib.repr(claimed)}, but the proof gives {reprlib.repr(computed)}",
        )

    def equal(self, key: str, claimed: FloatArray, computed: FloatArray) -> None:
        """Compare an array of the certificate with the recomputed one, entry by entry."""
        self.require(
            near(claimed, computed),
            f"{key} is what the routing gives",
            f"certificate.{key} is not what the routing gives",
        )

    def arrays(self, proof: object, shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Check that the arrays of a certificate have these shapes and no negative or infinite entry."""
        for key, shape in shapes.items():
            values = getattr(proof, key)
            self.require(
                values.shape == shape,
                f"{key} has the shape {shape}",
                f"certificate.{key} has the shape {values.shape}, not {shape}",
            )
            self.require(
                np.all(np.isfinite(values) & (values >= 0)),
                f"{key} is not negative",
                f"certificate.{key} has a negative or infinite entry",
            )


def same_json(claimed: object, computed: object) -> bool:
    """Whether two JSON values are the same, but for the rounding of their numbers."""
    match claimed, computed:
        case (bool(), _) | (_, bool()):
            return claimed is computed
        case (int(), int()):
            return claimed == computed
        case (int() | float(), int() | float()):
            return _near(claimed, computed)
        case (Mapping(), Mapping()):
            return claimed.keys() == computed.keys() and all(same_json(claimed[key], computed[key]) for key in claimed)
        case (list(), list()):
            return len(claimed) == len(computed) and all(map(same_json, claimed, computed))
    return claimed == computed


def _raised(value: object, offset: float) -> object:
    """Return a number with the offset added, if there is one; others write a gap of 0 as an integer."""
    return value + offset if offset and isinstance(value, int | float) else value


def _near(claimed: float, computed: float) -> bool:
    """Whether two numbers differ by rounding only; what is not finite is near nothing but itself."""
    if not (_finite(claimed) and _finite(computed)):
        return claimed == computed
    return abs(claimed - computed) <= SAME * max(abs(claimed), abs(computed))


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False


def near(claimed: FloatArray, computed: FloatArray) -> bool:
    """Whether all entries differ by rounding only."""
    return bool(np.all(np.abs(claimed - computed) <= SAME * np.abs(computed)))


def one_to_one(some: npt.NDArray[np.integer], others: npt.NDArray[np.integer]) -> bool:
    """Whether two arrays of numbers >= 0 divide the same things into the same sets, by whatever numbers."""
    for given, found in ((some, others), (others, some)):
        of = np.zeros(int(given.max(initial=-1)) + 1, dtype=found.dtype)
        of[given] = found
        if not np.array_equal(of[given], found):
            return False
    return True
