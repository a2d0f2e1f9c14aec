"""How every file is written: whole or not at all, and to devices as they are."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pnet_lp.errors import OutputError
from pnet_lp.files import json_text
from pnet_lp.scratch import scratch_file
from pnet_lp.stdout import descriptor

_MOST_LINKS = 40
_LONGEST_SUFFIX = 16


@contextmanager
def output_file(path: str | Path) -> Iterator[Path]:
    """Yield an empty file to write to; what it holds is in ``path`` if the block ends well, and nothing otherwise.

    A new file takes the place of the old one in a single step and with its permissions, so that readers see the one or
    the other and never a part; a symbolic link stays, and what it leads to is written.  What is no file, as a pipe, a
    device or ``/dev/stdout``, is written to when all is known.

    Raises:
        OutputError: it cannot be written.
        BrokenPipeError: the reading end of the pipe is closed.
    """
    # By the suffix libraries choose a format.
    suffix = Path(path).suffix if len(Path(path).suffix) <= _LONGEST_SUFFIX else ""
    with naming_output(path):
        target = _followed(Path(path))
        if _is_special(target):
            with scratch_file(Path(tempfile.gettempdir()), suffix, 0o600) as temporary:
                yield temporary
                with temporary.open("rb") as source, _opened(target) as sink:
                    shutil.copyfileobj(source, sink)
            return
        old = _status(target)
        _check_replaceable(target, old)
        with scratch_file(target.parent, suffix, 0o666 if old is None else 0o600) as temporary:
            yield temporary
            if old is not None:
                _imitate(temporary, old)
            temporary.replace(target)


def check_output(path: str | Path) -> None:
    """Raise OutputError where it is plain before any work that ``path`` cannot be written."""
    with naming_output(path):
        target = _followed(Path(path))
        old = _status(target)
        if old is not None and stat.S_ISDIR(old.st_mode):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not _is_special(target):
            _check_replaceable(target, old)
            if not os.access(target.parent, os.W_OK | os.X_OK):
                raise OSError(errno.EACCES, os.strerror(errno.EACCES))


def check_folder(path: str | Path) -> None:
    """Raise OutputError where it is plain before any work that files cannot be put into the folder ``path``.

    One that is missing may be made, with those above it.
    """
    with naming_output(path):
        there = Path(path)
        while not os.path.lexists(there) and there != there.parent:
            there = there.parent
        if not there.is_dir():
            raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(there, os.W_OK | os.X_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))


def write_json(path: str | Path, document: object) -> None:
    """Write ``document`` as :func:`pnet_lp.files.json_text` to ``path``; see :func:`output_file`."""
    write_text(path, json_text(document))


def write_text(path: str | Path, text: str) -> None:
    """Write ``text`` in UTF-8 to ``path``; see :func:`output_file`."""
    with output_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextmanager
def naming_output(path: str | Path) -> Iterator[None]:
    """Turn what the system says against writing into an error that names ``path``."""
    try:
        yield
    except BrokenPipeError:
        raise  # Whoever read it has seen enough.
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OutputError(f"cannot be written ({reason[:1].lower()}{reason[1:]})", where=str(path)) from None


def _followed(path: Path) -> Path:
    """Return what symbolic links lead to; an open file of this process, as behind ``/dev/stdout``, is the end of it."""
    for _ in range(_MOST_LINKS):
        path = Path(os.path.realpath(path.parent), path.name)
        if _is_open(path) or not path.is_symlink():
            return path
        path = path.parent / path.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _is_open(target: Path) -> bool:
    """Whether a target is an open file of this process by its number."""
    return target.name.isdecimal() and str(target.parent) in ("/dev/fd", f"/proc/{os.getpid()}/fd")


def _status(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None


def _is_special(target: Path) -> bool:
    """Whether a target is no file whose place another could take."""
    old = _status(target)
    return _is_open(target) or (old is not None and not stat.S_ISREG(old.st_mode))


def _check_replaceable(target: Path, old: os.stat_result | None) -> None:
    # A new file could take the place even of one that must not be written.
    if old is not None and not os.access(target, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))


def _imitate(temporary: Path, old: os.stat_result) -> None:
    """Give a new file the owner, as far as that is allowed, and the permissions of an old one."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.chown(temporary, old.st_uid, old.st_gid)
    temporary.chmod(stat.S_IMODE(old.st_mode))


def _opened(target: Path) -> BinaryIO:
    # An open file is written to where it stands; opened again, it would begin anew.
    if _is_open(target):
        return os.fdopen(os.dup(descriptor(int(target.name))), "wb")
    return os.fdopen(os.open(target, os.O_WRONLY), "wb")
