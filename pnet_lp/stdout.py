"""Standard output is for our own writer: what libraries print there goes to standard error.

``--json`` promises one document and nothing else, and libraries print without being asked.  Those in C print to
descriptor 1 and not to ``sys.stdout``, some of it only when the process ends.  So in a process of ours descriptor 1
becomes standard error, for good, and the true standard output gets another number, which children do not inherit.

A process of somebody else's, such as a notebook, is left as it is, but for the moment in which a library prints what no
option turns off (:func:`muted`): a descriptor is that of all threads and children.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TextIO

_STDOUT, _STDERR = 1, 2
_CLOSED = -1

_true: dict[int, int] = {}
"""Under the number of standard output, once diverted: that of the true one, or :data:`_CLOSED`."""

_ours: ContextVar[TextIO | None] = ContextVar("_ours")


def divert() -> int:
    """Make standard output standard error in this process, one of ours, for what C prints and for all children.

    Returns:
        The number of the true standard output, or -1 if it is closed.
    """
    if not _true:
        _open_if_closed(_STDERR)
        try:
            _true[_STDOUT] = os.dup(_STDOUT)
        except OSError:
            _true[_STDOUT] = _CLOSED
        # Closed, it is opened too: a file of ours could get the number.
        os.dup2(_STDERR, _STDOUT)
    return _true[_STDOUT]


def claim() -> None:
    """:func:`divert`, but for ``sys.stdout``, which goes on to the true standard output."""
    if sys.__stdout__ is None or sys.stdout is not sys.__stdout__:
        divert()
        return
    sys.stdout.flush()
    binary = os.fdopen(divert(), "wb", closefd=False)
    encoding, errors, lines = sys.__stdout__.encoding, sys.__stdout__.errors, sys.__stdout__.line_buffering
    # Libraries ask the original for the size of the terminal.
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(  # type: ignore[misc]
        binary, encoding, errors, line_buffering=lines
    )


@contextmanager
def reserved() -> Iterator[None]:
    """Turn what Python code prints in the block to standard error; :func:`writer` goes on to standard output."""
    token = _ours.set(sys.stdout)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        _ours.reset(token)


def writer() -> TextIO | None:
    """Return standard output, for our own writer; None if it is closed."""
    return _ours.get(sys.stdout)


def descriptor(number: int) -> int:
    """Return the number under which this process has the file that was called ``number`` when it began."""
    return _true.get(number, number)


@contextmanager
def muted() -> Iterator[None]:
    """Drop what is printed to standard output in the block, which must be short: it is that of all threads."""
    if sys.platform != "win32":
        # What C has not written yet is not to be dropped.
        ctypes.CDLL(None).fflush(None)
    try:
        kept = os.dup(_STDOUT)
    except OSError:  # closed
        yield
        return
    try:
        with open(os.devnull, "wb") as nothing:  # noqa: PTH123 - a device
            os.dup2(nothing.fileno(), _STDOUT)
        yield
    finally:
        os.dup2(kept, _STDOUT)
        os.close(kept)


def _open_if_closed(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        nothing = os.open(os.devnull, os.O_WRONLY)
        if nothing == number:
            os.set_inheritable(number, True)
        else:
            os.dup2(nothing, number)
            os.close(nothing)
