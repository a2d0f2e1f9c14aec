"""Libraries that the base install is small without: which extra of this package brings each."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pnet_lp.errors import PnetError

EXTRAS: Mapping[str, str] = MappingProxyType(
    {
        "distributed": "cluster",
        "ortools": "ortools",
        "pandas": "notebook",
        "pulp": "pulp",
        "pyarrow": "parquet",
    }
)
"""The extra that brings a library."""


def installed(library: str) -> bool:
    """Whether a library is there; it is not loaded."""
    return importlib.util.find_spec(library) is not None


def install_command(library: str) -> str:
    """Return what is typed to get one of :data:`EXTRAS`."""
    return f"pip install 'pnet-lp[{EXTRAS[library]}]'"


def need(library: str, where: str) -> None:
    """Raise PnetError unless one of :data:`EXTRAS` is there for ``where``: an option, a format, what was asked for."""
    if not installed(library):
        raise PnetError(
            f"{library} is not installed", where=where, allowed=f"what `{install_command(library)}` brings"
        )


def load(module: str, where: str) -> Any:
    """Return a module of one of :data:`EXTRAS`, which takes a while to import; see :func:`need`."""
    need(module.partition(".")[0], where)
    return importlib.import_module(module)
