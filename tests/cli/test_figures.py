"""``--style`` and ``--labels`` of figures."""

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
