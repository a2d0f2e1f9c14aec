"""The catalogue: named networks in folders called ``topologies``."""

from __future__ import annotations

from pathlib import Path

_CHECKOUT = Path(__file__).resolve().parents[2]


def catalogue() -> dict[str, Path]:
    """Return the spec file of each named network.

    The names are those of the YAML files, without suffix, in ``topologies`` below the working directory and in that of
    the checkout this package runs from, if it does; the former win.
    """
    found: dict[str, Path] = {}
    for folder in (_CHECKOUT / "topologies", Path("topologies")):
        for path in sorted(folder.glob("**/*.yaml")):
            found[path.relative_to(folder).with_suffix("").as_posix()] = path
    return found
