from .description import Description, PlaneDescription, describe, describe_plane
from .family import topologies
from .hosts import attach_hosts
from .io import read_plane, write_network, write_plane
from .network import assumptions, build_network, build_plane, check_topology
from .settings import PlaneSettings

__all__ = [
    "Description",
    "PlaneDescription",
    "PlaneSettings",
    "assumptions",
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
