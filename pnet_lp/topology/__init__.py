"""From what the user wrote to a network: families of topologies, files, planes.

``families`` holds one builder per file, ``io`` one file format per file.  What a plane or a network *is* lives in
:mod:`pnet_lp.model`; what it carries, in :mod:`pnet_lp.throughput`.
"""

from pnet_lp.topology.describe import Description, PlaneDescription, describe, describe_plane
from pnet_lp.topology.family import HostParams, LinkParams, topologies
from pnet_lp.topology.hosts import attach_hosts
from pnet_lp.topology.io import read_plane, write_network, write_plane
from pnet_lp.topology.network import build_network, build_plane, check_topology

__all__ = [
    "Description",
    "HostParams",
    "LinkParams",
    "PlaneDescription",
    "attach_hosts",
    "build_network",
    "build_plane",
    "check_topology",
    "describe",
    "describe_plane",
    "read_plane",
    "topologies",
    "write_network",
    "write_plane",
]
