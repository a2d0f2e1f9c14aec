"""The least times of the parts of demands to read, and their proofs as files."""

from __future__ import annotations

from pathlib import Path

from pnet_lp.questions.step_time.answer import StepTimeAnswer
from pnet_lp.questions.throughput.sentences import binding_text, network_text
from pnet_lp.tables import Document, Report, facts, table_of
from pnet_lp.units import format_us


def report(document: Document) -> Report:
    """Return the times of all parts at once and one after the other, and those of each."""
    several = len(document["parts"]) > 1
    return [
        facts(
            document,
            ("at once" if several else "time", lambda found: _time(found, "it", "lower_bound_s", "time_s")),
            (
                "in turn",
                lambda found: _time(found, "the parts", "in_turn_lower_bound_s", "in_turn_s") if several else "",
            ),
            ("status", _status),
            ("network", lambda found: network_text(found["network"])),
            ("traffic", "{total_bytes:,.6g} bytes between {level}s"),
            ("limited by", lambda found: binding_text(found["binding"])),
            *(("warning", text) for text in document["warnings"]),
        ),
        "",
        table_of(
            document["parts"],
            ("part", "{part}"),
            ("bytes", "{total_bytes:,.5g}"),
            ("demands", "{demands:,}"),
            ("at least", lambda row: _shown(row["lower_bound_s"])),
            ("this flow", lambda row: _shown(row["time_s"])),
            ("limited by", lambda row: binding_text(row["binding"])),
            texts=("part", "limited by"),
        ),
    ]


def _time(document: Document, what: str, lower: str, upper: str) -> str:
    if document[lower] is None:
        return "it cannot be moved"
    who = "no routing" if document["routing"] == "ideal" else "nothing over these paths"
    found = "what was found takes" if lower != "lower_bound_s" or document["traffic"] else "in turn they take"
    taken = "" if document[upper] is None else f"; {found} {_shown(document[upper])}"
    return f"{who} moves {what} in less than {_shown(document[lower])}{taken}"


def _shown(seconds: float | None) -> str:
    return "-" if seconds is None else format_us(1e6 * seconds)


def _status(document: Document) -> str:
    if document["status"] == "certified":
        return f"certified: all bounds meet within a gap of {document['tolerance']:g}"
    return "bounds: not all meet within the tolerance"


def write_save(answer: StepTimeAnswer, path: Path) -> None:
    """Write the result of the whole, and where there are several parts of each, with proofs."""
    path.mkdir(parents=True, exist_ok=True)
    if answer.whole is not None:
        answer.whole.save(path / "whole.json")
    if len(answer.parts) > 1:
        for number, (_, part) in enumerate(answer.parts, 1):
            part.save(path / f"part-{number}.json")
