"""What a routing is: a name, parameters, and the paths or the split that it gives demands.

A routing is one file in :mod:`pnet_lp.routing.schemes`, or a module named in the entry-point group
``pnet_lp.routings``.  Nothing else knows a routing by its name.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Self, get_args

import numpy.typing as npt
from pydantic import Field

from pnet_lp.deadline import NEVER, Deadline
from pnet_lp.errors import RoutingError, SpecError
from pnet_lp.model import Network
from pnet_lp.model.network import Level
from pnet_lp.model.paths import Form, PathSet, Policy
from pnet_lp.registry import Params, Registry, parse_expression, write_expression
from pnet_lp.routing.enumerate import enumerate_paths, iterate_paths
from pnet_lp.routing.loads import Loads, Split, checked_amount, split_loads, split_usage
from pnet_lp.routing.rule import ALL, PathKind, PathRule
from pnet_lp.routing.searches import prepare
from pnet_lp.seeds import check_seed

if TYPE_CHECKING:
    import scipy.sparse as sp

POLICIES: tuple[str, ...] = get_args(Policy)


class Routing:
    """Base of all routings.

    A routing of form ``path`` has :meth:`paths`; one of form ``split`` has :meth:`loads` and :meth:`usage`, and may
    have :meth:`paths` as well, for inspection.

    Class attributes:
        form: what it leaves open.
        draws: whether it draws a path for each flow, as a hash over the flow's endpoints does.
        kind: which paths the core's search lists, for routings that have it do so.
        splitting: how the core splits demands, for routings that have it do so; the second implementation of
            ``pnet-lp verify`` knows these.

    Attributes:
        params: its parameters.
        expression: as it was written, without blanks.
        policy: which planes paths may come from; see :class:`~pnet_lp.routing.rule.PathRule`.
        seed: what breaks ties between paths and draws them.
        deadline: when searches for paths end at the latest, with a TimeLimitError.
        beside: bytes that whoever asks for paths needs besides, for each of their links.
    """

    form: ClassVar[Form]
    draws: ClassVar[bool] = False
    kind: ClassVar[PathKind | None] = None
    splitting: ClassVar[Split | None] = None
    deadline: Deadline = NEVER
    beside: int = 0

    def __init__(self, params: Params, policy: Policy = "any", seed: int = 0, expression: str = "") -> None:
        self.params = params
        self.expression = expression
        self.policy = policy
        self.seed = seed

    def until(self, deadline: Deadline) -> Self:
        """Return the routing with a deadline."""
        bound = copy.copy(self)
        bound.deadline = deadline
        return bound

    def leaving(self, beside: int) -> Self:
        """Return the routing with so many bytes left for each link of its paths."""
        leaving = copy.copy(self)
        leaving.beside = beside
        return leaving

    @property
    def per_flow(self) -> bool:
        """Whether flows between the same switches can take different paths, so that twin hosts cannot be merged."""
        return self.draws or self.policy == "single"

    @property
    def most_paths(self) -> int:
        """Paths of a pair that the core's search lists at most."""
        return ALL

    @property
    def rule(self) -> PathRule | None:
        """The rule of the core's path search, None for a routing that does not use it."""
        if self.kind is None:
            return None
        return PathRule(self.kind, self.most_paths, self.policy, self.per_flow, self.seed)

    @property
    def narrowed(self) -> Routing | None:
        """A routing with one path for each demand, one of those of this one and sooner found, if there is one."""
        return None

    def paths(
        self, network: Network, level: Level, src: npt.ArrayLike, dst: npt.ArrayLike, *, threads: int = 0
    ) -> PathSet:
        """Return the paths of each pair ``(src[j], dst[j])``; arguments and errors as of :func:`enumerate_paths`.

        Raises:
            RoutingError: the routing has no list of paths.
        """
        rule = self._listed()
        return enumerate_paths(
            network, level, src, dst, rule, beside=self.beside, threads=threads, deadline=self.deadline
        )

    def iterate(
        self, network: Network, level: Level, src: npt.ArrayLike, dst: npt.ArrayLike, *, threads: int = 0
    ) -> Iterator[tuple[slice, PathSet]]:
        """Yield the same in blocks of pairs that fit into memory."""
        return iterate_paths(network, level, src, dst, self._listed(), threads=threads, deadline=self.deadline)

    def loads(
        self,
        network: Network,
        level: Level,
        src: npt.ArrayLike,
        dst: npt.ArrayLike,
        demand: npt.ArrayLike,
        *,
        threads: int = 0,
    ) -> Loads:
        """Return what demands put on links where the routing alone says how they are split.

        The time is that of a search per destination and plane, for ``vlb`` of one per switch too, and does not
        depend on the number of paths.  The result has the same bits on any number of threads.

        Args:
            network: the planes.
            level: whether the demands are between racks or hosts.
            src: index of each demand's source.
            dst: index of each demand's destination.
            demand: how much, finite and at least 0.
            threads: 0 for all cores.

        Raises:
            RoutingError: an index out of range, an invalid demand, or a routing that leaves the split open.
            TopologyError: demands of that level mean nothing on the network.
        """
        split = self._split()
        searches = prepare(network, level, src, dst)
        amount = checked_amount(searches, demand)
        return split_loads(searches, amount, split, self.policy, self.seed, threads, self.deadline)

    def usage(
        self, network: Network, level: Level, src: npt.ArrayLike, dst: npt.ArrayLike, *, threads: int = 0
    ) -> sp.csc_array:
        """Return float64 ``[A, J]``: what a unit of each demand puts on each link; arguments as of :meth:`loads`.

        Raises:
            RoutingError: as :meth:`loads`, or more entries than fit into memory.
        """
        split = self._split()
        searches = prepare(network, level, src, dst)
        return split_usage(searches, split, self.policy, self.seed, threads, self.deadline)

    def _listed(self) -> PathRule:
        rule = self.rule
        if rule is None:
            raise RoutingError(
                "the routing has no list of paths",
                where="routing",
                found=self.expression,
                allowed=", ".join(
                    entry.name
                    for entry in ROUTINGS
                    if entry.build.kind is not None or entry.build.paths is not Routing.paths
                ),
            )
        return rule

    def _split(self) -> Split:
        if self.splitting is None:
            raise RoutingError(
                "the routing leaves open how demands are split",
                where="routing",
                found=self.expression,
                allowed=", ".join(entry.name for entry in ROUTINGS if entry.build.form == "split"),
            )
        return self.splitting


class PathCount(Params):
    """Parameters of routings over K paths."""

    k: int = Field(ge=1, le=ALL, description="paths per pair")


class CountedPaths(Routing):
    """Base of routings over the K first paths that the core's search lists, the split open."""

    form = "path"
    params: PathCount

    @property
    def most_paths(self) -> int:
        """See :attr:`Routing.most_paths`."""
        return self.params.k


ROUTINGS: Registry[type[Routing]] = Registry("routing", package="pnet_lp.routing.schemes", group="pnet_lp.routings")


def parse_routing(text: str, *, policy: Policy = "any", seed: int = 0) -> Routing:
    """Return the routing that ``name``, ``name:VALUE`` or ``name:key=value,...`` stands for.

    ``ksp:8`` is short for ``ksp:k=8``: a value without a key is that of the first parameter.

    Args:
        text: as ``pnet-lp list routings`` writes it.
        policy: see :class:`~pnet_lp.routing.rule.PathRule`.
        seed: see :class:`~pnet_lp.routing.rule.PathRule`.

    Raises:
        SpecError: no such routing or parameter, the message offers the nearest; a plane policy without a meaning; or a
            seed that the core cannot draw from.
    """
    name, colon, value = text.partition(":")
    entry = ROUTINGS.get(name)
    if colon and value and "=" not in value and entry.params.model_fields:
        values, expression = {next(iter(entry.params.model_fields)): value}, f"{name}:{value.strip()}"
    else:
        values = parse_expression(text)[1]
        expression = write_expression(name, values)
    params = entry.validate(values)
    if policy not in POLICIES:
        raise SpecError("no such policy", where="plane_policy", found=policy, allowed=", ".join(POLICIES))
    check_seed(seed)
    return entry.build(params, policy, seed, expression)
