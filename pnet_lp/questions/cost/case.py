"""Keys of a question about cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from pnet_lp.cost import ARCHITECTURES, BookSettings, Design, TopologyOptions, TopologySettings, design, quote
from pnet_lp.cost.design import counted, read_architecture
from pnet_lp.errors import SpecError, naming
from pnet_lp.failures import FailureSettings
from pnet_lp.flags import Flag
from pnet_lp.model.network import Level
from pnet_lp.questions.base import Case, Series
from pnet_lp.questions.keys import NOTHING_BUILT, Built
from pnet_lp.registry import parse_expression
from pnet_lp.throughput.solve import DEFAULT_TOLERANCE
from pnet_lp.topology import check_topology
from pnet_lp.traffic import check_traffic

_OF_TOPOLOGIES = (*TopologySettings.model_fields, *FailureSettings.model_fields)
"""Keys for which architectures have parameters of their own, or no use."""

_SOLVED = Flag(needs=("traffic",))

_CURVE = """Print the price of architectures at 1/beta of full bisection bandwidth, for every beta.

Without ARCHITECTURE: the hybrid network and its fat tree, with the paper's values.  An architecture without a
parameter beta costs the same at every beta.
"""

_COMPARE = """Compare parts, price and power of several architectures.

The options --planes to --separate apply to all of them, so all must then be TOPOLOGIES.
"""


class CostCase(BookSettings, FailureSettings, TopologySettings, Case):
    """List the parts of an architecture, with price and power.

    ARCHITECTURE is an expression (`pnet-lp list architectures`), or a TOPOLOGY, whose parts are counted; the options
    --planes to --separate are for a TOPOLOGY.  A name that is both means whichever its parameters fit, unless a prefix
    says which: architecture:jellyfish:k=8, topology:jellyfish:k=8.  Failed parts are paid for and carry nothing.
    """

    headline = "total_usd"
    columns = {  # noqa: RUF012 - of a model, which is frozen
        **dict.fromkeys(("watts", "hosts", "tiers", "switch_hops", "chips", "boxes", "links"), ""),
        "bisection_gbps": "bisection.gbps",
        "carried_gbps": "throughput.total_gbps",
        "example_prices": "",
    }
    example = "hybrid:servers=10240,beta=1"
    rows = "part"
    threads = ("traffic",)
    series = (
        Series(
            "compare",
            {"architecture": Flag(argument="ARCHITECTURE...")},
            summary="several architectures side by side",
            help=_COMPARE,
            example="serial-scale-out serial-chassis parallel",
            rows="architecture",
            plot="capacity against price",
        ),
        Series(
            "curve",
            {
                "architecture": Flag(argument="[ARCHITECTURE]..."),
                "beta": Flag("--beta", metavar="N,...|N..M", help="A range, or numbers with commas."),
            },
            summary="price against oversubscription",
            help=_CURVE,
            example="--beta 1..32 hybrid beta-fat-tree",
            rows="point",
            plot="price, and capacity against it",
            defaults={"architecture": ("hybrid", "beta-fat-tree"), "beta": "1..32", "bisection": False},
        ),
    )

    architecture: Annotated[str, Flag(argument="ARCHITECTURE")] = Field(description="an architecture, or a TOPOLOGY")
    beta: float | None = Field(None, ge=1, description="the architecture's parameter of that name")
    bisection: Annotated[bool, Flag("--measure/--no-measure")] = Field(
        True, description="search for a bisection that has no closed form; it can take seconds"
    )
    traffic: Annotated[str | None, Flag(metavar="EXPR|FILE")] = Field(
        None, description="also solve the throughput of this traffic matrix"
    )
    level: Annotated[Level | None, _SOLVED] = Field(
        None, description="whether these demands are between racks or hosts"
    )
    tolerance: Annotated[float, _SOLVED] = Field(
        DEFAULT_TOLERANCE, gt=0, lt=1, description="relative gap between the bounds at which to stop"
    )

    @model_validator(mode="after")
    def _check_design(self) -> Self:
        with naming("traffic"):
            if self.traffic is not None:
                check_traffic(self.traffic)
        with naming("architecture"):
            kind, expression = read_architecture(self.architecture, self._options(), beta=self.beta)
            if kind == "topology":
                check_topology(expression, link_gbps=self.link_gbps)
        if kind == "topology":
            self.failures.check_planes(self.check_planes([expression]))
            for key in FailureSettings.model_fields if self.traffic is None and not self._measured else ():
                self._refuse(key, "a cost without traffic or bisection: what fails is paid for, too")
            self._refuse("beta", repr(self.architecture))
            return self
        made = self._check_architecture(expression)
        quote(made.bill, *self.books)
        if made.build is None:
            self._refuse("traffic", f"{self.architecture!r}, which has no explicit network")
        return self

    @property
    def _measured(self) -> bool:
        """Whether a bisection is looked for: halves of hosts would divide servers."""
        return self.bisection and self.server is None

    def _check_architecture(self, expression: str) -> Design:
        name, values = parse_expression(expression)
        for key in _OF_TOPOLOGIES:
            self._refuse(key, f"the architecture {self.architecture!r}")
        with naming("architecture"):
            known = ARCHITECTURES.get(name).params.model_fields
        if "beta" not in known:
            self._refuse("beta", repr(self.architecture))
        if self.beta is not None and "beta" in values:
            raise SpecError(f"{self.architecture!r} already gives it", where="beta", found=self.beta)
        with naming("architecture"):
            return design(self.architecture, beta=self.beta)

    def _refuse(self, key: str, what: str) -> None:
        """Raise SpecError if the key has another value than its default."""
        if self._says(key):
            raise SpecError(f"has no meaning for {what}", where=key, found=getattr(self, key))

    def _says(self, key: str) -> bool:
        return bool(getattr(self, key) != CostCase.model_fields[key].default)

    def _options(self, seed: int = 0) -> TopologyOptions:
        given = tuple(key for key in _OF_TOPOLOGIES if key in self.model_fields_set)
        return TopologyOptions(self, seed, self.failures, given)

    @property
    def _counted(self) -> bool:
        """Whether what is priced is a TOPOLOGY."""
        return read_architecture(self.architecture, self._options(), beta=self.beta)[0] == "topology"

    def design(self, seed: int, built: Built = NOTHING_BUILT) -> Design:
        """Return the architecture with its sizes settled."""
        if built.network is not None:
            return counted(built.network, self._options(seed))
        # In a sweep, keys of a TOPOLOGY may be there for the sake of other cases.
        return design(self.architecture, self._options(seed) if self._counted else None, beta=self.beta)

    @classmethod
    def point(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """See the base class: an architecture without a parameter beta is the same at every beta."""
        name = str(values["architecture"]).removeprefix("architecture:").partition(":")[0]
        constant = name not in ARCHITECTURES or "beta" not in ARCHITECTURES.get(name).params.model_fields
        return {key: value for key, value in values.items() if not (constant and key == "beta")}

    def check_alone(self) -> None:
        """See the base class."""
        if self._counted:
            return
        for key in _OF_TOPOLOGIES:
            if key in self.model_fields_set:
                raise SpecError(
                    f"has no meaning for the architecture {self.architecture!r}", where=key, found=getattr(self, key)
                )
        if "seed" in self.model_fields_set and self.traffic is None:
            raise SpecError("nothing is drawn", where="seed", allowed="a TOPOLOGY, or traffic=permutation")
