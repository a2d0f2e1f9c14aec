"""SVG as matplotlib writes it, with what its elements stand for; and a page that holds one."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from pnet_lp.drawing.sheet import Note
from pnet_lp.errors import printable

_SVG = "http://www.w3.org/2000/svg"
_LINK = "http://www.w3.org/1999/xlink"

_STYLE = """\
body { margin: 1rem; background: #fff; color: #222; font-family: sans-serif; }
svg { max-width: 100%; height: auto; }
.cable:hover { stroke-width: 4px !important; }
.switch:hover { stroke-width: 3px !important; }
"""


def annotated(svg: bytes, notes: Mapping[str, Sequence[Note]], title: str) -> str:
    """Return an SVG document whose elements have classes and say, as titles, what they stand for.

    Args:
        svg: of matplotlib.
        notes: by the identifier of a collection, those of its elements in order.
        title: of the whole.
    """
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _LINK)
    root = ElementTree.fromstring(svg)
    for metadata in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(metadata)
    name = ElementTree.Element(f"{{{_SVG}}}title")
    name.text = printable(title)
    root.insert(0, name)
    root.set("role", "img")
    groups = {group.get("id"): group for group in root.iter(f"{{{_SVG}}}g")}
    # The pointer is to find the switch below its name.
    for gid, group in groups.items():
        if gid and gid.startswith("axes"):
            for text in group.iter(f"{{{_SVG}}}text"):
                text.set("pointer-events", "none")
    for gid, own in notes.items():
        kinds = {f"{{{_SVG}}}path", f"{{{_SVG}}}use"}
        defined = {path for defs in groups[gid].iter(f"{{{_SVG}}}defs") for path in defs.iter()}
        drawn = [one for one in groups[gid].iter() if one.tag in kinds and one not in defined]
        assert len(drawn) == len(own), f"{gid}: {len(drawn)} elements, {len(own)} notes"
        for element, note in zip(drawn, own, strict=True):
            element.set("class", note.classes)
            words = ElementTree.SubElement(element, f"{{{_SVG}}}title")
            words.text = printable(note.words)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def page(svg: str, title: str) -> str:
    """Return an HTML page, complete in itself, that shows an SVG document."""
    name = html.escape(printable(title))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{name}</title>\n'
        f"<style>\n{_STYLE}</style>\n</head>\n<body>\n{svg}</body>\n</html>\n"
    )
