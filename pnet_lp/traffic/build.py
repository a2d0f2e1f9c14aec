"""Traffic matrices from the expressions and files that a user gives."""

from __future__ import annotations

from collections.abc import Iterable

from pnet_lp.errors import SpecError, TrafficError
from pnet_lp.files import exists
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.combine import split_terms
from pnet_lp.traffic.source import DemandFile, TrafficSource, added, resolve


def build_traffic(text: str, network: Network, level: Level | None = None, *, seed: int = 0) -> TrafficMatrix:
    """Return the matrix that ``text`` describes on ``network``.

    Args:
        text: an expression (``stride:s=4``), the path of a file, a name of the catalogue, or a sum of these with
            factors (``0.5*all-to-all+2*stride:s=4``).  A registered name is always the pattern; write ``./stride`` for
            a file of that name.  Terms without a ``seed`` are drawn with the same one: twice the same term is that
            term twice.
        network: the network the matrix is for.
        level: whether demands are between racks or between hosts; default: as a spec says, else hosts if the network
            has any.
        seed: master seed of random patterns that have no ``seed`` of their own.

    Raises:
        SpecError: an unknown name, an invalid parameter or factor; no such level, or one other than that of a spec.
        TrafficError: a broken file, or a matrix that does not fit the network.
        TopologyError: demands of ``level`` mean nothing on the network.
    """
    terms = _terms(text)
    sources = [resolve(term) for _, term in terms]
    agreed = network.settled_level(_agreed_level(level, sources))
    endpoints = len(network.endpoint_names(agreed))
    if endpoints < 2:
        raise TrafficError(f"traffic needs at least two {agreed}s, the network has {endpoints}", where=text)
    matrices = [source.build(network, agreed, seed) for source in sources]
    found = added(matrices, [factor for factor, _ in terms], text)
    return found.without_sum() if network.servers is None else found


def check_traffic(text: str) -> None:
    """Raise what :func:`build_traffic` would for ``text`` on any network.

    Raises:
        SpecError: an unknown name, an invalid parameter or factor.
        TrafficError: a missing file.
    """
    for _, term in _terms(text):
        for _, member in resolve(term).members:
            if isinstance(member, DemandFile):
                member.check()


def _terms(text: str) -> list[tuple[float, str]]:
    return [(1.0, text)] if exists(text) else split_terms(text)


def _agreed_level(given: Level | None, sources: Iterable[TrafficSource]) -> Level | None:
    """Return the level given or that of the specs, which must not differ; None where nothing says one."""
    agreed, where = given, "level"
    for source in sources:
        if source.level is None:
            continue
        if agreed not in (None, source.level):
            raise SpecError(
                f"{source.text} is traffic between {source.level}s", where=where, found=agreed, allowed=source.level
            )
        agreed, where = source.level, source.text
    return agreed
