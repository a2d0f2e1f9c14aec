"""What one term of TRAFFIC stands for: a pattern, a file, a spec, a name of the catalogue."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from pnet_lp.errors import SpecError, TrafficError, naming
from pnet_lp.files import check_readable, check_sha256, exists, named_files
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.brief import brief
from pnet_lp.model.network import Level
from pnet_lp.registry import Entry, Params, parse_expression, unknown
from pnet_lp.traffic.base import Pattern, TrafficContext, traffics
from pnet_lp.traffic.combine import split_terms


@dataclass(frozen=True)
class PatternRecipe:
    """A pattern that is not built yet.

    Attributes:
        entry: the pattern.
        params: its parameters.
        label: of the matrix, and the head of messages.
    """

    entry: Entry[Pattern]
    params: Params
    label: str

    def build(self, network: Network, level: Level, seed: int) -> TrafficMatrix:
        """Return the matrix, or raise TrafficError: it does not fit the network."""
        return self.entry.build(self.params, TrafficContext(network, level, seed, self.label))


@dataclass(frozen=True)
class DemandFile:
    """A file of demands."""

    path: Path

    def check(self) -> None:
        """Raise TrafficError unless the file can be read."""
        check_readable(self.path, TrafficError)

    def build(self, network: Network, level: Level, _: int) -> TrafficMatrix:
        """Return the matrix, or raise TrafficError: the file is missing, broken or does not fit the network."""
        from pnet_lp.traffic.io import read_traffic  # noqa: PLC0415 - slow to load

        return read_traffic(self.path, network, level)


TrafficMember: TypeAlias = PatternRecipe | DemandFile


@brief()
@dataclass(frozen=True, repr=False)
class TrafficSource:
    """What one term stands for.

    Attributes:
        text: the term.
        members: what it is the sum of, each with its factor; at least one.
        level: what its demands are between, where a spec says so.
    """

    text: str
    members: tuple[tuple[float, TrafficMember], ...]
    level: Level | None = None

    def build(self, network: Network, level: Level, seed: int) -> TrafficMatrix:
        """Return the matrix, with :attr:`text` as its label."""
        matrices = [member.build(network, level, seed) for _, member in self.members]
        return added(matrices, [factor for factor, _ in self.members], self.text)


def added(matrices: Sequence[TrafficMatrix], factors: Sequence[float], label: str) -> TrafficMatrix:
    """Return the sum of matrices times their factors."""
    if len(matrices) == 1 and factors[0] == 1 and matrices[0].label == label:
        return matrices[0]
    scaled = (
        matrix if factor == 1 else matrix.scaled(factor) for matrix, factor in zip(matrices, factors, strict=True)
    )
    return replace(functools.reduce(operator.add, scaled), label=label)


def resolve(text: str) -> TrafficSource:
    """Return what ``text``, a term of a sum without its factor, stands for.

    A registered pattern wins over a file, and a file over a name of the catalogue.

    Raises:
        SpecError: an unknown name or an invalid parameter; a missing or broken spec.
        TrafficError: a spec's file is missing or not the one meant.
    """
    name, colon, _ = text.partition(":")
    if name.strip() in traffics:
        return TrafficSource(text, ((1.0, _recipe(text, text)),))
    known = named_files("traffic_matrices")
    # A name of the catalogue can have a slash and then looks like a path.
    if text in known and not exists(text):
        return _from_spec(known[text], text)
    if _is_file(text):
        from pnet_lp.traffic.spec import is_spec  # noqa: PLC0415 - slow to load

        return _from_spec(Path(text), text) if is_spec(text) else TrafficSource(text, ((1.0, DemandFile(Path(text))),))
    names = traffics.names() if colon else [*traffics.names(), *known]
    name, _ = parse_expression(text)
    raise unknown("unknown traffic", name, names, more=", or a file")


def _is_file(text: str) -> bool:
    from pnet_lp.traffic.io import MATRIX_FORMATS  # noqa: PLC0415 - slow to load
    from pnet_lp.traffic.spec import SUFFIXES  # noqa: PLC0415 - slow to load

    return MATRIX_FORMATS.is_path(text, *SUFFIXES)


def _recipe(text: str, label: str) -> PatternRecipe:
    name, values = parse_expression(text, traffics)
    entry = traffics.get(name)
    return PatternRecipe(entry, entry.validate(values), label)


def _from_spec(path: Path, label: str) -> TrafficSource:
    from pnet_lp.traffic.spec import is_spec, read_spec  # noqa: PLC0415 - slow to load

    spec = read_spec(path)
    if spec.file is not None:
        file = path.parent / spec.file
        if is_spec(file):
            raise SpecError("a spec names a file of demands, not another spec", where=f"{path}: file", found=spec.file)
        if spec.sha256 is not None:
            check_sha256(file, spec.sha256, TrafficError)
        return TrafficSource(label, ((1.0, DemandFile(file)),), spec.level)
    with naming(str(path), SpecError):
        terms = split_terms(spec.pattern or "")
        members = tuple((factor, _recipe(term, label)) for factor, term in terms)
    return TrafficSource(label, members, spec.level)
