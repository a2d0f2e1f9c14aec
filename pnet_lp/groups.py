"""Where ranks are: in order, drawn, or along rails; and groups of endpoints of one size: who is in which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import Field

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.registry import Params

Placement: TypeAlias = Literal["in-order", "random", "rail"]


def placed(
    endpoints: npt.NDArray[np.int64], placement: Placement, size: int, draw: Callable[[], np.random.Generator]
) -> npt.NDArray[np.int64]:
    """Return endpoints in the order of the ranks that are there.

    Args:
        endpoints: in their order.
        placement: in that, drawn, or ``rail``: those of index 0 of all servers, then those of index 1, and so on.
        size: accelerators of a server, 0 where there are none.
        draw: returns the generator of what is drawn.

    Raises:
        SpecError: there are no rails.
    """
    if placement == "random":
        return draw().permutation(endpoints)
    if placement == "in-order":
        return endpoints
    if not size:
        raise SpecError(
            "rails are those of accelerators in servers",
            where="placement",
            found=placement,
            allowed="a network with --server, between hosts and not inside of groups",
        )
    return endpoints[np.argsort(endpoints % size, kind="stable")]


class Grouped(Params):
    """Parameters of what happens in groups."""

    size: int = Field(ge=2, description="endpoints of each group")
    stride: int = Field(
        1, ge=1, description="what the indices of a group's members differ by: 1 for neighbours, 8 for a rail of eight"
    )
    first: int = Field(0, ge=0, description="how many endpoints come before the groups, and are in none")
    count: int | None = Field(
        None, ge=1, description="how many groups, others being in none; without it all endpoints from the first on are"
    )

    def members(
        self, order: npt.NDArray[np.int64], endpoints: str, where: str, error: type[PnetError]
    ) -> npt.NDArray[np.int64]:
        """Return the members of each group, ``[groups, size]``.

        Blocks of ``size stride`` successive endpoints have ``stride`` groups each; of the last, the first groups may be
        all that there are.

        Args:
            order: the endpoints.
            endpoints: what they are called, in the plural.
            where: what the groups are of.
            error: what is raised if the endpoints do not fill the groups, or are too few for them.
        """
        block, left = self.size * self.stride, len(order) - self.first
        needed = left if self.count is None else block * -(-self.count // self.stride)
        after = f" after the first {self.first}" if self.first else ""
        if left <= 0 or needed > left:
            raise error(
                f"groups take {max(needed, block):,} {endpoints}{after}, of {len(order):,}",
                where=where,
                allowed="fewer or smaller groups, or a smaller first",
            )
        order = order[self.first : self.first + needed]
        n = len(order)
        if n % block:
            apart = f" with members {self.stride} apart" if self.stride > 1 else ""
            raise error(
                f"{n} {endpoints}{after} do not fill groups of {self.size}{apart}",
                where=where,
                allowed=f"size{' times stride' if apart else ''} a divisor of {n}",
            )
        return order.reshape(-1, self.size, self.stride).swapaxes(1, 2).reshape(-1, self.size)[: self.count]
