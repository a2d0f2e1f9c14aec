"""What shells are told of unfinished words."""

from __future__ import annotations

import importlib
import re
import subprocess
from pathlib import Path

import click
import pytest
from click.shell_completion import get_completion_class

from pnet_lp.cli import main
from pnet_lp.cli.app import COMPLETE
from pnet_lp.cli.commands import commands
from pnet_lp.cli.completion import KINDS_OF, OWN
from pnet_lp.cli.output import OutputFile
from pnet_lp.report.registries import KINDS

BREAKS = " \t\n\"'@><=;|&(:"
"""Bash's own."""


def told(monkeypatch: pytest.MonkeyPatch, shell: str, line: str) -> list[str]:
    """Return what a shell is told of a command line that ends where the cursor is."""
    importlib.import_module("pnet_lp.cli.shells")
    words = line.split(" ")
    given = {
        "bash": {"COMP_LINE": line, "COMP_WORDBREAKS": BREAKS},
        "zsh": {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)},
        "fish": {"COMP_WORDS": line, "COMP_CWORD": words[-1]},
    }[shell]
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    kind = get_completion_class(shell)
    assert kind is not None
    return kind(main, {}, "pnet-lp", COMPLETE).complete().splitlines()


def words_in(monkeypatch: pytest.MonkeyPatch, line: str) -> list[str]:
    """Return the same as whole words."""
    found = [entry.partition("\t")[0] for entry in told(monkeypatch, "fish", f"pnet-lp {line}")]
    return [entry.removeprefix("plain,") for entry in found]


@pytest.mark.parametrize(
    ("line", "first", "count"),
    [
        ("thr", "throughput", 1),
        ("throughput fat-tree-1", "fat-tree-1024", 2),
        ("throughput torus", "torus:", 1),
        ("throughput jellyfish", "jellyfish", 9),
        ("throughput torus:di", "torus:dims=", 1),
        ("throughput fat-tree:k=4,ho", "fat-tree:k=4,host_gbps=", 1),
        ("throughput fat-tree:k=4,k", "", 0),
        ("throughput ring:n=5 --traffic perm", "permutation", 2),
        ("throughput ring:n=5 --traffic permutation:kind=p", "permutation:kind=pairs", 1),
        ("throughput ring:n=5 --traffic=permutation:kind=p", "--traffic=permutation:kind=pairs", 1),
        ("throughput ring:n=5 --routing ks", "ksp:", 1),
        ("throughput ring:n=5 --solver pul", "pulp", 2),
        ("throughput ring:n=5 --rou", "--routing", 1),
        ("traffic hedera-stri", "hedera-stride1", 4),
        ("simulate ring:n=5 --transport dc", "dctcp", 2),
        ("simulate ring:n=5 --preset pn", "pnet", 2),
        ("cost cu", "curve", 1),
        ("cost hybrid:se", "hybrid:servers=", 2),
        ("cost ring:n=4 --prices hy", "hybrid-list", 1),
        ("sweep ideal", "ideal-planes", 1),
        ("report pnet-figure-9", "pnet-figure-9", 1),
        ("report ideal", "ideal-planes", 1),
        ("sweep ideal-planes --executor lo", "local", 1),
        ("sweep x --vary pla", "planes=", 2),
        ("sweep x --vary time", "time-limit=", 1),
        ("sweep x --vary routing=ecmp,ks", "routing=ecmp,ksp:", 1),
        ("sweep --vary topology=ring:n=4,torus:di", "topology=ring:n=4,torus:dims=", 1),
        ("sweep --vary topology=ring:n=4,jellyfish:k=8,se", "topology=ring:n=4,jellyfish:k=8,seed=", 1),
        ("sweep x --vary fail-mode=random,", "fail-mode=random,independent", 2),
        ("sweep x --vary bisection=", "bisection=false", 2),
        ("sweep x --vary transport", "transport=", 1),
        ("sweep x --question hops --vary transport", "", 0),
        ("sweep x --vary nonsense=1", "", 0),
        ("sweep pnet-figure-7 --set pla", "planes=", 2),
        ("report pnet-figure-14 --set rpc", "rpc-bytes=", 1),
        ("report pnet-figure-7 --set rpc", "", 0),
        ("sweep x --vary planes=1,2 --facet pl", "planes", 1),
        ("sweep x --vary routing=ecmp,ksp:8 --baseline routing=ec", "routing=ecmp", 3),
        ("sweep x --plane-p", "--plane-policy", 1),
        ("sweep x --routing ks", "ksp:", 1),
        ("sweep x --plane-policy sh", "shortest", 1),
        ("sweep x --vary", "--vary", 1),
        ("find --families fat-tree,jel", "fat-tree,jellyfish", 1),
        ("bounds x --bound mean", "mean-path", 1),
        ("throughput x --fail-groups gro", "file,gro", 1),
        ("list quest", "questions", 1),
        ("list presets ndp", "ndp", 1),
        ("throughput ./own", "file,./own", 1),
        ("throughput ring:n=5 --routing own", "", 0),
        ("nonsense", "", 0),
        ("nonsense ring", "", 0),
    ],
)
def test_what_is_offered(monkeypatch: pytest.MonkeyPatch, line: str, first: str, count: int) -> None:
    found = words_in(monkeypatch, line)
    assert (found[0] if found else "", len(found)) == (first, count), found


def test_bash_gets_what_follows_its_last_break(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, "bash", "pnet-lp throughput fat-tree:k=4,ho") == ["plain,4,host_gbps="]
    assert told(monkeypatch, "bash", "pnet-lp throughput x --routing=ks") == ["plain,ksp:"]
    assert told(monkeypatch, "bash", "pnet-lp sweep ideal") == ["plain,ideal-planes"]
    assert told(monkeypatch, "bash", "pnet-lp sweep x --vary routing=ecmp,ks") == ["plain,ecmp,ksp:"]
    assert told(monkeypatch, "bash", "pnet-lp find --families fat-tree,jel") == ["plain,fat-tree,jellyfish"]
    assert told(monkeypatch, "bash", "pnet-lp list ")[0] == "plain,topologies"
    monkeypatch.setattr(f"{__name__}.BREAKS", " ")
    assert told(monkeypatch, "bash", "pnet-lp throughput x --routing=ks") == ["plain,--routing=ksp:"]


def test_zsh_gets_lines_about_words(monkeypatch: pytest.MonkeyPatch) -> None:
    kind, word, line = told(monkeypatch, "zsh", "pnet-lp throughput x --routing ks")
    assert (kind, word) == ("plain", r"ksp\:")
    assert line.startswith("the K shortest loop-free paths")
    kind, word, line = told(monkeypatch, "zsh", "pnet-lp sweep x --vary routing=ecmp,ks")
    assert (kind, word) == ("plain", r"routing=ecmp,ksp\:")


def test_bash_script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It hands over the line up to the cursor, and takes what has commas in it whole."""
    importlib.import_module("pnet_lp.cli.shells")
    kind = get_completion_class("bash")
    script = kind(main, {}, "pnet-lp", COMPLETE).source()
    program = tmp_path / "pnet-lp"
    program.write_text('#!/bin/sh\necho "plain,$COMP_LINE,k="\necho "plain,two words"\n')
    program.chmod(0o755)
    call = "COMP_LINE='pnet-lp ab cd' COMP_POINT=10; _pnet_lp_completion pnet-lp; printf '%s\\n' \"${COMPREPLY[@]}\""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    done = subprocess.run(["bash", "-c", f"{script}\n{call}"], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["pnet-lp ab,k=", "two words"]


def test_all_names_are_completed() -> None:
    """Whatever a command calls an expression or a book, or takes names for, can be completed."""
    assert {kind for kinds in KINDS_OF.values() for kind in kinds} <= set(KINDS)
    for name in commands():
        command = main.get_command(click.Context(main), name)
        assert command is not None
        for param in command.params:
            # The help of a file lists suffixes.
            listed = getattr(param, "listed", None) and not isinstance(param.type, OutputFile)
            if listed or {"EXPR", "BOOK", "KEY"} & set(re.split(r"[|=]", param.metavar or "")):
                assert param.name in {*KINDS_OF, *OWN}, f"{name}: {param.name}"
