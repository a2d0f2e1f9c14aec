"""What stands for a network, and for the demands on it: expressions, our own values, graphs, matrices and tables."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import PnetError, SpecError, TopologyError, TrafficError, WorkloadError
from pnet_lp.model import Network, Plane, TrafficMatrix, Workload
from pnet_lp.model.arrays import checked_array
from pnet_lp.model.network import Level, check_network
from pnet_lp.registry import validate
from pnet_lp.seeds import check_seed
from pnet_lp.topology import build_network
from pnet_lp.topology.network import inside_of
from pnet_lp.topology.settings import PlaneSettings
from pnet_lp.topology.source import resolve
from pnet_lp.traffic import build_traffic
from pnet_lp.traffic.io.lines import check_size, matrix_of_columns
from pnet_lp.units import DEFAULT_LINK_GBPS
from pnet_lp.workload import build_workload
from pnet_lp.workload.io.delimited import workload_of_cells
from pnet_lp.workload.io.table import check_columns

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

PlaneLike: TypeAlias = Union[str, Path, Plane, "nx.Graph[Any]", npt.NDArray[Any], "pd.DataFrame"]
"""One plane: an expression, a file or a name of the catalogue (which may be of several planes); a plane; a networkx
graph (see :meth:`~pnet_lp.model.Plane.from_networkx`); a matrix of Gb/s from switch to switch; a table with a row per
cable in columns ``u``, ``v`` and ``capacity_gbps``."""

TopologyLike: TypeAlias = Network | PlaneLike | Sequence[PlaneLike]
"""A network, or what its planes are made of."""

TrafficLike: TypeAlias = Union[str, Path, TrafficMatrix, npt.NDArray[Any], "pd.DataFrame"]
"""Demands: an expression, a file or a name of the catalogue; a matrix of ours; a square array, from row to column; a
table with a row per demand in columns ``src``, ``dst`` and ``demand``, or one whose index and columns are endpoints."""

WorkloadLike: TypeAlias = Union[str, Path, Workload, "pd.DataFrame"]
"""Flows: an expression or a file; a workload; a table with a row per flow in columns ``src``, ``dst``, ``bytes``,
``start_s`` and others that :mod:`~pnet_lp.workload.io.delimited` names."""


def given(model: type[Any], **values: object) -> Any:
    """Return settings of which those that are None are left out."""
    return validate(model, {key: value for key, value in values.items() if value is not None})


def network_of(topology: TopologyLike, settings: PlaneSettings, *, capacity: str | None, seed: int) -> Network:
    """Return the network that ``topology`` stands for.

    Args:
        topology: what stands for it.
        settings: as of ``pnet-lp throughput``; of a network that is built already, none but the defaults.
        capacity: the attribute of a graph's edges, or the column of a table, with Gb/s; by default those that
            :meth:`~pnet_lp.model.Plane.from_networkx` knows.
        seed: of random families.

    Raises:
        SpecError: settings that have no meaning for what is given.
        TopologyError: a graph or table with links of unknown speed and no ``link_gbps``, and as of
            :func:`~pnet_lp.topology.build_network`.
    """
    check_seed(seed)
    stated = sorted(settings.model_fields_set)
    if isinstance(topology, Network):
        if stated or capacity is not None:
            name = stated[0] if stated else "capacity"
            raise SpecError("the network is built already", where=name, allowed="an expression with it")
        network = topology
    else:
        items = list(topology) if isinstance(topology, list | tuple) else [topology]
        parts = [_part(item, settings, capacity) for item in items]
        words = [part for part in parts if isinstance(part, str)]
        if capacity is not None and len(words) == len(parts):
            raise SpecError("no graph or table is given", where="capacity", found=capacity)
        if len(words) == len(parts):
            network = settings.intact(words, seed)
        else:
            sources = [resolve(word, link_gbps=settings.link_gbps, seed=seed) for word in words]
            servers = settings.servers(seed, partial(inside_of, sources))
            network = build_network(parts, seed=seed, **settings.of_planes, servers=servers)
    return network


def matrix_of(traffic: TrafficLike, network: Network, level: Level | None, *, seed: int) -> TrafficMatrix:
    """Return the demands that ``traffic`` stands for.

    Args:
        traffic: what stands for them.
        network: what they are on.
        level: whether they are between racks or hosts; default: as the traffic says, else hosts if there are any.
        seed: of random patterns.

    Raises:
        SpecError: no network, or no kind of traffic.
        TrafficError: a matrix or table that does not fit the network, and as of :func:`~pnet_lp.traffic.build_traffic`.
    """
    check_network(network)
    check_seed(seed)
    if isinstance(traffic, TrafficMatrix):
        if level not in (None, traffic.level):
            raise SpecError("the demands are of another level", where="level", found=level, allowed=traffic.level)
        return traffic
    if isinstance(traffic, str | Path):
        return build_traffic(str(traffic), network, level, seed=seed)
    level = network.settled_level(level)
    if isinstance(traffic, np.ndarray):
        return _matrix_of_array(traffic, network, level)
    if _is("pandas", "DataFrame", traffic):
        return _matrix_of_frame(traffic, network, level)
    raise SpecError(
        "not a kind of traffic",
        where="traffic",
        found=type(traffic).__name__,
        allowed="an expression, a file, a TrafficMatrix, a square array or a DataFrame",
    )


def workload_of(workload: WorkloadLike, network: Network, *, seed: int = 0) -> Workload:
    """Return the flows that ``workload`` stands for.

    Raises:
        SpecError: no kind of workload.
        WorkloadError: one that does not fit the network, and as of :func:`~pnet_lp.workload.build_workload`.
    """
    if isinstance(workload, str | Path):
        return build_workload(str(workload), network, seed=seed)
    if isinstance(workload, Workload):
        if workload.hosts != network.host_count:
            raise WorkloadError(
                "the flows are for another network",
                where="workload",
                found=f"{workload.hosts:,} hosts",
                allowed=f"{network.host_count:,}",
            )
        return workload
    if _is("pandas", "DataFrame", workload):
        rows = [
            {str(column): _cell(value) for column, value in zip(workload.columns, row, strict=True)}
            for row in workload.itertuples(index=False, name=None)
        ]
        check_columns([str(column) for column in workload.columns], "workload")
        return workload_of_cells(((f"workload: row {i}", row) for i, row in enumerate(rows)), network, "table")
    raise SpecError(
        "not a kind of workload",
        where="workload",
        found=type(workload).__name__,
        allowed="an expression, a file, a Workload or a DataFrame",
    )


def _cell(value: object) -> str:
    """Return a cell of a table as text, empty where it is missing; what is whole has no decimal point."""
    if isinstance(value, list | tuple | np.ndarray):
        return " ".join(map(_cell, value))
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _part(item: object, settings: PlaneSettings, capacity: str | None) -> str | Plane:
    """Return what :func:`build_network` takes for one of the planes."""
    if isinstance(item, str | Path):
        return str(item)
    if isinstance(item, Plane):
        return item
    for module, name, convert in _CONVERTERS:
        if _is(module, name, item):
            return convert(item, settings, capacity)
    raise SpecError(
        "not a kind of topology",
        where="topology",
        found=type(item).__name__,
        allowed="an expression, a file, a Network, a Plane, a networkx graph, a square array or a DataFrame",
    )


def _is(module: str, name: str, value: object) -> bool:
    """Whether ``value`` is of a class of a library, which is not loaded to find out."""
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(value, getattr(loaded, name))


def _of_graph(graph: nx.Graph[Any], settings: PlaneSettings, capacity: str | None) -> Plane:
    """Return the plane of a graph, none of whose links has a speed by default."""
    named = "link_gbps" in settings.model_fields_set
    label = str(graph.name or "graph")
    plane = Plane.from_networkx(graph, link_gbps=settings.link_gbps, capacity=capacity, label=label)
    other = Plane.from_networkx(graph, link_gbps=2 * settings.link_gbps, capacity=capacity, label=label)
    if named or plane.fingerprint == other.fingerprint:
        return plane
    raise TopologyError(
        "links have no speed",
        where=label,
        allowed=f"capacity_gbps on every edge, capacity=NAME for another attribute, or link_gbps={DEFAULT_LINK_GBPS:g} "
        "for those without",
    )


def _of_array(array: npt.NDArray[Any], settings: PlaneSettings, capacity: str | None) -> Plane:
    """Return the plane whose cables carry ``array[u, v]`` Gb/s from u to v."""
    if ("link_gbps" in settings.model_fields_set and not settings.hosts_per_switch) or capacity is not None:
        raise SpecError(
            "a matrix gives the capacity of every link", where="topology", allowed="no link_gbps, no capacity"
        )
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.dtype.kind not in "fiu":
        raise TopologyError("not a square matrix of Gb/s", where="topology", found=f"{array.dtype} {array.shape}")
    if np.any(np.diag(array)):
        raise TopologyError("a switch has a link to itself", where="topology", allowed="zeros on the diagonal")
    joined = checked_array(array, TopologyError, "topology") != 0
    u, v = np.nonzero(np.triu(joined | joined.T))
    return Plane.from_cables(
        len(array), u, v, array[u, v].astype(float), capacity_back_gbps=array[v, u].astype(float), label="matrix"
    )


def _of_frame(table: pd.DataFrame, settings: PlaneSettings, capacity: str | None) -> Plane:
    """Return the plane with a cable for each row."""
    import networkx as nx  # noqa: PLC0415 - slow to load

    if not {"u", "v"} <= set(table.columns):
        found = ", ".join(map(str, table.columns))
        raise TopologyError("a table of cables has columns u and v", where="topology", found=found)
    _check_filled(table[["u", "v"]], TopologyError, "topology")
    others: list[str | int] = [column for column in table.columns if column not in {"u", "v"}]
    # An empty list is an error of networkx.
    graph = nx.from_pandas_edgelist(table, "u", "v", edge_attr=others or None, create_using=nx.MultiGraph)
    graph.name = "table"
    return _of_graph(graph, settings, capacity)


_CONVERTERS: tuple[tuple[str, str, Callable[[Any, PlaneSettings, str | None], Plane]], ...] = (
    ("networkx", "Graph", _of_graph),
    ("numpy", "ndarray", _of_array),
    ("pandas", "DataFrame", _of_frame),
)


def _matrix_of_array(array: npt.NDArray[Any], network: Network, level: Level) -> TrafficMatrix:
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.dtype.kind not in "fiu":
        raise TrafficError("not a square matrix", where="traffic", found=f"{array.dtype} {array.shape}")
    check_size(len(array), len(network.endpoint_names(level)), level, "traffic")
    return TrafficMatrix.from_dense(level, array, label="matrix")


def _matrix_of_frame(table: pd.DataFrame, network: Network, level: Level) -> TrafficMatrix:
    if {"src", "dst", "demand"} <= set(table.columns):
        table = table[["src", "dst", "demand"]]
        _check_filled(table, TrafficError, "traffic")
        src, dst, demand = (table[key].tolist() for key in ("src", "dst", "demand"))
    elif list(table.index) == list(table.columns):
        _check_filled(table, TrafficError, "traffic")
        _check_filled(table.columns.to_frame(), TrafficError, "traffic")
        places = np.argwhere(table.to_numpy() != 0)
        ends = list(table.index)
        src, dst = ([ends[i] for i in places[:, side]] for side in (0, 1))
        demand = table.to_numpy()[places[:, 0], places[:, 1]].tolist()
    else:
        raise TrafficError(
            "not a table of demands",
            where="traffic",
            found=", ".join(map(str, table.columns)),
            allowed="columns src, dst, demand; or the same endpoints as index and as columns",
        )
    place: dict[str | int, int] = {}
    ends = [np.array([place.setdefault(_end(end), len(place)) for end in side], dtype=np.int64) for side in (src, dst)]
    return matrix_of_columns(
        list(place), ends[0], ends[1], demand, network, level, "table", lambda row: f"traffic: row {row}"
    )


def _check_filled(table: pd.DataFrame, fault: type[PnetError], where: str) -> None:
    """Raise ``fault`` where a field of a table is empty."""
    empty = np.argwhere(table.isna().to_numpy())
    if len(empty):
        row, column = empty[0].tolist()
        raise fault(f"{table.columns[column]} is empty", where=f"{where}: row {row}")


def _end(value: object) -> str | int:
    """Return a name, or an index, of an endpoint in a table."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    return str(value)
