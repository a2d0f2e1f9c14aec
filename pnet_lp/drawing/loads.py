"""How full links are, and how long: of a result just solved, of a saved one, or of a table of links."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pnet_lp.drawing.picture import Picture
from pnet_lp.drawing.words import number
from pnet_lp.errors import SpecError
from pnet_lp.files import read_limited, read_table
from pnet_lp.layouts import decoded, parse_json
from pnet_lp.model import Network, Plane, ThroughputResult, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.parquet import open_parquet
from pnet_lp.questions.throughput.links import LINK_COLUMNS, arc_values
from pnet_lp.throughput import FlowProblem
from pnet_lp.throughput.proofs.store import load_result
from pnet_lp.throughput.solve import flow_of
from pnet_lp.throughput.verify import verify

_SAME = 1e-9
"""Relative difference up to which speeds written and read again are the same."""


@brief("caption")
@dataclass(frozen=True, eq=False, repr=False)
class CableLoads:
    """What links between switches carry, and their lengths in the certificate.

    Attributes:
        gbps: for each plane float64 ``[2 m]``, the load of each arc, in the order of ``Plane.arcs``; with servers for
            the one plane of their picture.
        length: the same of lengths, in their own unit.
        traffic: what is carried, where known.
        caption: what these are the loads of, in words.
        claim: the document of the result, where there is one.
    """

    gbps: tuple[FloatArray, ...]
    length: tuple[FloatArray, ...]
    traffic: TrafficMatrix | None
    caption: str
    claim: Mapping[str, Any] | None = None

    def most(self, network: Network, *, lengths: bool) -> float:
        """Return what the last colour stands for: the longest length, or the largest utilisation, 1 at least."""
        if lengths:
            return max((float(one.max(initial=0.0)) for one in self.length), default=0.0) or 1.0
        fullest = max(float(one.max(initial=0.0)) for one in map(utilisation, network.planes, self.gbps))
        # Rounding makes no link more than full.
        return fullest if fullest > 1 + _SAME else 1.0

    @classmethod
    def of(cls, network: Network, traffic: TrafficMatrix, result: ThroughputResult) -> CableLoads:
        """Return the loads of a result for ``traffic`` on ``network``.

        Raises:
            SpecError: it is of another network.
        """
        _check_same(network, result.network.get("fingerprint"), "load")
        document = result.to_json()
        value = "" if result.value is None else f"{number(result.value)} {result.headline.unit}".strip()
        caption = _words(f"{result.headline.quantity.replace('_', ' ')} {value}", document, traffic)
        if network.servers is not None:
            picture = Picture.of(network, network.servers)
            load, length = picture.values(network, network.servers, traffic, result)
            return cls((load,), (length,), traffic, caption, document)
        flow = flow_of(network, traffic, result)
        lengths = None if result.certificate is None else result.certificate.length
        return cls(
            _by_plane(network, flow, result.link_load), _by_plane(network, flow, lengths), traffic, caption, document
        )


def utilisation(plane: Plane, load: FloatArray) -> FloatArray:
    """Return float64 ``[2 m]``: the load of each arc of a plane over its capacity, 0 where that is 0."""
    speed = plane.arcs[2]
    return floats(load / np.where(speed > 0, speed, np.inf))


def read_loads(path: str | Path, network: Network) -> CableLoads:
    """Return the loads in a file: a saved result, or a table of links; both of ``network``.

    A saved result is verified, and its loads are computed again from its certificate.

    Raises:
        SpecError: the file cannot be read, is neither, or is of another network.
        CertificateError: the result does not prove what it claims.
    """
    kind = Path(path).suffix.lower()
    if kind in {".csv", ".parquet"}:
        return _of_rows(path, network, _read_rows(path, kind))
    data = read_limited(path, SpecError)
    if data.lstrip().startswith(b"["):
        return _of_rows(path, network, _json_rows(path, data))
    stored = load_result(path)
    # By which metric traffic was routed is no part of a drawing.
    _check_same(_without_metrics(network), _without_metrics(stored.network).fingerprint, str(path))
    found = verify(stored)
    value = found.figures[found.headline.key]
    shown = "" if value is None else f"{number(value)} {found.headline.unit}".strip()
    caption = _words(f"{found.headline.quantity.replace('_', ' ')} {shown}", stored.claims, stored.traffic)
    if found.second is None or stored.certificate is None:
        nothing = tuple(floats(np.zeros(2 * plane.cable_count)) for plane in network.planes)
        return CableLoads(nothing, nothing, stored.traffic, caption, {**found.figures, **stored.claims})
    flow = found.second.flow
    return CableLoads(
        _by_plane(network, flow, found.link_load),
        _by_plane(network, flow, stored.certificate.length),
        stored.traffic,
        caption,
        {**found.figures, **stored.claims},
    )


def _without_metrics(network: Network) -> Network:
    return replace(network, planes=tuple(replace(plane, metric=None) for plane in network.planes))


def _check_same(network: Network, fingerprint: object, where: str) -> None:
    if fingerprint != network.fingerprint:
        raise SpecError(
            "the result is of another network",
            where=where,
            found=fingerprint,
            allowed=f"{network.fingerprint}, from the same topologies, seed and failures",
        )


def _by_plane(network: Network, flow: FlowProblem, values: FloatArray | None) -> tuple[FloatArray, ...]:
    return tuple(arc_values(flow, p, 2 * plane.cable_count, values) for p, plane in enumerate(network.planes))


def _words(value: str, document: Mapping[str, Any], traffic: TrafficMatrix) -> str:
    """Return what was solved in words."""
    status = "certified" if document["status"] == "certified" else "between bounds that have not met"
    return f"{value.strip()} ({status}); traffic {traffic.label or 'given'}, routing {document['routing']}"


Row = tuple[str, Mapping[str, Any]]


_BYTES_PER_ROW = 2000


def _read_rows(path: str | Path, kind: str) -> Iterator[Row]:
    if kind == ".csv":
        for where, fields in read_table(path, LINK_COLUMNS, SpecError):
            yield where, dict(zip(LINK_COLUMNS, fields, strict=True))
        return
    with open_parquet(read_limited(path, SpecError), str(path), SpecError, row_bytes=_BYTES_PER_ROW) as file:
        rows = file.read().to_pylist()
    for i, row in enumerate(rows):
        yield f"{path}: row {i}", _checked(row, f"{path}: row {i}")


def _json_rows(path: str | Path, data: bytes) -> Iterator[Row]:
    rows = parse_json(decoded(data, str(path), SpecError), str(path), SpecError)
    for i, row in enumerate(rows):
        yield f"{path}: row {i}", _checked(row, f"{path}: row {i}")


def _checked(row: Any, where: str) -> Mapping[str, Any]:
    """Return a row that has all the columns."""
    if not isinstance(row, dict) or set(row) != set(LINK_COLUMNS):
        found = ",".join(map(str, row)) if isinstance(row, dict) else row
        raise SpecError("not a row of links", where=where, found=found, allowed=",".join(LINK_COLUMNS))
    return row


def _of_rows(path: str | Path, network: Network, rows: Iterator[Row]) -> CableLoads:
    """Return the loads of a table of links, each link of the network having one row."""
    index = [{name: i for i, name in enumerate(plane.switch_names)} for plane in network.planes]
    load = [np.full(2 * plane.cable_count, math.nan) for plane in network.planes]
    length = [np.zeros(2 * plane.cable_count) for plane in network.planes]
    for where, row in rows:
        if row["kind"] != "core":
            continue
        p, cable = _whole(row, "plane", where), _whole(row, "cable", where)
        ends = None
        if p < network.plane_count and cable < network.planes[p].cable_count:
            plane = network.planes[p]
            ends = (int(plane.cable_u[cable]), int(plane.cable_v[cable]))
            named = (index[p].get(str(row["u"]), -1), index[p].get(str(row["v"]), -1))
        if ends is None or named not in (ends, ends[::-1]):
            raise SpecError(
                "the network drawn has no such link",
                where=where,
                found=f"plane {row['plane']}, cable {row['cable']}, {row['u']} to {row['v']}",
            )
        arc = 2 * cable + (named != ends)
        speed, here = _amount(row, "capacity_gbps", where), float(network.planes[p].arcs[2][arc])
        if abs(speed - here) > _SAME * here:
            raise SpecError(
                "the link has another speed in the network drawn", where=where, found=speed, allowed=f"{here:g}"
            )
        if not math.isnan(load[p][arc]):
            raise SpecError("the link has two rows", where=where)
        load[p][arc] = _amount(row, "load_gbps", where)
        length[p][arc] = _amount(row, "length", where)
    for p, values in enumerate(load):
        if (missing := np.flatnonzero(np.isnan(values))).size:
            tail, head, _ = network.planes[p].arcs
            names = network.planes[p].switch_names
            arc = int(missing[0])
            raise SpecError(
                f"the link from {names[tail[arc]]!r} to {names[head[arc]]!r} of plane {p} has no row",
                where=str(path),
                allowed="the table that `pnet-lp throughput --links` writes of the network drawn",
            )
    return CableLoads(tuple(map(floats, load)), tuple(map(floats, length)), None, f"loads of {Path(path).name}")


def _whole(row: Mapping[str, Any], key: str, where: str) -> int:
    value = _amount(row, key, where)
    if value != int(value):
        raise SpecError(f"{key} is not a whole number", where=where, found=row[key])
    return int(value)


def _amount(row: Mapping[str, Any], key: str, where: str) -> float:
    try:
        value = float(row[key])
    except (TypeError, ValueError):
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise SpecError(f"invalid {key}", where=where, found=row[key], allowed="a number >= 0")
    return value
