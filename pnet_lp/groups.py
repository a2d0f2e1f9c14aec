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

    def members(
        self, order: npt.NDArray[np.int64], endpoints: str, where: str, error: type[PnetError]
    ) -> npt.NDArray[np.int64]:
        """Return the members of each group, ``[groups, size]``.

        Blocks of ``size stride`` successive endpoints have ``stride`` groups each.

        Args:
            order: the endpoints.
            endpoints: what they are called, in the plural.
            where: what the groups are of.
            error: what is raised if the endpoints do not fill the groups.
        """
        n = len(order)
        if n % (self.size * self.stride):
            apart = f" with members {self.stride} apart" if self.stride > 1 else ""
            raise error(
                f"{n} {endpoints} do not fill groups of {self.size}{apart}",
                where=where,
                allowed=f"size{' times stride' if apart else ''} a divisor of {n}",
            )
        return order.reshape(-1, self.size, self.stride).swapaxes(1, 2).reshape(-1, self.size)
