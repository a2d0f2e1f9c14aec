"""One case of an experiment: what every question's cases have in common."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field, PrivateAttr

from pnet_lp.errors import SpecError
from pnet_lp.experiment.store import OWN_FILES
from pnet_lp.registry import Params, parse_expression
from pnet_lp.seeds import MOST_DRAWS, Seed, derive_seed
from pnet_lp.units import quantity_of


def _no_file_of_results(name: str) -> str:
    if name in OWN_FILES:
        raise ValueError(f"a case cannot be called like a file beside it ({', '.join(OWN_FILES)})")
    return name


NAME_OF = "name"
"""What a chart calls the name of an expression, beside its parameters."""

CaseName = Annotated[
    str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$", max_length=200), AfterValidator(_no_file_of_results)
]
"""Names folders under ``results/``, so it is lower case, has no separators, and is not too long for a name."""


class Case(Params):
    """Base of all cases, whose fields are the keys that a spec may give.

    A case is answered for ``draws`` seeds, each of them deciding all that ``seed`` decides.  Files are looked for from
    where the command runs, as on the command line.

    Class attributes:
        columns: by name, what an answer says besides its headline.
        headline: the name of its headline; empty where that is another from case to case, see :attr:`headline_column`.
    """

    columns: ClassVar[tuple[str, ...]] = ()
    headline: ClassVar[str] = ""

    seed: Seed = Field(0, description="decides everything drawn at random")
    draws: int = Field(
        1, ge=1, le=MOST_DRAWS, description="seeds the case is answered for: seed, and others derived from it"
    )

    _warnings: tuple[str, ...] = PrivateAttr(())

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was assumed of files, one sentence each."""
        return self._warnings

    @property
    def headline_column(self) -> str:
        """The name of the headline of this case; empty where it is not declared."""
        return self.headline

    @property
    def headline_bounded(self) -> bool:
        """Whether the headline of this case has two bounds, one of which is attained, where it is not exact."""
        return True

    def cell(self, key: str) -> Any:
        """Return the value of a key as a table has it: several joined by +, times and sizes as they are written."""
        value, field = getattr(self, key), type(self).model_fields[key]
        quantity = quantity_of(field.annotation, field.metadata)
        if quantity is not None and isinstance(value, int):
            return quantity.format(value)
        return " + ".join(map(str, value)) if isinstance(value, tuple) else value

    def told_by(self, key: str) -> Any:
        """Return the value of a key by which charts tell cases apart, None where the case has none.

        ``workload.load`` is the parameter ``load`` of the expression ``workload``, and ``topology.name`` the name of
        one; a number as such.
        """
        name, _, parameter = key.partition(".")
        value = getattr(self, name)
        if not parameter or value is None:
            return value
        if isinstance(value, tuple):
            return (
                tuple(_part(item, parameter) for item in value)
                if len(value) > 1
                else _part(value[0], parameter)
            )
        return _part(value, parameter)

    def draw_seed(self, index: int) -> int:
        """Return the seed of a draw: of the first one ``seed`` itself, so that more draws keep those there are."""
        return derive_seed(self.seed, "draw", index) if index else self.seed

    def draw_settings(self, index: int) -> dict[str, Any]:
        """Return the settings of one draw as JSON values: those of the case, with the draw's own seed."""
        return self.model_dump(mode="json", exclude={"draws"}) | {"seed": self.draw_seed(index)}


def _part(expression: object, parameter: str) -> Any:
    """Return the name of an expression, or a parameter that it gives; None where it gives none."""
    try:
        name, values = parse_expression(str(expression))
    except SpecError:
        # A file has no parameters, and those of ksp:8 have no names.
        name, values = str(expression).partition(":")[0], {}
    if parameter == NAME_OF:
        return name
    found = values.get(parameter)
    try:
        return None if found is None else int(found) if found.isdecimal() else float(found)
    except ValueError:
        return found
