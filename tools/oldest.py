"""Prints the lower bounds of ``pyproject.toml`` as constraints of pip: ``numpy==2.1`` for ``numpy>=2.1``.

Those of users: tools of development, such as ruff, are not among them.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
EXTRAS = ("cluster", "infragraph", "netgraph", "notebook", "ortools", "parquet", "pulp", "slurm")


def oldest() -> list[str]:
    """Return a line for each dependency that has a lower bound, those of extras included."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *(one for extra in EXTRAS for one in extras[extra])]
    found = [re.match(r"([A-Za-z0-9._-]+)(?:\[.*\])?>=([0-9.]+)", one) for one in needed]
    return sorted(f"{match[1]}=={match[2]}" for match in found if match)


if __name__ == "__main__":
    print("\n".join(oldest()))
