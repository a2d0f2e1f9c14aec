"""What an algorithm of a collective operation sends, step by step: the one definition behind volumes and messages.

Everything is in ranks and blocks here: equal parts of a buffer.  Bytes, pieces and waits are :mod:`.messages`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from pnet_lp.errors import SpecError
from pnet_lp.model.brief import brief
from pnet_lp.model.workload import LongArray

After: TypeAlias = Literal["both", "came", "sent", "none"]

Sent: TypeAlias = tuple[LongArray, LongArray, LongArray]
"""Senders, receivers and the first block of each message."""


@dataclass(frozen=True)
class Step:
    """Messages that ranks send at the same time, and again ``times`` times.

    Attributes:
        at: what is sent the t-th time, from 0 on: three arrays ``[count]``.
        count: number of messages each time.
        width: blocks of a message, from its first one on.
        copies: how many buffers a message has these blocks of.
        times: how often.
        moves: whether the pairs differ from one time to the next.
        after: what a message waits for: what came to its sender since that last waited for what came; the last one that
            its sender sent; both; nothing.
        whole: whether what came before is needed as a whole from now on; else piece by piece.
        inner: whether messages are numbered with those of the step before, piece by piece.
    """

    at: Callable[[int], Sent]
    count: int
    width: int = 1
    copies: int = 1
    times: int = 1
    moves: bool = False
    after: After = "both"
    whole: bool = False
    inner: bool = False

    def within(self, members: LongArray, base: LongArray | int = 0, scale: int = 1) -> Step:
        """Return this step in many groups at the same time.

        Args:
            members: ``[groups, ranks]``, what is rank r of each group.
            base: ``[groups, 1]``, the block that is block 0 of a group.
            scale: how many blocks are one of the step's.
        """

        def at(time: int) -> Sent:
            src, dst, first = self.at(time)
            return members[:, src].ravel(), members[:, dst].ravel(), np.add(base, scale * first[None]).ravel()

        if not np.shape(base):
            base = np.full((len(members), 1), base)
        return replace(self, at=at, count=self.count * len(members), width=self.width * scale)


@brief("ranks", "blocks", "message_count")
@dataclass(frozen=True, repr=False)
class Schedule:
    """The steps of an algorithm between ``ranks`` ranks.

    Attributes:
        ranks: number of ranks.
        blocks: equal parts of a buffer.
        steps: one after the other.
        owned: ``[ranks]``, the block that each rank has after a reduce-scatter, or before an all-gather; default: the
            one of its number.
    """

    ranks: int
    blocks: int
    steps: tuple[Step, ...]
    owned: LongArray | None = None

    @property
    def own(self) -> LongArray:
        """``[ranks]``: see :attr:`owned`."""
        return np.arange(self.ranks) if self.owned is None else self.owned

    @property
    def message_count(self) -> int:
        """Number of messages, in one piece each."""
        return sum(step.count * step.times for step in self.steps)

    @property
    def pair_count(self) -> int:
        """Number of pairs that send, or more."""
        return sum(step.count * (step.times if step.moves else 1) for step in self.steps)

    @property
    def is_direct(self) -> bool:
        """Whether no rank passes on what it receives."""
        return not any(step.after in ("both", "came") for step in self.steps)

    def at_once(self) -> Schedule:
        """Return this schedule without its order; raise SpecError where data is passed on."""
        if not self.is_direct:
            raise SpecError("an algorithm that passes data on has an order", where="order", found="at-once")
        return replace(self, steps=tuple(replace(step, after="none") for step in self.steps))

    def volumes(self) -> tuple[LongArray, LongArray, LongArray]:
        """Return senders, receivers, and how many blocks the one sends the other in all."""
        parts = [
            (src * self.ranks + dst, np.full(step.count, step.width * step.copies * (1 if step.moves else step.times)))
            for step in self.steps
            for src, dst, _ in map(step.at, range(step.times if step.moves else 1))
        ]
        pair, place = np.unique(np.concatenate([key for key, _ in parts]), return_inverse=True)
        total = np.zeros(len(pair), dtype=np.int64)
        np.add.at(total, place, np.concatenate([blocks for _, blocks in parts]))
        return pair // self.ranks, pair % self.ranks, total


def around(ranks: int, behind: int, times: int) -> Step:
    """Return ``times`` steps around a ring: at time t, rank i sends block ``i - behind - t`` to rank ``i + 1``."""
    rank = np.arange(ranks)
    return Step(lambda t: (rank, (rank + 1) % ranks, (rank - behind - t) % ranks), ranks, times=times)


def exchanges(ranks: int, distances: Iterable[int], *, gathers: bool) -> tuple[Step, ...]:
    """Return steps in which every rank exchanges blocks with the rank whose number differs in one bit.

    Args:
        ranks: number of ranks, a power of two, and of blocks.
        distances: the bit of each step.
        gathers: whether ranks send all blocks that they have, or those that their partner's half is to have.
    """
    rank = np.arange(ranks)

    def step(distance: int) -> Step:
        partner = rank ^ distance
        return Step(lambda _: (rank, partner, (rank if gathers else partner) // distance * distance), ranks, distance)

    return tuple(map(step, distances))


def bits(ranks: int) -> list[int]:
    """Return 1, 2, 4, ... below ``ranks``; raise SpecError unless that is a power of two."""
    if ranks & (ranks - 1):
        raise SpecError(
            "ranks are paired by the bits of their numbers",
            where="algorithm",
            found=f"{ranks} ranks",
            allowed="2, 4, 8, 16, ... ranks",
        )
    return [1 << bit for bit in range(ranks.bit_length() - 1)]


def folded(ranks: int, schedule: Callable[[int], Schedule]) -> Schedule:
    """Return the schedule of a sum over the largest power of two of ranks, with the others before and after it.

    Of the first ``2 r`` ranks, r being how many there are beyond that power, the even ones send their whole buffers to
    the odd ones, which take part with the sum, and send the result back.
    """
    power = 1 << (ranks.bit_length() - 1)
    inner = schedule(power)
    if not (extra := ranks - power):
        return inner
    even, first = 2 * np.arange(extra), np.zeros(extra, dtype=np.int64)
    active = np.concatenate([even + 1, np.arange(2 * extra, ranks)])[None]
    there = Step(lambda _: (even, even + 1, first), extra, inner.blocks)
    back = Step(lambda _: (even + 1, even, first), extra, inner.blocks)
    return Schedule(ranks, inner.blocks, (there, *(step.within(active) for step in inner.steps), back))


def servers(ranks: int, local: int) -> LongArray:
    """Return the ranks of each server, ``[servers, local]``; raise SpecError where they do not fill these."""
    if ranks % local:
        raise SpecError(
            f"{ranks} ranks do not fill groups of {local}", where="algorithm: local", allowed=f"a divisor of {ranks}"
        )
    return np.arange(ranks).reshape(-1, local)
