"""What a result depends on beside its spec: versions, build profile, machine."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from pathlib import Path
from typing import Any

from pnet_lp import __version__, _core

_PACKAGES = ("numpy", "scipy", "highspy", "networkx", "pydantic")


def environment() -> dict[str, Any]:
    """Return the versions, the build profile of the extension and the machine, as a JSON object."""
    return {
        "pnet_lp": __version__,
        "build_profile": _core.build_profile,
        "python": sys.version.split()[0],
        "packages": {name: importlib.metadata.version(name) for name in _PACKAGES},
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "processor": _processor(),
            "cores": os.cpu_count(),
        },
    }


def _processor() -> str:
    """Return the processor's name where Linux tells it, else what Python knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())
