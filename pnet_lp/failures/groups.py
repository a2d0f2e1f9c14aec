"""Shared-risk groups: cables, switches, servers and other parts that one cause takes down together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field

from pnet_lp.errors import SpecError
from pnet_lp.failures.named import cables_between
from pnet_lp.files import read_yaml
from pnet_lp.model import Network
from pnet_lp.model.arrays import BoolArray
from pnet_lp.registry import Params, nearest, validate


class RiskGroup(Params):
    """What fails together, such as the cables of a duct, or the switches and servers of a rack row or a power feed.

    Attributes:
        name: of the group.
        cables: pairs of switch names; all parallel cables between the two are meant.
        switches: names of switches.
        parts: names of parts as ``--fail`` takes them: hosts, servers, scale-up switches, links.
        planes: the planes meant; none for every plane that has the switches.
        probability: that the group fails, in (0, 1].
    """

    name: str
    cables: tuple[tuple[str, str], ...] = ()
    switches: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    planes: tuple[Annotated[int, Field(ge=0)], ...] = ()
    probability: float = Field(1.0, gt=0, le=1)


def read_groups(path: str | Path) -> tuple[RiskGroup, ...]:
    """Return the groups of a YAML or JSON file: ``{"groups": {NAME: {"switches": [...], "cables": [[a, b], ...]}}}``.

    Raises:
        SpecError: the file cannot be read, or a key is wrong.
    """
    document = read_yaml(path)
    groups = document.get("groups") if isinstance(document, Mapping) else None
    if not isinstance(groups, Mapping) or set(document) != {"groups"}:
        raise SpecError(
            "not a file of shared-risk groups", where=str(path), allowed="one key 'groups', with names below it"
        )
    found = []
    for name, values in groups.items():
        where = f"{path}: groups.{name}"
        if not isinstance(values, Mapping):
            raise SpecError("not a group", where=where, allowed="cables, switches, parts, planes, probability")
        # A name such as 12 is a number in YAML; switch names are always text.
        texts = {key: _texts(values[key]) for key in ("cables", "switches", "parts") if key in values}
        group = validate(RiskGroup, {**values, **texts, "name": str(name)}, where)
        if not (group.cables or group.switches or group.parts):
            raise SpecError("an empty group", where=where, allowed="cables, switches or parts")
        if group.planes and group.parts:
            raise SpecError(
                "planes are those of cables and switches", where=f"{where}: parts", allowed="PLANE: before a name"
            )
        found.append(group)
    return tuple(found)


def _texts(value: object) -> object:
    if isinstance(value, list):
        return [_texts(item) for item in value]
    return str(value) if isinstance(value, int | float) else value


def members(network: Network, group: RiskGroup) -> tuple[list[BoolArray], list[BoolArray]]:
    """Return what of each plane is in ``group``: bool ``[m]`` over cables and bool ``[n]`` over switches.

    Raises:
        SpecError: a plane, a switch or a cable that the network does not have, or not in the planes named.
    """
    where = f"fail_groups: {group.name}"
    for plane in group.planes:
        if plane >= network.plane_count:
            raise SpecError("no such plane", where=where, found=plane, allowed=f"0 to {network.plane_count - 1}")
    meant = group.planes or tuple(range(network.plane_count))
    cables = [np.zeros(plane.cable_count, dtype=np.bool_) for plane in network.planes]
    switches = [np.zeros(plane.switch_count, dtype=np.bool_) for plane in network.planes]
    index = {p: {name: i for i, name in enumerate(network.planes[p].switch_names)} for p in meant}
    for name in group.switches:
        having = _having([name], index, group, where)
        for p in having:
            switches[p][index[p][name]] = True
    for a, b in group.cables:
        found = False
        for p in _having([a, b], index, group, where):
            between = cables_between(network.planes[p], index[p][a], index[p][b])
            found |= bool(between.any())
            if group.planes and not between.any():
                raise SpecError(f"plane {p} has no cable {a!r} - {b!r}", where=where)
            cables[p] |= between
        if not found:
            raise SpecError(f"no plane has a cable {a!r} - {b!r}", where=where)
    return cables, switches


def _having(names: list[str], index: dict[int, dict[str, int]], group: RiskGroup, where: str) -> list[int]:
    """Return the planes meant that have all switches of ``names``."""
    for name in names:
        lacking = [p for p, switches in index.items() if name not in switches]
        if lacking and (group.planes or len(lacking) == len(index)):
            raise SpecError(
                f"unknown switch {name!r}{nearest(name, index[lacking[0]])}",
                where=f"{where}: plane {lacking[0]}" if group.planes else where,
            )
    return [p for p, switches in index.items() if all(name in switches for name in names)]
