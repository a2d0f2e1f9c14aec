"""A picture as a reader of the SVG finds it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np

from pnet_lp.drawing import Drawing
from pnet_lp.model import Network
from pnet_lp.topology import build_network

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Element:
    """A switch or a cable: its classes, its title, its style, and the points it is drawn by."""

    classes: tuple[str, ...]
    title: str
    style: str
    points: np.ndarray


@dataclass(frozen=True)
class Picture:
    """What a picture holds."""

    elements: list[Element]
    texts: list[str]

    def of(self, *classes: str) -> list[Element]:
        return [one for one in self.elements if set(classes) <= set(one.classes)]


def read(drawing: Drawing) -> Picture:
    """Parse the picture."""
    return read_text(drawing.svg())


def read_text(svg: str) -> Picture:
    """Parse a picture in a file."""
    root = ElementTree.fromstring(svg)
    elements = []
    for one in root.iter():
        if not (classes := one.get("class")):
            continue
        if one.tag == f"{SVG}use":
            points = np.array([[float(one.attrib["x"]), float(one.attrib["y"])]])
        else:
            numbers = re.findall(r"-?[0-9.]+(?:e-?[0-9]+)?", one.attrib["d"])
            points = np.array(numbers, dtype=float).reshape(-1, 2)
        title = one.find(f"{SVG}title")
        assert title is not None
        elements.append(Element(tuple(classes.split()), str(title.text), one.attrib["style"], points))
    return Picture(elements, [str(one.text) for one in root.iter(f"{SVG}text")])


def net(text: str, planes: int = 1, variant: str | None = None) -> Network:
    return build_network([text], planes=planes, variant=variant)  # type: ignore[arg-type]
