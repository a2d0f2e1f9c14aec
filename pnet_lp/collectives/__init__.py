"""Collective operations: algorithms, each a file in ``algorithms``, as steps of messages between ranks.

A matrix has the volumes of these steps, a workload their messages, from the same definition.  Ranks are numbers here:
which endpoints they are is said by whoever asks.
"""

from pnet_lp.collectives.base import ALGORITHMS, Algorithm, AlgorithmOf, AlgorithmParams, Operation
from pnet_lp.collectives.messages import Messages, last_of_ranks, messages_of
from pnet_lp.collectives.schedule import Schedule, Step

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "AlgorithmOf",
    "AlgorithmParams",
    "Messages",
    "Operation",
    "Schedule",
    "Step",
    "last_of_ranks",
    "messages_of",
]
