"""Ctrl-C in a process of pnet-lp's own: what :mod:`pnet_lp.__main__` sets up before anything else is imported.

Python raises KeyboardInterrupt wherever its main thread is.  Three things can go wrong with that, and each has its
remedy here: code that cannot raise, such as a finaliser, prints and drops it (it is raised again); a library makes
another error of it (:func:`pressed` remembers); and code outside Python does not come back to hear of it (a second
Ctrl-C ends the process without Python).
"""

from __future__ import annotations

import _thread
import atexit
import ctypes
import os
import signal
import sys
import threading
from types import FrameType
from typing import NoReturn

from pnet_lp.errors import TimeLimitError

INTERRUPTED = 130
"""Exit code of a process that Ctrl-C ended."""

_AGAIN_S = 0.01
"""After this time the code that dropped an interruption has ended."""

_pressed = threading.Event()
_installed = threading.Event()
_abandoned: list[threading.Thread] = []


def install() -> None:
    """Remember Ctrl-C, raise it again where it is dropped, and end at once when it is pressed twice.

    Whoever started the process may have it ignore Ctrl-C, as shells do with what they run in the background.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        return
    signal.signal(signal.SIGINT, _handle)
    sys.unraisablehook = _unraisable
    _installed.set()
    # Last, because a handler of Python's would take its place.
    from pnet_lp._core import end_at_second_interrupt  # noqa: PLC0415 - not before Ctrl-C is remembered

    end_at_second_interrupt()
    if sys.platform != "win32":
        # Otherwise a blocking system call would continue, and Python would never raise.
        signal.siginterrupt(signal.SIGINT, True)


def pressed() -> bool:
    """Whether Ctrl-C was pressed since :func:`install`."""
    return _pressed.is_set()


def settle() -> None:
    """Let Ctrl-C end the process as it ends any other: all that was to be said has been said."""
    if _installed.is_set():
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def interrupt(thread: int) -> None:
    """Raise KeyboardInterrupt in the thread of this identifier: when it runs Python, or waits for work in the core."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))


def heard() -> None:
    """Do nothing: what another thread raises in this one is raised by the next call at the latest."""


def abandon(thread: threading.Thread) -> None:
    """Take note that nobody waits for a library any more that runs in ``thread`` and did not stop."""
    _abandoned.append(thread)


def end(code: int) -> NoReturn:
    """End the process with an exit code, while an abandoned library is still running as well."""
    if any(thread.is_alive() for thread in _abandoned):
        # It may call Python, which would end it in the middle, or use what C++ takes apart at the end.
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            if stream:
                stream.flush()
        os._exit(code)
    sys.exit(code)


def _handle(_signal: int, _frame: FrameType | None) -> None:
    _pressed.set()
    raise KeyboardInterrupt


def _unraisable(dropped: sys.UnraisableHookArgs) -> None:
    if issubclass(dropped.exc_type, TimeLimitError):
        return  # The alarm rings again.
    if issubclass(dropped.exc_type, KeyboardInterrupt):
        # Not at once: this, too, runs where nothing can be raised.
        threading.Timer(_AGAIN_S, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(dropped)
