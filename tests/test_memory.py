"""What memory is free, and what is done about too little of it."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from pnet_lp.memory import available_bytes


def mounted(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


MEMINFO = {"proc/meminfo": "MemTotal: 4000 kB\nMemAvailable: 3000 kB\n"}


def test_available_memory_is_that_of_the_machine(tmp_path: Path) -> None:
    assert available_bytes(mounted(tmp_path, MEMINFO)) == 3000 * 1024


def test_limits_of_control_groups_count(tmp_path: Path) -> None:
    group = "sys/fs/cgroup/user"
    files = MEMINFO | {
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
    files = MEMINFO | {
        "proc/self/cgroup": "4:memory:/elsewhere\n3:cpu,cpuacct:/\n",
        f"{group}/memory.limit_in_bytes": "1000000\n",
        f"{group}/memory.usage_in_bytes": "1200000\n",
        f"{group}/memory.stat": "total_inactive_file 50000\n",
    }
    assert available_bytes(mounted(tmp_path, files)) == 0


@pytest.mark.parametrize(("limited", "pages"), [("RLIMIT_AS", 20), ("RLIMIT_DATA", 7)])
def test_limits_of_the_process_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limited: str, pages: int
) -> None:
    files = MEMINFO | {"proc/self/statm": "20 9 8 7 0 7 0\n"}
    page = resource.getpagesize()
    limits = {getattr(resource, limited): (50 * page, 60 * page)}
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: limits.get(kind, unlimited))
    assert available_bytes(mounted(tmp_path, files)) == (50 - pages) * page


def test_other_systems_have_physical_memory(tmp_path: Path) -> None:
    assert available_bytes(tmp_path) > 2**20


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not enforce the limit")
def test_a_network_whose_proof_does_not_fit_is_refused_before_it_is_solved() -> None:
    """The solver takes 0.3 GB, since all planes are alike, but the proof on all eight 2 GB."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))

    command = ["throughput", "fat-tree:k=256,tiers=2", "--planes", "8", "--level", "rack"]
    command += ["--solver", "structured"]
    result = subprocess.run(
        [sys.executable, "-m", "pnet_lp", *command],
        capture_output=True,
        check=False,
        text=True,
        preexec_fn=limit,
    )
    assert result.returncode == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: solver 'structured' with 134,217,728 flow variables needs about 2.7 GiB, ")
    assert line.endswith(" are free; allowed: fewer planes, a smaller network")
