"""Groups of endpoints of one size: who is in which."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from pydantic import Field

from pnet_lp.errors import PnetError
from pnet_lp.registry import Params


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
