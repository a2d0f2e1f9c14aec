"""Tables that give each link a number, and the metrics that a table or a network's files give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from pnet_lp.errors import SpecError
from pnet_lp.files import exists, read_table
from pnet_lp.model import Network, Plane
from pnet_lp.model.arrays import FloatArray, floats, ints
from pnet_lp.model.metrics import LARGEST_METRIC
from pnet_lp.registry import nearest
from pnet_lp.units import parse_number

_LARGEST = 1e15

_DECIMALS = 6

_STEP = 1e-6


def read_link_values(
    path: str | Path, network: Network, column: str, valid: Callable[[float], bool], allowed: str
) -> list[FloatArray]:
    """Return of each plane float64 ``[2 m]``, by arcs as in ``Plane.arcs``: a number of each directed link.

    The file is a table ``plane,u,v,`` and the ``column``, a row for each directed link between switches, given by the
    number of its plane and the names of its ends; parallel links all get its number.  Links it does not name get 1.

    Raises:
        SpecError: the file cannot be read, or a row does not name a link and a ``valid`` number; the message has the
            line.
    """
    places: dict[tuple[str, str, str], list[int]] = {}
    for p, plane in enumerate(network.planes):
        for i, (u, v) in enumerate(zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True)):
            names = plane.switch_names[u], plane.switch_names[v]
            places.setdefault((str(p), *names), []).append(2 * i)
            places.setdefault((str(p), *names[::-1]), []).append(2 * i + 1)
    values = [np.ones(2 * plane.cable_count) for plane in network.planes]
    for where, (index, u, v, text) in read_table(path, ["plane", "u", "v", column], SpecError):
        if (index, u, v) not in places:
            raise SpecError(f"plane {index} has no link from {u!r} to {v!r}", where=where)
        if not valid(number := parse_number(text)):
            raise SpecError(f"not a {column}", where=where, found=text, allowed=allowed)
        values[int(index)][places[index, u, v]] = number
    return [floats(each) for each in values]


def by_metric(network: Network, metric: str) -> Network:
    """Return the network whose shortest paths are those of least ``metric``.

    Args:
        network: the planes.
        metric: the name of a number that the source of each plane gives its cables, such as ``weight``; ``delay_ns``;
            or a file as :func:`read_link_values` reads it, with a column ``metric``.

    Lengths are compared exactly, so metrics are whole numbers: others are counted in tenths, hundredths, ... down to
    millionths or, where digits are lost by that, such as those of computed distances, in millionths of the largest.

    Raises:
        SpecError: a link without such a number or with an invalid one, or a file that cannot be read.
    """
    if any(_values(plane, metric) is not None for plane in network.planes):
        found = [_attribute(plane, metric) for plane in network.planes]
    elif exists(metric):
        allowed = f"finite numbers > 0, at most {_LARGEST:g}"
        table = read_link_values(metric, network, "metric", lambda number: 0 < number <= _LARGEST, allowed)
        found = [values.reshape(-1, 2) for values in table]
    else:
        raise _unknown(network.planes[0], metric)
    # Paths of different planes are compared: one step for all.
    whole = _whole(np.concatenate(found))
    parts = np.split(whole, np.cumsum([len(values) for values in found])[:-1])
    planes = (replace(plane, metric=ints(part)) for plane, part in zip(network.planes, parts, strict=True))
    return replace(network, planes=tuple(planes))


def _whole(values: FloatArray) -> FloatArray:
    """Return numbers in whole steps: of the first decimal place that loses none of them, else of ``_STEP``."""
    most = float(values.max(initial=0.0))
    for decimals in range(_DECIMALS + 1):
        steps = np.round(values * 10.0**decimals)
        if most * 10.0**decimals <= LARGEST_METRIC and np.array_equal(steps / 10.0**decimals, values):
            return floats(steps)
    return floats(np.maximum(1.0, np.round(values / (_STEP * most))))


def _attribute(plane: Plane, name: str) -> FloatArray:
    values = _values(plane, name)
    if values is None:
        raise _unknown(plane, name)
    where = plane.label or "plane"
    if missing := int(np.isnan(values).sum()):
        raise SpecError(f"{missing} of {values.size} links of {where} have none", where="metric", found=name)
    if np.any(bad := ~((values > 0) & (values <= _LARGEST))):
        allowed = f"finite numbers > 0, at most {_LARGEST:g}"
        raise SpecError(f"{where} has an invalid {name}", where="metric", found=float(values[bad][0]), allowed=allowed)
    return values


def _values(plane: Plane, name: str) -> FloatArray | None:
    if name == "delay_ns" and plane.delay_ns is not None:
        return floats(np.column_stack([plane.delay_ns] * 2))
    if name == "metric" and plane.metric is not None:
        return floats(plane.metric)
    return plane.attributes.get(name)


def _unknown(plane: Plane, metric: str) -> SpecError:
    given = {"delay_ns": plane.delay_ns, "metric": plane.metric}
    known = [*sorted(plane.attributes), *(name for name, values in given.items() if values is not None)]
    names = f"{', '.join(known)}, or " if known else ""
    return SpecError(
        f"links of {plane.label or 'the plane'} have no such number{nearest(metric, known)}",
        where="metric",
        found=metric,
        allowed=f"{names}a file with the columns plane, u, v and metric",
    )
