"""From what the user wrote to a network: families of topologies, files, planes.

``families`` holds one builder per file, ``io`` one file format per file.  What a plane or a network *is* lives in
:mod:`pnet_lp.model`; what it carries, in :mod:`pnet_lp.throughput`.
"""

from pnet_lp.topology.describe import Description, PlaneDescription, describe, describe_plane
from pnet_lp.topology.family import HostParams, LinkParams, topologies
from pnet_lp.topology.hosts import attach_hosts
from pnet_lp.topology.io import read_plane, write_network, write_plane
from pnet_lp.topology.network import build_network, build_plane, check_network, check_topology, depends
from pnet_lp.topology.settings import PlaneSettings

__all__ = [
    "Description",
    "HostParams",
    "LinkParams",
    "PlaneDescription",
    "PlaneSettings",
    "attach_hosts",
    "build_network",
    "build_plane",
    "check_network",
    "check_topology",
    "depends",
    "describe",
    "describe_plane",
    "read_plane",
    "topologies",
    "write_network",
    "write_plane",
]
