"""Reading and writing the files of all formats."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np

from pnet_lp.errors import TopologyError
from pnet_lp.files import replacing
from pnet_lp.model import Network, Plane
from pnet_lp.topology.io import adjacency, edge_list, gml, graphml, node_link
from pnet_lp.topology.io.format import Format
from pnet_lp.units import DEFAULT_LINK_GBPS

FORMATS: tuple[Format, ...] = (
    graphml.FORMAT,
    node_link.FORMAT,
    gml.FORMAT,
    adjacency.FORMAT,
    edge_list.FORMAT,
)
"""All formats; the first whose content matches reads a file, and the last reads every other text."""

SUFFIXES: dict[str, Format] = {suffix: known for known in FORMATS for suffix in known.suffixes}


def read_text(path: str | Path) -> str:
    """Return the text of a file, or raise TopologyError: missing, unreadable, binary or blank."""
    where = str(path)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        problem = "no such file" if error.errno == errno.ENOENT else os.strerror(error.errno or 0).lower()
        raise TopologyError(problem, where=where) from None
    try:
        text = data.decode("utf-8-sig")
        broken = text.find("\0")
        line = text.count("\n", 0, broken) + 1
    except UnicodeDecodeError as error:
        broken = error.start
        line = data.count(b"\n", 0, broken) + 1
    if broken >= 0:
        raise TopologyError("not a text file", where=f"{where}:{line}", allowed="UTF-8 text")
    if not text.strip():
        raise TopologyError("the file is empty", where=where)
    return text


def read_plane(path: str | Path, *, link_gbps: float = DEFAULT_LINK_GBPS) -> Plane:
    """Return the plane in a file of any of :data:`FORMATS`, recognised by its content.

    Args:
        path: the file; it becomes the plane's label.
        link_gbps: speed of the links to which the file gives none, Gb/s in each direction.

    Raises:
        TopologyError: whatever is wrong with the file, with its line where the format has lines.
    """
    return parse_plane(read_text(path), str(path), link_gbps=link_gbps)


def parse_plane(text: str, where: str, *, link_gbps: float = DEFAULT_LINK_GBPS) -> Plane:
    """Return the plane in the text of the file ``where``; see :func:`read_plane`."""
    named = SUFFIXES.get(Path(where).suffix.lower(), edge_list.FORMAT)
    found = next((known for known in FORMATS if known.matches(text)), named)
    return found.parse(text, where, link_gbps)


def write_plane(plane: Plane, path: str | Path) -> None:
    """Write a plane in the format of the suffix, whole or not at all.

    Raises:
        TopologyError: an unknown suffix, a plane that the format cannot hold, a folder that cannot be written to.
    """
    path = Path(path)
    chosen = SUFFIXES.get(path.suffix.lower())
    if chosen is None:
        raise TopologyError("unknown suffix", where=str(path), found=path.suffix, allowed=", ".join(SUFFIXES))
    text = chosen.render(plane)
    # The parsers are mostly not ours, and neither are their exceptions to what they can hold.
    speed = float(plane.capacity_uv_gbps[0]) if plane.cable_count else DEFAULT_LINK_GBPS
    if not _same(plane, chosen.parse(text, str(path), speed)):
        raise TopologyError(f"{chosen.name} cannot hold this plane without loss", where=str(path))
    try:
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    except OSError as error:
        raise TopologyError(os.strerror(error.errno or 0).lower(), where=str(path)) from None


def _same(a: Plane, b: Plane) -> bool:
    return a.fingerprint == b.fingerprint and np.array_equal(a.tier, b.tier)


def write_network(network: Network, path: str | Path) -> tuple[Path, ...]:
    """Write each plane of a network to a file and return the files.

    One plane goes to ``path``.  Several go to one file each, numbered before the suffix: ``net.0.json``,
    ``net.1.json``, ...; given in that order on the command line they are the network again.

    Raises:
        TopologyError: as :func:`write_plane`.
    """
    path = Path(path)
    if network.plane_count == 1:
        paths: tuple[Path, ...] = (path,)
    else:
        paths = tuple(path.with_suffix(f".{i}{path.suffix}") for i in range(network.plane_count))
    for plane, target in zip(network.planes, paths, strict=True):
        write_plane(plane, target)
    return paths
