"""Optional libraries, and the extra of this package that installs each."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pnet_lp.errors import PnetError

if TYPE_CHECKING:
    import pandas as pd

EXTRAS: Mapping[str, str] = MappingProxyType(
    {
        "distributed": "cluster",
        "infragraph": "infragraph",
        "ngraph": "netgraph",
        "ortools": "ortools",
        "pandas": "notebook",
        "protobuf": "chakra",
        "pulp": "pulp",
        "pyarrow": "parquet",
        "submitit": "slurm",
    }
)
"""The extra that installs a library."""

_MODULES = {"protobuf": "google.protobuf"}
"""The module of a library, where it has another name."""


def installed(library: str) -> bool:
    """Whether a library is installed; it is not loaded."""
    try:
        return importlib.util.find_spec(_MODULES.get(library, library)) is not None
    except ModuleNotFoundError:  # nor is the package that the module is in
        return False


def install_command(library: str) -> str:
    """Return the command that installs one of :data:`EXTRAS`."""
    return f"pip install 'pnet-lp[{EXTRAS[library]}]'"


def need(library: str, where: str) -> None:
    """Raise PnetError unless one of :data:`EXTRAS` is installed; ``where`` is the option or file that needs it."""
    if not installed(library):
        raise PnetError(f"{library} is not installed: install it with `{install_command(library)}`", where=where)


def load(module: str, where: str) -> Any:
    """Return a module of one of :data:`EXTRAS`, which takes a while to import; see :func:`need`."""
    own = {f"{name}.": library for library, name in _MODULES.items()}
    need(next((own[name] for name in own if module.startswith(name)), module.partition(".")[0]), where)
    return importlib.import_module(module)


def frame(columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return a table, given by columns of one length, as a DataFrame."""
    found: pd.DataFrame = load("pandas", "tables").DataFrame(columns)
    return found
