"""Every family is drawn in its own path: all of it, nothing on top of anything else."""

import numpy as np
import pytest

from pnet_lp.model import Plane
from pnet_lp.topology import topologies

from .conftest import Element, net, read

EXAMPLES = [
    pytest.param(entry.expression, id=entry.name)
    for entry in topologies
    if entry.build.__module__.startswith("pnet_lp.")
]


def curve(cable: Element) -> np.ndarray:
    """Return points along a cable: on its line, or on its cubic curve."""
    at = np.linspace(0, 1, 60)[:, None]
    if len(cable.points) == 2:
        return cable.points[0] + at * (cable.points[1] - cable.points[0])
    a, b, c, d = cable.points
    return (1 - at) ** 3 * a + 3 * at * (1 - at) ** 2 * b + 3 * at**2 * (1 - at) * c + at**3 * d


@pytest.mark.parametrize("text", EXAMPLES)
def test_a_family_is_drawn_whole(text: str) -> None:
    network = net(text)
    [plane] = network.planes
    picture = read(network.draw())
    switches, cables = picture.of("switch"), picture.of("cable")
    names = {one.title.split(";")[0].removeprefix("plane 0, switch "): one.points[0] for one in switches}
    assert set(names) == set(plane.switch_names)
    assert len(picture.of("rack")) == len(plane.rack_switch)
    places = np.array([names[name] for name in plane.switch_names])
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1)) + np.diag(np.full(len(places), 1e9))
    # No switch on another, and neighbours about equally far.
    assert apart.min() > 0.2 * np.median(apart.min(axis=1))
    check_cables(plane, cables, names, float(np.quantile(apart.min(axis=1), 0.1)))


def check_cables(plane: Plane, cables: list[Element], names: dict[str, np.ndarray], step: float) -> None:
    """Check that each cable ends at its switches, is drawn once, and runs through no other switch."""
    ends = sorted(
        tuple(sorted((plane.switch_names[u], plane.switch_names[v])))
        for u, v in zip(plane.cable_u, plane.cable_v, strict=True)
    )
    found, lines = [], set()
    for cable in cables:
        u, v = cable.title.split(";")[0].removeprefix("plane 0, cable ").split(" - ")
        found.append(tuple(sorted((u, v))))
        np.testing.assert_allclose(cable.points[[0, -1]], [names[u], names[v]], atol=0.01)
        others = np.array([place for name, place in names.items() if name not in (u, v)]).reshape(-1, 2)
        path = curve(cable)
        gap = np.hypot(*(path[:, None] - others[None]).transpose(2, 0, 1))
        assert gap.min(initial=np.inf) > 0.2 * step, cable.title
        both = np.round(path, 3)
        lines.add(min(both.tobytes(), both[::-1].tobytes()))
    assert sorted(found) == ends
    # Parallel cables do not hide each other.
    assert len(lines) == len(cables)
