"""What is sent in a training step: the volume of each pair, and messages in the order of the pipeline."""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pnet_lp.collectives import Messages, Schedule
from pnet_lp.collectives import Step as Sending
from pnet_lp.collectives.messages import Book, block_bounds
from pnet_lp.model.brief import brief
from pnet_lp.model.workload import LongArray
from pnet_lp.training.groups import Groups
from pnet_lp.training.model import PHASES, Collective, Phase, TrainingParams


@dataclass(frozen=True)
class Pass:
    """A micro-batch's pass through a stage, forward or back."""

    stage: int
    micro_batch: int
    back: bool


@dataclass(frozen=True)
class Step:
    """A step of training with these parameters."""

    params: TrainingParams

    @cached_property
    def groups(self) -> Groups:
        """Who is in which group."""
        return Groups(self.params)

    def volumes(self, phases: Iterable[Phase] = PHASES) -> tuple[LongArray, LongArray, npt.NDArray[np.float64]]:
        """Return senders, receivers and the bytes that the one sends the other in a step, for these phases."""
        kept, params = set(phases), self.params
        none = np.empty(0, dtype=np.int64)
        parts = [(none, none, np.empty(0))]
        for stage in range(params.pp):
            for each in _merged(self._of_stage(stage)):
                if each.phase in kept:
                    schedule, members = self._schedule(each), self.groups.of(each.group, stage)
                    src, dst, blocks = schedule.volumes()
                    moved = np.tile(blocks * (each.size / schedule.blocks), len(members))
                    parts.append((members[:, src].ravel(), members[:, dst].ravel(), moved))
        if "pp" in kept:
            moved = np.full(params.ranks // params.pp, float(params.handed * params.micro_batches))
            for here, there in itertools.pairwise(self.groups.stage):
                parts += [(here, there, moved), (there, here, moved)]
        src, dst, moved = (np.concatenate(part) for part in zip(*parts, strict=True))
        return src, dst, moved

    def message_count(self, *, by_layer: bool) -> int:
        """Return how many messages :meth:`messages` makes."""
        params = self.params
        count = 2 * params.micro_batches * (params.ranks - params.ranks // params.pp)
        for stage in range(params.pp):
            passes = [Pass(stage, 0, back) for back in (False, True)]
            inside = [
                each
                for one in passes
                for each in (*self._received(one), *itertools.chain.from_iterable(self._parts(one, by_layer=by_layer)))
            ]
            for often, found in ((params.micro_batches, inside), (1, params.of_end(stage))):
                for each in found:
                    groups = len(self.groups.of(each.group, stage))
                    count += often * each.times * self._schedule(each).message_count * groups
        return count

    def pair_count(self, phases: Iterable[Phase] = PHASES) -> int:
        """Return how many pairs :meth:`volumes` has, or more."""
        kept, params = set(phases), self.params
        count = 2 * (params.ranks - params.ranks // params.pp) if "pp" in kept else 0
        for stage in range(params.pp):
            count += sum(
                self._schedule(each).pair_count * len(self.groups.of(each.group, stage))
                for each in _merged(self._of_stage(stage))
                if each.phase in kept
            )
        return count

    def messages(self, forward_ps: int, backward_ps: int, *, by_layer: bool) -> tuple[Messages, LongArray, LongArray]:
        """Return the messages of a step, and of each the phase, by its index among all, and the task.

        A rank sends its messages one after the other, as the pipeline hands on what is computed.

        Args:
            forward_ps: how long a stage computes forward for a micro-batch.
            backward_ps: how long it does so going back.
            by_layer: whether each operation of each layer is done by itself, or those of all layers as one.

        Raises:
            SpecError: a buffer of fewer bytes than blocks, or of too many.
        """
        log = Log(Book(self.params.ranks))
        held: dict[Pass, tuple[LongArray, LongArray, LongArray]] = {}
        for one in self.in_order():
            log.tasks += 1
            ranks, compute = self.groups.stage[one.stage], backward_ps if one.back else forward_ps
            if one in held:
                # What came is later than the end of an earlier pass that sent nothing: the stage that sent it computed
                # as long for this micro-batch after it had sent the one before.
                log.book.busy_ps[ranks] = 0
                log.book.came.append(held.pop(one))
                self._run(log, self._received(one), one.stage)
            parts = self._parts(one, by_layer=by_layer)
            for number, part in enumerate(parts):
                log.book.busy_ps[ranks] += compute * (number + 1) // len(parts) - compute * number // len(parts)
                self._run(log, part, one.stage)
            to = replace(one, stage=one.stage + (-1 if one.back else 1))
            if 0 <= to.stage < self.params.pp:
                handed = self._handed(ranks, self.groups.stage[to.stage])
                log.run("pp", handed, block_bounds(self.params.handed, 1))
                held[to] = log.book.came.pop()
        for stage in range(self.params.pp):
            log.tasks += 1
            self._run(log, self.params.of_end(stage), stage)
        return log.messages()

    def in_order(self) -> list[Pass]:
        """Return the passes of all stages, each after what it waits for.

        The order of a stage is one forward, one backward (Megatron, section 2.2): as many forward passes as there are
        stages behind it, then forward and backward in turn, then the backward passes that are left.
        """
        p, m = self.params.pp, self.params.micro_batches
        queues = []
        for stage in range(p):
            ahead = min(p - 1 - stage, m)
            forward, back = ([Pass(stage, number, one) for number in range(m)] for one in (False, True))
            turns = itertools.chain.from_iterable(zip(forward[ahead:], back, strict=False))
            queues.append(deque([*forward[:ahead], *turns, *back[m - ahead :]]))
        found: dict[Pass, None] = {}
        while any(queues):
            for queue in queues:
                while queue and (queue[0].stage == self._first(queue[0]) or _before(queue[0]) in found):
                    found[queue.popleft()] = None
        return list(found)

    def _first(self, one: Pass) -> int:
        """Return the stage that a micro-batch passes first in this direction."""
        return self.params.pp - 1 if one.back else 0

    def _parts(self, one: Pass, *, by_layer: bool) -> list[list[Collective]]:
        """Return what is done after each part of what a pass computes."""
        layers = self.params.of_pass(one.stage, back=one.back)
        return layers if by_layer else [_merged(itertools.chain.from_iterable(layers))]

    def _received(self, one: Pass) -> Iterator[Collective]:
        """Yield what is done with what comes from another stage, where something does."""
        if one.stage != self._first(one):
            yield from self.params.handed_on()

    def _of_stage(self, stage: int) -> Iterator[Collective]:
        """Yield what a stage does in a step."""
        for back in (False, True):
            passed = self.params.of_pass(stage, back=back)
            for each in (*self._received(Pass(stage, 0, back)), *itertools.chain.from_iterable(passed)):
                yield replace(each, times=each.times * self.params.micro_batches)
        yield from self.params.of_end(stage)

    def _run(self, log: Log, collectives: Iterable[Collective], stage: int) -> None:
        for each in collectives:
            schedule, members = self._schedule(each), self.groups.of(each.group, stage)
            steps = tuple(step.within(members) for step in schedule.steps)
            bounds = block_bounds(each.size, schedule.blocks)
            for _ in range(each.times):
                log.run(each.phase, Schedule(self.params.ranks, schedule.blocks, steps), bounds)

    def _handed(self, here: LongArray, there: LongArray) -> Schedule:
        sending = Sending(lambda _: (here, there, np.zeros_like(here)), len(here))
        return Schedule(self.params.ranks, 1, (sending,))

    def _schedule(self, each: Collective) -> Schedule:
        """Return the steps inside one group."""
        return self.params.algorithm_of(each).schedule(each.operation, self.groups.of(each.group, 0).shape[1])


@brief("tasks")
@dataclass(repr=False)
class Log:
    """Messages as they are made, with what they belong to.

    Attributes:
        book: the messages.
        tasks: number of tasks so far.
        phase: of each message.
        task: of each message.
    """

    book: Book
    tasks: int = 0
    phase: list[LongArray] = field(default_factory=list)
    task: list[LongArray] = field(default_factory=list)

    def run(self, phase: Phase, schedule: Schedule, bounds: LongArray) -> None:
        """Add the messages of a schedule."""
        begin = self.book.count
        self.book.run(schedule, bounds)
        count = self.book.count - begin
        self.phase.append(np.full(count, PHASES.index(phase)))
        self.task.append(np.full(count, self.tasks))

    def messages(self) -> tuple[Messages, LongArray, LongArray]:
        """See :meth:`Step.messages`; tasks without messages do not count."""
        none = np.empty(0, dtype=np.int64)
        task = np.unique(np.concatenate([none, *self.task]), return_inverse=True)[1]
        return self.book.messages(), np.concatenate([none, *self.phase]), task


def _before(one: Pass) -> Pass:
    """Return the pass of the same micro-batch in the stage before."""
    return replace(one, stage=one.stage + (1 if one.back else -1))


def _merged(collectives: Iterable[Collective]) -> list[Collective]:
    """Return the same bytes with each operation of each kind of group once."""
    total: Counter[Collective] = Counter()
    for each in collectives:
        total[replace(each, size=1, times=1)] += each.size * each.times
    return [replace(each, size=size) for each, size in total.items()]
