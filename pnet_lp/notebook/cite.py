"""References in one call."""

from __future__ import annotations

from pathlib import Path

from pnet_lp.registry import unknown
from pnet_lp.report.citations import SINGULAR, references


def cite(*models: str | Path, **named: str) -> str:
    """Return as BibTeX what to cite: this program, and the papers of the models in use.

    Args:
        models: expressions or names of any kind, and results in JSON files or folders, as of ``pnet-lp cite``.
        named: expressions by their kind: ``routing="ksp:8"``.

    Raises:
        SpecError: there is no such kind or model, or no JSON; the message offers the nearest.
    """
    kinds = {name: kind for kind, name in SINGULAR.items()}
    for name in named:
        if name not in kinds:
            raise unknown("unknown kind of model", name, kinds, where="cite")
    found = references(models, {kinds[name]: [text] for name, text in named.items()})
    return "\n".join(one.bibtex(key) for key, one in found.items())
