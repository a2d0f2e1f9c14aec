"""Traffic matrices in files: CSV with one demand per line, and NumPy archives."""

from __future__ import annotations

from pathlib import Path

from pnet_lp.errors import TrafficError
from pnet_lp.files import replacing
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.delimited import read_csv, write_csv
from pnet_lp.traffic.io.npz import read_npz, write_npz

_WRITERS = {".csv": write_csv, ".npz": write_npz}
SUFFIXES = tuple(_WRITERS)

_ZIP_MAGIC = b"PK\x03\x04"


def read_traffic(path: str | Path, network: Network, level: Level) -> TrafficMatrix:
    """Return the matrix in a file, recognised by its content: a NumPy archive, or else CSV text.

    Raises:
        TrafficError: the file is missing or broken (the message names file and line), or does not fit the
            network.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            head = file.read(len(_ZIP_MAGIC))
        reader = read_npz if head == _ZIP_MAGIC else read_csv
        return reader(path, network, level)
    except OSError as error:
        raise TrafficError(f"cannot read the file: {error.strerror}", where=str(path)) from None


def write_traffic(traffic: TrafficMatrix, network: Network, path: str | Path) -> None:
    """Write ``traffic``, a matrix for ``network``, in the format of the suffix.

    :func:`read_traffic` reads it back.  CSV names racks or hosts as the network does; an archive holds
    indices, the level and the number of endpoints.

    Raises:
        TrafficError: the suffix is neither ``.csv`` nor ``.npz``, or the matrix is for another number of
            endpoints.
    """
    path = Path(path)
    names = network.endpoint_names(traffic.level)
    if len(names) != traffic.endpoints:
        raise TrafficError(
            f"the matrix is for {traffic.endpoints} {traffic.level}s, the network has {len(names)}",
            where=str(path),
        )
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise TrafficError(
            "unknown file format", where=str(path), found=path.suffix, allowed=", ".join(SUFFIXES)
        )
    with replacing(path) as temporary:
        writer(traffic, names, temporary)
