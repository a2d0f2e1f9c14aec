"""Planes in files: one format per module, recognised by content when read and by suffix when written.

Reading raises TopologyError for whatever is wrong with a file, and never yields a part of one.  Writing is atomic, and
a plane read back is the plane written: a format that cannot hold it refuses.
"""

from pnet_lp.topology.io.files import (
    parse_inside,
    parse_plane,
    parse_planes,
    read_content,
    read_plane,
    write_network,
    write_plane,
)
from pnet_lp.topology.io.format import NETWORK_FORMATS

__all__ = [
    "NETWORK_FORMATS",
    "parse_inside",
    "parse_plane",
    "parse_planes",
    "read_content",
    "read_plane",
    "write_network",
    "write_plane",
]
