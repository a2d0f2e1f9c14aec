"""``--style`` and ``--labels`` of figures."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Run = Callable[..., Result]
SIMULATE = ("simulate", "fat-tree:k=4", "--traffic", "permutation", "--flow-size", "1MB", "--model", "fluid")


def test_commands_take_style_and_labels(run: Run, here: Path) -> None:
    (here / "labels.yaml").write_text('"completion time, us": "time to complete in us"\n')
    (here / "list.yaml").write_text("- a\n")
    run(*SIMULATE, "--plot", "plain.svg")
    run(*SIMULATE, "--plot", "talk.svg", "--style", "talk", "--labels", "labels.yaml")
    plain, talk = (Path(here / name).read_text() for name in ("plain.svg", "talk.svg"))
    assert "completion time, us" in plain
    assert "completion time, us" not in talk
    assert "time to complete in us" in talk
    assert 'width="720pt"' in talk
    assert "--style needs --plot" in run(*SIMULATE, "--style", "talk", code=2).stderr
    wrong = run(*SIMULATE, "--plot", "plain.svg", "--labels", "list.yaml", code=2).stderr
    assert "not a mapping of texts" in wrong
    (here / "names.yaml").write_text("0: zero\n")
    assert "not a mapping of texts" in run("draw", "ring:n=4", "-o", "a.svg", "--labels", "names.yaml", code=2).stderr
    (here / "names.yaml").write_text('"0": zero\n')
    run("draw", "ring:n=4", "-o", "ring.svg", "--labels", "names.yaml")
    assert ">zero<" in (here / "ring.svg").read_text()


def test_lines_of_up_to_16_runs_can_be_told_apart_and_those_of_more_look_the_same(run: Run) -> None:
    for draws in (10, 17):
        run(*SIMULATE, "--draws", str(draws), "--plot", f"{draws}.svg")
        svg = Path(f"{draws}.svg").read_text()
        looks = re.findall(r'<path d="[^"]+" clip-path="[^"]+" style="fill: none; (stroke[^"]*)"', svg)
        found = Counter(look for look in looks if "#b0b0b0" not in look)
        assert (len(found), svg.count(">run ")) == ((draws, draws) if draws <= 16 else (1, 0))


def test_the_axis_of_single_failures_counts(run: Run) -> None:
    run("failures", "fat-tree:k=4", "--each", "link", "--traffic", "permutation", "--plot", "each.svg")
    axis = Path("each.svg").read_text().split('id="matplotlib.axis_1"')[1].split('id="matplotlib.axis_2"')[0]
    ticks = re.findall(r">([\d.]+)</text>", axis)
    assert len(ticks) > 2
    assert all(tick.isdigit() for tick in ticks)
