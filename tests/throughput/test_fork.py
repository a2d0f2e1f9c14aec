"""A process that was forked after a solve solves as well: threads do not survive a fork."""

import os
import signal
import sys

import pytest

from pnet_lp.throughput import solve
from pnet_lp.throughput.solvers import solver_names
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize(
    ("routing", "solver"), [*(("ideal", name) for name in solver_names(installed_only=True)), ("ksp:4", "structured")]
)
def test_a_forked_process_solves(routing: str, solver: str) -> None:
    network = build_network("torus:dims=3x3")
    traffic = build_traffic("all-to-all", network, "rack")

    def found() -> float:
        return solve(network, traffic, routing=routing, solver=solver, tolerance=1e-2).throughput_gbps

    here = found()
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os._exit(0 if found() == here else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
