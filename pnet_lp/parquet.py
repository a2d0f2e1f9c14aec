"""Parquet files that may be broken: read with checksums and limits, refused with one error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pnet_lp.errors import PnetError
from pnet_lp.extras import load
from pnet_lp.units import MIB, format_bytes

if TYPE_CHECKING:
    import pyarrow.parquet as pq


@contextmanager
def open_parquet(
    data: bytes, where: str, fault: type[PnetError], *, row_bytes: int, texts: Sequence[str] = ()
) -> Iterator[pq.ParquetFile]:
    """Yield the Parquet file with the content ``data``; raise ``fault`` for what is wrong with it, also in the block.

    Args:
        data: the content.
        where: the file, for messages.
        fault: the error to raise.
        row_bytes: most bytes that a row unpacks to.
        texts: columns to read as dictionaries.
    """
    pa, pq = load("pyarrow", where), load("pyarrow.parquet", where)
    try:
        file = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True, read_dictionary=list(texts))
        # Not from the columns' metadata: where these are broken, pyarrow ends the process.
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        size, rows = sum(group.total_byte_size for group in groups), file.metadata.num_rows
        if size > (most := MIB + row_bytes * rows):
            raise fault(
                f"{rows} rows unpack to {format_bytes(size)}", where=where, allowed=f"at most {format_bytes(most)}"
            )
        yield file
    except (pa.ArrowException, OSError, LookupError, ValueError, TypeError, MemoryError, ArithmeticError) as error:
        problem = str(error).split("\n", maxsplit=1)[0] or type(error).__name__
        raise fault(f"not Parquet ({problem})", where=where) from None
