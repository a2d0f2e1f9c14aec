"""What demands are the sum of: the terms of an expression, the phases of a training step, and these inside groups."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pnet_lp.files import exists
from pnet_lp.registry import Params, parse_expression, write_expression
from pnet_lp.traffic.base import traffics
from pnet_lp.traffic.combine import split_terms


@dataclass(frozen=True)
class TrafficPart:
    """One of the parts that demands are the sum of.

    Attributes:
        name: what it is, in a few words.
        expression: its demands.
        factor: how many times these.
    """

    name: str
    expression: str
    factor: float = 1.0

    @property
    def traffic(self) -> str:
        """The expression with its factor."""
        return self.expression if self.factor == 1 else f"{self.factor!r}*{self.expression}"


class SumParams(Params):
    """Base of the parameters of a pattern that is the sum of others."""

    @abstractmethod
    def parts(self, values: Mapping[str, str]) -> list[TrafficPart]:
        """Return these, of the pattern with parameters as they are written."""


def parts_of(text: str) -> list[TrafficPart]:
    """Return the parts of a valid expression; a file, a spec or a pattern by itself is one.

    The same seed draws the same in each part as in the sum.
    """
    found = []
    for factor, term in [(1.0, text)] if exists(text) else split_terms(text):
        parts = [TrafficPart(term.partition(":")[0].strip(), term)]
        if parts[0].name in traffics:
            name, values = parse_expression(term, traffics)
            params = traffics.get(name).validate(values)
            if isinstance(params, SumParams):
                parts = params.parts(values)
        found += [replace(part, factor=factor * part.factor) for part in parts]
    return found


def rewritten(name: str, values: Mapping[str, str], **changed: str) -> str:
    """Return a pattern with parameters as they are written, some changed; sums and lists stand in brackets."""
    return write_expression(
        name, {key: f"[{value}]" if set(value) & set(",+:*") else value for key, value in {**values, **changed}.items()}
    )
