"""What one can ask: each question in a folder of its own, with one model for command, spec and Python call.

``case`` in a folder is that model: keys, limits, units, help.  ``answer`` answers a case, with one JSON document, and
``words``, loaded for nothing else, prints it, writes its table and draws it.  ``base`` says what a question is,
``keys`` which keys several of them share, ``ask`` asks once, ``shown`` makes tables and HTML of answers.  The first
line of a folder's docstring stands in ``pnet-lp --help``; ``COMMAND`` in it is the name of the command where it is not
the question's.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil


@functools.cache
def commands() -> dict[str, tuple[str, str]]:
    """Return the question of each command, with one line about it; of a question only its docstring is imported."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        if module.ispkg:
            package = importlib.import_module(f"{__name__}.{module.name}")
            name = module.name.replace("_", "-")
            line = str(package.__doc__).partition("\n")[0].rstrip(".")
            found[getattr(package, "COMMAND", name)] = name, f"{line[0].lower()}{line[1:]}"
    # What most people ask comes first.
    return {name: found[name] for name in sorted(found, key=lambda name: (name != "throughput", name))}
