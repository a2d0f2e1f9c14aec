"""Installs a wheel or an sdist into a fresh environment and tries it from an empty folder.

``python tools/smoke.py FILE [PIP OPTION...]``; the workflow that makes a release runs it on every platform.
It needs nothing but a Python with pip 22.3 or newer, and what that needs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path


def run(*command: str | Path, cwd: str) -> str:
    """Run a command that sees no other packages than its own; return what it prints, or end with what went wrong."""
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    # stderr is for whoever reads the log.
    done = subprocess.run(
        command, cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True, check=False, timeout=1800
    )
    if done.returncode:
        sys.exit(f"smoke: exit code {done.returncode} of {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def smoke(package: Path, options: list[str]) -> str:
    """Return one sentence on the package, or end where it does not work."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "environment")
        # Without a pip of its own, which takes longer to install than the package.
        venv.create(place, symlinks=os.name != "nt")
        programs = place / ("Scripts" if os.name == "nt" else "bin")
        empty = str(Path(folder, "empty"))
        Path(empty).mkdir()
        pip = (sys.executable, "-m", "pip", "--python", programs / "python")
        run(*pip, "install", "--quiet", *options, package, cwd=empty)
        command = programs / "pnet-lp"
        version = run(command, "--version", cwd=empty).strip()
        # complete:n=8: every pair has a link of its own, so that K is its speed.
        words = "throughput complete:n=8 --level rack --traffic all-to-all --link-gbps 1 --tolerance 1e-6"
        answer = json.loads(run(command, *words.split(), "--json", "--save", "answer.json", cwd=empty))
        if answer["status"] != "certified" or abs(answer["throughput_gbps"] - 1) > 1e-5:
            sys.exit(f"smoke: K of complete:n=8 is 1, found {answer['throughput_gbps']}, {answer['status']}")
        verified = json.loads(run(command, "verify", "answer.json", "--json", cwd=empty))
        if verified["status"] != "certified":
            sys.exit(f"smoke: the saved answer is not certified: {verified['status']}")
        # What is shipped as data.
        run(command, "topology", "jellyfish-k8", "--json", cwd=empty)
        run(command, "cite", "jellyfish:k=8", cwd=empty)
    return f"{package.name}: {version} works in a fresh environment"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python tools/smoke.py WHEEL|SDIST [PIP OPTION...]")
    print(smoke(Path(sys.argv[1]).resolve(), sys.argv[2:]))
