"""Layouts that network files and traffic files of other programs share, read without regard to what they describe.

Every reader takes the class of error to raise, and names file and line.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, TypeAlias

from pnet_lp.errors import PnetError, printable
from pnet_lp.units import MOST_DIGITS, misread, parse_number

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

Fault: TypeAlias = type[PnetError]

SNDLIB_HEADER = "?SNDlib native format; type: network; version: 1.0"
_SNDLIB_NAMESPACE = "http://sndlib.zib.de/network"

HEAD = 8192
"""Characters by which the format of a file is recognised."""

_SECTIONS = ("META", "NODES", "LINKS", "DEMANDS", "ADMISSIBLE_PATHS")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_FORMULA = re.compile(r"'*+[-=+@]")
_QUOTED = re.compile(r"^'(?='*+[-=+@])")
_COUNT = re.compile(r"[0-9]{1,9}")

# A blank part, a comment other than our declarations, or what stands before the root of an XML document.  Not repeated
# here: Python before 3.11.5 goes wrong where it looks ahead in what is repeated possessively.
_BEFORE = re.compile(rb"\s+|#(?!:)[^\n]*|<\?.*?\?>|<!--.*?-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SectionRow:
    """One line of a section.

    Attributes:
        where: file and line.
        words: its words; a pair of brackets and what it encloses is one word, a tuple.
    """

    where: str
    words: tuple[str | tuple[str, ...], ...]

    def fault(self, kind: Fault, what: str, allowed: str) -> PnetError:
        """Return the error that the line is not ``what`` it should be."""
        found = " ".join(word if isinstance(word, str) else f"( {' '.join(word)} )" for word in self.words)
        return kind(f"not {what}", where=self.where, found=found, allowed=allowed)


def decoded(data: bytes, where: str, fault: Fault) -> str:
    """Return the text of a file that was read as ``data``, or raise ``fault``: binary or blank."""
    try:
        text = data.decode("utf-8-sig")
        broken = text.find("\0")
        line = text.count("\n", 0, broken) + 1
    except UnicodeDecodeError as error:
        broken = error.start
        line = data.count(b"\n", 0, broken) + 1
    if broken >= 0:
        raise fault("not a text file", where=f"{where}:{line}", allowed="UTF-8 text")
    if not text.strip():
        raise fault("the file is empty", where=where)
    return text


def opening(data: bytes) -> str:
    """Return the first :data:`HEAD` characters of a file's content after its blanks and comments."""
    data = data.removeprefix(codecs.BOM_UTF8)
    begin = 0
    while found := _BEFORE.match(data, begin):
        begin = found.end()
    # Up to four bytes are a character.
    return data[begin : begin + 4 * HEAD].decode("utf-8", "replace")[:HEAD]


def word_lines(text: str, where: str) -> Iterator[tuple[str, list[str]]]:
    """Yield ``(where, words)`` of each line of a text that is neither blank nor a comment, which begins with ``#``."""
    for number, line in enumerate(text.split("\n"), 1):
        if (words := line.split()) and not words[0].startswith("#"):
            yield f"{where}:{number}", words


def count_line(words: Sequence[str], counts: dict[str, int], where: str, fault: Fault) -> None:
    """Note the number in a line of htsim such as ``Nodes 16``, or raise ``fault``: none, or given twice."""
    count = whole(words[1]) if len(words) == 2 else None
    if count is None or words[0] in counts:
        found = " ".join(words)
        raise fault(f"{words[0]} is invalid or given twice", where=where, found=found, allowed="one number")
    counts[words[0]] = count


def parse_csv(text: str, where: str, fault: Fault) -> Iterator[tuple[str, list[str]]]:
    """Yield each row ``(where, fields)`` of a CSV text, or raise ``fault``; blank lines are no rows.

    Fields are without the apostrophe of :func:`csv_cell`.
    """
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise fault(f"not CSV ({error})", where=f"{where}:{reader.line_num}") from None
        if row is None:
            return
        if row:
            yield f"{where}:{reader.line_num}", [_QUOTED.sub("", field) for field in row]


def parse_records(
    text: str, where: str, fault: Fault, header: Sequence[str], check: Callable[[Sequence[str], str], None]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each row ``(where, fields by column)`` of a CSV text, blanks stripped.

    Comments before the header and blank lines are skipped.  ``check(columns, where)`` raises an error for columns other
    than those expected, of which ``header`` is an example.
    """
    columns: list[str] = []
    for here, row in parse_csv(text, where, fault):
        fields = [field.strip() for field in row]
        if fields == [""] or (not columns and row[0].startswith("#")):
            continue
        if not columns:
            check(fields, here)
            columns = fields
        elif len(fields) != len(columns):
            raise fault(f"{len(fields)} fields instead of {len(columns)}", where=here, found=",".join(row))
        else:
            yield here, dict(zip(columns, fields, strict=True))
    if not columns:
        raise fault("the file contains only comments", where=where, allowed=f"a header {','.join(header)}")


def csv_text(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a CSV text; see :func:`csv_cell`."""
    buffer = io.StringIO(newline="")
    write_csv(buffer, [header, *rows])
    return buffer.getvalue()


def write_csv(file: TextIO, rows: Iterable[Iterable[object]]) -> None:
    """Write rows as CSV; see :func:`csv_cell`."""
    csv.writer(file, lineterminator="\n").writerows(map(csv_cell, row) for row in rows)


def csv_cell(value: object) -> object:
    """Return a cell as CSV holds it: before a text that spreadsheets would run as a formula stands an apostrophe.

    That is one that begins with ``=``, ``+``, ``-`` or ``@`` and is no number.  :func:`parse_csv` leaves it out again;
    so that nothing else is changed, a text that begins with apostrophes before one of these gets one more.  What is not
    printable is escaped.
    """
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if _FORMULA.match(text) and math.isnan(parse_number(text)) else text


def whole(token: str) -> int | None:
    """Return the whole number >= 0 of at most nine digits that ``token`` is, or None."""
    return int(token) if _COUNT.fullmatch(token) else None


def scaled(token: str, digits: int) -> float:
    """Return the number that ``token`` is, times ``10**-digits`` and rounded once; NaN where it is no number."""
    try:
        return math.nan if misread(token) else float(Decimal(token).scaleb(-digits))
    except (ArithmeticError, ValueError):
        return math.nan


def unscaled(value: float, digits: int) -> str:
    """Return the token from which :func:`scaled` gives ``value`` back, bit by bit."""
    return str(Decimal(repr(value)).scaleb(digits))


def json_number(digits: str) -> float:
    """Return a number of a JSON text; ValueError where a float cannot hold it."""
    if misread(digits):
        raise ValueError(f"{digits[:40]} is beyond the range of numbers")
    return float(digits)


def parse_json(text: str, where: str, fault: Fault) -> Any:
    """Return the document in a JSON text, or raise ``fault``."""

    def number(digits: str) -> int:
        if len(digits) > MOST_DIGITS:
            raise ValueError(f"a whole number of {len(digits)} digits")
        return int(digits)

    try:
        return json.loads(text, parse_int=number, parse_float=json_number)
    except json.JSONDecodeError as error:
        raise fault(f"not JSON: {error.msg}", where=f"{where}:{error.lineno}") from None
    except (RecursionError, ValueError) as error:
        raise fault(f"not JSON: {error}", where=where) from None


def node_names(nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what the nodes of a TopoHub document are called: ``name`` if all have one of their own, or ``id``."""
    names = [node.get("name") for node in nodes]
    texts = [name.strip() for name in names if isinstance(name, str) and name.strip()]
    if len(set(texts)) == len(names):
        return texts
    return [str(node.get("id")) for node in nodes]


def unique_names(labels: Mapping[Any, str]) -> dict[Any, str]:
    """Return a name for each key: its label, or ``label#key`` where others have the same."""
    count = Counter(labels.values())
    return {key: label if count[label] == 1 else f"{label}#{key}" for key, label in labels.items()}


def parse_xml(text: str, where: str, fault: Fault) -> tuple[Element, dict[Element, str]]:
    """Return the root of an XML text, tags without namespace, and where each element begins.

    A document type declaration is refused: it is what entities are declared in, and these can expand without end or
    name other files.
    """
    from xml.etree.ElementTree import TreeBuilder  # noqa: PLC0415 - few files are XML
    from xml.parsers import expat  # noqa: PLC0415

    builder = TreeBuilder()
    places: dict[Element, str] = {}
    parser = expat.ParserCreate(namespace_separator=" ")

    def start(name: str, attributes: dict[str, str]) -> None:
        places[builder.start(name.rpartition(" ")[2], attributes)] = f"{where}:{parser.CurrentLineNumber}"

    def doctype(*_: object) -> None:
        raise fault("a document type declaration is refused", where=f"{where}:{parser.CurrentLineNumber}")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: builder.end(name.rpartition(" ")[2])
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise fault(f"not XML: {expat.ErrorString(error.code)}", where=f"{where}:{error.lineno}") from None
    return builder.close(), places


def parse_sndlib(text: str, where: str, fault: Fault) -> dict[str, list[SectionRow]]:
    """Return the rows of each section of a network file in SNDlib's native format."""
    sections: dict[str, list[SectionRow]] = {}
    name, depth = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        here = f"{where}:{number}"
        if number == 1 and line.strip() != SNDLIB_HEADER:
            raise fault("invalid first line", where=here, found=line.strip(), allowed=SNDLIB_HEADER)
        words = line.partition("#")[0].replace("(", " ( ").replace(")", " ) ").split()
        if number == 1 or not words:
            continue
        if not depth:
            name = words[0]
            if name not in _SECTIONS or words[1:] not in (["("], ["(", ")"]):
                raise fault("not a section", where=here, found=line.strip(), allowed=f"{' ( or '.join(_SECTIONS)} (")
            if name in sections:
                raise fault(f"section {name} is given twice", where=here)
            sections[name] = []
            depth = int(words[1:] == ["("])
            continue
        depth += words.count("(") - words.count(")")
        if depth < 1 and words != [")"]:
            raise fault("brackets do not match", where=here, found=line.strip())
        # A path spans lines, and no demand or link depends on it.
        if depth and name not in {"META", "ADMISSIBLE_PATHS"}:
            if depth > 1:
                raise fault("brackets do not match", where=here, found=line.strip())
            sections[name].append(SectionRow(here, _grouped(words, here, fault)))
    if depth:
        raise fault(f"section {name} does not end", where=where, allowed="a line )")
    return sections


class SndlibFile(NamedTuple):
    """What a network file of SNDlib is written with.

    Attributes:
        nodes: names and positions, these empty where there are none.
        links, demands: from, to, Gb/s.
    """

    nodes: Sequence[tuple[str, Sequence[float]]]
    links: Sequence[tuple[str, str, float]] = ()
    demands: Sequence[tuple[str, str, float]] = ()

    def native(self, refusal: Callable[[str, str], PnetError]) -> str:
        """Return the text in the native format, or raise ``refusal(obstacle, name)`` for a name that it cannot hold."""
        for name, _ in self.nodes:
            if not _NAME.fullmatch(name):
                raise refusal("names of other than letters, digits, - and _", name)
        nodes = (f"{name} ( {x!r} {y!r} )" for name, (x, y) in ((name, at or (0.0, 0.0)) for name, at in self.nodes))
        links = (f"L{i} ( {u} {v} ) {unscaled(c, 3)} 0.00 0.00 0.00 ( )" for i, (u, v, c) in enumerate(self.links))
        demands = (f"D{i} ( {s} {t} ) 1 {unscaled(d, 3)} UNLIMITED" for i, (s, t, d) in enumerate(self.demands))
        lines = [SNDLIB_HEADER]
        for section, rows in (("NODES", nodes), ("LINKS", links), ("DEMANDS", demands)):
            lines += ["", f"{section} (", *(f"  {row}" for row in rows), ")"]
        return "\n".join(lines) + "\n"

    def xml(self) -> str:
        """Return the text in XML."""
        from xml.etree.ElementTree import Element, SubElement, indent, tostring  # noqa: PLC0415 - few files are XML

        def add(parent: Element, **texts: str) -> None:
            for tag, text in texts.items():
                SubElement(parent, tag).text = text

        root = Element("network", {"xmlns": _SNDLIB_NAMESPACE, "version": "1.0"})
        structure = SubElement(root, "networkStructure")
        kind = "geographical" if any(at for _, at in self.nodes) else "pixel"
        nodes = SubElement(structure, "nodes", {"coordinatesType": kind})
        for name, at in self.nodes:
            node = SubElement(nodes, "node", {"id": name})
            if at:
                add(SubElement(node, "coordinates"), x=repr(at[0]), y=repr(at[1]))
        links = SubElement(structure, "links")
        for i, (u, v, gbps) in enumerate(self.links):
            link = SubElement(links, "link", {"id": f"L{i}"})
            add(link, source=u, target=v)
            add(SubElement(link, "preInstalledModule"), capacity=unscaled(gbps, 3), cost="0.0")
        demands = SubElement(root, "demands")
        for i, (s, t, gbps) in enumerate(self.demands):
            demand = SubElement(demands, "demand", {"id": f"D{i}"})
            add(demand, source=s, target=t, routingUnit="1", demandValue=unscaled(gbps, 3))
        indent(root, " ")
        return tostring(root, encoding="unicode") + "\n"


def _grouped(words: list[str], where: str, fault: Fault) -> tuple[str | tuple[str, ...], ...]:
    found: list[str | tuple[str, ...]] = []
    inside: list[str] | None = None
    for word in words:
        if (word == "(") == (inside is not None) and word in "()":
            raise fault("brackets do not match", where=where, found=" ".join(words))
        if word == "(":
            inside = []
        elif word == ")":
            found.append(tuple(inside or ()))
            inside = None
        elif inside is not None:
            inside.append(word)
        else:
            found.append(word)
    return tuple(found)


def parse_tables(
    text: str, headers: Mapping[str, str], where: str, fault: Fault
) -> dict[str, list[tuple[str, list[str]]]]:
    """Return the rows ``(where, words)`` of each table of a Repetita file.

    A table is a line with its name and its number of rows, a line with the names of its columns, and the rows.

    Args:
        text: of the file.
        headers: by name of each table, in order: the names of its columns.
        where: the file.
        fault: the error to raise.
    """
    lines = [(f"{where}:{i}", line.split()) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
    tables: dict[str, list[tuple[str, list[str]]]] = {}
    for name, header in headers.items():
        here, words = lines.pop(0) if lines else (where, [])
        count = whole(words[1]) if len(words) == 2 and words[0] == name else None
        if count is None:
            raise fault(
                f"table {name} is missing",
                where=here,
                found=" ".join(words) or None,
                allowed=f"{name} and its number of rows",
            )
        here, words = lines.pop(0) if lines else (where, [])
        if words != header.split():
            raise fault(
                f"table {name} has an invalid header", where=here, found=" ".join(words) or None, allowed=header
            )
        rows, lines = lines[:count], lines[count:]
        if len(rows) < count:
            raise fault(f"table {name} has {len(rows)} rows instead of {count}", where=where)
        for here, words in rows:
            if len(words) != len(header.split()):
                raise fault(f"not a row of {name}", where=here, found=" ".join(words), allowed=header)
        tables[name] = rows
    if lines:
        here, words = lines[0]
        raise fault(f"table {name} has more rows than it says", where=here, found=" ".join(words))
    return tables


def ns3_numbers(switches: Sequence[str], hosts: Sequence[str]) -> tuple[list[int], bool]:
    """Return the numbers of switches and then of hosts in files of ns-3, and whether these are their names.

    They are where the names are the numbers of all nodes from 0, hosts in order; else hosts come first.
    """
    names = [whole(name) for name in (*switches, *hosts)]
    own = [number for number in names if number is not None]
    if sorted(own) == list(range(len(names))) and own[len(switches) :] == sorted(own[len(switches) :]):
        return own, [*map(str, own)] == [*switches, *hosts]
    return [*range(len(hosts), len(names)), *range(len(hosts))], False


def ns3_hosts(switches: Sequence[str], hosts: Sequence[str]) -> list[int]:
    """Return the numbers of the hosts alone."""
    return ns3_numbers(switches, hosts)[0][len(switches) :]


_METADATA = re.compile(r"<([A-Z /]+)>\s*(\S*)")


COMMALAB = re.compile(r"(?:\s*+[0-9]{1,9}[^\S\n]*+\n){3}[^\S\n]*+[0-9]{1,9}[^\S\n]++[0-9]{1,9}[^\S\n]++[-0-9.]")
"""How an instance of CommaLab begins."""


def parse_commalab(
    text: str, where: str, fault: Fault
) -> tuple[int, list[tuple[str, list[str]]], list[tuple[str, list[str]]]]:
    """Return the number of nodes of an instance of CommaLab, its arcs and its commodities, ``(where, words)`` each.

    Nodes, numbers from 1 on, are checked.
    """
    lines = word_lines(text, where)
    counts = [whole(words[0]) if len(words) == 1 else None for _, words in islice(lines, 3)]
    if len(counts) < 3 or None in counts or not counts[0]:
        raise fault("invalid first lines", where=where, allowed="numbers of nodes, arcs and commodities, one a line")
    nodes, arcs, commodities = (count or 0 for count in counts)
    rows = list(lines)
    if len(rows) != arcs + commodities:
        raise fault(f"there are {len(rows)} lines of arcs and commodities instead of {arcs + commodities}", where=where)
    for number, (here, words) in enumerate(rows):
        form = "FROM TO COST CAPACITY" if number < arcs else "FROM TO DEMAND"
        if len(words) != len(form.split()):
            raise fault("not an arc or commodity", where=here, found=" ".join(words), allowed=form)
        if wrong := [word for word in words[:2] if not 1 <= (whole(word) or 0) <= nodes]:
            raise fault("no such node", where=here, found=wrong[0], allowed=f"1 to {nodes}")
    return nodes, rows[:arcs], rows[arcs:]


def parse_tntp(text: str, where: str, fault: Fault) -> tuple[dict[str, int], Iterator[tuple[str, list[str]]]]:
    """Return the whole numbers in the metadata of a TNTP file, and its other lines ``(where, words)``.

    Comments begin with ``~``; signs stand alone: ``2:5;`` is four words.
    """
    counts: dict[str, int] = {}
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        found = _METADATA.match(line.strip())
        if found and found[1] == "END OF METADATA":

            def rows(first: int = number) -> Iterator[tuple[str, list[str]]]:
                for at, row in enumerate(lines[first:], first + 1):
                    plain = row.partition("~")[0].replace(";", " ; ").replace(":", " : ")
                    if words := plain.split():
                        yield f"{where}:{at}", words

            return counts, rows()
        if found and (count := whole(found[2])) is not None:
            counts[found[1]] = count
        elif not found and line.strip() and not line.strip().startswith("~"):
            raise fault("not a line of metadata", where=f"{where}:{number}", found=line.strip(), allowed="<KEY> value")
    raise fault("the metadata do not end", where=where, allowed="<END OF METADATA>")
