"""Backbones as Repetita publishes them: utilisation in headline, links and drawing, and single failures against solves.

The folder is one of Repetita's data, such as `2016TopologyZooUCL_inverseCapacity`, with ``NAME.graph`` and a matrix
``NAME.0000.demands``.  For equal-cost paths by weight, and for the best routing, prints how far what
`min-max-utilisation` states is from the fullest link in its table, and in its drawing, at most over all networks; then
how far each link's failure is from a solve without the link, in five of them.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import pnet_lp as pn
from pnet_lp.drawing.loads import read_loads, utilisation

ROUTINGS: dict[str, dict[str, Any]] = {"ecmp-split": {"metric": "weight"}, "ideal": {}}
FIVE = ("Abilene", "Nsfnet", "Sprint", "Getnet", "Aarnet")
COMMON: dict[str, Any] = {"level": "rack", "objective": "min-max-utilisation"}


def demands_of(graph: Path) -> str:
    """Return the first matrix of a network."""
    return str(graph.with_suffix("")) + ".0000.demands"


def utilisations(graph: Path, routing: str, options: dict[str, Any], saved: Path) -> tuple[float, float, float, str]:
    """Return what headline, links and drawing say of the fullest link, and the status."""
    answer = pn.throughput(str(graph), traffic=demands_of(graph), routing=routing, **options, **COMMON)
    network = pn.build_network(str(graph))
    answer.save(saved)
    drawn = max(map(float, map(np.max, map(utilisation, network.planes, read_loads(saved, network).gbps))))
    return answer.headline.value, float(answer.links["utilisation"].max()), drawn, answer.status


def compare_utilisations(graphs: list[Path], routing: str, options: dict[str, Any], saved: Path) -> None:
    """Compare headline, links and drawing of every network."""
    begun, worst, above, certified = time.process_time(), [0.0, 0.0], 0, 0
    for graph in graphs:
        stated, of_links, drawn, status = utilisations(graph, routing, options, saved)
        worst = [max(one, abs(other - stated) / stated) for one, other in zip(worst, (of_links, drawn), strict=True)]
        above += stated > 1
        certified += status == "certified"
    print(
        f"{routing:10}  {len(graphs)} networks, {certified} certified, {above} above 100 %; headline from links"
        f" {worst[0]:.1e}, from drawing {worst[1]:.1e}; {time.process_time() - begun:.0f} s of processor",
        flush=True,
    )


def compare_failures(graph: Path, routing: str, options: dict[str, Any]) -> None:
    """Compare each link's failure with a solve without the link."""
    begun, worst, disconnecting = time.process_time(), 0.0, 0
    if routing == "ideal":
        options = {**options, "tolerance": 1e-7}
    given = {"traffic": demands_of(graph), "routing": routing, **options, **COMMON}
    found = pn.failures(str(graph), each="link", **given)
    rows = found.to_json()["trials"]
    for row in rows:
        if row["lost_demands"]:
            disconnecting += 1
            continue
        alone = pn.throughput(str(graph), fail=[row["failure"]], **given).headline.value
        worst = max(worst, abs(row[found.headline.column] - alone) / alone)
    print(
        f"{graph.stem:10}  {routing:10}  {len(rows) - disconnecting} links, and {disconnecting} that disconnect;"
        f" from solves {worst:.1e}; {time.process_time() - begun:.0f} s of processor",
        flush=True,
    )


def main() -> None:
    """Compare what the folder has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true", help="the twenty smallest networks, and one of the five")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    graphs = sorted(arguments.folder.glob("*.graph"), key=lambda graph: (graph.stat().st_size, graph.name))
    if not graphs:
        parser.error(f"{arguments.folder} has no .graph files")
    with tempfile.TemporaryDirectory() as folder:
        for routing, options in ROUTINGS.items():
            compare_utilisations(
                graphs[:20] if arguments.quick else graphs, routing, options, Path(folder) / "answer.json"
            )
    for name in FIVE[:1] if arguments.quick else FIVE:
        for routing, options in ROUTINGS.items():
            compare_failures(arguments.folder / f"{name}.graph", routing, options)


if __name__ == "__main__":
    main()
