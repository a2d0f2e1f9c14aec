"""Which ranks of a training step are in which group."""

from __future__ import annotations

import numpy as np

from pnet_lp.model.workload import LongArray
from pnet_lp.training.model import GroupName, TrainingParams


class Groups:
    """The groups of each stage, by name: ``[groups, members]``, members by number.

    Attributes:
        stage: ``[pp, ranks of a stage]``; ranks of one place in two stages hand on to each other.
    """

    stage: LongArray

    def __init__(self, params: TrainingParams) -> None:
        order = params.order.split("-")
        # Replicas are numbered by those that share experts, and these among themselves.
        size = {"tp": params.tp, "ep": params.ep, "dp": params.dp // params.ep, "pp": params.pp}
        number = np.arange(params.ranks).reshape([size[key] for key in order[::-1]])
        self._number = number.transpose([order[::-1].index(key) for key in ("pp", "dp", "ep", "tp")])
        self.stage = self._number.reshape(params.pp, -1)

    def of(self, group: GroupName, stage: int) -> LongArray:
        """Return the groups called ``tp``, ``ep``, ``dp`` (all replicas) or ``expert_dp`` (with the same experts)."""
        # Axes: dp, ep, tp.
        number = self._number[stage]
        if group == "tp":
            found = number.reshape(-1, number.shape[2])
        elif group == "ep":
            found = number.swapaxes(1, 2).reshape(-1, number.shape[1])
        elif group == "dp":
            found = number.reshape(-1, number.shape[2]).T
        else:
            found = number.reshape(len(number), -1).T
        return np.sort(found, axis=1)
