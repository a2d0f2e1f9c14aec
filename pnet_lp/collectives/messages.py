"""The messages of a schedule: bytes, pieces, and what each waits for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from pnet_lp.collectives.schedule import Schedule, Step
from pnet_lp.errors import SpecError
from pnet_lp.model.arrays import BoolArray
from pnet_lp.model.brief import brief
from pnet_lp.model.workload import LongArray
from pnet_lp.quantities import MOST_BYTES

_NONE = np.empty(0, dtype=np.int64)


@brief()
@dataclass(frozen=True)
class Messages:
    """The messages of one operation between ``ranks`` ranks.

    Attributes:
        ranks: number of ranks.
        src, dst: int64 ``[m]``, ranks.
        size: int64 ``[m]``, bytes.
        start_ps: int64 ``[m]``, picoseconds from the last that it waits for to its start.
        waits: int64 ``[w]`` twice, messages and what each waits for, an earlier one.
    """

    ranks: int
    src: LongArray
    dst: LongArray
    size: LongArray
    start_ps: LongArray
    waits: tuple[LongArray, LongArray]

    @property
    def connects(self) -> BoolArray:
        """``[m]``, whether a message is the first of its pair, which opens the connection of all others."""
        found = np.zeros(len(self.src), dtype=bool)
        found[np.unique(self.src * self.ranks + self.dst, return_index=True)[1]] = True
        return found


def messages_of(schedule: Schedule, size: int, pieces: int = 1) -> Messages:
    """Return the messages of ``schedule`` for buffers of ``size`` bytes, each in ``pieces``, one after the other.

    No message waits for one with a higher number.

    Raises:
        SpecError: fewer bytes than pieces of blocks.
    """
    bounds = block_bounds(size, schedule.blocks * pieces)
    book = Book(schedule.ranks)
    book.run(schedule, bounds, pieces)
    return book.messages()


def block_bounds(size: int, count: int) -> LongArray:
    """Return the ``count + 1`` bounds of blocks of ``size`` bytes that differ by a byte at most.

    Raises:
        SpecError: fewer bytes than blocks, or more than :data:`~pnet_lp.quantities.MOST_BYTES`.
    """
    if size < count:
        raise SpecError(f"a buffer is sent in {count:,} pieces", where="size", found=size, allowed=f"{count} or more")
    if size > MOST_BYTES:
        raise SpecError("a buffer is too large", where="size", found=size, allowed=f"at most {MOST_BYTES:,} bytes")
    return np.array([i * size // count for i in range(count + 1)], dtype=np.int64)


@brief("ranks", "count")
@dataclass(repr=False)
class Book:
    """Messages as they are made, with what each rank sent and received last.

    Attributes:
        ranks: number of ranks.
        count: number of messages.
        busy_ps: ``[ranks]``, how long each rank computes before it begins its next operation.
        last: ``[ranks]``, the last message that each rank sent; -1 if none.
        came: of messages that came and that nobody waited for yet: the rank, the first piece, and what the numbers of
            its pieces differ by.
    """

    ranks: int
    count: int = 0
    busy_ps: LongArray = field(init=False)
    last: LongArray = field(init=False)
    came: list[tuple[LongArray, LongArray, LongArray]] = field(default_factory=list)
    _rows: list[LongArray] = field(default_factory=list)
    _waits: list[tuple[LongArray, LongArray]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.busy_ps = np.zeros(self.ranks, dtype=np.int64)
        self.last = np.full(self.ranks, -1, dtype=np.int64)

    def run(self, schedule: Schedule, bounds: LongArray, pieces: int = 1) -> None:
        """Add the messages of a schedule.

        A rank's first message is later by the time that it computes, unless it waits for another rank's of the
        schedule, which computed before.

        Args:
            schedule: between all ranks.
            bounds: of the pieces of all blocks, one block after the other.
            pieces: of each message.
        """
        begin = self.count
        for section in _sections(schedule):
            stride, offset = sum(step.count for step, _ in section), 0
            rows = np.zeros((4, pieces, stride), dtype=np.int64)
            for step, time in section:
                src, dst, first = step.at(time)
                piece = np.arange(pieces)[:, None]
                low = first * pieces + piece * step.width
                place = slice(offset, offset + step.count)
                rows[0, :, place], rows[1, :, place] = src, dst
                rows[2, :, place] = (bounds[low + step.width] - bounds[low]) * step.copies
                number = self.count + np.arange(pieces * stride).reshape(pieces, stride)[:, place]
                rows[3, 0, place] = np.where(self._note(step, number, src, dst) < begin, self.busy_ps[src], 0)
                self.busy_ps[src] = 0
                offset += step.count
            self._rows.append(rows.reshape(4, -1))
            self.count += pieces * stride

    def _note(self, step: Step, number: LongArray, src: LongArray, dst: LongArray) -> LongArray:
        """Let the messages ``number``, ``[pieces, count]``, wait for what was sent and came before.

        Returns:
            For each, the last that came and that it waits for; -1 if none.
        """
        latest = np.full(len(src), -1, dtype=np.int64)
        if len(number) > 1:
            self._waits.append((number[1:].ravel(), number[:-1].ravel()))
        if step.after in ("both", "sent"):
            own = self.last[src]
            self._waits.append((number[0][own >= 0], own[own >= 0]))
        if step.whole:
            self.came = [(rank, first + (len(number) - 1) * stride, 0 * stride) for rank, first, stride in self.came]
        if step.after in ("both", "came") and self.came:
            rank, first, stride = (np.concatenate(part) for part in zip(*self.came, strict=True))
            order = np.argsort(rank, kind="stable")
            low, high = np.searchsorted(rank[order], src), np.searchsorted(rank[order], src, "right")
            counts = high - low
            child = np.repeat(np.arange(len(src)), counts)
            found = order[np.repeat(low - np.cumsum(counts) + counts, counts) + np.arange(len(child))]
            np.maximum.at(latest, child, first[found])
            piece = np.arange(len(number))[:, None]
            self._waits.append((number[:, child].ravel(), (first[found] + piece * stride[found]).ravel()))
            kept = np.isin(rank, src, invert=True)
            self.came = [(rank[kept], first[kept], stride[kept])]
        self.last[src] = number[-1]
        self.came.append((dst, number[0], np.full(len(dst), number[min(1, len(number) - 1), 0] - number[0, 0])))
        return latest

    def messages(self) -> Messages:
        """Return what there is."""
        src, dst, size, start = np.concatenate([np.empty((4, 0), dtype=np.int64), *self._rows], axis=1)
        child, parent = (np.concatenate(side) for side in zip((_NONE, _NONE), *self._waits, strict=True))
        return Messages(self.ranks, src, dst, size, start, (child, parent))


def _sections(schedule: Schedule) -> Iterator[list[tuple[Step, int]]]:
    """Return steps that are numbered together, each with how often it was before."""
    section: list[tuple[Step, int]] = []
    for step, time in ((each, time) for each in schedule.steps for time in range(each.times)):
        if section and not step.inner:
            yield section
            section = []
        section.append((step, time))
    yield section


def last_of_ranks(messages: Messages) -> tuple[LongArray, LongArray]:
    """Return for each rank the last message that it sends, and the last that comes to it; 0 where there is none."""
    number = np.arange(len(messages.src))
    sent, came = np.zeros(messages.ranks, dtype=np.int64), np.zeros(messages.ranks, dtype=np.int64)
    np.maximum.at(sent, messages.src, number)
    np.maximum.at(came, messages.dst, number)
    return sent, came
