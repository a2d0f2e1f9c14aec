"""Values beyond reason: one sentence, and soon."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["topology", "ring:n=4", "--seed", "-1"], "-1 is not in the range"),
        (["topology", "jellyfish:k=4,seed=-1"], "jellyfish: seed: input should be greater than or equal to 0"),
        (
            ["throughput", "ring:n=4", "--planes", "1000000000"],
            "Invalid value for '--planes': 1000000000 is not in the range 1<=x<=4096.",
        ),
        (["hops", "ring:n=4", "--trials", "1000000000000"], "1000000000000 is not in the range"),
        (
            ["hops", "ring:n=4", "--sweep", "nan"],
            "'--sweep': not a share or a number of links, found 'nan'; allowed: 0.01 or 1%",
        ),
        (["cost", "speedup", "--delay", "nan"], "Invalid value for '--delay': nan is not a finite number."),
        (["throughput", "ring:n=4", "--routing", "vlb:"], "vlb: not a key=value parameter, found ''"),
        (["throughput", "ring:n=4", "--routing", "ideal:"], "ideal: not a key=value parameter, found ''"),
        (["throughput", "ring:n=4", "--objective", "max-min:"], "max-min: not a key=value parameter, found ''"),
        (["topology", f"ring:n={'9' * 5000}"], "ring: n: a whole number of 5000 digits, found '999"),
        (["topology", "path:n=400000"], "hops between all of 400,000 places over"),
        (["hops", "star:n=1500000"], "hops between all of 1,500,001 places over"),
        (["topology", "a" * 5000], "unknown topology"),
        (["throughput", "ring:n=4", "--link-gbps", "1e20"], "invalid speed, found 1e+20; allowed: 0, or 1e-15 to"),
        (["throughput", "ring:n=4", "--traffic", "1e308*all-to-all"], "invalid factor, found 1e+308"),
    ],
)
def test_values_beyond_reason(run: Run, arguments: list[str], message: str) -> None:
    done = run(*arguments, code=2)
    assert message in done.stderr
    assert "unexpected" not in done.stderr
    assert max(map(len, done.stderr.splitlines())) < 2000


def test_a_sweep_says_what_it_assumed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "net.json").write_text(
        '{"nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 0, "target": 1, "weight": 3}]}'
    )
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "spec.yaml").write_text(f"title: a\ncases:\n  a: {{topology: {tmp_path}/net.json}}\n")
    done = run("sweep", str(folder), "--results", str(tmp_path / "results"))
    assert done.stderr.count("no edge has a speed") == 1
