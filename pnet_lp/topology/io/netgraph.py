"""NetGraph's scenarios in YAML: blueprints, nodes and links, expanded by its package ``ngraph``.

    network:
      nodes:
        leaf: {count: 4, template: "leaf{n}"}
        spine: {count: 2, template: "spine{n}"}
      links:
        - {source: leaf, target: spine, pattern: mesh, capacity: 100, cost: 1}

Every node is a switch and a rack, called by its path, ``leaf/leaf1``; a link carries its capacity in each direction,
and its ``cost`` can be taken as metric.  What is disabled is left out.  Demands, failures, components and workflows are
no part of a plane.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from itertools import islice
from threading import Lock
from typing import Any

import numpy as np

from pnet_lp.errors import PnetError, TopologyError
from pnet_lp.extras import load
from pnet_lp.files import parse_yaml
from pnet_lp.memory import check_fits
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import NETWORK_FORMATS

_SIGN = re.compile(r"^(?:network|blueprints):[ \t\r]*+(?:[#{][^\n]*+)?$", re.MULTILINE)
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_RANGE = re.compile(r"\s*([0-9]{1,9})\s*-\s*([0-9]{1,9})\s*")

_BUILDING, _OTHERS = (
    ("network", "blueprints"),
    ("components", "demands", "failures", "risk_groups", "seed", "vars", "workflow"),
)
"""Keys of a scenario: of which a network is built, and others, which can be those of any version."""

_MOST_NAMES = 1_000_000
"""Of one pattern, such as ``leaf[1-4]``."""

_ELEMENT = 2500
"""Bytes of memory for each node and link."""

_EXPANDING = Lock()
"""Held while NetGraph makes its network of another class."""

_CHECKED = 1 << 12
"""Nodes and links after each of which it is seen whether more of them fit into memory."""


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    del link_gbps  # a link without a capacity has 1
    document = parse_yaml(text, where)
    if not isinstance(document, dict) or not isinstance(document.get("network"), dict):
        raise TopologyError("not a scenario of NetGraph", where=where, allowed="a mapping with network")
    if more := sorted(map(str, document.keys() - {*_BUILDING, *_OTHERS})):
        raise TopologyError(
            "unknown key of a scenario", where=where, found=more[0], allowed=", ".join(_BUILDING + _OTHERS)
        )
    scenario = {key: document[key] for key in _BUILDING if key in document}
    for name in _texts(scenario):
        if math.prod(map(_size, _BRACKETS.findall(name))) > _MOST_NAMES:
            raise TopologyError(
                "a pattern of too many names", where=where, found=name, allowed=f"at most {_MOST_NAMES:,}"
            )
    groups = document.get("risk_groups")
    if (
        off := [one for one in groups if isinstance(one, dict) and one.get("disabled")]
        if isinstance(groups, list)
        else []
    ):
        raise TopologyError(
            "a disabled risk group", where=where, found=off[0].get("name"), allowed="disabled nodes and links"
        )
    network = _expanded(scenario, where)
    names = [name for name, node in network.nodes.items() if not node.disabled]
    number = {name: i for i, name in enumerate(names)}
    links = [
        link for link in network.links.values() if not link.disabled and {link.source, link.target} <= number.keys()
    ]
    left = len(network.nodes) + len(network.links) - len(names) - len(links)
    costs = np.array([link.cost for link in links], dtype=float)
    return Plane.from_cables(
        names,
        [number[link.source] for link in links],
        [number[link.target] for link in links],
        [link.capacity for link in links],
        label=where,
        attributes={"cost": np.stack([costs, costs], axis=1)} if len(set(costs.tolist())) > 1 else None,
        warnings=[f"{where}: {left} nodes and links are disabled and left out"] if left else (),
    )


def _texts(document: object) -> Iterator[str]:
    """Yield all texts of a document, keys included."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield str(key)
            yield from _texts(value)
    elif isinstance(document, list):
        for value in document:
            yield from _texts(value)
    elif isinstance(document, str):
        yield document


def _size(listed: str) -> int:
    """Return how many names what stands in brackets makes."""
    ranges = [_RANGE.fullmatch(part) for part in listed.split(",")]
    return sum(max(1, int(found[2]) - int(found[1]) + 1) if found else 1 for found in ranges)


def _expanded(scenario: dict[str, Any], where: str) -> Any:
    """Return NetGraph's network, or raise TopologyError: NetGraph refuses it, or it does not fit into memory."""
    expand = load("ngraph.dsl.blueprints.expand", where)

    class Limited(expand.Network):  # type: ignore[misc, name-defined]
        """A network that looks at its size while it grows."""

        def add_node(self, node: Any) -> None:
            super().add_node(node)
            self._check()

        def add_link(self, link: Any) -> None:
            super().add_link(link)
            self._check()

        def _check(self) -> None:
            if (count := len(self.nodes) + len(self.links)) % _CHECKED == 0:
                check_fits(
                    2 * count * _ELEMENT, f"{where} with {count:,} nodes and links", TopologyError, allowed="fewer"
                )

    document = load("ngraph.dsl.loader", where).load_scenario_yaml
    try:
        with _EXPANDING:
            own, expand.Network = expand.Network, Limited
            try:
                return expand.expand_network_dsl(document(json.dumps(scenario)))
            finally:
                expand.Network = own
    except PnetError:
        raise
    except Exception as error:
        lines = (line.strip() for line in str(error).splitlines())
        problem = " ".join(islice(filter(None, lines), 1)) or type(error).__name__
        raise TopologyError(f"NetGraph refuses it: {problem[:300]}", where=where) from None


NETWORK_FORMATS.add_text(
    "netgraph", (), "a scenario of NetGraph, only read", _parse, None, recognise=_SIGN.search, order=2, library="ngraph"
)
