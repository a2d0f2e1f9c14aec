"""Templates of sentences: units, nouns, what is absent, and parts that are left out."""

import pytest

from pnet_lp.wording import fill

VALUES = {"n": 1, "m": 2000, "share": 0.1234, "us": 1500.0, "none": None, "zero": 0, "row": {"at": [3, "{n}"]}}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{n:plane}, {m:switch}", "1 plane, 2,000 switches"),
        ("{share:.3g %} of {us:us} and {us:.2f us}", "12.3 % of 1.5 ms and 1500.00 us"),
        ("{none}, {none:-|.4g}, {none:|us}.", "none, -, ."),
        ("{m:,}[[n?, {n} of them]][[zero?, {zero}]][[none?, {none}]][[row[gone]?, {row[gone]}]]", "2,000, 1 of them"),
        ("[[row[at]?{row[at][0]}{row[at][1]}]]", "3{n}"),
    ],
)
def test_templates(template: str, expected: str) -> None:
    assert fill(template, VALUES) == expected


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(KeyError):
        fill("{unknown}", VALUES)
