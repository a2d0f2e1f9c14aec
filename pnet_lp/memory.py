"""Free memory, checked before a solve starts, and the peak memory of this process."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from pathlib import Path

from pnet_lp.errors import PnetError, TooLarge
from pnet_lp.units import MIB, format_bytes

_ARENA_MAX = -8
"""The option of mallopt(3)."""

_LEAST = 32 * MIB
"""Least free memory before anything starts: stacks of threads and small allocations take it, and where those fail the
core aborts the process."""


def available_bytes(root: Path = Path("/")) -> int:
    """Return the bytes that this process can still take without swapping or being killed.

    The smallest of the memory available on the machine and, on Linux, what the memory limits of the process
    (``ulimit -v``, ``-d``) and of its control groups (versions 1 and 2, every level) leave.

    Args:
        root: where ``proc`` and ``sys`` are mounted.
    """
    import psutil  # noqa: PLC0415 - not where nothing large is begun

    limits = [*_process_limits(root), *_control_groups(root)]
    known = [value for value in limits if value is not None]
    return max(min([psutil.virtual_memory().available, *known]), 0)


def check_fits(needed: int, what: str, error: type[PnetError], *, allowed: str | Callable[[], str]) -> None:
    """Raise ``error`` where ``needed`` bytes are not free, or fewer than the least.

    Args:
        needed: bytes.
        what: what needs them, the subject of the sentence.
        error: the class to raise.
        allowed: what to do instead; a function where it takes a while to compute.
    """
    free = available_bytes()
    about = f"{what} needs about {format_bytes(needed)}"
    if needed > free:
        instead = allowed if isinstance(allowed, str) else allowed()
        raise error(TooLarge(f"{about}, {format_bytes(free)} are free"), allowed=instead)
    if free < _LEAST:
        raise error(
            TooLarge(
                f"{about}, and only {format_bytes(free)} are free; anything takes {format_bytes(_LEAST)} at first"
            ),
            allowed="more memory",
        )


def reset_peak(root: Path = Path("/")) -> bool:
    """Reset the peak memory of this process; return whether the system can."""
    counters = root / "proc/self/clear_refs"
    try:
        counters.write_text("5")
    except OSError:
        return False
    return True


def peak_bytes(root: Path = Path("/")) -> int | None:
    """Return the peak resident bytes of this process since :func:`reset_peak`, None where the system does not say."""
    try:
        lines = (root / "proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), None)


def _process_limits(root: Path) -> list[int]:
    """Return what is left under the limits of the process's address space and of its data."""
    try:
        import resource  # noqa: PLC0415 - only Unix has it

        pages = (root / "proc/self/statm").read_text().split()
    except (ImportError, OSError):
        return []
    left = []
    for limit, column in ((resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5)):
        allowed, _ = resource.getrlimit(limit)
        if allowed != resource.RLIM_INFINITY:
            _share_arena()
            left.append(allowed - int(pages[column]) * resource.getpagesize())
    return left


@functools.cache
def _share_arena() -> None:
    """Let all threads allocate from one arena: glibc reserves 64 MiB of addresses for each of others, used or not."""
    # Other systems, and other libraries of C, have no such call.
    if set_option := getattr(ctypes.CDLL(None), "mallopt", None):
        set_option(_ARENA_MAX, 1)


def _control_groups(root: Path) -> list[int | None]:
    """Return what is left under the limit of each control group that holds this process."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    left: list[int | None] = []
    mount = root / "sys/fs/cgroup"
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            files = (mount, "memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            files = (mount / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        # A limit holds for all groups below it.  Inside a container the path may not exist: its own group is the top.
        parts = [part for part in path.split("/") if part]
        left += [_left(files[0].joinpath(*parts[:depth]), *files[1:]) for depth in range(len(parts) + 1)]
    return left


def _left(group: Path, limit_file: str, usage_file: str, reclaimable: str) -> int | None:
    try:
        limit, usage = (group / limit_file).read_text().strip(), (group / usage_file).read_text()
        statistics = (group / "memory.stat").read_text().splitlines()
    except OSError:
        return None
    if limit == "max":
        return None
    # Page cache counts as usage, but goes when memory is needed.
    cache = next((int(line.split()[1]) for line in statistics if line.split()[0] == reclaimable), 0)
    return int(limit) - int(usage) + cache
