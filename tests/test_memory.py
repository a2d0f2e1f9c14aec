"""What memory is free, and what is done about too little of it."""

import resource
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pnet_lp.errors import CertificateError, RoutingError, SolverError, TopologyError, TrafficError, WorkloadError
from pnet_lp.memory import available_bytes, check_fits
from pnet_lp.model import TrafficMatrix
from pnet_lp.routing import parse_routing
from pnet_lp.throughput import solve
from pnet_lp.throughput.problems import state_problem
from pnet_lp.throughput.problems.arc_form import ArcForm
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.solvers import get_solver
from pnet_lp.throughput.verify import verify_file
from pnet_lp.topology import build_network
from pnet_lp.topology.io import read_plane
from pnet_lp.traffic import build_traffic
from pnet_lp.traffic.io import read_traffic
from pnet_lp.units import MIB
from pnet_lp.workload.io import read_workload


def mounted(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_available_memory_is_that_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=3000))
    assert available_bytes(tmp_path) == 3000


def test_limits_of_control_groups_count(tmp_path: Path) -> None:
    group = "sys/fs/cgroup/user"
    files = {
        "proc/self/cgroup": "0::/user/job\n",
        f"{group}/memory.max": "1000000\n",
        f"{group}/memory.current": "600000\n",
        f"{group}/memory.stat": "anon 500000\ninactive_file 100000\n",
        f"{group}/job/memory.max": "max\n",
        f"{group}/job/memory.current": "600000\n",
        f"{group}/job/memory.stat": "inactive_file 100000\n",
    }
    assert available_bytes(mounted(tmp_path, files)) == 500_000


def test_limits_of_old_control_groups_count(tmp_path: Path) -> None:
    group = "sys/fs/cgroup/memory"
    files = {
        "proc/self/cgroup": "4:memory:/elsewhere\n3:cpu,cpuacct:/\n",
        f"{group}/memory.limit_in_bytes": "1000000\n",
        f"{group}/memory.usage_in_bytes": "1200000\n",
        f"{group}/memory.stat": "total_inactive_file 50000\n",
    }
    assert available_bytes(mounted(tmp_path, files)) == 0


@pytest.mark.parametrize(("limited", "pages"), [("RLIMIT_AS", 20), ("RLIMIT_DATA", 7)])
def test_limits_of_the_process_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limited: str, pages: int) -> None:
    files = {"proc/self/statm": "20 9 8 7 0 7 0\n"}
    page = resource.getpagesize()
    limits = {getattr(resource, limited): (50 * page, 60 * page)}
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: limits.get(kind, unlimited))
    shared = []
    monkeypatch.setattr("pnet_lp.memory._share_arena", lambda: shared.append(limited))
    assert available_bytes(mounted(tmp_path, files)) == (50 - pages) * page
    assert shared == [limited]


def limited(*command: str) -> subprocess.CompletedProcess[str]:
    """What `pnet-lp` says with 1.5 GB of addresses."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))

    return subprocess.run(
        [sys.executable, "-m", "pnet_lp", *command], capture_output=True, check=False, text=True, preexec_fn=limit
    )


ENFORCED = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not enforce the limit")


def test_nothing_is_begun_where_hardly_anything_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pnet_lp.memory.available_bytes", lambda: 20 * MIB)
    with pytest.raises(
        TopologyError,
        match=r"^the paths needs about 1\.0 KiB, and only 20\.0 MiB are free; anything takes 32\.0 MiB at first; "
        "allowed: more memory$",
    ):
        check_fits(1024, "the paths", TopologyError, allowed="fewer paths")
    monkeypatch.setattr("pnet_lp.memory.available_bytes", lambda: 40 * MIB)
    check_fits(1024, "the paths", TopologyError, allowed="fewer paths")


@ENFORCED
def test_a_network_whose_proof_does_not_fit_is_refused_before_it_is_solved() -> None:
    """The solver takes little, since all planes and all spines are identical, but the proof on all of them 2 GB."""
    network = "fat-tree:k=256,tiers=2", "--planes", "8", "--level", "rack"
    result = limited("throughput", *network, "--solver", "structured")
    assert result.returncode == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: solver 'structured' with 134,217,728 flow variables needs about 2.4 GiB, ")
    assert line.endswith(" are free; allowed: fewer planes, a smaller network")


@ENFORCED
@pytest.mark.parametrize(
    ("objective", "needs"),
    [
        ("total", "'structured' with 536,870,912 flow variables needs about 10.3 GiB"),
        ("max-min", "'columns' with 4,194,304 demands needs about 20.5 GiB"),
        ("min-cost", "'structured' with 536,870,912 flow variables needs about 10.3 GiB"),
    ],
)
def test_a_program_that_does_not_fit_is_refused_before_it_is_written(objective: str, needs: str) -> None:
    """2,048 destinations on 262,144 arcs; what ends with the largest K, or asks for K = 1, begins with that."""
    result = limited("throughput", "fat-tree:k=64", "--objective", objective)
    assert (result.returncode, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"Error: solver {needs}, ")
    assert line.endswith("a smaller network")


@pytest.mark.parametrize("objective", ["concurrent", "total", "max-min", "min-cost"])
def test_a_program_that_just_fits_is_solved(objective: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network = build_network(["fat-tree:k=4"])
    traffic = build_traffic("all-to-all", network, "host")
    flow = state_problem(network, traffic, parse_routing("ideal"))
    solver = get_solver("highs-ipx")
    needed = int(1.2 * (solver.estimate_bytes(flow) + solver.proof_bytes(flow)))
    monkeypatch.setattr("pnet_lp.memory._LEAST", 0)
    written: list[ArcForm] = []
    form = ArcForm.__init__

    def writing(self: ArcForm, *given: Any) -> None:
        form(self, *given)
        written.append(self)

    monkeypatch.setattr(ArcForm, "__init__", writing)
    for free, fits in ((needed, True), (needed - 1, False)):
        written.clear()
        monkeypatch.setattr("pnet_lp.memory.available_bytes", lambda free=free: free)
        if fits:
            assert solve(network, traffic, objective=objective, solver="highs-ipx").status == "certified"
            assert written
        else:
            allowed = "solver=structured, a smaller network" if objective == "concurrent" else "a smaller network"
            with pytest.raises(SolverError, match=rf"needs about .* are free; allowed: {allowed}$"):
                solve(network, traffic, objective=objective, solver="highs-ipx")
            assert not written


def test_paths_of_which_no_problem_fits_are_refused_before_they_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a list 15,872 paths of up to five hops fit into 2 MB; a problem needs 30 bytes more for each link of them."""
    network = build_network(["fat-tree:k=8"])
    traffic = build_traffic("all-to-all", network, "rack")
    monkeypatch.setattr("pnet_lp.memory._LEAST", 0)
    monkeypatch.setattr("pnet_lp.memory.available_bytes", lambda: 2 * MIB)
    routing = parse_routing("ksp:16")
    assert routing.paths(network, "rack", traffic.src, traffic.dst).path_count == 15_872
    monkeypatch.setattr("pnet_lp.routing.enumerate._listed", None)
    with pytest.raises(RoutingError, match=r"^16 paths for each of 992 pairs needs about .* are free; allowed: fewer"):
        solve(network, traffic, routing="ksp:16")


def test_racks_are_advised_where_they_are_fewer_than_places(monkeypatch: pytest.MonkeyPatch) -> None:
    network = build_network(["fat-tree:k=4"])
    monkeypatch.setattr("pnet_lp.memory.available_bytes", lambda: 1000)
    for pattern, advised in (("all-to-all", False), ("permutation", True)):
        problem = state_problem(network, build_traffic(pattern, network, "host"), parse_routing("ideal"))
        with pytest.raises(SolverError) as refused:
            get_solver("highs-ipx").check(problem)
        assert ("level=rack" in str(refused.value)) == advised


@ENFORCED
def test_a_file_that_does_not_fit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = large(tmp_path / "large.adj")
    result = limited("throughput", str(path))
    assert (result.returncode, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"Error: reading {path} needs about 5.9 GiB, ")
    assert line.endswith(" are free; allowed: a smaller file, or more memory")


def large(path: Path) -> Path:
    """A file of 100 MiB that takes none."""
    with path.open("wb") as file:
        file.truncate(100 * MIB)
    return path


def test_files_of_all_kinds_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pnet_lp.memory.available_bytes", lambda: 2048 * MIB)
    network, path = build_network(["fat-tree:k=4"]), large(tmp_path / "large")
    for read, fault in (
        (lambda: read_plane(path), TopologyError),
        (lambda: read_traffic(path, network, "host"), TrafficError),
        (lambda: read_workload(path, network), WorkloadError),
    ):
        with pytest.raises(fault, match=r"^reading .*large needs about .* GiB, 2\.0 GiB are free; allowed: a small"):
            read()


def test_hops_that_do_not_fit_are_refused_before_they_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = build_network("ring:n=3000")
    traffic = TrafficMatrix.from_entries("rack", 3000, [0] * 2999, range(1, 3000))
    save_result(tmp_path / "r.json", network, traffic, solve(network, traffic, routing="ecmp-split"))
    monkeypatch.setattr("pnet_lp.memory.available_bytes", lambda: 50 * MIB)
    with pytest.raises(CertificateError, match=r"hops from 3,000 switches to 2,999 needs about .*are free"):
        verify_file(tmp_path / "r.json")
