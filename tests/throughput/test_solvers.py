"""The registry of solvers, what they promise besides an optimum, and how they stop."""

import threading
from importlib.metadata import EntryPoint, EntryPoints

import numpy as np
import pytest

from pnet_lp import memory
from pnet_lp.deadline import Deadline
from pnet_lp.errors import RoutingError, SolverError, SpecError
from pnet_lp.model import ArcCertificate, Network, Plane
from pnet_lp.routing import parse_routing
from pnet_lp.routing.loads import path_usage
from pnet_lp.throughput import build_problem, solve
from pnet_lp.throughput.problems import ArcProblem, ConcurrentProblem, PathProblem, Problem, state_problem
from pnet_lp.throughput.solvers import OnProgress, RawSolution, SolveOptions, Solver, base, get_solver, solver_names
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from .conftest import INSTANCES, all_to_all, random_network

SOLVERS = solver_names(installed_only=True)
HIGHS = [name for name in SOLVERS if name.startswith("highs-")]


def continuing(*_: object) -> bool:
    return True


def bounds(problem: ConcurrentProblem, found: RawSolution) -> tuple[float, float]:
    return problem.bounds(found.proof)


@pytest.fixture(scope="module")
def network() -> Network:
    """Two planes of 36 switches, 5 random perfect matchings each."""
    random = np.random.default_rng(0)
    planes = []
    for _ in range(2):
        ends = np.vstack([random.permutation(36).reshape(-1, 2) for _ in range(5)])
        ring = np.column_stack([np.arange(36), np.roll(np.arange(36), -1)])
        planes.append(Plane.from_cables(36, *np.vstack([ring, ends]).T, 10.0, racks=range(36)))
    return Network.from_planes(planes)


@pytest.fixture(scope="module")
def large(network: Network) -> ArcProblem:
    """A tenth of a second or more for any general solver."""
    return ArcProblem(build_problem(network, all_to_all(network)))


def test_names() -> None:
    highs = {"highs-ipx", "highs-pdlp", "highs-simplex"}
    others = {"ortools-glop", "ortools-pdlp", "pulp", "scipy"}
    ours = {"columns", "structured", "symmetric"}
    assert ours | highs | others | {"highs-hipo"} == set(solver_names())
    assert ours | highs | others == set(SOLVERS) - {"highs-hipo"}


@pytest.mark.parametrize("name", SOLVERS)
def test_capabilities(name: str) -> None:
    solver = get_solver(name)
    assert solver.name == name
    few = {"symmetric": {"arc"}, "structured": {"arc", "path"}}
    assert solver.forms == few.get(name, {"arc", "shortest", "path"})
    assert solver.warm_start == ({"arc", "path"} if name == "structured" else set())
    assert "concurrent" in solver.objectives
    general = {"structured": {"path", "split"}, "columns": {"arc", "path"}, "symmetric": set()}
    assert solver.programs == general.get(name, {"arc", "path", "split"})
    assert solver.takes_rate == (name not in {"structured", "columns"})
    problem = ArcProblem(build_problem(*random_network(0)))
    assert 0 < solver.estimate_bytes(problem) < 2**30


def test_unknown_name_offers_the_nearest() -> None:
    with pytest.raises(SpecError, match=r"unknown solver 'higs-ipx' \(did you mean 'highs-ipx'\?\)"):
        get_solver("higs-ipx")


def test_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(SolverError, match=r"solver 'highs-ipx' is not installed; allowed: .*structured"):
        get_solver("highs-ipx")
    with pytest.raises(
        SolverError, match=r"'pulp' is not installed \(pip install 'pnet-lp\[pulp\]'\); allowed: .*structured"
    ):
        get_solver("pulp")
    assert {"ortools-glop", "ortools-pdlp"} <= set(solver_names()) - set(solver_names(installed_only=True))


def test_parameters() -> None:
    with pytest.raises(SpecError, match=r"pulp: unknown parameter 'solve' \(did you mean 'solver'\?\)"):
        get_solver("pulp:solve=HiGHS")
    with pytest.raises(SpecError, match=r"scipy: unknown parameter 'solver'; allowed: no parameters"):
        get_solver("scipy:solver=HiGHS")
    problem = ArcProblem(build_problem(*random_network(0)))
    found = get_solver("pulp:solver=HiGHS").solve(problem, SolveOptions(1e-6), continuing)
    lower, upper = bounds(problem, found)
    assert lower == pytest.approx(upper, rel=1e-6)
    with pytest.raises(SolverError, match=r"PuLP finds no solver 'SOLVO'; allowed: .*HiGHS"):
        get_solver("pulp:solver=SOLVO").solve(problem, SolveOptions(), continuing)


class _Lazy(Solver):
    """Finds nothing, and says so."""

    def estimate_bytes(self, problem: Problem) -> int:
        return 8 * problem.flow_variables

    def solve(self, problem: Problem, options: SolveOptions, on_progress: OnProgress) -> RawSolution:
        del options, on_progress
        return RawSolution(problem.nothing(), 0)


def test_third_party_solver_comes_from_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(_: EntryPoint) -> None:
        base.SOLVERS.register("lazy", summary="returns no flow")(_Lazy)

    registry = type(base.SOLVERS)("solver", package="pnet_lp.throughput.solvers", group="pnet_lp.solvers")
    point = EntryPoint("lazy", "lazy_package", "pnet_lp.solvers")
    monkeypatch.setattr(base, "SOLVERS", registry)
    monkeypatch.setattr("pnet_lp.registry._entry_points", lambda: EntryPoints([point]))
    monkeypatch.setattr(EntryPoint, "load", load)
    assert isinstance(get_solver("lazy"), _Lazy)


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.name)
def test_nothing_found_still_gives_bounds(instance: object) -> None:
    problem = ArcProblem(build_problem(instance.network, instance.traffic))  # type: ignore[attr-defined]
    lower, upper = bounds(problem, RawSolution(problem.nothing(), 0))
    assert 0 < lower <= instance.optimum * (1 + 1e-12)  # type: ignore[attr-defined]
    assert instance.optimum * (1 - 1e-12) <= upper < np.inf  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", SOLVERS)
def test_refused_where_memory_does_not_suffice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = ArcProblem(build_problem(*random_network(0)))
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    other = "" if name == "structured" else "solver=structured, "
    with pytest.raises(
        SolverError, match=rf"'{name}' with .* needs about .* 1000 B are free; allowed: {other}fewer planes, "
    ):
        get_solver(name).check(problem)


def test_all_to_all_by_a_rule_numbers_no_pairs() -> None:
    network = build_network(["fat-tree:k=4"])
    problem = ArcProblem(build_problem(network, build_traffic("all-to-all", network, "host")))
    assert problem.connected() == (problem, slice(None))


def test_links_of_paths_that_do_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    network = build_network(["fat-tree:k=4"])
    problem = state_problem(network, all_to_all(network), parse_routing("ecmp-lp"))
    assert isinstance(problem, PathProblem)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    allowed = r"1000 B are free; allowed: .*level=rack$"
    with pytest.raises(RoutingError, match=rf"^a problem over [\d,]+ paths needs about [\d.]+ KiB, {allowed}"):
        _ = problem.path_link
    with pytest.raises(RoutingError, match=rf"^what [\d,]+ paths put on links needs about [\d.]+ KiB, {allowed}"):
        path_usage(problem.paths)
    racks = network.endpoint_names("rack")
    ends = np.divmod(np.arange(len(racks) ** 2), len(racks))
    entries = r"what 64 demands put on links \(about 608 entries\)"
    with pytest.raises(RoutingError, match=rf"^{entries} needs about [\d.]+ KiB, {allowed}"):
        parse_routing("ecmp-split").usage(network, "rack", *ends)


def test_long_paths_count() -> None:
    """Each entry is at least in four copies: of ours, as columns and as rows, the program's, and the solver's."""
    network = build_network(["ring:n=40"])
    problem = state_problem(network, all_to_all(network), parse_routing("ksp:2"))
    lp = problem.formulate().lp
    assert get_solver("highs-ipx").estimate_bytes(problem) > 8 * (lp.value.nbytes + lp.index.nbytes)


@pytest.mark.parametrize("routing", ["ideal", "ksp:3"])
@pytest.mark.parametrize("planes", [1, 4])
@pytest.mark.parametrize("topology", ["fat-tree:k=8,tiers=2", "jellyfish:k=6", "ring:n=9", "complete:n=6"])
def test_a_proof_needs_no_more_than_foreseen(topology: str, planes: int, routing: str) -> None:
    network = build_network([topology], planes=planes)
    traffic = all_to_all(network)
    problem = state_problem(network, traffic, parse_routing(routing))
    proof = solve(network, traffic, routing=routing).certificate
    # Two copies of each entry and a third on the way, of an index and a fraction, or of a weight.
    entries = proof.split_arc if isinstance(proof, ArcCertificate) else proof.weight  # type: ignore[union-attr]
    assert len(entries) * 32 <= problem.proof_bytes


def test_the_memory_of_a_proof_counts_all_shortest_paths() -> None:
    """Before anything is solved traffic goes over all of them: half of all arcs, between antipodes of a hypercube."""
    for topology, pattern, off in (
        ("hypercube:d=6", "longest-matching", 0.0),
        ("fat-tree:k=8", "permutation", 0.1),
        ("hypercube:d=7", "permutation", 0.3),
    ):
        network = build_network(topology, planes=2)
        problem = ArcProblem(build_problem(network, build_traffic(pattern, network, "rack", seed=1)))
        entries = len(problem.nothing().split_arc)
        assert problem.flow.core.even_entries() == pytest.approx(entries, rel=off)
        assert 32 * entries <= problem.proof_bytes * (1 + off)


# No two switches are equivalent in a network that is drawn.
@pytest.mark.parametrize("name", sorted(set(SOLVERS) - {"symmetric"}))
@pytest.mark.parametrize("ctrl_c", [False, True])
def test_stop_returns_bounds(name: str, ctrl_c: bool, large: ArcProblem) -> None:
    calls = 0

    def stop(*_: object) -> bool:
        nonlocal calls
        calls += 1
        if ctrl_c and calls == 2:
            raise KeyboardInterrupt
        return ctrl_c

    # The limit ends what runs in the background.
    found = get_solver(name).solve(large, SolveOptions(tolerance=1e-9, deadline=Deadline(3.0)), stop)
    assert found.interrupted
    lower, upper = bounds(large, found)
    assert 0 < lower < upper < np.inf


LIMITED = [name for name in SOLVERS if name not in {"columns", "structured", "symmetric", "pulp"}]


@pytest.fixture(scope="module", params=["ideal", "ksp:4"])
def bounded(request: pytest.FixtureRequest, network: Network) -> tuple[Problem, float, float]:
    """A problem on each form, and bounds on its K."""
    problem = state_problem(network, all_to_all(network), parse_routing(request.param))
    found = get_solver("structured").solve(problem, SolveOptions(tolerance=1e-4), continuing)
    return problem, *bounds(problem, found)


@pytest.mark.parametrize("name", LIMITED)
def test_limits(name: str, bounded: tuple[Problem, float, float]) -> None:
    problem, least, most = bounded
    for options, message in (
        (SolveOptions(tolerance=1e-9, max_iterations=5), "iteration limit reached"),
        (SolveOptions(tolerance=1e-9, deadline=Deadline(0.02)), "time limit reached"),
    ):
        found = get_solver(name).solve(problem, options, continuing)
        assert not found.interrupted
        lower, upper = bounds(problem, found)
        assert 0 < lower <= most
        assert least <= upper < np.inf
        # SciPy's HiGHS looks at the clock now and then only.
        if found.message or name != "scipy":
            assert found.message == f"{name}: {message}"


def test_progress_counts_iterations(large: ArcProblem) -> None:
    seen: list[tuple[int, float, float]] = []

    def note(iterations: int, lower: float, upper: float) -> bool:
        seen.append((iterations, lower, upper))
        return True

    get_solver("highs-ipx").solve(large, SolveOptions(), note)
    counts = [iterations for iterations, _, _ in seen]
    assert counts == sorted(counts)
    assert counts[-1] > 1
    assert {bound for _, *rest in seen for bound in rest} == {0.0, np.inf}


def test_threads_and_other_callers() -> None:
    """HiGHS keeps its threads per process: different numbers after, and beside, each other must do."""
    problem = ArcProblem(build_problem(*random_network(2)))
    expected = bounds(problem, get_solver("highs-ipx").solve(problem, SolveOptions(1e-7, threads=1), continuing))
    found: list[tuple[float, float]] = []

    def run(threads: int) -> None:
        found.append(
            bounds(problem, get_solver("highs-ipx").solve(problem, SolveOptions(1e-7, threads=threads), continuing))
        )

    runs = [threading.Thread(target=run, args=(threads,)) for threads in (2, 1, 0)]
    for thread in runs:
        thread.start()
    for thread in runs:
        thread.join()
    assert found == [pytest.approx(expected, rel=1e-7)] * 3


@pytest.mark.parametrize("name", SOLVERS)
def test_the_same_bits_on_any_number_of_threads(name: str) -> None:
    network = build_network(["jellyfish:switches=16,ports=6"])
    problem = get_solver(name).reduced(ArcProblem(build_problem(network, all_to_all(network))))
    one, *others = (get_solver(name).solve(problem, SolveOptions(1e-5, threads=n), continuing) for n in (1, 2, 3))
    for other in others:
        assert other.iterations == one.iterations
        assert bounds(problem, other) == bounds(problem, one)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("routing", ["ideal", "ksp:3"])
def test_size_is_known_before_building(seed: int, routing: str) -> None:
    problem = state_problem(*random_network(seed), parse_routing(routing))
    rows, columns, entries = problem.size
    lp = problem.formulate().lp
    assert len(lp.cost) <= columns
    assert len(lp.row_lower) <= rows
    assert len(lp.value) <= entries <= 2 * len(lp.value)
    assert lp.start[-1] == len(lp.index) == len(lp.value)
    assert lp.index.max() < len(lp.row_lower)
