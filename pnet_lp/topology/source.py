"""What one TOPOLOGY argument stands for: an expression, a file, a spec, a name of the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pnet_lp.errors import SpecError, TopologyError, naming
from pnet_lp.files import check_sha256, exists, named_files
from pnet_lp.layouts import decoded
from pnet_lp.model import Plane
from pnet_lp.model.brief import brief
from pnet_lp.model.network import MOST_PLANES, Variant
from pnet_lp.registry import Entry, parse_expression, unknown
from pnet_lp.seeds import derive_seed
from pnet_lp.topology.family import PlaneBuilder, topologies
from pnet_lp.topology.planes import Term, check_brackets, is_planes, parse_planes
from pnet_lp.travel import located

if TYPE_CHECKING:
    from pnet_lp.topology.spec import PlaneSpec


@dataclass(frozen=True)
class PlaneRecipe:
    """A plane that is not built yet.

    Attributes:
        entry: the family.
        values: its parameters as given, defaults from the command line included.
        label: of the plane.
    """

    entry: Entry[PlaneBuilder]
    values: Mapping[str, object]
    label: str

    def build(self) -> Plane:
        """Return the plane, or raise SpecError or TopologyError."""
        return replace(self.entry.build(self.entry.validate(self.values)), label=self.label)

    @property
    def seeded(self) -> bool:
        """Whether the family draws at random."""
        return "seed" in self.entry.params.model_fields

    def redrawn(self, index: int) -> PlaneRecipe:
        """Return the recipe of plane ``index`` of a heterogeneous network; plane 0 keeps the seed given."""
        if index == 0:
            return self
        seed = derive_seed(self.entry.validate(self.values).model_dump()["seed"], "plane", index)
        values = {**self.values, "seed": seed}
        label = f"{self.entry.name}:" + ",".join(f"{key}={value}" for key, value in values.items())
        return PlaneRecipe(self.entry, values, label)


PlaneMember: TypeAlias = PlaneRecipe | Plane


@brief()
@dataclass(frozen=True, repr=False)
class NetworkSource:
    """What one TOPOLOGY argument stands for.

    Attributes:
        text: the argument.
        members: the planes it describes, at least one; copies are one object.
        planes: how often a single member is repeated.
        variant: how the planes relate, where a spec says so.
        inside: each returns for the speed of links without one the scale-up network of the servers that the hosts of a
            file are in, None where each is by itself.
    """

    text: str
    members: tuple[PlaneMember, ...]
    planes: int = 1
    variant: Variant | None = None
    inside: tuple[Callable[[float], Plane | None], ...] = ()

    @property
    def distinct(self) -> tuple[PlaneMember, ...]:
        """The members, copies once."""
        return tuple({id(member): member for member in self.members}.values())

    def expanded(
        self, planes: int, variant: Variant | None, finish: Callable[[Plane], Plane] = lambda plane: plane
    ) -> list[Plane]:
        """Return the planes: the members if they are listed, else the single member repeated as ``variant`` says.

        Args:
            planes: how often a single member is repeated.
            variant: as of :func:`~pnet_lp.topology.network.build_network`; default: identical.
            finish: applied to every plane built, before link speeds are multiplied.

        Raises:
            SpecError: as :meth:`count`.
        """
        self.count(planes, variant)
        if len(self.members) > 1:
            made = {id(member): finish(_built(member)) for member in self.distinct}
            return [made[id(member)] for member in self.members]
        (member,) = self.members
        if variant == "heterogeneous" and isinstance(member, PlaneRecipe):
            return [finish(member.redrawn(i).build()) for i in range(planes)]
        plane = finish(_built(member))
        if variant == "serial-high":
            return [plane.scaled(planes)]
        return [plane] * planes

    def count(self, planes: int, variant: Variant | None) -> int:
        """Return the number of planes that :meth:`expanded` makes.

        Raises:
            SpecError: several serial planes, a single heterogeneous one, or one that cannot be drawn again.
        """
        if len(self.members) > 1:
            return len(self.members)
        (member,) = self.members
        if variant == "serial" and planes > 1:
            raise SpecError(
                f"a serial network has one plane, but {planes} are requested",
                where="variant",
                found=variant,
                allowed=f"serial-high, which is one plane {planes} times as fast, or planes=1",
            )
        if variant == "heterogeneous" and planes == 1:
            raise SpecError(
                "a single plane cannot be heterogeneous",
                where="variant",
                found=variant,
                allowed="planes=2 or more, or no variant",
            )
        if variant == "heterogeneous" and (isinstance(member, Plane) or not member.seeded):
            what = "a file" if isinstance(member, Plane) else f"topology {member.entry.name!r}"
            raise SpecError(
                f"heterogeneous planes differ by seed, and {what} has none",
                where=self.text,
                allowed="a random family, or one TOPOLOGY for each plane",
            )
        return 1 if variant == "serial-high" else planes


def _built(member: PlaneMember) -> Plane:
    return member if isinstance(member, Plane) else member.build()


def resolve(text: str, *, link_gbps: float, seed: int | None) -> NetworkSource:
    """Return what ``text`` stands for; see :func:`~pnet_lp.topology.network.build_plane`."""
    if is_planes(text):
        terms = parse_planes(text)
        parts = [resolve(term.text, link_gbps=link_gbps, seed=seed) for term in terms]
        return _combined(text, terms, parts)
    name, colon, _ = text.partition(":")
    if name.strip() in topologies:
        check_brackets(text)
        return NetworkSource(text, (_recipe(*parse_expression(text, topologies), text, link_gbps, seed),))
    known = named_files("topologies")
    # A name of the catalogue can have a slash and then looks like a path.
    if text in known and not (exists(text) and located(text).is_file()):
        return _from_file(str(known[text]), link_gbps, seed)
    if _is_file(text):
        return _from_file(text, link_gbps, seed)
    check_brackets(text)
    names = topologies.names() if colon else [*topologies.names(), *known]
    name, _ = parse_expression(text)
    raise unknown("unknown topology", name, names, more=", or a file")


def _combined(text: str, terms: Sequence[Term], parts: Sequence[NetworkSource]) -> NetworkSource:
    """Return the planes of an expression for several, given what stands in its brackets."""
    if len(terms) == 1 and terms[0].count == 1 and terms[0].sign == "x":
        return replace(parts[0], text=text)
    if len(terms) == 1 and len(parts[0].members) == parts[0].planes == 1:
        variant: Variant | None = "heterogeneous" if terms[0].sign == "~" else None
        return NetworkSource(text, parts[0].members, terms[0].count, variant, parts[0].inside)
    total = sum(term.count * len(part.members) * part.planes for term, part in zip(terms, parts, strict=True))
    if total > MOST_PLANES:
        raise SpecError("too many planes", where=text, found=total, allowed=f"at most {MOST_PLANES}")
    members = [member for term, part in zip(terms, parts, strict=True) for member in _repeated(term, part)]
    inside = tuple(read for part in parts for read in part.inside)
    if len({id(member) for member in members}) == 1:
        return NetworkSource(text, (members[0],), len(members), inside=inside)
    return NetworkSource(text, tuple(members), inside=inside)


def _repeated(term: Term, part: NetworkSource) -> list[PlaneMember]:
    """Return the planes of one term."""
    if term.sign == "~":
        if len(part.members) > 1 or part.planes > 1:
            raise SpecError("several planes cannot be drawn again", where=str(term), allowed="one TOPOLOGY in brackets")
        return _drawn(part, term.count)
    if part.variant == "serial-high":
        raise SpecError(
            "a serial-high network cannot be a plane of another", where=term.text, allowed="link_gbps for its speed"
        )
    one = (
        _drawn(part, part.planes) if part.variant == "heterogeneous" and part.planes > 1 else part.members * part.planes
    )
    return [*one] * term.count


def _drawn(part: NetworkSource, count: int) -> list[PlaneMember]:
    """Return ``count`` heterogeneous planes of a single member."""
    part.count(count, "heterogeneous")
    (member,) = part.members
    assert isinstance(member, PlaneRecipe)
    return [member.redrawn(i) for i in range(count)]


def _is_file(text: str) -> bool:
    from pnet_lp.topology.io import NETWORK_FORMATS  # noqa: PLC0415 - slow to load
    from pnet_lp.topology.spec import SUFFIXES  # noqa: PLC0415 - slow to load

    path = Path(text)
    known = "/" in text or path.suffix.lower() in {*NETWORK_FORMATS.suffixes(), *SUFFIXES}
    return known or (exists(text) and located(path).is_file())


def _recipe(name: str, values: Mapping[str, object], label: str, link_gbps: float, seed: int | None) -> PlaneRecipe:
    entry = topologies.get(name)
    completed = dict(values)
    for key, default in (("link_gbps", link_gbps), ("seed", seed)):
        if key in entry.params.model_fields and default is not None:
            completed.setdefault(key, default)
    return PlaneRecipe(entry, completed, label)


def _from_file(path: str, link_gbps: float, seed: int | None) -> NetworkSource:
    from pnet_lp.topology.io import parse_inside, parse_planes, read_content  # noqa: PLC0415 - slow to load
    from pnet_lp.topology.spec import is_spec, parse_spec  # noqa: PLC0415 - slow to load

    data = read_content(path)
    if not is_spec(path, data):
        inside = lambda gbps: parse_inside(data, path, link_gbps=gbps)  # noqa: E731 - of this content
        return NetworkSource(path, parse_planes(data, path, link_gbps=link_gbps), inside=(inside,))
    spec = parse_spec(decoded(data, path, TopologyError), path)
    with naming(path, SpecError):
        members = tuple(_member(member, path, link_gbps, seed) for member in spec.members)
    return NetworkSource(path, members, spec.planes, spec.variant)


def _member(spec: PlaneSpec, path: str, link_gbps: float, seed: int | None) -> PlaneMember:
    if spec.builder is not None:
        recipe = _recipe(spec.builder, spec.parameters, path, link_gbps, seed)
        recipe.entry.validate(recipe.values)  # here, where the name of the spec is known
        return recipe
    from pnet_lp.topology.io import parse_plane, read_content  # noqa: PLC0415 - slow to load
    from pnet_lp.topology.spec import is_spec  # noqa: PLC0415 - slow to load

    file = Path(path).parent / (spec.file or "")
    data = read_content(file)
    if is_spec(file, data):
        raise SpecError("a spec names files of planes, not another spec", where="file", found=spec.file)
    if spec.sha256 is not None:
        check_sha256(file, spec.sha256, TopologyError)
    return parse_plane(data, str(file), link_gbps=spec.link_gbps or link_gbps)
