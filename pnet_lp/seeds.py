"""Seeds derived by hashing, so that no result depends on the order or number of workers."""

from __future__ import annotations

import hashlib

import numpy as np


def derive_seed(master: int, component: str, index: int = 0) -> int:
    """Return a 63-bit seed for one component of a run.

    The seed is the head of SHA-256 over ``(master, component, index)``: equal arguments give equal seeds on every
    platform, and different ones give unrelated streams.
    """
    digest = hashlib.sha256(f"{master}/{component}/{index}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1


def generator(master: int, component: str, index: int = 0) -> np.random.Generator:
    """Return a NumPy generator seeded by :func:`derive_seed`."""
    return np.random.Generator(np.random.PCG64(derive_seed(master, component, index)))
