"""The picture of a network in one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pnet_lp.drawing.boxes import draw_summaries
from pnet_lp.drawing.formats import PICTURE_FORMATS
from pnet_lp.drawing.formats.images import svg_text
from pnet_lp.drawing.loads import CableLoads, read_loads
from pnet_lp.drawing.marks import find_cut
from pnet_lp.drawing.panels import labels_in_words, make_panels
from pnet_lp.drawing.picture import Picture
from pnet_lp.drawing.servers import check_picture, servers_panel
from pnet_lp.drawing.settings import CutKind
from pnet_lp.drawing.sheet import Drawn, Sheet
from pnet_lp.drawing.summary import summarise
from pnet_lp.drawing.switches import draw_panels
from pnet_lp.drawing.words import counted
from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane, ThroughputResult, TrafficMatrix
from pnet_lp.model.brief import brief
from pnet_lp.model.network import Level
from pnet_lp.model.summary import summarise_network
from pnet_lp.questions.throughput.sentences import servers_text
from pnet_lp.throughput import solve
from pnet_lp.traffic import build_traffic

MOST_SWITCHES, MOST_CABLES = 400, 2500
"""Of a plane, up to which switches and cables are drawn one by one."""

MOST_PANELS = 16
"""Planes that look different in one picture."""


@brief("title", "summarised")
@dataclass(frozen=True, eq=False, repr=False)
class Drawing:
    """A picture of a network.

    Attributes:
        title: what is drawn.
        summarised: whether tiers are drawn instead of switches, because there are too many.
        document: what is shown, as ``pnet-lp draw --json`` prints it.
        captions: what is written below the picture.
    """

    title: str
    summarised: bool
    document: Mapping[str, Any]
    captions: tuple[str, ...]
    _drawn: Drawn = field(repr=False)

    def save(self, path: str | Path) -> None:
        """Write the picture; the suffix, one of :data:`~pnet_lp.drawing.formats.PICTURE_FORMATS`, is the format.

        The same network gives the same bytes with the same matplotlib.

        Raises:
            SpecError: another suffix.
            OutputError: it cannot be written.
        """
        PICTURE_FORMATS.save(self._drawn, path, self.title)

    def svg(self) -> str:
        """Return the picture as an SVG document, whose switches and cables say what they are."""
        return svg_text(self._drawn, self.title)

    def _repr_svg_(self) -> str:
        """Show the picture in a notebook."""
        return self.svg()


def draw(
    network: Network,
    path: str | Path | None = None,
    *,
    cut: CutKind | None = None,
    traffic: TrafficMatrix | str | None = None,
    load: ThroughputResult | str | Path | None = None,
    lengths: bool = False,
    layers: bool = False,
    level: Level | None = None,
    seed: int = 0,
    title: str = "",
    **solving: Any,
) -> Drawing:
    """Return a drawing of ``network``, and write it to ``path`` if given.

    Args:
        network: the network; its planes are drawn side by side, planes that look the same only once.
        path: a file; its suffix chooses the format: ``.svg``, ``.pdf``, ``.png`` or ``.html``.
        cut: ``bisection``, or the ``sparsest`` cut found for ``traffic`` (default: all-to-all).  Its two sides are
            coloured, and the cables between them thick.
        traffic: a traffic matrix, or a pattern as for ``--traffic``; cables are coloured by their utilisation.
        load: in place of solving: the result for ``traffic`` on this network, or a file with a saved result or a table
            of links.
        lengths: colour cables by length (dual price) instead of utilisation.
        layers: draw planes as layers of one picture.
        level: level of the demands and of the cut, ``host`` or ``rack``; default: hosts if there are any.
        seed: seed of random traffic, and of routings that draw paths.
        title: title of the picture; default: the labels of the planes.
        solving: arguments of :func:`pnet_lp.throughput.solve` for ``traffic``: ``routing``, ``objective``, ...

    Raises:
        SpecError: arguments that make no sense together, an unknown suffix, a result of another network, a cut of a
            single endpoint, too many planes to draw.
        PnetError: an error while solving, reading or writing.
    """
    if path is not None:
        PICTURE_FORMATS.chosen(path)
    # With servers all planes are one picture, where that is not too large.
    planes, picture = network, None if network.servers is None else Picture.of(network, network.servers)
    large = any(map(_is_large, (network if picture is None else picture.network).planes))
    if picture is not None:
        check_picture(cut, load, traffic, layers=layers, large=large)
        planes = network if large else picture.network
    given = {"level": level is not None, "traffic": traffic is not None, **dict.fromkeys(solving, True)}
    _check(given, cut, load, lengths=lengths, solving=bool(solving))
    matrix = build_traffic(traffic, network, level, seed=seed) if isinstance(traffic, str) else traffic
    loads = _loads(network, matrix, load, seed, solving)
    if loads is not None and loads.traffic is not None:
        matrix = loads.traffic
    if matrix is not None:
        if level not in (None, matrix.level):
            raise SpecError("the demands are of another level", where="level", found=level, allowed=matrix.level)
        level = matrix.level
    level = network.settled_level(level)
    mark = None if cut is None else find_cut(network, cut, level, matrix)
    panels = make_panels(planes, mark, loads, lengths=lengths, apart=layers)
    if picture is not None and network.servers is not None and not large:
        panels = [servers_panel(network, network.servers, picture, panels[0])]
    summaries = summarise(panels) if large else []
    shown = len(summaries) if large else len(panels)
    if shown > MOST_PANELS:
        raise SpecError(
            "too many planes that look different", found=shown, allowed=f"at most {MOST_PANELS} in a picture"
        )
    if layers and large:
        raise SpecError(
            "a network this large is drawn as its tiers, without layers",
            where="layers",
            found=max(panel.plane.switch_count for panel in panels),
            allowed=f"planes of at most {MOST_SWITCHES} switches and {MOST_CABLES:,} cables",
        )
    captions = [_headline(network, large=large), *([] if mark is None else [mark.caption])]
    captions += [] if loads is None else [loads.caption]
    sheet = Sheet(title or labels_in_words(network.planes), tuple(captions), *_scale(planes, loads, lengths=lengths))
    drawn = draw_summaries(summaries, sheet) if large else draw_panels(panels, sheet, layers=layers)
    document = {
        "network": summarise_network(network),
        "title": sheet.title,
        "summarised": large,
        "panels": [list(one.planes) for one in (summaries or panels)],
        "layers": layers,
        "colours": None if loads is None else "length" if lengths else "utilisation",
        "failed_cables": sum(len(one.planes) * int((one.failed == 2).sum()) for one in panels),
        "cut": None if mark is None else mark.to_json(network, level),
        "result": None if loads is None else loads.claim,
    }
    found = Drawing(sheet.title, large, document, sheet.captions, drawn)
    if path is not None:
        found.save(path)
    return found


def _is_large(plane: Plane) -> bool:
    """Whether a plane has too many parts to draw them one by one."""
    return plane.switch_count > MOST_SWITCHES or plane.cable_count > MOST_CABLES


def _check(
    given: Mapping[str, bool],
    cut: CutKind | None,
    load: ThroughputResult | str | Path | None,
    *,
    lengths: bool,
    solving: bool,
) -> None:
    """Raise SpecError where an argument has no meaning with the others."""
    result = isinstance(load, ThroughputResult)
    if result and not given["traffic"]:
        raise SpecError("a result does not contain its traffic matrix", where="load", allowed="traffic with it")
    if load is not None and not result and given["traffic"]:
        raise SpecError("a file of loads has its own traffic matrix", where="traffic", allowed="load or traffic")
    if lengths and load is None and not given["traffic"]:
        raise SpecError(
            "nothing is solved, so there are no lengths", where="lengths", allowed="load or traffic with it"
        )
    if solving and (load is not None or not given["traffic"]):
        name = next(key for key in given if key not in {"level", "traffic"})
        raise SpecError("nothing is solved", where=name, allowed="traffic with it, and no load")
    if given["level"] and not given["traffic"] and cut is None:
        raise SpecError("nothing depends on it", where="level", allowed="traffic or cut with it")


def _loads(
    network: Network,
    matrix: TrafficMatrix | None,
    load: ThroughputResult | str | Path | None,
    seed: int,
    solving: Mapping[str, Any],
) -> CableLoads | None:
    match load:
        case ThroughputResult():
            assert matrix is not None
            return CableLoads.of(network, matrix, load)
        case None if matrix is not None:
            return CableLoads.of(network, matrix, solve(network, matrix, seed=seed, **solving))
        case None:
            return None
    return read_loads(load, network)


def _headline(network: Network, *, large: bool) -> str:
    parts = [(network.switch_count, "switch"), (network.host_count, "host"), (network.cable_count, "cable")]
    words = f"{network.variant} network of {counted(network.plane_count, 'plane')}: " + ", ".join(
        counted(count, what) for count, what in parts
    )
    words += f"; hosts are{servers}" if (servers := servers_text(summarise_network(network))) else ""
    return f"{words}; too many to draw one by one" if large else words


def _scale(network: Network, loads: CableLoads | None, *, lengths: bool) -> tuple[str, tuple[str, str]]:
    """Return what the colours mean, and the labels of its ends."""
    if loads is None:
        return "", ("", "")
    if lengths:
        longest = max((float(one.max(initial=0.0)) for one in loads.length), default=0.0)
        words = "dual length of a cable's longer direction"
        return (words if longest else f"{words}: none is proved"), ("0", f"{longest:.3g}")
    return "utilisation of a cable's fuller direction", ("0 %", f"{100 * loads.most(network, lengths=False):.3g} %")
