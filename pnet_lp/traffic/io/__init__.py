"""Traffic matrices in files: one format per module, recognised by content when read and by suffix when written.

Reading raises TrafficError for whatever is wrong with a file, and never yields a part of one.  Writing is atomic, and a
matrix read back is the matrix written: a format that cannot hold it refuses.
"""

from __future__ import annotations

from pathlib import Path

from pnet_lp.errors import TrafficError
from pnet_lp.files import read_limited
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import MATRIX_FORMATS

__all__ = ["MATRIX_FORMATS", "read_traffic", "write_traffic"]

_GROWS = 50
"""Bytes of memory for each byte of a file: measured are up to 41, of Parquet; of text 18."""


def read_traffic(path: str | Path, network: Network, level: Level) -> TrafficMatrix:
    """Return the matrix in a file of any of :data:`MATRIX_FORMATS`, recognised by its content.

    Raises:
        TrafficError: the file is missing or broken (the message names file and line), or does not fit the
            network.
    """
    data = read_limited(path, TrafficError, grows=_GROWS)
    return MATRIX_FORMATS.parse(data, str(path), network, level)


def write_traffic(traffic: TrafficMatrix, network: Network, path: str | Path) -> None:
    """Write ``traffic``, a matrix for ``network``, in the format of the suffix.

    :func:`read_traffic` reads it back, for the same network.

    Raises:
        TrafficError: an unknown suffix, a matrix for another number of endpoints, or one that the format cannot hold.
        OutputError: the file cannot be written.
    """
    count = len(network.endpoint_names(traffic.level))
    if count != traffic.endpoints:
        raise TrafficError(
            f"the matrix is for {traffic.endpoints} {traffic.level}s, the network has {count}", where=str(path)
        )
    MATRIX_FORMATS.save(traffic, path, network, traffic.level)
