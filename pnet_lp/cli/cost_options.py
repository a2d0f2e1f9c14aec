"""What the commands of ``pnet-lp cost`` share: books of prices, the packing of a TOPOLOGY, what to solve."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pnet_lp.cli.command import given
from pnet_lp.cli.options import (
    NetworkOptions,
    level_option,
    network_options,
    option,
    say,
    threads_needing,
    tolerance_option,
)
from pnet_lp.cli.progress import BoundsLine
from pnet_lp.cost import Book, Design, Quote, TopologyOptions, TopologySettings, load_book, shipped_books
from pnet_lp.errors import SpecError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic import build_traffic

if TYPE_CHECKING:
    from pnet_lp.experiment.questions.cost import Appraisal


class PricedOptions(TopologySettings, NetworkOptions):
    """What turns a TOPOLOGY into a network, what of it fails, and how it is packed."""


@dataclass(frozen=True)
class Asked:
    """What to price by, and what to solve.

    Attributes:
        prices, powers: the books.
        options: for a TOPOLOGY.
    """

    prices: Book
    powers: Book
    options: TopologyOptions
    traffic: str | None
    level: Level | None
    tolerance: float
    threads: int

    @property
    def books(self) -> tuple[Book, Book]:
        """Prices and powers."""
        return self.prices, self.powers

    def check(self, designs: Iterable[Design]) -> None:
        """Say on stderr what was assumed of networks; raise SpecError where a seed is given that nothing takes."""
        known = list(designs)
        if given(["seed"]) and not self.traffic and not any(one.counted for one in known):
            raise SpecError("nothing is drawn", where="seed", allowed="a TOPOLOGY, or traffic=permutation")
        say(dict.fromkeys(warning for one in known for warning in one.warnings))

    def appraise(self, made: Design, priced: Quote, *, measure: bool = True) -> Appraisal:
        """Return what ``made`` carries for its money."""
        from pnet_lp.experiment.questions.cost import appraise  # noqa: PLC0415 - slow to load

        def matrix(network: Network) -> TrafficMatrix:
            return build_traffic(self.traffic or "", network, self.level, seed=self.options.seed)

        with BoundsLine() as on_progress:
            return appraise(
                made,
                priced,
                matrix if self.traffic else None,
                measure=measure,
                tolerance=self.tolerance,
                threads=self.threads,
                on_progress=on_progress,
            )


def prices_option(function: Callable[..., None]) -> Callable[..., None]:
    """Add ``--prices``."""
    return option(
        "--prices",
        metavar="BOOK|FILE",
        multiple=True,
        listed=lambda: shipped_books("price"),
        help="{}; a YAML file overrides single entries.  [default: hybrid-list over example]",
    )(function)


def powers_option(function: Callable[..., None]) -> Callable[..., None]:
    """Add ``--power``."""
    return option(
        "--power",
        "powers",
        metavar="BOOK|FILE",
        multiple=True,
        listed=lambda: shipped_books("power"),
        help="{}; a YAML file overrides single entries.  [default: example]",
    )(function)


def cost_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options of all commands that price an ARCHITECTURE; the command gets ``asked``: :class:`Asked`."""

    @functools.wraps(function)
    def call(
        *,
        options: PricedOptions,
        prices: tuple[str, ...],
        powers: tuple[str, ...],
        traffic: str | None,
        level: Level | None,
        tolerance: float,
        threads: int,
        **values: Any,
    ) -> None:
        # The seed is that of --traffic too.
        said = tuple(key for key in PricedOptions.model_fields if key in options.model_fields_set - {"seed"})
        packed = TopologyOptions(options, options.seed, options.failures, said)
        books = load_book("price", prices), load_book("power", powers)
        function(**values, asked=Asked(*books, packed, traffic, level, tolerance, threads))

    for one in reversed(_OPTIONS):
        call = one(call)
    return network_options(PricedOptions)(call)


_OPTIONS = (
    prices_option,
    powers_option,
    option("--traffic", metavar="EXPR|FILE", help="Also solve the throughput of this traffic matrix."),
    level_option(needs=("traffic",)),
    tolerance_option(needs=("traffic",)),
    threads_needing("traffic"),
)
