"""Broken files in bulk: what the readers make of mutated valid files of every format.

``python tests/fuzz.py 10000`` tries that many for each reader and says what came of them; ``test_fuzz.py`` tries fewer.
"""

from __future__ import annotations

import io
import random
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pnet_lp.errors import PnetError
from pnet_lp.formats import Format
from pnet_lp.layouts import opening
from pnet_lp.model import Network, Plane, TrafficMatrix, Workload
from pnet_lp.topology import build_plane
from pnet_lp.topology.io import NETWORK_FORMATS
from pnet_lp.topology.spec import parse_spec
from pnet_lp.traffic.io import MATRIX_FORMATS, write_traffic
from pnet_lp.workload import build_workload, write_workload
from pnet_lp.workload.io import WORKLOAD_FORMATS

from .traces import TRACES

DATA = Path(__file__).parent / "data"

PIECES = [
    *(b"nan", b"-1", b"1e999", b"-0.0", b"1" * 19, b"9" * 5000, b"0x1F", b"1_0", b"null", b"true", b"\xc2\xb2"),
    *(b"[]", b"()", b"{}", b'""', b"<a>", b"]]>", b"&lt;", b"&x;", b"<!DOCTYPE a [<!ENTITY x 'y'>]>"),
    *(b"node", b"edge [", b"graph [", b"<graph>", b"(", b")", b"#", b"#:", b"->", b"=", b":", b"\n", b"\r", b"\t"),
    *(b"\x00", b"\xff", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xc3\xa9", b'"id": ', b"Tier 0\n", b"NODES (\n"),
]
SPECS = [
    b"builder: jellyfish\nparameters: {k: 8, seed: 1}\nplanes: 4\nvariant: heterogeneous\n",
    b"planes:\n - file: a.adj\n   link_gbps: 10\n - builder: ring\n   parameters: {n: 4}\n",
]
RICH = Plane.from_cables(
    ["a", "b", "c&<"],
    [0, 0, 1],
    [1, 1, 2],
    [1, 2, 3.5],
    capacity_back_gbps=[1, 5, 3.5],
    host_switch=[0, 2, -1],
    tier=[0, 1, 0],
    position=[[1, 2], [float("nan")] * 2, [-3.5, 4e-7]],
    box=[0, 7, 0],
)
BARE = Plane.from_cables(
    ["a", "b", "c"], [0, 0, 1], [1, 1, 2], [1, 2, 3.5], position=[[1, 2], [0.1, 0.2], [-3.5, 4e-7]]
)
NUMBERED = replace(build_plane("ring:n=6"), label="")
TREE = build_plane("fat-tree:k=4")
SMALL = Network.from_planes([Plane.from_cables(["North", "East", "South"], [0, 1], [1, 2])])
NUMBERS = Network.from_planes([Plane.from_cables(16, range(15), range(1, 16))])
MATRICES = [
    (SMALL, TrafficMatrix.from_entries("rack", 3, [0, 1, 2, 0], [1, 0, 0, 2], [2, 2, 3, 3])),
    (NUMBERS, TrafficMatrix.from_entries("rack", 16, [0, 15, 3], [1, 3, 15], [1, 2, 2])),
]


HOSTS = Network.from_planes([Plane.from_cables(2, [0], [1], host_switch=[0, 0, 1, 1])])
FLOWS = [
    (".csv", b"# two\nsrc,dst,bytes,start_s,id,after\nh0,h1,1500,0,a,\nh1,h0,3,1e-6,b,a\n"),
    (
        ".cm",
        b"Nodes 4\nConnections 2\nTriggers 1\n0->1 id 1 start 0 size 9 recv_done_trigger 1\n"
        b"1->0 id 2 trigger 1 size 9\ntrigger id 1 oneshot\n",
    ),
    (
        ".cm",
        b"Nodes 4\nConnections 3\nTriggers 1\n0->1 id 1 start 5 size 9 send_done_trigger 7\n"
        b"1->0 id 2 trigger 7 size 9 send_done_trigger 7\n1->0 id 3 trigger 7 size 9\ntrigger id 7 multishot\n",
    ),
    (".txt", b"2\n0 1 3 100 5000 2\n1 2 3 100 7000 2.000001\n\nFirst line: # of flows\n"),
    (".json", b'[{"id": 0, "size": 12, "start": 1000, "src": 0, "dst": 3}]'),
]
FLOW_LISTS = [
    build_workload(text, HOSTS)
    for text in ("rpc:rounds=2", "incast:senders=3,sizes=10,rounds=2", "poisson:load=0.5,sizes=9kB,flows=5")
]


def written(known: Format[Plane], plane: Plane) -> bytes:
    """Return a plane as a file of a format."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "plane"
        assert known.write is not None
        known.write(plane, path)
        return path.read_bytes()


def network_seeds(known: Format[Plane]) -> list[bytes]:
    """Return valid files of a format: those at hand, by suffix or name, and what it writes of the planes above."""
    named = {*known.suffixes, f".{known.name}"}
    found = [
        path.read_bytes() for path in sorted(DATA.iterdir()) if {NETWORK_FORMATS.suffix_of(path), path.suffix} & named
    ]
    for plane in (RICH, BARE, NUMBERED, TREE) if known.write else ():
        try:
            found.append(written(known, plane))
        except PnetError:
            continue
    return found


def traffic_seeds(known: Format[TrafficMatrix]) -> list[tuple[bytes, Network]]:
    """Return valid files of traffic in a format, each with its network."""
    suffix = "".join(known.suffixes[:1]) or f".{known.name}"
    found = [
        (path.read_bytes(), SMALL if path.name.startswith("small") else NUMBERS)
        for path in sorted(DATA.iterdir())
        if path.name.endswith(suffix)
    ]
    if known.write is None:
        return found
    with TemporaryDirectory() as folder:
        for network, matrix in MATRICES:
            path = Path(folder) / f"matrix{suffix}"
            try:
                write_traffic(matrix, network, path)
            except PnetError:
                continue
            found.append((path.read_bytes(), network))
    return found


def workload_seeds(known: Format[Workload]) -> list[bytes]:
    """Return valid files of workloads for :data:`HOSTS`: by hand, and what is written."""
    if known.write is None:
        return [data for each in TRACES.values() for data in each]
    suffix = known.suffixes[0]
    found = [data for name, data in FLOWS if name == suffix]
    with TemporaryDirectory() as folder:
        for workload in FLOW_LISTS:
            path = Path(folder) / f"flows{suffix}"
            try:
                write_workload(workload, HOSTS, path)
            except PnetError:
                continue
            found.append(path.read_bytes())
    return found


def mutated(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Return ``data`` with one to eight faults: flipped, lost, repeated, swapped, spliced, foreign bytes."""
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        i = rng.randrange(len(data) + 1)
        j = i + rng.randrange(1, 40)
        match rng.randrange(9):
            case 0:
                data = data[:i] + bytes([rng.randrange(256)]) + data[i + rng.randrange(2) :]
            case 1:
                data = data[:i] + data[j:]
            case 2:
                data = data[:i] + data[i:j] * rng.randrange(2, 4) + data[j:]
            case 3:
                data = data[:i]
            case 4:
                lines = data.split(b"\n")
                data = b"\n".join(rng.sample(lines, len(lines)))
            case 5:
                lines = data.split(b"\n")
                k = rng.randrange(len(lines))
                data = b"\n".join([*lines[:k], *lines[k : k + 1] * rng.randrange(3), *lines[k + 1 :]])
            case 6:
                other = rng.choice(others)
                data = data[:i] + other[rng.randrange(len(other)) :]
            case 7:
                data = _number_swapped(data, rng)
            case _:
                data = data[:i] + rng.choice(PIECES) + data[i:]
    return data


def _number_swapped(data: bytes, rng: random.Random) -> bytes:
    digits = [i for i in range(len(data)) if data[i : i + 1].isdigit()]
    if not digits:
        return data
    i = j = rng.choice(digits)
    while data[j : j + 1].isdigit() or data[j : j + 1] == b".":
        j += 1
    return data[:i] + rng.choice([*PIECES[:11], b"0", b"7", b"16", b"123456789", b"1e308", b"2.5"]) + data[j:]


def mutated_archive(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Return a NumPy archive of which a member is broken rather than the zip file around it."""
    if rng.random() < 0.3:
        return mutated(data, rng, others)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(sorted(members))
    members[name] = mutated(members[name], rng, sorted(members.values()))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for each, content in members.items():
            archive.writestr(each, content)
    return buffer.getvalue()


Reader = Callable[[random.Random], Callable[[], object]]
"""Draws a broken file and returns the call that reads it."""


def readers() -> dict[str, Reader]:
    """Return all readers by name."""
    found: dict[str, Reader] = {"network spec": _spec_reader}
    for known in NETWORK_FORMATS.formats:
        found[f"network {known.name}"] = _network_reader(known)
    for each in MATRIX_FORMATS.formats:
        found[f"matrix {each.name}"] = _traffic_reader(each)
    for one in WORKLOAD_FORMATS.formats:
        found[f"workload {one.name}"] = _workload_reader(one)
    return found


def _spec_reader(rng: random.Random) -> Callable[[], object]:
    text = mutated(rng.choice(SPECS), rng, SPECS).decode("utf-8", "replace")
    return lambda: parse_spec(text, "f")


def _network_reader(known: Format[Plane]) -> Reader:
    seeds = network_seeds(known)

    def draw(rng: random.Random) -> Callable[[], object]:
        data = mutated(rng.choice(seeds), rng, seeds)
        # Bytes that are no text end early: half of the files are repaired so far.
        if rng.random() < 0.5:
            data = data.decode("utf-8", "replace").replace("\0", "0").encode()
        return lambda: _plane(known, data)

    return draw


def _plane(known: Format[Plane], data: bytes) -> None:
    known.recognise(opening(data))
    assert known.read is not None
    assert known.read(data, "f", 1.0).switch_count > 0


def _traffic_reader(known: Format[TrafficMatrix]) -> Reader:
    read = known.read
    assert read is not None
    seeds = traffic_seeds(known)
    contents = [data for data, _ in seeds]
    change = mutated_archive if ".npz" in known.suffixes else mutated

    def draw(rng: random.Random) -> Callable[[], object]:
        seed, network = rng.choice(seeds)
        data = change(seed, rng, contents)
        return lambda: read(data, "f", network, "rack")

    return draw


def _workload_reader(known: Format[Workload]) -> Reader:
    read = known.read
    assert read is not None
    seeds = workload_seeds(known)

    def draw(rng: random.Random) -> Callable[[], object]:
        data = mutated(rng.choice(seeds), rng, seeds)
        return lambda: read(data, "f", HOSTS)

    return draw


def tried(read: Callable[[], object]) -> PnetError | None:
    """Return the error that reading a file ends with, if it is one of ours; any other is raised."""
    try:
        read()
    except PnetError as error:
        return error
    return None


def main(count: int, only: str = "") -> int:
    """Try ``count`` files for each reader and print a line for each; return the number of other exceptions."""
    worst = 0
    for name, draw in readers().items():
        if only not in name:
            continue
        rng, start, seen, slowest = random.Random(name), time.perf_counter(), Counter[str](), 0.0
        for _ in range(count):
            read = draw(rng)
            begin = time.perf_counter()
            try:
                seen["refused" if tried(read) else "read"] += 1
            except Exception as error:  # any at all: it is counted and shown
                seen[f"{type(error).__name__}: {str(error)[:90]}"] += 1
                worst += 1
            slowest = max(slowest, time.perf_counter() - begin)
        seconds = time.perf_counter() - start
        print(f"{name:32} {seconds:5.1f} s, slowest {slowest:.2f} s", dict(seen), flush=True)
    return worst


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *sys.argv[2:]) > 0)
