"""Seeds derived by hashing, so that no result depends on the order or number of workers."""

from __future__ import annotations

import hashlib
from numbers import Integral
from typing import Annotated, TypeAlias

import numpy as np
from pydantic import Field

from pnet_lp.errors import SpecError

LARGEST_SEED = (1 << 64) - 1
"""Of a seed, which is a whole number >= 0: what the core draws from has 64 bits."""

MOST_DRAWS = 1_000_000
"""Draws of one case, or trials of one network."""

Seed: TypeAlias = Annotated[int, Field(ge=0, le=LARGEST_SEED)]
"""A seed as a parameter."""

OwnSeed: TypeAlias = Annotated[Seed | None, Field(description="seed of the draw; default: the run's seed")]
"""The seed of an entry that is drawn."""


def check_seed(seed: object) -> None:
    """Raise SpecError where ``seed`` is none that the core can draw from."""
    number = isinstance(seed, Integral) and not isinstance(seed, bool)
    if not (number and 0 <= seed <= LARGEST_SEED):  # type: ignore[operator]
        raise SpecError("out of range", where="seed", found=seed, allowed="whole numbers, 0 to 2^64 - 1")


def derive_seed(master: int, component: str, index: int = 0) -> int:
    """Return a 63-bit seed for one component of a run.

    The seed is the head of SHA-256 over ``(master, component, index)``: equal arguments give equal seeds on every
    platform, and different ones give unrelated streams.
    """
    digest = hashlib.sha256(f"{master}/{component}/{index}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1


def check_draws(where: str, count: int) -> None:
    """Raise SpecError where ``count``, the value of the parameter ``where``, is no number of draws."""
    if not 1 <= count <= MOST_DRAWS:
        raise SpecError("out of range", where=where, found=count, allowed=f"1 to {MOST_DRAWS}")


def generator(master: int, component: str, index: int = 0) -> np.random.Generator:
    """Return a NumPy generator seeded by :func:`derive_seed`."""
    return np.random.Generator(np.random.PCG64(derive_seed(master, component, index)))
