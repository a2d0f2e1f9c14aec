"""Temporary files and folders, which do not outlive the process that made them.

They are locked as long as their maker lives.  One that was killed leaves them without a lock, and the next that works
in the same folder removes them.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_PREFIX = ".pnet-lp-"
_OURS = re.compile(re.escape(_PREFIX) + r"[0-9a-z_]{8,16}(?:\.[^.]*)?", re.DOTALL)


@contextmanager
def scratch_file(folder: Path, suffix: str, mode: int) -> Iterator[Path]:
    """Yield a new, empty file in ``folder`` with an unpredictable name; it is removed afterwards, unless moved.

    Args:
        folder: where it is made.
        suffix: how its name ends, with the dot.
        mode: its permissions, of which the process's mask is taken.

    Raises:
        OSError: it cannot be made.
    """
    remove_abandoned(folder)
    lock: int | None = None
    while lock is None:
        path = folder / f"{_PREFIX}{secrets.token_hex(8)}{suffix}"
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        lock = _locked(path)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        if lock >= 0:
            os.close(lock)


class ScratchFolder:
    """A folder for temporary files, readable by this user only.

    Attributes:
        path: it.
    """

    def __init__(self) -> None:
        remove_abandoned(Path(tempfile.gettempdir()))
        lock: int | None = None
        while lock is None:
            self._folder = tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True)
            lock = _locked(Path(self._folder.name))
        self._lock = lock
        self.path = self._folder.name

    def remove(self) -> None:
        """Remove it with all that it holds."""
        self._folder.cleanup()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def remove_abandoned(folder: Path) -> None:
    """Remove what ended processes of this user have left in ``folder``."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _OURS.fullmatch(entry.name):
                _remove_if_abandoned(Path(entry.path))


if sys.platform == "win32":

    def _locked(path: Path) -> int | None:
        """Return that there is no lock: an open file could not be moved."""
        del path
        return -1

    def _remove_if_abandoned(path: Path) -> None: ...

else:

    def _locked(path: Path) -> int | None:
        """Return the descriptor that holds a lock on ``path``, -1 where files have no locks, None where it is gone."""
        descriptor = -1
        try:
            descriptor = os.open(path, os.O_RDONLY)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except (BlockingIOError, FileNotFoundError):
            # Somebody took it for abandoned before it was locked.
            pass
        except OSError:
            return descriptor
        if descriptor >= 0:
            os.close(descriptor)
        return None

    def _remove_if_abandoned(path: Path) -> None:
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                found = os.fstat(descriptor)
                if found.st_uid != os.geteuid():
                    return
                if stat.S_ISDIR(found.st_mode):
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink()
            finally:
                os.close(descriptor)
