"""Traffic matrices in files: one format per module, recognised by content when read and by suffix when written.

Reading raises TrafficError for whatever is wrong with a file, and never yields a part of one.  Writing is atomic, and a
matrix read back is the matrix written: a format that cannot hold it refuses.
"""

from __future__ import annotations

from pathlib import Path

from pnet_lp.errors import TrafficError
from pnet_lp.files import read_limited
from pnet_lp.layouts import opening_bytes
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io import delimited, htsim, npz, parquet, records, repetita, sndlib, sndlib_xml, topohub
from pnet_lp.traffic.io.format import Format
from pnet_lp.writing import output_file

FORMATS: tuple[Format, ...] = (
    npz.FORMAT,
    parquet.FORMAT,
    sndlib.FORMAT,
    sndlib_xml.FORMAT,
    topohub.FORMAT,
    records.FORMAT,
    repetita.FORMAT,
    htsim.FORMAT,
    delimited.FORMAT,
)
"""All formats; the first whose content matches reads a file, and the last reads every other text."""

_BY_SUFFIX: dict[str, Format] = {suffix: known for known in FORMATS for suffix in known.suffixes}
SUFFIXES = tuple(_BY_SUFFIX)

_GROWS = 50
"""Bytes of memory for each byte of a file: measured are up to 41, of Parquet; of text 18."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_traffic(path: str | Path, network: Network, level: Level) -> TrafficMatrix:
    """Return the matrix in a file of any of :data:`FORMATS`, recognised by its content.

    Raises:
        TrafficError: the file is missing or broken (the message names file and line), or does not fit the
            network.
    """
    return parse_traffic(read_limited(path, TrafficError, grows=_GROWS), str(path), network, level)


def parse_traffic(data: bytes, where: str, network: Network, level: Level) -> TrafficMatrix:
    """Return the matrix in the content of the file ``where``; see :func:`read_traffic`."""
    head = opening_bytes(data.removeprefix(_BYTE_ORDER_MARK))
    named = _BY_SUFFIX.get(_suffix(Path(where)), delimited.FORMAT)
    found = next((known for known in FORMATS if known.matches(head)), named)
    return found.parse(data, where, network, level)


def write_traffic(traffic: TrafficMatrix, network: Network, path: str | Path) -> None:
    """Write ``traffic``, a matrix for ``network``, in the format of the suffix.

    :func:`read_traffic` reads it back, for the same network.

    Raises:
        TrafficError: an unknown suffix, a matrix for another number of endpoints, or one that the format cannot hold.
    """
    path = Path(path)
    names = network.endpoint_names(traffic.level)
    if len(names) != traffic.endpoints:
        raise TrafficError(
            f"the matrix is for {traffic.endpoints} {traffic.level}s, the network has {len(names)}",
            where=str(path),
        )
    chosen = _BY_SUFFIX.get(_suffix(path))
    if chosen is None:
        raise TrafficError(
            "unknown file format", where=str(path), found=path.suffix, allowed=", ".join(SUFFIXES)
        )
    with output_file(path) as temporary:
        chosen.write(traffic, names, temporary)
        again = chosen.parse(temporary.read_bytes(), str(path), network, traffic.level)
        if again.fingerprint != traffic.fingerprint:
            raise TrafficError(f"{chosen.name} cannot hold this matrix without loss", where=str(path))


def _suffix(path: Path) -> str:
    """Return the suffix that names a file's format, the longest known one (``.sndlib.xml``) if there is one."""
    name = path.name.lower()
    return max((suffix for suffix in SUFFIXES if name.endswith(suffix)), key=len, default=path.suffix)
