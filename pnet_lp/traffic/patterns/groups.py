"""A pattern inside each of many groups of endpoints: the ranks of one parallel dimension, a rail, a job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator

from pnet_lp.errors import SpecError, TrafficError, naming
from pnet_lp.groups import Grouped, Placement, placed
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.seeds import OwnSeed
from pnet_lp.traffic.base import TrafficContext, traffics
from pnet_lp.traffic.combine import split_terms
from pnet_lp.traffic.parts import SumParams, TrafficPart, parts_of, rewritten
from pnet_lp.traffic.source import PatternRecipe, added, resolve

_Index = npt.NDArray[np.int64]


class GroupsParams(Grouped, SumParams):
    """Parameters of ``groups``."""

    of: str = Field(
        "all-to-all", description="what happens in each group: a pattern, in brackets if it has several parameters"
    )
    placement: Placement = Field(
        "in-order",
        description="whether groups are made of endpoints in their order, drawn from all, or in the order of rails: "
        "accelerators of index 0 of all servers, then those of index 1",
    )
    seed: OwnSeed = None

    @field_validator("of")
    @classmethod
    def _check_pattern(cls, of: str) -> str:
        with naming("of", SpecError):
            _patterns(of)
        return of

    def parts(self, values: Mapping[str, str]) -> list[TrafficPart]:
        """Return the parts of what happens in each group."""
        return [
            replace(
                part,
                name=f"{part.name} in groups of {self.size}",
                expression=rewritten("groups", values, of=part.expression),
            )
            for part in parts_of(self.of)
        ]


class _Group(TrafficContext):
    """What a pattern inside a group may look at: the members, as a network of their own.

    Attributes:
        own: whether the matrix may be this group's own, since it was drawn or depends on places in the network.
    """

    own: bool
    _whole: TrafficContext
    _number: int
    _members: IntArray

    def __init__(self, whole: TrafficContext, number: int, members: IntArray) -> None:
        inherited = {"level": whole.level, "seed": whole.seed, "label": whole.label}
        self.__dict__.update(inherited, _whole=whole, _number=number, _members=members, own=False)

    @property
    def endpoints(self) -> int:
        """Number of members."""
        return len(self._members)

    @property
    def server_size(self) -> int:
        """0: members are in servers by other numbers."""
        return 0

    @cached_property
    def network(self) -> Network:
        """The network as if its members were all of its endpoints."""
        self.__dict__["own"] = True
        return self._whole.network.restricted(self.level, self._members)

    def random(self, component: str, seed: int | None) -> np.random.Generator:
        """Return the generator of one component; each group draws on its own."""
        self.__dict__["own"] = True
        return self._whole.random(f"{component}/group {self._number}", seed)


@traffics.register(
    "groups", params=GroupsParams, example="size=4,of=ring", summary="a pattern inside each group of endpoints"
)
def groups(params: GroupsParams, context: TrafficContext) -> TrafficMatrix:
    """Return the demands of all groups, the members of each being the endpoints of the pattern.

    Raises:
        TrafficError: the endpoints do not fill the groups; the pattern does not fit a group.
    """
    with naming(context.label, SpecError):
        order = placed(
            np.arange(context.endpoints),
            params.placement,
            context.server_size,
            lambda: context.random("groups", params.seed),
        )
    members = params.members(order, f"{context.level}s", context.label, TrafficError)

    factors, recipes = zip(*_patterns(params.of), strict=True)
    parts: list[tuple[_Index, _Index, npt.NDArray[np.float64]]] = []
    for number, row in enumerate(members):
        group = _Group(context, number, ints(row))
        matrix = added([recipe.entry.build(recipe.params, group) for recipe in recipes], factors, context.label)
        if not parts:
            context.check_demands(len(members) * matrix.demand_count)
        if not group.own:
            src, dst = members[:, matrix.src], members[:, matrix.dst]
            return context.matrix(src, dst, np.tile(matrix.demand, len(members)))
        parts.append((row[matrix.src], row[matrix.dst], matrix.demand))
    return context.matrix(*map(np.concatenate, zip(*parts, strict=True)))


def _patterns(text: str) -> list[tuple[float, PatternRecipe]]:
    """Return the patterns of a sum with their factors."""
    found = []
    for factor, term in split_terms(text):
        for _, member in resolve(term).members:
            if not isinstance(member, PatternRecipe):
                raise SpecError("a file is for all endpoints, not for groups", found=text, allowed="a pattern")
            found.append((factor, member))
    return found
