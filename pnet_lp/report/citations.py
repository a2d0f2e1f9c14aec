"""What to cite: this program, from CITATION.cff, and the papers that the entries in use name as their source."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.files import exists, read_yaml, shipped
from pnet_lp.registry import unknown
from pnet_lp.report.registries import KINDS, list_documents

SINGULAR = {
    "topologies": "topology",
    **{
        kind: kind.removesuffix("s")
        for kind in KINDS
        if kind
        not in {
            "topologies",
            "solvers",
            "questions",
            "experiments",
            "executors",
            "charts",
            "prices",
            "powers",
            "formats",
        }
    },
}
"""Kinds of entries that have sources, and the option and the key of a document that name one."""

_SHORT = {
    name: {"author": author, "title": title, "venue": venue, "year": year}
    for name, author, title, venue, year in (
        ("P-Net", "Guo et al.", "Scaling beyond packet switch limits with multiple dataplanes", "CoNEXT", "2022"),
        (
            "SOPA",
            "Li, Lin, Jiang, Wang",
            "SOPA: Source Routing Based Packet-Level Multi-Path Routing in Data Center Networks",
            "ZTE Communications",
            "2018",
        ),
        ("Hedera", "Al-Fares et al.", "Hedera: Dynamic Flow Scheduling for Data Center Networks", "NSDI", "2010"),
        ("pFabric", "Alizadeh et al.", "pFabric: Minimal Near-Optimal Datacenter Transport", "SIGCOMM", "2013"),
        ("DCTCP", "Alizadeh et al.", "Data Center TCP (DCTCP)", "SIGCOMM", "2010"),
        (
            "NDP",
            "Handley et al.",
            "Re-architecting Datacenter Networks and Stacks for Low Latency and High Performance",
            "SIGCOMM",
            "2017",
        ),
        ("VL2", "Greenberg et al.", "VL2: A Scalable and Flexible Data Center Network", "SIGCOMM", "2009"),
        ("Jellyfish", "Singla, Hong, Popa, Godfrey", "Jellyfish: Networking Data Centers Randomly", "NSDI", "2012"),
        (
            "Parsimon",
            "Zhao, Goyal, Alizadeh, Anderson",
            "Scalable Tail Latency Estimation for Data Center Networks",
            "NSDI",
            "2023",
        ),
    )
}
"""Papers that sources call by a short name, as `P-Net, section 5`."""

_RFCS = {
    "2992": ("Hopps", "Analysis of an Equal-Cost Multi-Path Algorithm", "2000"),
    "5681": ("Allman, Paxson, Blanton", "TCP Congestion Control", "2009"),
    "6298": ("Paxson, Allman, Chu, Sargent", "Computing TCP's Retransmission Timer", "2011"),
    "6356": ("Raiciu, Handley, Wischik", "Coupled Congestion Control for Multipath Transport Protocols", "2011"),
    "6582": ("Henderson, Floyd, Gurtov, Nishida", "The NewReno Modification to TCP's Fast Recovery Algorithm", "2012"),
    "8257": (
        "Bensley, Thaler, Balasubramanian, Eggert, Judd",
        "Data Center TCP (DCTCP): TCP Congestion Control for Data Centers",
        "2017",
    ),
}
"""Authors, title and year of the standards in use."""

_JOURNALS = {
    "CCR": "ACM SIGCOMM Computer Communication Review",
    "IJHPCA": "International Journal of High Performance Computing Applications",
    "IJSA": "International Journal of Supercomputer Applications",
    "JPDC": "Journal of Parallel and Distributed Computing",
    "Management Science": "Management Science",
    "Networks": "Networks",
    "Proceedings of the IEEE": "Proceedings of the IEEE",
    "TACO": "ACM Transactions on Architecture and Code Optimization",
    "ToN": "IEEE/ACM Transactions on Networking",
    "ZTE Communications": "ZTE Communications",
}
_VENUES = {
    **{short: ("article", "journal", name) for short, name in _JOURNALS.items()},
    **{name: ("book", "publisher", name) for name in ("Morgan Kaufmann", "Prentice Hall")},
    "Facebook Engineering": ("misc", "howpublished", "Facebook Engineering"),
}
"""What is not a conference: the kind of reference, its field, and the name in full."""

_FIRST = re.compile(rf"({'|'.join(_SHORT)})(?:,? \(?(?:CoNEXT|NSDI|SIGCOMM) \d+\)?)?(?=[,; ]|$)")
_RFC = re.compile(r"RFC (\d+)")
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b")
_WHOLE = re.compile(
    r"(?:[a-z]+: )?(?:(?P<author>[A-Z][^:\"]*?): )?(?P<title>[A-Z].+), (?P<venue>[A-Z][^,()]*?)(?: \d+\(\d+\))?,? "
    r"(?P<year>(?:19|20)\d\d)\b"
)
"""Authors: Title, Venue Year."""
_QUOTED = re.compile(r'(?P<author>[^"]+), "(?P<title>[^"]+)", (?P<venue>[^"]+?)(?: \d+)? \((?P<year>(?:19|20)\d\d)\)')


@dataclass(frozen=True)
class Citation:
    """One reference.

    Attributes:
        kind: of BibTeX: ``inproceedings``, ``article``, ``software``, ``misc``, ...
        fields: by name, in order.
        used: what it is the source of: ``jellyfish (topology)``.
    """

    kind: str
    fields: Mapping[str, str]
    used: tuple[str, ...]

    @property
    def key(self) -> str:
        """First author, or first word, and year."""
        first = re.findall(r"[A-Za-z][\w-]*", self.fields.get("author", self.fields["title"]).split(" and ")[0])
        word = first[-1] if "author" in self.fields else first[0]
        return f"{word.lower()}{self.fields.get('year', '')}"

    def bibtex(self, key: str) -> str:
        """Return the entry of that key."""
        lines = [f"  {name} = {{{_escaped(value)}}}," for name, value in self.fields.items()]
        return "\n".join([*(f"% {one}" for one in self.used), f"@{self.kind}{{{key},", *lines, "}"])

    def text(self) -> str:
        """Return a line."""
        said = {name: value for name, value in self.fields.items() if name != "url"}
        if "author" in said:
            said["author"] = said["author"].replace(" and others", " et al.").replace(" and ", ", ")
        used = f" [{'; '.join(self.used)}]" if self.used else ""
        return f"{', '.join(said.values())}{used}"


def _escaped(text: str) -> str:
    return re.sub(r"([&%#_$])", r"\\\1", re.sub(r"[{}\\]", "", text))


def of_program() -> Citation:
    """Return the reference to this program; it has a DOI where CITATION.cff has one."""
    found = read_yaml(shipped("CITATION.cff"))
    authors = [one.get("name") or f"{one['given-names']} {one['family-names']}" for one in found["authors"]]
    fields = {
        "author": " and ".join(authors),
        "title": found["title"],
        "version": str(found["version"]),
        "year": str(found.get("date-released", ""))[:4],
        "doi": found.get("doi", ""),
        "url": found.get("repository-code", ""),
    }
    return Citation("software", {name: value for name, value in fields.items() if value}, ("this program",))


def of_source(source: str, used: str) -> list[Citation]:
    """Return the references of the source of an entry, several of them separated by semicolons."""
    found: list[Citation] = []
    for part in re.split(r"; (?![^(]*\))", source):
        if standards := _RFC.findall(part):
            for number in standards:
                author, title, year = _RFCS.get(number, ("", "", ""))
                fields = {"author": author, "title": title or f"RFC {number}", "type": "RFC", "number": number}
                found.append(_citation("techreport", {**fields, "institution": "IETF", "year": year}, used))
            continue
        paper, place = _paper(part)
        if paper is not None:
            kind, field, venue = _VENUES.get(paper["venue"], ("inproceedings", "booktitle", paper["venue"]))
            fields = {"author": paper["author"], "title": paper["title"], field: venue, "year": paper["year"]}
            found.append(_citation(kind, fields, f"{used}: {place}" if place else used))
        elif found and part[0].islower():
            # A remark about what stands before it.
            found[-1] = replace(found[-1], used=(f"{found[-1].used[0]}; {part}",))
        else:
            found.append(_citation("misc", {"title": part, "year": "".join(_YEAR.findall(part)[:1])}, used))
    return found


def _paper(part: str) -> tuple[Mapping[str, str] | None, str]:
    """Return author, title, venue and year of a paper by name, None where there is none, and the place in it."""
    short = _FIRST.match(part)
    if short:
        return _SHORT[short[1]], part[short.end() :].strip(" ,:")
    match = _QUOTED.match(part) or _WHOLE.match(part)
    if match is None:
        return None, ""
    paper = {name: text or "" for name, text in match.groupdict().items()}
    return _SHORT.get(paper["title"], paper), part[match.end() :].strip(" ,:")


def _citation(kind: str, fields: Mapping[str, str], used: str) -> Citation:
    """Return a reference without empty fields, its authors as BibTeX separates them."""
    names = re.split(r", | and ", re.sub(r",? et al\.", ", others", fields.get("author", "")))
    known = {name: value for name, value in {**fields, "author": " and ".join(names)}.items() if value}
    order = sorted(known, key=lambda name: name != "author")
    return Citation(kind, {name: known[name] for name in order}, (used,))


def references(models: Iterable[str | Path], named: Mapping[str, Iterable[str]]) -> dict[str, Citation]:
    """Return the references of :func:`cite` for expressions of any kind, for results, and for others by kind."""
    found: list[tuple[str | None, str]] = []
    for model in models:
        found += named_in(Path(model)) if exists(str(model)) else [(None, str(model))]
    return cite([*found, *((kind, text) for kind, texts in named.items() for text in texts)])


def cite(named: Iterable[tuple[str | None, str]]) -> dict[str, Citation]:
    """Return the program and what ``named`` entries name as their sources, by keys.

    Args:
        named: a kind, or None for any, and an expression.

    Raises:
        SpecError: there is no such entry; the message offers the nearest.
    """
    found = [of_program()]
    for kind, expression in named:
        for name in _names(expression):
            for own, document in _entries(kind, name):
                if document["source"] not in ("", "ours"):
                    found += of_source(document["source"], f"{name} ({SINGULAR[own]})")
    merged: dict[tuple[tuple[str, str], ...], Citation] = {}
    for one in found:
        same = tuple(one.fields.items())
        used = (*(merged[same].used if same in merged else ()), *one.used)
        merged[same] = Citation(one.kind, one.fields, tuple(dict.fromkeys(used)))
    keyed: dict[str, Citation] = {}
    for one in merged.values():
        key, letter = one.key, "a"
        while key in keyed:
            letter = chr(ord(letter) + 1)
            key = f"{one.key}{letter}"
        keyed[key] = one
    return keyed


def _names(expression: str) -> list[str]:
    """Return the names of an expression: of a sum, and of several planes, those of its parts."""
    found = [part.partition(":")[0].strip() for part in re.split(r"[+*~\[\]]", expression)]
    return [name for name in found if re.match(r"[A-Za-z]", name)] or [expression]


def _entries(kind: str | None, name: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the kind and the document of each entry of a name."""
    known = [(own, document) for own in ([kind] if kind else SINGULAR) for document in list_documents(own)]
    found = [(own, document) for own, document in known if document["name"].partition(":")[0] == name]
    if not found:
        names = list(dict.fromkeys(document["name"].partition(":")[0] for _, document in known))
        raise unknown(f"unknown {SINGULAR[kind] if kind else 'model'}", name, names, more=", a result or its folder")
    return found


def named_in(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the kind and the name of each registered entry that a result, or each JSON file of a folder, names.

    What is no entry, as a network from a file is not, is not in it.

    Raises:
        SpecError: there is no JSON.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise SpecError("a folder without results", where=str(path), allowed="a folder with files *.json")
    seen = set[tuple[str, str]]()
    for file in files:
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise SpecError(f"not a result ({type(error).__name__})", where=str(file), allowed="JSON") from None
        for kind, text in _mentioned(document):
            # A label says more after the name: `stride 4`.
            for name in (one.split()[0] for one in _names(text) if one.strip()):
                if (kind, name) in seen:
                    continue
                seen.add((kind, name))
                try:
                    _entries(kind, name)
                except PnetError:
                    continue
                yield kind, name


def _mentioned(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the kind of each key of a document that names an entry, with its value."""
    if isinstance(value, list):
        for one in value:
            yield from _mentioned(one)
    if not isinstance(value, dict):
        return
    kinds = {key: kind for kind, key in SINGULAR.items()} | {"planes": "topologies"}
    for key, inner in value.items():
        for one in inner if isinstance(inner, list) else [inner]:
            text = one.get("label") if isinstance(one, dict) else one
            if key in kinds and isinstance(text, str):
                yield kinds[key], text
        yield from _mentioned(inner)
