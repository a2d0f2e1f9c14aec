"""Reading and writing the files of all formats."""

from __future__ import annotations

from pathlib import Path

from pnet_lp.errors import TopologyError
from pnet_lp.files import read_limited
from pnet_lp.model import Network, Plane
from pnet_lp.topology.io.format import NETWORK_FORMATS
from pnet_lp.units import DEFAULT_LINK_GBPS

_GROWS = 60
"""Bytes of memory for each byte of a file: measured are up to 51, of adjacency lists; of GraphML 20, of JSON 15."""


def read_content(path: str | Path) -> bytes:
    """Return the content of a file, or raise TopologyError: missing, unreadable or too large."""
    return read_limited(path, TopologyError, grows=_GROWS)


def read_plane(path: str | Path, *, link_gbps: float = DEFAULT_LINK_GBPS) -> Plane:
    """Return the plane in a file of any of :data:`~pnet_lp.topology.io.NETWORK_FORMATS`, recognised by its content.

    Args:
        path: the file; it becomes the plane's label.
        link_gbps: speed of the links to which the file gives none, Gb/s in each direction.

    Raises:
        TopologyError: whatever is wrong with the file, with its line where the format has lines.
    """
    return parse_plane(read_content(path), str(path), link_gbps=link_gbps)


def parse_plane(data: bytes, where: str, *, link_gbps: float = DEFAULT_LINK_GBPS) -> Plane:
    """Return the plane in the content of the file ``where``; see :func:`read_plane`."""
    return NETWORK_FORMATS.parse(data, where, link_gbps)


def parse_planes(data: bytes, where: str, *, link_gbps: float = DEFAULT_LINK_GBPS) -> tuple[Plane, ...]:
    """Return the planes in the content of the file ``where``, several in few formats; see :func:`read_plane`."""
    return NETWORK_FORMATS.parse_all(data, where, link_gbps)


def parse_inside(data: bytes, where: str, *, link_gbps: float = DEFAULT_LINK_GBPS) -> Plane | None:
    """Return the scale-up network of the servers that hosts in the file ``where`` are in, None for hosts in none.

    Args:
        data: its content.
        where: the file.
        link_gbps: speed of the links inside servers to which the file gives none.

    Raises:
        TopologyError: whatever is wrong with it.
    """
    read = NETWORK_FORMATS.recognised(data, where).read_inside
    return None if read is None else read(data, where, link_gbps)


def write_plane(plane: Plane, path: str | Path) -> None:
    """Write a plane in the format of the suffix, whole or not at all.

    Raises:
        TopologyError: an unknown suffix, or a plane that the format cannot hold.
        OutputError: the file cannot be written.
    """
    speed = float(plane.capacity_uv_gbps[0]) if plane.cable_count else DEFAULT_LINK_GBPS
    NETWORK_FORMATS.save(plane, path, reading=(speed,))


def write_network(network: Network, path: str | Path) -> tuple[Path, ...]:
    """Write each plane of a network to a file and return the files.

    One plane goes to ``path``.  Several go to one file each, numbered before the suffix: ``net.0.json``,
    ``net.1.json``, ...; given in that order on the command line they are the network again.

    Raises:
        TopologyError, OutputError: as :func:`write_plane`.
    """
    if network.servers is not None:
        raise TopologyError(
            "a file of a plane holds no servers", where=str(path), allowed="server=none where a file has them"
        )
    path = Path(path)
    if network.plane_count == 1:
        paths: tuple[Path, ...] = (path,)
    else:
        suffix = path.name[len(path.name) - len(NETWORK_FORMATS.suffix_of(path)) :]
        stem = path.name.removesuffix(suffix)
        paths = tuple(path.with_name(f"{stem}.{i}{suffix}") for i in range(network.plane_count))
    for plane, target in zip(network.planes, paths, strict=True):
        write_plane(plane, target)
    return paths
