"""Which commands there are; none is imported for that."""

from __future__ import annotations

import importlib

from pnet_lp import questions
from pnet_lp.cli.command import Command

OTHERS = {
    "topology": "counts and sizes of a network; converts files",
    "draw": "a picture of a network, with a cut or with the load of its links",
    "traffic": "what a traffic matrix demands; writes it to a file",
    "workload": "the flows of a workload; writes them to a file",
    "cost equal": "how many optical links a fat tree's price buys",
    "verify": "checks a saved result without any solver",
    "cite": "references, as BibTeX, to this program and to the papers of models or of a result",
    "list": "topologies, traffic patterns, routings, transports and everything else with a name",
    "sweep": "every combination of some options, or an experiment: table and chart",
    "report": "tables, figures and a page of the results of sweeps, with a verdict on every claim",
}
"""Name and one line of each command that asks no question; the group's help imports none of them."""

OTHER_WORDS = {
    "plot": "draw",
    "render": "draw",
    "price": "cost",
    "solve": "throughput",
    "run": "simulate",
    "check": "verify",
    "validate": "verify",
}
"""Commands by what else one might call them."""


def commands() -> dict[str, str]:
    """Return the name and one line of each command, those that ask questions first."""
    own = {name: line for name, (_, line) in questions.commands().items() if " " not in name}
    return {**own, **{name: line for name, line in OTHERS.items() if " " not in name}}


def plain_command(name: str) -> Command:
    """Return a command that asks no question, that of module ``pnet_lp.cli.<name>``."""
    command = importlib.import_module(f"pnet_lp.cli.{name.replace(' ', '_')}").command
    assert isinstance(command, Command)
    return command


def asks(name: str) -> bool:
    """Whether a command asks a question: one of the package's, or one that somebody else has registered."""
    if " " in name:
        return False
    return name in questions.commands() or name in importlib.import_module("pnet_lp.questions.base").QUESTIONS
