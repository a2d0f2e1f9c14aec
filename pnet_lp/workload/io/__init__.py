"""Workloads in files: one format per module, recognised by content when read and by suffix when written.

Reading raises WorkloadError for whatever is wrong with a file, and never yields a part of one.  Writing is atomic, and
a workload read back is the workload written: a format that cannot hold it refuses.
"""

from __future__ import annotations

from pathlib import Path

from pnet_lp.errors import WorkloadError
from pnet_lp.files import read_limited
from pnet_lp.layouts import opening_bytes
from pnet_lp.model import Network, Workload
from pnet_lp.workload.io import delimited, htsim, ns3, parquet, parsimon
from pnet_lp.workload.io.format import Format
from pnet_lp.writing import output_file

FORMATS: tuple[Format, ...] = (
    parquet.FORMAT,
    parsimon.FORMAT,
    htsim.FORMAT,
    ns3.FORMAT,
    delimited.FORMAT,
)
"""All formats; the first whose content matches reads a file, and the last reads every other text."""

_BY_SUFFIX: dict[str, Format] = {suffix: known for known in FORMATS for suffix in known.suffixes}
SUFFIXES = tuple(_BY_SUFFIX)

_GROWS = 70
"""Bytes of memory for each byte of a file: measured are up to 62, of Parquet; of text 18."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_workload(path: str | Path, network: Network) -> Workload:
    """Return the workload in a file of any of :data:`FORMATS`, recognised by its content.

    Raises:
        WorkloadError: the file is missing or broken (the message names file and line), or does not fit the network.
    """
    return parse_workload(read_limited(path, WorkloadError, grows=_GROWS), str(path), network)


def parse_workload(data: bytes, where: str, network: Network) -> Workload:
    """Return the workload in the content of the file ``where``; see :func:`read_workload`."""
    head = opening_bytes(data.removeprefix(_BYTE_ORDER_MARK))
    named = _BY_SUFFIX.get(Path(where).suffix.lower(), delimited.FORMAT)
    return next((known for known in FORMATS if known.matches(head)), named).parse(data, where, network)


def write_workload(workload: Workload, network: Network, path: str | Path) -> None:
    """Write ``workload``, one for ``network``, in the format of the suffix.

    :func:`read_workload` reads it back, for the same network.

    Raises:
        WorkloadError: an unknown suffix, a workload for another number of hosts, or one that the format cannot hold.
        OutputError: the file cannot be written.
    """
    path = Path(path)
    if workload.hosts != network.host_count:
        raise WorkloadError(
            f"the workload is for {workload.hosts} hosts, the network has {network.host_count}",
            where=str(path),
        )
    chosen = _BY_SUFFIX.get(path.suffix.lower())
    if chosen is None:
        raise WorkloadError(
            "unknown file format", where=str(path), found=path.suffix, allowed=", ".join(SUFFIXES)
        )
    with output_file(path) as temporary:
        chosen.write(workload, network, temporary)
        again = chosen.parse(temporary.read_bytes(), str(path), network)
        if again.fingerprint != workload.fingerprint:
            raise WorkloadError(f"{chosen.name} cannot hold this workload without loss", where=str(path))
