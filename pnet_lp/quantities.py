"""Parameters that are bytes or times, which are typed with a unit."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo

from pnet_lp.units import BYTES, TIME, Quantity


def reading(quantity: Quantity) -> BeforeValidator:
    """Return what reads the texts of a parameter that counts a quantity."""

    def read(value: object, info: ValidationInfo) -> object:
        return quantity.parse(value, info.field_name or quantity.name) if isinstance(value, str) else value

    return BeforeValidator(read)


MOST_BYTES = 10**15
"""Bytes of a buffer."""

ByteCount: TypeAlias = Annotated[int, reading(BYTES), BYTES]
Bytes: TypeAlias = Annotated[ByteCount, Field(ge=1, le=MOST_BYTES)]
Duration: TypeAlias = Annotated[int, reading(TIME), TIME, Field(ge=0, le=10**18)]
