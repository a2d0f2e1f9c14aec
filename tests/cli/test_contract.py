"""What all commands promise: help with an example that runs, one sentence for an error, exit codes."""

import errno
import platform
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from pnet_lp import __version__
from pnet_lp.cli import main
from pnet_lp.cli.command import Command
from pnet_lp.cli.commands import commands
from pnet_lp.errors import SolverError

Run = Callable[..., Result]

ERROR = "Error: "


def error(result: Result) -> str:
    """Return the one sentence on stderr; stdout must be empty."""
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1].removeprefix(ERROR)


def test_the_group_names_every_command(run: Run) -> None:
    shown = run("--help").stdout
    assert all(f"  {name} " in shown for name in commands())
    assert run("--version").stdout == f"pnet-lp, version {__version__}\n"


@pytest.mark.parametrize("name", commands())
def test_every_command_explains_itself(run: Run, name: str) -> None:
    shown = run(name, "--help").stdout
    command = main.get_command(None, name)
    assert isinstance(command, Command)
    assert f"Example:\n  {command.example}\n" in shown
    assert "--json" in shown
    assert "--debug" in shown
    documented = [param for param in command.params if param.param_type_name == "option"]
    assert all(param.help for param in documented)


def test_every_example_runs(run: Run) -> None:
    # In the order of a newcomer: the example of `verify` checks what that of `sweep` has left behind.
    for name in sorted(
        commands(),
        key=[
            *(
                "list",
                "topology",
                "draw",
                "traffic",
                "workload",
                "paths",
                "hops",
                "throughput",
                "bounds",
                "failures",
                "step-time",
                "simulate",
                "crosscheck",
                "fluid-error",
                "cost",
                "price-performance",
                "find",
                "sweep",
                "report",
                "verify",
                "cite",
            )
        ].index,
    ):
        command = main.get_command(None, name)
        assert isinstance(command, Command)
        program, *arguments = shlex.split(command.example)
        assert program == "pnet-lp"
        assert run(*arguments).stdout


def test_long_help_has_headings(run: Run) -> None:
    lines = run("throughput", "--help").stdout.splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    network, servers, failures, *_, running, output, general, example = headings[headings.index("Network:") :]
    assert (network, servers, failures, running) == ("Network:", "Servers:", "Failures:", "Running:")
    assert (output, general, example) == ("Output:", "General:", "Example:")
    of_network = lines[lines.index("Network:") : lines.index("Servers:")]
    assert any("--planes INTEGER" in line for line in of_network)
    assert any("--json" in line for line in lines[lines.index("Output:") : lines.index("General:")])
    assert "Options:" in run("list", "--help").stdout
    assert "Output:" not in run("list", "--help").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["thruput"],
            "unknown command 'thruput' (did you mean 'throughput'?); "
            "allowed: throughput, bounds, cost, crosscheck, failures, find, fluid-error, hops, paths, "
            "price-performance, simulate, step-time, topology, draw, traffic, workload, verify, cite, list, sweep, "
            "report",
        ),
        (["throughput"], "Missing argument 'TOPOLOGY...'."),
        (["find"], "Missing option '--hosts'."),
        (["find", "--hosts", "16"], "Missing option '--min-gbps-per-host'."),
        (["topology", "ring:n=4", "--planes", "0"], "Invalid value for '--planes': 0 is not in the range 1<=x<=4096."),
        (["topology", "ring:n=4", "--planes", "few"], "Invalid value for '--planes': 'few' is not a valid integer."),
        (["topology", "ring:n=4", "--link-gbps", "x"], "Invalid value for '--link-gbps': 'x' is not a valid number."),
        (
            ["throughput", "ring:n=4", "--variant", "parallel"],
            "Invalid value for '--variant': 'parallel' is not one of "
            "'serial', 'homogeneous', 'heterogeneous', 'serial-high'.",
        ),
        (
            ["throughput", "ring:n=4", "--links", "links.xlsx"],
            "Invalid value for '--links': links.xlsx: unknown file format, found '.xlsx'; "
            "allowed: .csv, .json, .parquet",
        ),
        (
            ["throughput", "ring:n=4", "--save", "missing/result.json"],
            "Invalid value for '--save': missing/result.json: there is no folder 'missing'",
        ),
        (["throughput", "rign:n=4"], "unknown topology 'rign' (did you mean 'ring'?)"),
        (["throughput", "ring:n=2"], "ring: n: input should be greater than or equal to 3, found '2'"),
        (["throughput", "ring:n=4", "--traffic", "strde:s=1"], "unknown traffic 'strde' (did you mean 'stride'?)"),
        (["throughput", "ring:n=4", "--traffic", "missing.csv"], "missing.csv: cannot read the file: No such file"),
        (["throughput", "ring:n=4", "--traffic", "stride:s=8"], "stride:s=8: a stride of 8 over 4 racks makes every"),
        (["throughput", "ring:n=4", "--level", "host"], "the network has no hosts, so host-level demands mean nothing"),
        (["throughput", "ring:n=4", "--solver", "highs"], "--solver: unknown solver 'highs' (did you mean 'highs-"),
        (
            ["throughput", "ring:n=4", "--solver", "atuo"],
            "--solver: unknown solver 'atuo' (did you mean 'auto'?); allowed: auto, columns, highs-",
        ),
        (
            ["topology", "ring:n=4,link_gbps=40", "--link-gbps", "100"],
            "--link-gbps: every link has a speed of its own, found 100.0; allowed: topologies that leave a speed open",
        ),
        (
            ["topology", "ring:n=4", "--link-gbps", "inf"],
            "Invalid value for '--link-gbps': inf is not a finite number.",
        ),
        (
            ["hops", "ring:n=4", "--trials", "2"],
            "--trials needs --fail-links or --fail-switches or --fail-ports or --fail-nics or "
            "--fail-servers or --fail-planes or ",
        ),
        (["bounds", "ring:n=4", "--bound", "nic", "--bound", "nic"], "--bound: a bound is named twice, found 'nic'"),
        (
            ["topology", "ring:n=4", "ring:n=4", "--variant", "heterogeneous"],
            "--variant: the given planes are all identical, found 'heterogeneous'",
        ),
        (
            ["topology", "jellyfish:k=4", "--variant", "heterogeneous"],
            "--variant: a single plane cannot be heterogeneous, found 'heterogeneous'",
        ),
        (["cost", "ring:n=4", "--separate"], "--separate: no two planes share boxes or cables anyway"),
        (["throughput", "ring:n=4", "--objective", "totl"], "--objective: unknown objective 'totl'"),
        (
            ["throughput", "ring:n=4", "--routing", "idael"],
            "--routing: unknown routing 'idael' (did you mean 'ideal'?)",
        ),
        (
            ["throughput", "ring:n=4", "--tolerance", "0"],
            "Invalid value for '--tolerance': 0.0 is not in the range 0<x<1.",
        ),
        (
            ["throughput", "ring:n=4", "--tolerance", "nan"],
            "Invalid value for '--tolerance': nan is not a finite number.",
        ),
        (["list", "shapes"], "Invalid value for '[KIND]': found 'shapes'; allowed: topologies, traffic, routings, "),
        (["plot", "ring:n=4"], "unknown command 'plot' (did you mean 'draw'?); allowed: throughput, "),
        (["check", "answer.json"], "unknown command 'check' (did you mean 'verify'?); allowed: throughput, "),
        (["throughput", "ring:n=4", "--speed", "9"], "No such option '--speed' (did you mean '--link-gbps'?)"),
        (["throughput", "ring:n=4,speed=9"], "ring: unknown parameter 'speed' (did you mean 'link_gbps'?)"),
        (
            ["sweep", "ring:n=4", "--vary", "speed=1,2"],
            "no option, and no key of a case, is called 'speed' (did you mean 'link-gbps'?); allowed: ",
        ),
        (["draw", "ring:n=4", "--plot", "ring.svg"], "No such option '--plot'"),
        (["throughput", "fat-tree:4"], "fat-tree: not a key=value parameter (did you mean 'fat-tree:k=4'?), found '4'"),
        (
            ["throughput", "leaf-spine:4"],
            "leaf-spine: not a key=value parameter, found '4'; allowed: key=value, such as leaf-spine:leaves=6",
        ),
        (
            ["throughput", "ring:n=4", "--traffic", "stride:2"],
            "stride: not a key=value parameter (did you mean 'stride:s=2'?), found '2'",
        ),
        (["list", "transports", "dcqcn"], "there is no 'dcqcn' among the transports; allowed: cbr, dctcp, "),
        (["verify", "missing.json"], "missing.json: cannot read the file: No such file or directory"),
        (
            ["sweep", "idael-planes"],
            "no experiment, and no topology, is called 'idael-planes' (did you mean 'ideal-planes'?); allowed: a "
            "folder with a spec.yaml, or a name of `pnet-lp list experiments`",
        ),
        (["report", "idael-planes"], "no experiment is called 'idael-planes' (did you mean 'ideal-planes'?)"),
        (["sweep", "ring:n=4"], "ring:n=4: nothing varies; allowed: --vary KEY=V,V with a TOPOLOGY"),
    ],
)
def test_bad_usage_and_bad_input(run: Run, arguments: list[str], message: str) -> None:
    assert error(run(*arguments, code=2)).startswith(message)


def test_demands_that_do_not_fit(run: Run, here: Path) -> None:
    for text, message in {
        "0,9,1": "the matrix is larger than the network: rack 9 needs 10 racks, the network has 4; allowed: 0 to 3",
        "0,1,nan": "invalid demand, found 'nan'; allowed: 0, or 1e-15 to 1e+15",
        "0,1,-3": "invalid demand, found '-3'; allowed: 0, or 1e-15 to 1e+15",
        "2,2,1": "rack '2' has a demand to itself",
        "0,1": "2 fields instead of 3, found '0,1'",
    }.items():
        (here / "demands.csv").write_text(f"src,dst,demand\n1,2,1\n{text}\n")
        found = error(run("throughput", "ring:n=4", "--traffic", "demands.csv", code=2))
        assert found == f"demands.csv:3: {message}"


def test_no_demand_at_all(run: Run, here: Path) -> None:
    (here / "demands.csv").write_text("src,dst,demand\n0,1,0\n")
    found = error(run("throughput", "ring:n=4", "--traffic", "demands.csv", code=2))
    assert found == "demands.csv: there is no demand; allowed: at least one demand > 0"


def test_broken_topology_files_name_the_line(run: Run, here: Path) -> None:
    (here / "net.edges").write_text("a b 10\nb c minus\n")
    assert error(run("topology", "net.edges", code=2)).startswith("net.edges:2: ")


def fail_with(monkeypatch: pytest.MonkeyPatch, failure: BaseException) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr("pnet_lp.cli.topology.describe", fail)


@pytest.mark.parametrize(
    ("failure", "code", "sentence"),
    [
        (SolverError("too big"), 1, "too big"),
        (MemoryError(), 1, "out of memory; allowed: a smaller network, fewer planes, sparser traffic"),
        (
            MemoryError("Unable to allocate 4.00 GiB for an array"),
            1,
            "out of memory (unable to allocate 4.00 GiB for an array); allowed: a smaller network, fewer planes, "
            "sparser traffic",
        ),
        (ZeroDivisionError("by zero"), 1, "unexpected ZeroDivisionError: by zero; --debug shows where"),
        (PermissionError(errno.EACCES, "Permission denied", "x.json"), 1, "x.json: Permission denied"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_failures_are_one_sentence(
    run: Run, monkeypatch: pytest.MonkeyPatch, failure: BaseException, code: int, sentence: str
) -> None:
    import pnet_lp.cli.topology  # noqa: F401 - so that there is something to patch

    fail_with(monkeypatch, failure)
    assert run("topology", "ring:n=4", code=code).stderr == f"{ERROR}{sentence}\n"


@pytest.mark.parametrize("place", ["before", "after"])
def test_debug_shows_where(run: Run, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    import pnet_lp.cli.topology  # noqa: F401 - so that there is something to patch

    fail_with(monkeypatch, ZeroDivisionError("by zero"))
    command = ["topology", "ring:n=4"]
    command = ["--debug", *command] if place == "before" else [*command, "--debug"]
    shown = run(*command, code=1).stderr
    assert shown.startswith("Traceback")
    assert shown.endswith(f"{ERROR}unexpected ZeroDivisionError: by zero\n")


def test_parameters_are_called_as_they_are_typed(run: Run, here: Path) -> None:
    # The library says fail_planes and level=rack.
    found = error(run("hops", "ring:n=4", "--level", "host", code=2))
    assert found.endswith("; allowed: --level rack, or --hosts-per-switch n")
    (here / "groups.yaml").write_text("groups: {row: {switches: [x]}}")
    found = error(run("hops", "ring:n=4", "--fail-groups", "groups.yaml", code=2))
    assert found == "--fail-groups: row: unknown switch 'x'"
    assert error(run("topology", "ring:n=4,seed=1", code=2)).startswith("ring: unknown parameter 'seed'")


def test_parameters_of_an_expression_are_no_options(run: Run) -> None:
    found = error(run("throughput", "jellyfish:switches=40,degree=12", code=2))
    assert found.startswith("jellyfish: unknown parameter 'degree'; allowed: link_gbps, host_gbps, k, switches")
    found = error(run("cost", "hybrid:bb=3", code=2))
    assert found == "hybrid: unknown parameter 'bb'; allowed: servers, beta, ports, link_gbps, seed"


def test_the_versions_of_everything(run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pnet_lp.manifest._version", lambda name: None if name == "pulp" else "1.2.3")
    for words in (("--version", "--verbose"), ("--verbose", "--version")):
        first, *rest = run(*words).stdout.splitlines()
        assert first == f"pnet-lp, version {__version__}"
        found = dict(line.split(maxsplit=1) for line in rest)
        assert found["Python"] == platform.python_version()
        assert found["numpy"] == "1.2.3"
        assert found["pulp"] == "not installed: pip install 'pnet-lp[pulp]'"
        assert {"highspy", "scipy", "ortools", "pyarrow", "platform"} <= found.keys()
