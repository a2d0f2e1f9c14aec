"""Reading and writing the files of all formats."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np

from pnet_lp.errors import TopologyError
from pnet_lp.files import read_limited
from pnet_lp.layouts import decoded, opening
from pnet_lp.model import Network, Plane
from pnet_lp.topology.io import (
    adjacency,
    edge_list,
    gml,
    graphml,
    htsim,
    node_link,
    ns3,
    repetita,
    sndlib,
    sndlib_xml,
    topobench,
    topohub,
)
from pnet_lp.topology.io.format import Format
from pnet_lp.units import DEFAULT_LINK_GBPS
from pnet_lp.writing import write_text

FORMATS: tuple[Format, ...] = (
    sndlib.FORMAT,
    sndlib_xml.FORMAT,
    graphml.FORMAT,
    topohub.FORMAT,
    node_link.FORMAT,
    repetita.FORMAT,
    htsim.FORMAT,
    ns3.FORMAT,
    gml.FORMAT,
    adjacency.FORMAT,
    topobench.FORMAT,
    edge_list.FORMAT,
)
"""All formats.

The first whose content matches reads a file, else the one that its suffix names, else the last if that matches.
"""

SUFFIXES: dict[str, Format] = {suffix: known for known in FORMATS for suffix in known.suffixes}

_GROWS = 60
"""Bytes of memory for each byte of a file: measured are up to 51, of adjacency lists; of GraphML 20, of JSON 15."""

_ANY_TEXT = ".txt"
"""A suffix that says nothing about the format of a file that is read."""


def read_text(path: str | Path) -> str:
    """Return the text of a file, or raise TopologyError: missing, unreadable, too large, binary or blank."""
    where = str(path)
    return decoded(read_limited(path, TopologyError, grows=_GROWS), where, TopologyError)


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
    head, named = opening(text), {suffix: known for suffix, known in SUFFIXES.items() if suffix != _ANY_TEXT}
    found = next((known for known in FORMATS[:-1] if known.matches(head)), None) or named.get(
        suffix_of(where)
    )
    if found is None and FORMATS[-1].matches(head):
        found = FORMATS[-1]
    if found is None:
        raise TopologyError(
            "the content shows no format of networks",
            where=where,
            found=head.partition("\n")[0].strip() or None,
            allowed=f"a suffix that names the format: {', '.join(named)}",
        )
    return found.parse(text, where, link_gbps)


def suffix_of(path: str | Path) -> str:
    """Return the suffix of a file that names its format, the longest known one (``.sndlib.xml``) if there is one."""
    name = Path(path).name.lower()
    known = [suffix for suffix in SUFFIXES if name.endswith(suffix) and name != suffix]
    return max(known, key=len, default=Path(path).suffix)


def write_plane(plane: Plane, path: str | Path) -> None:
    """Write a plane in the format of the suffix, whole or not at all.

    Raises:
        TopologyError: an unknown suffix, or a plane that the format cannot hold.
        OutputError: the file cannot be written.
    """
    path = Path(path)
    suffix = suffix_of(path)
    chosen = SUFFIXES.get(suffix)
    if chosen is None:
        raise TopologyError("unknown suffix", where=str(path), found=suffix, allowed=", ".join(SUFFIXES))
    text = chosen.render(plane)
    # The parsers are mostly not ours, and neither are their exceptions to what they can hold.
    speed = float(plane.capacity_uv_gbps[0]) if plane.cable_count else DEFAULT_LINK_GBPS
    if lost := _lost(plane, chosen.parse(text, str(path), speed)):
        raise TopologyError(f"{chosen.name} cannot hold this plane without loss", where=str(path), found=lost)
    write_text(path, text)


def _lost(plane: Plane, again: Plane) -> str | None:
    """Return the name of the first field in which two planes differ; labels may."""
    for each in fields(Plane):
        a, b = getattr(plane, each.name), getattr(again, each.name)
        same = np.array_equal(a, b, equal_nan=a.dtype.kind == "f") if isinstance(a, np.ndarray) else a == b
        if each.compare and not same:
            return each.name
    return None


def write_network(network: Network, path: str | Path) -> tuple[Path, ...]:
    """Write each plane of a network to a file and return the files.

    One plane goes to ``path``.  Several go to one file each, numbered before the suffix: ``net.0.json``,
    ``net.1.json``, ...; given in that order on the command line they are the network again.

    Raises:
        TopologyError, OutputError: as :func:`write_plane`.
    """
    path = Path(path)
    if network.plane_count == 1:
        paths: tuple[Path, ...] = (path,)
    else:
        suffix = path.name[len(path.name) - len(suffix_of(path)) :]
        stem = path.name.removesuffix(suffix)
        paths = tuple(path.with_name(f"{stem}.{i}{suffix}") for i in range(network.plane_count))
    for plane, target in zip(network.planes, paths, strict=True):
        write_plane(plane, target)
    return paths
