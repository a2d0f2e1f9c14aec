"""The registry of algorithms of collective operations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import BeforeValidator, ConfigDict

from pnet_lp.collectives.schedule import Schedule
from pnet_lp.errors import SpecError
from pnet_lp.registry import Entry, Params, Registry, parse_expression, unknown

GATHERING = "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 2005"
REDUCING = (
    "Patarasuk, Yuan: Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations, JPDC 69(2), 2009 (ring); "
    f"{GATHERING}"
)
"""Sources of operations, whatever the algorithm."""

Operation: TypeAlias = Literal[
    "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast", "reduce", "gather", "scatter"
]
"""What ranks do together; the last four have a root, rank 0."""


class AlgorithmParams(Params):
    """Base of the parameters of an algorithm."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    operations: ClassVar[tuple[Operation, ...]] = ()
    """What it can do."""

    @property
    def pipelined(self) -> bool:
        """Whether a message can be passed on in pieces."""
        return False


AlgorithmBuilder: TypeAlias = Callable[[Any, Operation, int], Schedule]
"""``(parameters, operation, ranks) -> schedule``; the parameters are an instance of the entry's model."""

ALGORITHMS: Registry[AlgorithmBuilder] = Registry(
    "algorithm", package="pnet_lp.collectives.algorithms", group="pnet_lp.collectives", base=AlgorithmParams
)


@dataclass(frozen=True)
class Algorithm:
    """An algorithm with its parameters.

    Attributes:
        text: the expression.
        entry: what it names.
        params: its parameters.
    """

    text: str
    entry: Entry[AlgorithmBuilder]
    params: AlgorithmParams

    def __str__(self) -> str:
        return self.text

    def check(self, operation: Operation, chunks: int = 1, where: str = "algorithm") -> None:
        """Raise SpecError unless it does the operation, with messages in that many chunks."""
        if operation not in self.params.operations:
            able = [each.name for each in ALGORITHMS if operation in _operations(each)]
            raise unknown(f"no algorithm of {operation}:", self.entry.name, able, where=where)
        if chunks > 1 and not self.params.pipelined:
            raise SpecError(f"{self.entry.name} exchanges whole blocks, so that chunks have no meaning")

    def schedule(self, operation: Operation, ranks: int) -> Schedule:
        """Return the steps between ``ranks`` ranks; raise SpecError where they do not fit."""
        return self.entry.build(self.params, operation, ranks)


def parse_algorithm(text: object) -> Algorithm:
    """Return the algorithm that an expression such as ``two-level:local=8`` is."""
    if isinstance(text, Algorithm):
        return text
    name, values = parse_expression(str(text), ALGORITHMS)
    entry = ALGORITHMS.get(name)
    params = entry.validate(values)
    assert isinstance(params, AlgorithmParams)  # the registry's base
    return Algorithm(str(text), entry, params)


def _operations(entry: Entry[AlgorithmBuilder]) -> tuple[Operation, ...]:
    assert issubclass(entry.params, AlgorithmParams)
    return entry.params.operations


AlgorithmOf: TypeAlias = Annotated[Algorithm, BeforeValidator(parse_algorithm)]
"""A parameter; one with several parameters of its own stands in brackets."""
