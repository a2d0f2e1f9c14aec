"""What a case of an experiment may be called."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from pnet_lp.experiment.store import OWN_FILES


def _no_file_of_results(name: str) -> str:
    if name in OWN_FILES:
        raise ValueError(f"a case cannot have the name of a file beside it ({', '.join(OWN_FILES)})")
    return name


CaseName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$", max_length=200), AfterValidator(_no_file_of_results)]
"""Names folders under ``results/``, so it is lower case, has no separators, and is not too long for a name."""
