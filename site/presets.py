"""``python site/presets.py FILE``: the networks that the lesson begins with, as JSON.

They come from the builders of the command line, so the page needs none of its own, and the command that it shows
builds exactly what it draws.  Switches stand where ``pnet-lp draw`` puts them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pnet_lp.drawing.places import find_places
from pnet_lp.model import Plane
from pnet_lp.topology import build_network

FILES = Path(__file__).resolve().parent / "networks"

FAMILIES: dict[str, tuple[str, list[str]]] = {
    "ring": ("Ring", [f"ring:n={n}" for n in (4, 6, 8, 10, 12, 16, 20, 24)]),
    "path": ("Path", [f"path:n={n}" for n in (3, 4, 6, 8, 10, 12, 16)]),
    "mesh": ("Mesh", [f"mesh:dims={a}x{b}" for a, b in ((2, 3), (3, 3), (3, 4), (4, 4), (4, 6), (5, 6))]),
    "torus": ("Torus", [f"torus:dims={a}x{b}" for a, b in ((3, 3), (3, 4), (4, 4), (4, 6), (4, 8), (6, 6))]),
    "hypercube": ("Hypercube", [f"hypercube:d={d}" for d in (2, 3, 4, 5)]),
    "random": (
        "Jellyfish (random graph of 4 cables a switch)",
        [f"random-regular:n={n},degree=4" for n in (6, 9, 12, 16, 20, 24, 28, 32, 36)],
    ),
    "dragonfly": ("Dragonfly", [f"dragonfly:{sizes} --level rack" for sizes in ("h=1,g=2", "h=1", "h=2,g=5", "h=2")]),
    "fat-tree": ("Fat tree", ["fat-tree:k=4 --level rack"]),
    "jellyfish": ("Jellyfish, equipment of the fat tree k = 4", ["jellyfish:k=4 --level rack"]),
    "prism": ("Two rings, one in the other", ["prism.edges"]),
    "necklace": ("Necklace of diamonds", ["necklace.edges"]),
    "identical": (
        "Two identical planes (random graphs)",
        [f"random-regular:n={n},degree=4 --planes 2" for n in (8, 12, 16, 20, 24)],
    ),
    "different": (
        "Two planes that differ (random graphs)",
        [f"random-regular:n={n},degree=4 --planes 2 --variant heterogeneous" for n in (8, 12, 16, 20, 24)],
    ),
    "large": (
        "80 racks, two planes (Jellyfish k = 8)",
        ["jellyfish:k=8 --level rack --planes 2 --variant heterogeneous"],
    ),
}
"""Title and commands of each family, the sizes of one after the other."""

DEFAULTS = {
    "ring": 2,
    "path": 3,
    "mesh": 3,
    "torus": 4,
    "hypercube": 2,
    "random": 3,
    "dragonfly": 1,
    "identical": 2,
    "different": 2,
}
"""Which size is shown first; 0 where nothing is said."""


def main(target: str) -> None:
    """Write all families to ``target``."""
    families = [
        {
            "id": key,
            "title": title,
            "first": DEFAULTS.get(key, 0),
            "networks": [described(command) for command in commands],
        }
        for key, (title, commands) in FAMILIES.items()
    ]
    Path(target).write_text(json.dumps(families, separators=(",", ":")) + "\n", encoding="utf-8")


def described(command: str) -> dict[str, Any]:
    """Return the network that ``pnet-lp throughput`` followed by ``command`` is about."""
    expression, *options = command.split(" --")
    given = dict(option.split() for option in options)
    file = FILES / expression
    network = build_network(
        str(file) if file.is_file() else expression,
        planes=int(given.get("planes", 1)),
        variant=given.get("variant"),  # type: ignore[arg-type]  # one of the variants
    )
    return {
        "label": command.removesuffix(" --level rack"),
        "command": None if file.is_file() else command,
        "variant": network.variant,
        "planes": [_plane(plane) for plane in network.planes],
        "dead": [False] * network.plane_count,
    }


def _plane(plane: Plane) -> dict[str, Any]:
    places = find_places(plane)
    return {
        "label": plane.label,
        "switches": [
            {"name": name, "x": round(float(x), 3), "y": round(-float(y), 3), "tier": int(tier)}
            for name, (x, y), tier in zip(plane.switch_names, places, plane.tier, strict=True)
        ],
        "racks": plane.rack_switch.tolist(),
        "cables": [
            {"u": int(u), "v": int(v), "gbps": float(gbps)}
            for u, v, gbps in zip(plane.cable_u, plane.cable_v, plane.capacity_uv_gbps, strict=True)
        ],
    }


if __name__ == "__main__":
    main(sys.argv[1])
