"""References to the program and to the papers of models."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from pnet_lp.report.citations import SINGULAR, cite, of_program, of_source
from pnet_lp.report.registries import list_documents

Run = Callable[..., Result]


def titles(run_json: Callable[..., Any], *arguments: str) -> list[str]:
    return [one["fields"]["title"] for one in run_json("cite", *arguments)["references"]]


JELLYFISH = "Jellyfish: Networking Data Centers Randomly"
YEN = "Finding the K shortest loopless paths in a network"


def test_the_program_alone(run: Run) -> None:
    printed = run("cite").stdout
    assert printed.startswith("% this program\n@software{")
    assert "author = {The pnet-lp developers}" in printed


def test_a_doi_is_printed_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"title": "t", "version": 2, "authors": [{"given-names": "A", "family-names": "B"}], "doi": "10.5281/x_1"}
    monkeypatch.setattr("pnet_lp.report.citations.read_yaml", lambda _: {**found, "date-released": "2026-11-24"})
    assert of_program().bibtex("k") == (
        "% this program\n@software{k,\n  author = {A B},\n  title = {t},\n  version = {2},\n  year = {2026},\n"
        "  doi = {10.5281/x\\_1},\n}"
    )


def test_models_and_options(run_json: Callable[..., Any]) -> None:
    assert titles(run_json, "--topology", "2x[jellyfish:k=8]", "--routing", "ksp:8")[1:] == [JELLYFISH, YEN]
    assert JELLYFISH in titles(run_json, "jellyfish:k=8")
    [_, paper] = run_json("cite", "--queue", "pfabric")["references"]
    assert paper["fields"]["booktitle"], paper["fields"]["year"] == ("SIGCOMM", "2013")
    assert paper["used"] == ["pfabric (queue): section 4.1"]


def test_a_result_and_its_folder(run: Run, run_json: Callable[..., Any], here: Path) -> None:
    run("throughput", "jellyfish:k=4", "--traffic", "stride:s=4", "--routing", "ksp:4", "--save", "answer.json")
    expected = {JELLYFISH, YEN, "Hedera: Dynamic Flow Scheduling for Data Center Networks"}
    assert expected <= set(titles(run_json, "answer.json"))
    swept = "sweep jellyfish:k=4 --vary routing=ecmp,ksp:4 --traffic stride:s=4 --results out"
    run(*swept.split())
    [folder] = (path for path in (here / "out").iterdir() if path.is_dir())
    assert {*expected, "Analysis of an Equal-Cost Multi-Path Algorithm"} <= set(titles(run_json, str(folder)))


def test_every_source_is_a_reference() -> None:
    for kind in SINGULAR:
        for document in list_documents(kind):
            for one in of_source(document["source"], document["name"]) if document["source"] else ():
                text = one.bibtex(one.key)
                assert re.search(r"^@[a-z]+\{[a-z][\w-]*,$", text, re.MULTILINE), text
                assert text.count("{") == text.count("}")
                assert one.fields["title"].count("(") == one.fields["title"].count(")")
                assert not one.fields["title"].startswith((",", ":"))


def test_a_paper_is_printed_once() -> None:
    found = cite([(kind, one["name"]) for kind in SINGULAR for one in list_documents(kind)])
    assert len(found) > 50
    titles = [one.fields["title"].lower() for one in found.values()]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize(
    ("source", "kind", "fields", "used"),
    [
        (
            "pFabric, SIGCOMM 2013, section 4.1",
            "inproceedings",
            {"author": "Alizadeh and others", "booktitle": "SIGCOMM", "year": "2013"},
            "x: section 4.1",
        ),
        ("SOPA, section 3.3", "article", {"journal": "ZTE Communications", "year": "2018"}, "x: section 3.3"),
        ("RFC 6298", "techreport", {"title": "Computing TCP's Retransmission Timer", "number": "6298"}, "x"),
        (
            "DCTCP, SIGCOMM 2010, section 3.1; as RED on the queue's own length",
            "inproceedings",
            {"author": "Alizadeh and others"},
            "x: section 3.1; as RED on the queue's own length",
        ),
        (
            'J. W. Suurballe, "Disjoint paths in a network", Networks 4 (1974)',
            "article",
            {"author": "J. W. Suurballe", "journal": "Networks"},
            "x",
        ),
        ("Bertsekas, Gallager: Data Networks, Prentice Hall 1992", "book", {"publisher": "Prentice Hall"}, "x"),
        ("RED of 1993", "misc", {"title": "RED of 1993", "year": "1993"}, "x"),
    ],
)
def test_kinds_of_references(source: str, kind: str, fields: dict[str, str], used: str) -> None:
    [found] = of_source(source, "x")
    assert (found.kind, found.used) == (kind, (used,))
    assert fields.items() <= dict(found.fields).items()


def test_what_is_no_model(run: Run, here: Path) -> None:
    assert "unknown model 'jellyfsh' (did you mean 'jellyfish'?)" in run("cite", "jellyfsh", code=2).stderr
    assert "unknown routing 'kps' (did you mean 'ksp'?)" in run("cite", "--routing", "kps:8", code=2).stderr
    (here / "broken.json").write_text("{")
    assert "broken.json: not a result" in run("cite", "broken.json", code=2).stderr
    (here / "empty").mkdir()
    assert "a folder without results" in run("cite", "empty", code=2).stderr
