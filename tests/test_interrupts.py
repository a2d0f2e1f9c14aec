"""Ctrl-C at random moments, and the time limit outside of solving; `tests/interrupts.py` tries as often as asked."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from pnet_lp import interrupts
from pnet_lp.cli import main
from pnet_lp.cli.time_limit import ending_at
from pnet_lp.deadline import Deadline
from pnet_lp.errors import TimeLimitError
from pnet_lp.failures import Failures
from pnet_lp.model import Network, ThroughputResult, TrafficMatrix
from pnet_lp.routing import parse_routing
from pnet_lp.throughput import Interrupted, solve
from pnet_lp.throughput.problems import ArcProblem
from pnet_lp.throughput.problems.program import LpSolution
from pnet_lp.throughput.problems.splits import SplitProblem
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.solvers import general, solver_names
from pnet_lp.throughput.solvers.general import Watch
from pnet_lp.throughput.solvers.highs import HighsIpx
from pnet_lp.throughput.trials import failure_trials
from pnet_lp.throughput.verify import verify_file
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from .conftest import PATIENCE_S
from .interrupts import COMMANDS, END_S, END_TIMES, MOMENTS, interrupted, least_s, prepare

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signals as terminals send them")

DRAW = random.Random(20)
SAMPLE = DRAW.sample(sorted(set(COMMANDS) - {"verify"}), 4)


@pytest.fixture(autouse=True)
def _raised_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C that comes while a finaliser runs is raised again, as it is on the command line."""
    monkeypatch.setattr(sys, "unraisablehook", interrupts._unraisable)


LARGE = "jellyfish:k=24"
"""720 racks: to list 64 paths for each pair takes minutes."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("interrupts")
    prepare(folder)
    return folder


@pytest.mark.parametrize("name", SAMPLE)
def test_ctrl_c_at_a_random_moment(name: str, folder: Path) -> None:
    # A busy machine is slow with everything.
    least = least_s(folder)
    ended, _ = interrupted(COMMANDS[name], DRAW.uniform(0.0, MOMENTS) * least, folder, max(END_S, END_TIMES * least))
    assert ended in {"130", "3", "0"}


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def small(switches: int = 24) -> tuple[Network, TrafficMatrix]:
    network = build_network([f"jellyfish:switches={switches},ports=6"])
    return network, build_traffic("all-to-all", network, "rack")


@pytest.mark.parametrize("routing", ["ideal", "ksp:4"])
def test_a_solve_that_ends_just_then_is_interrupted_all_the_same(routing: str) -> None:
    pressed = False

    def report(_: object) -> None:
        nonlocal pressed
        if not pressed:
            pressed = True
            press()
            # The waiting thread hears of it, and the solver has no time to.
            time.sleep(0.3)

    with pytest.raises(Interrupted) as stopped:
        solve(*small(), routing=routing, solver="structured", max_iterations=1, on_progress=report)
    assert stopped.value.result.interrupted


@pytest.mark.parametrize(
    "objective", ["concurrent", "min-max-utilisation", "total", "max-min", "min-cost", "min-cost:fraction=0.5"]
)
@pytest.mark.parametrize("found", [False, True])
def test_every_objective_keeps_the_bounds_reached(objective: str, found: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    undisturbed = HighsIpx.run

    def run(self: HighsIpx, lp: Any, settings: Any, limits: Any, watch: Watch) -> LpSolution:
        time.sleep(0.1)
        press()
        while not watch.stopped:
            time.sleep(0.01)
        if found:
            # An answer that came just then, of too loose a tolerance.
            return undisturbed(self, lp, {**settings, "ipm_optimality_tolerance": 0.1}, limits, Watch())
        return LpSolution(None, None, 0, "interrupted by user")

    monkeypatch.setattr(HighsIpx, "run", run)
    network, traffic = small()
    with pytest.raises(Interrupted) as stopped:
        # So many that they do not all fit.
        solve(network, traffic.scaled(1000), objective=objective, solver="highs-ipx", tolerance=1e-12)
    result = stopped.value.result
    assert result.interrupted
    assert result.status == "bounds"
    assert 0 < result.interval.lower <= result.interval.upper
    assert result.figures["relative_gap"] < 1


def test_a_cost_is_not_said_to_be_too_high_where_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: Any) -> LpSolution:
        time.sleep(0.1)
        press()
        time.sleep(0.2)
        return LpSolution(None, None, 0, "interrupted by user")

    most = solve(*small()).throughput_gbps
    monkeypatch.setattr(HighsIpx, "run", run)
    with pytest.raises(Interrupted) as stopped:
        solve(*small(), objective=f"min-cost:at={0.99 * most}", solver="highs-ipx")
    figures = stopped.value.result.figures
    assert 0 < figures["carried_gbps"] < figures["asked_gbps"] == 0.99 * most
    assert stopped.value.result.status == "bounds"


def test_trials_of_failures_stop() -> None:
    network, traffic = small()
    solved = []

    def report(_: object) -> None:
        solved.append(1)
        if len(solved) == 1:
            press()
            time.sleep(0.3)

    with pytest.raises(KeyboardInterrupt):
        failure_trials(
            network,
            traffic,
            Failures(links=0.05),
            trials=1000,
            solver="structured",
            tolerance=1e-9,
            max_iterations=2000,
            on_progress=report,
        )
    assert len(solved) < 1000


def test_a_list_of_paths_is_interrupted() -> None:
    network = build_network([LARGE])
    ends = np.nonzero(~np.eye(len(network.endpoint_names("rack")), dtype=bool))
    timer = threading.Timer(1.0, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        parse_routing("ksp:64").paths(network, "rack", *ends)
    timer.join()


def test_the_time_limit_holds_for_listing_paths() -> None:
    network = build_network([LARGE])
    traffic = build_traffic("all-to-all", network, "rack")
    with pytest.raises(TimeLimitError) as caught:
        solve(network, traffic, routing="edge-disjoint:64", time_limit_s=0.5)
    assert str(caught.value) == (
        "time_limit_s: 0.5 s ran out while looking for paths, before there was a bound to report; "
        "allowed: more seconds, or none"
    )


STEPS = ("building the network and its demands", "writing files", "looking for paths")


@pytest.mark.parametrize(
    ("arguments", "limit", "doing"),
    [
        (["jellyfish:switches=30000,ports=16"], 0.3, STEPS[:1]),
        (["large.edges", "large.edges", "large.edges"], 0.3, STEPS[:1]),
        (["jellyfish:k=40", "--level", "rack", "--traffic", "longest-matching"], 0.1, STEPS[:1]),
        # On a busy machine the time may be over before that.
        ([LARGE, "--level", "rack", "--routing", "ksp:64", "--write-lp", "x.lp"], 2, STEPS[:2]),
        ([LARGE, "--level", "rack", "--routing", "edge-disjoint:64"], 2, STEPS),
    ],
)
def test_the_time_limit_holds_for_all_that_comes_before_solving(
    arguments: list[str], limit: float, doing: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr("pnet_lp.deadline.GRACE_S", 0.0)
    before = signal.getsignal(signal.SIGALRM)
    result = CliRunner().invoke(main, ["throughput", *arguments, "--time-limit", str(limit)])
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    assert result.stderr in {
        f"Error: --time-limit: {limit} s ran out while {step}, before there was a bound to report; "
        "allowed: more seconds, or none\n"
        for step in doing
    }
    assert not (folder / "x.lp").exists()
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_alarm_that_rings_at_once_does_not_ring_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise it would end the process when Python has put back the handlers of the system."""
    undisturbed, deadline = signal.setitimer, Deadline(60)

    def ring(which: int, seconds: float, interval: float = 0.0) -> object:
        found = undisturbed(which, seconds, interval)
        if seconds > 30:
            monkeypatch.setattr(deadline, "_moment", time.monotonic() - 1000.0)
            os.kill(os.getpid(), signal.SIGALRM)
        return found

    monkeypatch.setattr(signal, "setitimer", ring)
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(TimeLimitError), ending_at(deadline, "nothing"):
        pass
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def end_after(seconds: float, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the thread ``name`` so many seconds from when it begins, which may be late on a busy machine."""
    undisturbed = general.attended

    def attended(work: Any, thread: str, limit_s: float, *more: Any, **named: Any) -> Any:
        return undisturbed(work, thread, seconds if thread == name else limit_s, *more, **named)

    monkeypatch.setattr(general, "attended", attended)


@pytest.mark.parametrize("interrupt", [False, True])
def test_a_library_that_does_not_stop_is_left_behind(interrupt: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says that it can be stopped, and then takes its time, as an interior point does with one iteration."""
    begun, woken = threading.Event(), threading.Event()

    def run(*_: Any) -> LpSolution:
        begun.set()
        woken.wait(PATIENCE_S)
        return LpSolution(None, None, 0)

    monkeypatch.setattr(HighsIpx, "run", run)
    left: list[threading.Thread] = []
    monkeypatch.setattr(interrupts, "abandon", left.append)
    if interrupt:
        # On a busy machine it takes long to say what was reached.
        monkeypatch.setattr("pnet_lp.throughput.facade._PATIENCE_S", PATIENCE_S)
        threading.Thread(target=lambda: begun.wait(PATIENCE_S) and (time.sleep(0.2), press())).start()
    else:
        end_after(0.2, "highs-ipx", monkeypatch)
    try:
        result = solve(*small(), solver="highs-ipx")
    except Interrupted as stopped:
        result = stopped.result
    assert result.interrupted == interrupt
    assert 0 < result.interval.lower < result.interval.upper
    assert result.warnings == (f"highs-ipx: {'abandoned' if interrupt else 'time limit reached'}",)
    assert [thread.is_alive() for thread in left] == [True]
    woken.set()


def test_a_program_that_takes_long_to_write_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    woken = threading.Event()
    undisturbed = ArcProblem.formulate

    def formulate(self: ArcProblem, goal: Any = None) -> Any:
        woken.wait(PATIENCE_S)
        return undisturbed(self, goal)

    monkeypatch.setattr(ArcProblem, "formulate", formulate)
    left: list[threading.Thread] = []
    monkeypatch.setattr(interrupts, "abandon", left.append)
    end_after(0.2, "program", monkeypatch)
    result = solve(*small(), objective="total", solver="highs-ipx")
    assert result.warnings == ("highs-ipx: time limit reached",)
    assert len(left) == 1
    woken.set()


@pytest.mark.parametrize("interrupt", [False, True])
def test_what_does_not_listen_is_left_behind(interrupt: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass over a large problem looks neither at the clock nor at signals; here, it waits."""
    begun, woken, ended = threading.Event(), threading.Event(), threading.Event()
    undisturbed = ArcProblem.certify
    begin = time.monotonic()
    solve(*small(), solver="structured")
    least = time.monotonic() - begin

    def certify(self: ArcProblem, proof: Any) -> Any:
        begun.set()
        woken.wait(PATIENCE_S)
        ended.set()
        return undisturbed(self, proof)

    monkeypatch.setattr(ArcProblem, "certify", certify)
    monkeypatch.setattr("pnet_lp.deadline.GRACE_S", 0.3)
    left: list[threading.Thread] = []
    monkeypatch.setattr(interrupts, "abandon", left.append)
    if interrupt:
        threading.Thread(target=lambda: begun.wait(PATIENCE_S) and press()).start()
        with pytest.raises(KeyboardInterrupt):
            solve(*small(), solver="structured")
    else:
        with pytest.raises(TimeLimitError, match=r"ran out while solving, before there was a bound to report"):
            # On a busy machine, until it has begun.
            solve(*small(), solver="structured", time_limit_s=0.2 + 5 * least)
    assert begun.is_set()
    assert not ended.is_set()
    woken.set()
    # What was asked to end meanwhile goes no further.
    for thread in left:
        thread.join(PATIENCE_S)
    assert [thread.name for thread in left] == ["answer"]


def test_trials_end_with_the_time_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    network, traffic = small()
    deadline = Deadline(1000.0)
    failures = Failures(links=0.2)
    assert failure_trials(network, traffic, failures, trials=1, deadline=deadline)
    monkeypatch.setattr(deadline, "_moment", time.monotonic() - 1000.0)
    with pytest.raises(TimeLimitError, match="1000 s ran out"):
        failure_trials(network, traffic, failures, trials=100, deadline=deadline)


def test_each_draw_has_its_part_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    network, traffic = small()
    given: list[float] = []

    def noted(*arguments: Any, deadline: Deadline, **options: Any) -> ThroughputResult:
        given.append(deadline.left_s())
        return solve(*arguments, **options)

    monkeypatch.setattr("pnet_lp.throughput.trials.solve", noted)
    keys: dict[str, Any] = {"trials": 3, "solver": "structured", "deadline": Deadline(1e6)}
    failure_trials(network, traffic, Failures(links=0.2), **keys)
    # The answer that all begin with, and as nothing of the time is used up, ever larger parts of it.
    assert given == pytest.approx([1e6 / 2, 1e6 / 3, 1e6 / 2, 1e6], rel=1e-3)


def test_time_is_kept_back_for_first_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pnet_lp.deadline.GRACE_S", 600.0)
    assert Deadline(400.0).reserving(900.0).left_s() == pytest.approx(100.0, abs=10.0)
    assert Deadline(400.0).reserving(500.0).left_s() == pytest.approx(400.0, abs=10.0)
    part = Deadline(400.0).parts(4)
    assert part.left_s() == pytest.approx(100.0, abs=10.0)
    assert part.grace_s == 150.0


@pytest.mark.parametrize("routing", ["ideal", "ksp:4", "ecmp-lp", "ecmp-split", "ecmp", "vlb"])
@pytest.mark.parametrize(
    "objective", ["concurrent", "min-max-utilisation", "total", "max-min", "min-cost", "min-cost:fraction=0.5"]
)
def test_every_objective_has_bounds_without_time(
    objective: str, routing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However busy the machine is: what there is to bound is known.
    monkeypatch.setattr("pnet_lp.deadline.GRACE_S", 60.0)
    network, traffic = small(10)
    result = solve(network, traffic.scaled(1000), objective=objective, routing=routing, time_limit_s=1e-9)
    assert 0 < result.interval.lower <= result.interval.upper < np.inf
    assert result.figures["relative_gap"] < 1
    save_result(tmp_path / "r.json", network, traffic.scaled(1000), result)
    verified = verify_file(tmp_path / "r.json")
    assert verified.figures["relative_gap"] == pytest.approx(result.figures["relative_gap"], abs=1e-9)


def test_a_sum_has_bounds_before_splits_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(_: SplitProblem) -> None:
        raise TimeLimitError("1 s ran out")

    monkeypatch.setattr(SplitProblem, "usage", property(late))
    network, traffic = small()
    result = solve(network, traffic.scaled(1000), objective="total", routing="ecmp-split")
    assert result.status == "bounds"
    assert 0 < result.interval.lower < result.interval.upper == pytest.approx(traffic.total * 1000)
    save_result(tmp_path / "r.json", network, traffic.scaled(1000), result)
    assert verify_file(tmp_path / "r.json").status == "bounds"


@pytest.mark.parametrize("name", sorted(set(solver_names(installed_only=True))))
def test_every_solver_has_bounds_without_time(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # However busy the machine is, as above.
    monkeypatch.setattr("pnet_lp.deadline.GRACE_S", 60.0)
    result = solve(*small(), solver=name, time_limit_s=1e-9)
    assert result.status == "bounds"
    assert 0 < result.interval.lower < result.interval.upper < np.inf


def test_a_limit_too_short_to_build_gives_bounds_where_building_is_quick() -> None:
    command = ["throughput", "jellyfish:k=4", "--traffic", "permutation", "--time-limit", "0.000001", "--json"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code in {0, 3}, result.output
    assert json.loads(result.stdout)["lower_bound_gbps"] > 0


def test_verify_has_a_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network, traffic = small()
    save_result(tmp_path / "r.json", network, traffic, solve(network, traffic))
    assert CliRunner().invoke(main, ["verify", str(tmp_path / "r.json"), "--time-limit", "60"]).exit_code == 0
    monkeypatch.setattr("pnet_lp.deadline.GRACE_S", 0.0)
    command = ["verify", str(tmp_path / "r.json"), "--time-limit", "0.000001"]
    result = CliRunner().invoke(main, command)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "Error: --time-limit: 1e-06 s ran out while checking the result, before all was checked; "
        "allowed: more seconds, or none\n"
    )


def test_a_process_ends_while_an_abandoned_library_calls_python() -> None:
    code = (
        "import sys, threading\n"
        "from pnet_lp import interrupts\n"
        "def call():\n"
        "    while True: time.sleep(0.001)\n"
        "thread = threading.Thread(target=call)\n"
        "thread.start()\n"
        "interrupts.abandon(thread)\n"
        "print('said')\n"
        "interrupts.end(3)"
    )
    assert ran(code) == (3, "said\n", "")


def test_a_cost_after_the_limit_is_that_of_the_flow_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """No program is written and solved once the time is over."""
    monkeypatch.setattr(ArcProblem, "formulate", lambda *_: pytest.fail("a program was written"))
    network, traffic = small()
    result = solve(network, traffic, objective="min-cost", solver="highs-ipx", time_limit_s=1e-6)
    assert result.status == "bounds"
    assert 0 < result.interval.lower <= result.interval.upper


def test_another_error_after_ctrl_c_is_its_consequence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ImportError("a library could not be loaded")

    monkeypatch.setattr("pnet_lp.cli.topology.describe", fail)
    monkeypatch.setattr("pnet_lp.cli.app.pressed", lambda: True)
    result = CliRunner().invoke(main, ["topology", "ring:n=4"])
    assert (result.exit_code, result.stderr) == (130, "Error: interrupted\n")


def ran(code: str) -> tuple[int, str, str]:
    """Return exit code, output and errors of a program that has called ``install``."""
    begin = "import os, signal, time, pnet_lp.interrupts\npnet_lp.interrupts.install()\n"
    begin += "def press(): os.kill(os.getpid(), signal.SIGINT)\n"
    done = subprocess.run(
        [sys.executable, "-c", begin + code], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    return done.returncode, done.stdout, done.stderr


def test_the_second_ctrl_c_ends_at_once() -> None:
    code = "try:\n    press(); time.sleep(30)\nexcept KeyboardInterrupt:\n    press(); print('went on')"
    assert ran(code) == (130, "", "")


def test_the_second_ctrl_c_does_not_wait_for_the_first_to_be_heard() -> None:
    # The main thread is in a library that does not come back, here in C's pause.
    code = (
        "import ctypes, threading\n"
        "for after in (0.3, 0.6): threading.Timer(after, press).start()\n"
        "libc = ctypes.CDLL(None)\n"
        "while True: libc.sleep(30); libc.sleep(30)"
    )
    assert ran(code)[0] == 130


def test_a_ctrl_c_that_a_finaliser_drops_comes_again() -> None:
    code = (
        "class Dropping:\n"
        "    def __del__(self): press(); time.sleep(0.01)\n"
        "try:\n"
        "    held = Dropping(); del held\n"
        "    for _ in range(3000): time.sleep(0.01)\n"
        "except KeyboardInterrupt: print('heard')"
    )
    assert ran(code) == (0, "heard\n", "")
