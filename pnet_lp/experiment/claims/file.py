"""Claims as a file has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, SerializeAsAny, field_validator

from pnet_lp.errors import SpecError
from pnet_lp.experiment.claims.base import Claim
from pnet_lp.experiment.claims.bound import BoundClaim, ExcessClaim, PercentileClaim
from pnet_lp.experiment.claims.ordering import OrderingClaim
from pnet_lp.experiment.claims.trend import TrendClaim
from pnet_lp.experiment.claims.value import ValueClaim
from pnet_lp.registry import Params, unknown, validate

KINDS: Mapping[str, type[Claim]] = {
    "value": ValueClaim,
    "bound": BoundClaim,
    "excess": ExcessClaim,
    "percentile": PercentileClaim,
    "ordering": OrderingClaim,
    "trend": TrendClaim,
}
"""Kinds of claims."""


class Claims(Params):
    """What is claimed of the cases of an experiment.

    Attributes:
        source: where, unless a claim says otherwise.
        claims: one after the other.
    """

    source: str = Field(min_length=1)
    claims: tuple[SerializeAsAny[Claim], ...] = Field(min_length=1)

    @field_validator("claims", mode="before")
    @classmethod
    def _of_their_kinds(cls, given: Any) -> Any:
        return [_claim(one, i) for i, one in enumerate(given)] if isinstance(given, list | tuple) else given


def _claim(given: Any, number: int) -> Claim:
    """Return the claim that an entry of a file stands for."""
    where = f"claims.{number}"
    if isinstance(given, Claim):
        return given
    if not isinstance(given, Mapping):
        raise SpecError("not a mapping", where=where, found=given, allowed="key: value")
    kind = given.get("kind", "value")
    if not isinstance(kind, str) or kind not in KINDS:
        raise unknown("no kind of claim is called", str(kind), KINDS, where=where)
    return validate(KINDS[kind], given, where)
