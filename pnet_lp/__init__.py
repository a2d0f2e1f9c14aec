"""Certified flow-level throughput of datacenter networks with several parallel dataplanes.

- :func:`throughput`, :func:`bounds`, :func:`hops`, :func:`paths`, :func:`failures`, :func:`cost`, :func:`find`,
  :func:`simulate`, :func:`crosscheck`, ...: the questions of the command line, with the same arguments and answers.
- :func:`sweep`: every combination of some values, as one DataFrame.
- :func:`draw`: a picture of a network, with a cut or with the load of its links.
- :func:`build_network`, :func:`build_traffic`, :func:`build_workload`: the values that these functions take.
- :func:`verify`: whether a saved result proves what it claims; :func:`cite`: what to cite.

Speeds and rates are in Gb/s.  Every error is a :class:`pnet_lp.errors.PnetError`.
"""

import importlib
import os
import sys
import types

import lazy_loader

from pnet_lp._core import __version__

_found, __dir__, _lazy = lazy_loader.attach_stub(__name__, __file__)
__all__ = ["__version__", *_lazy]  # noqa: PLE0604 - they are names


_PACKAGES = {entry.name for entry in os.scandir(__path__[0])} & set(_lazy)
"""Those of the names that are packages, too."""


def __getattr__(name: str) -> object:
    return importlib.import_module(f"{__name__}.{name}") if name in _PACKAGES else _found(name)


class _QuestionModule(types.ModuleType):
    """A package that is called like a question; called, it asks the question."""

    def __call__(self, *arguments: object, **keys: object) -> object:
        return self._function()(*arguments, **keys)

    def __reduce__(self) -> tuple[object, ...]:
        return importlib.import_module, (self.__name__,)

    @property
    def __signature__(self) -> object:
        return self._function().__signature__

    def _function(self):  # type: ignore[no-untyped-def]  # typing is slow to load
        return getattr(importlib.import_module("pnet_lp.notebook.ask"), self.__name__.rpartition(".")[2])


class _Package(types.ModuleType):
    """The package, in which ``hops`` is a package and a question."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in _PACKAGES and type(value) is types.ModuleType:
            value.__class__ = _QuestionModule
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
