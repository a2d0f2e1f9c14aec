"""Traces of programs: what each rank computes, sends, receives and does together with others, and what waits for what.

A format makes a :class:`Trace` of a file; :mod:`.expand` makes flows of it.  Nothing of hosts or of algorithms is known
here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pnet_lp.collectives import Operation
from pnet_lp.errors import WorkloadError
from pnet_lp.memory import check_fits

Joint: TypeAlias = Operation | Literal["barrier"]
"""What ranks of a group do together; a barrier moves no bytes."""

BYTES_PER_NODE = 1500
"""While a trace is read and expanded."""


@dataclass(slots=True)
class Node:
    """Something that a rank does; by itself, a computation.

    Attributes:
        rank: who does it.
        where: file and line, or number, for messages.
        after: nodes, by number, that are done before it begins.
        begun: nodes that have begun before it begins.
        compute_ps: picoseconds that it takes; of messages and operations, nothing.
        operations: of a computation whose time is not known: how many floating-point operations it is.
    """

    rank: int
    where: str
    after: Sequence[int] = ()
    begun: Sequence[int] = ()
    compute_ps: int = 0
    operations: int = 0


@dataclass(slots=True)
class Message(Node):
    """A message that is sent, or awaited.

    Attributes:
        peer: the other rank.
        size: bytes.
        tag: messages of a pair with the same one are received in the order in which they are sent.
        sends: whether it is sent.
    """

    peer: int = -1
    size: int = 0
    tag: int = 0
    sends: bool = True

    @property
    def key(self) -> tuple[int, int, int]:
        """Sender, receiver and tag."""
        return (self.rank, self.peer, self.tag) if self.sends else (self.peer, self.rank, self.tag)


@dataclass(slots=True)
class Collective(Node):
    """A rank's part in an operation of a group; the n-th of every member is the same one.

    Attributes:
        operation: what is done.
        size: bytes of each rank's whole buffer.
        gathered: whether ``size`` is what each rank has before it is gathered, a part of the buffer.
        group: name of the group; empty for all ranks.
    """

    operation: Joint = "barrier"
    size: int = 0
    gathered: bool = False
    group: str = ""


@dataclass
class Trace:
    """The nodes of all ranks.

    Attributes:
        where: the file.
        ranks: number of ranks.
        nodes: each rank's in the order in which its messages and operations match those of others.
        groups: members of named groups, in the order of their ranks.
        parts: where sizes count parts of a buffer of any size, how many of these are one; else 0.
    """

    where: str
    ranks: int
    nodes: list[Node] = field(default_factory=list)
    groups: dict[str, tuple[int, ...]] = field(default_factory=dict)
    parts: int = 0

    def add(self, node: Node) -> int:
        """Add a node and return its number."""
        self.nodes.append(node)
        return len(self.nodes) - 1

    def check_ranks(self, hosts: int) -> int:
        """Return the number of ranks; raise WorkloadError where there are fewer hosts."""
        if self.ranks > hosts:
            raise WorkloadError(
                f"the trace is for {self.ranks} ranks",
                where=self.where,
                found=f"{hosts} hosts",
                allowed="as many hosts",
            )
        return self.ranks

    def check_count(self, count: int) -> None:
        """Raise WorkloadError where so many nodes do not fit into memory."""
        check_fits(count * BYTES_PER_NODE, f"{self.where} with {count:,} nodes", WorkloadError, allowed="fewer nodes")

    def pairs(self) -> dict[int, int]:
        """Return for each receiving node the node that sends to it.

        Raises:
            WorkloadError: a message that is sent and not received, or the reverse, or with another size.
        """
        sent, awaited = self._messages(sends=True), self._messages(sends=False)
        found = {}
        for numbers, others, what in ((sent, awaited, "sent and never received"), (awaited, sent, "never sent")):
            for (src, dst, tag), mine in numbers.items():
                matching = len(others.get((src, dst, tag), ()))
                if matching < len(mine):
                    raise WorkloadError(
                        f"a message from rank {src} to rank {dst} with tag {tag} is {what}",
                        where=self.nodes[mine[matching]].where,
                    )
        for key, receivers in awaited.items():
            for receiver, sender in zip(receivers, sent[key], strict=True):
                one, other = self.nodes[receiver], self.nodes[sender]
                assert isinstance(one, Message) and isinstance(other, Message)  # noqa: PT018 - for the type checker
                if one.size != other.size:
                    raise WorkloadError(
                        "a message is received with another size than it is sent with",
                        where=one.where,
                        found=one.size,
                        allowed=f"{other.size}, as at {other.where}",
                    )
                found[receiver] = sender
        return found

    def _messages(self, *, sends: bool) -> Mapping[tuple[int, int, int], list[int]]:
        found: dict[tuple[int, int, int], list[int]] = defaultdict(list)
        for number, node in enumerate(self.nodes):
            if isinstance(node, Message) and node.sends == sends:
                if not 0 <= node.peer < self.ranks:
                    raise WorkloadError(
                        "no such rank", where=node.where, found=node.peer, allowed=f"0 to {self.ranks - 1}"
                    )
                found[node.key].append(number)
        return found

    def members(self, name: str, where: str) -> tuple[int, ...]:
        """Return the ranks of a group.

        Raises:
            WorkloadError: it is not known, or has a rank that there is not, or one twice.
        """
        if not name:
            return tuple(range(self.ranks))
        if name not in self.groups:
            raise WorkloadError(
                "the members of this group are not known",
                where=where,
                found=name,
                allowed=", ".join(self.groups) or "groups that the trace defines, or those of FILE:groups=JSON",
            )
        members = self.groups[name]
        if len(set(members)) < len(members) or not all(0 <= rank < self.ranks for rank in members):
            raise WorkloadError(
                f"invalid members of group {name}",
                where=where,
                found=list(members),
                allowed=f"different ranks from 0 to {self.ranks - 1}",
            )
        return members

    def together(self) -> Iterator[tuple[list[int], tuple[int, ...]]]:
        """Yield the nodes of each collective operation, one for each member, and the members.

        Raises:
            WorkloadError: a rank takes part that is no member, members take part in different operations or different
                numbers of them, or the group is not known.
        """
        parts: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, node in enumerate(self.nodes):
            if isinstance(node, Collective):
                parts[node.group][node.rank].append(number)
        for group, by_rank in parts.items():
            first = self.nodes[next(iter(by_rank.values()))[0]]
            members = self.members(group, first.where)
            called = f"group {group}" if group else "all ranks"
            for rank, numbers in by_rank.items():
                if rank not in members:
                    raise WorkloadError(f"rank {rank} is not in {called}", where=self.nodes[numbers[0]].where)
            most = max(by_rank.values(), key=len)
            for rank in members:
                if len(by_rank.get(rank, ())) < len(most):
                    raise WorkloadError(
                        f"rank {rank} does not take part in an operation of {called}",
                        where=self.nodes[most[len(by_rank.get(rank, ()))]].where,
                    )
            for same in zip(*(by_rank[rank] for rank in members), strict=True):
                self._check_same(same, called)
                yield list(same), members

    def _check_same(self, numbers: Sequence[int], called: str) -> None:
        first = self.nodes[numbers[0]]
        for number in numbers:
            node = self.nodes[number]
            assert isinstance(node, Collective) and isinstance(first, Collective)  # noqa: PT018 - for the type checker
            if (node.operation, node.size) != (first.operation, first.size):
                raise WorkloadError(
                    f"ranks of {called} do different operations",
                    where=node.where,
                    found=f"{node.operation} of {node.size} bytes",
                    allowed=f"{first.operation} of {first.size} bytes, as at {first.where}",
                )
