"""No tampered file is accepted that says something false; `campaign.py` tries many more.

``PNET_LP_TAMPERINGS`` sets how many are tried; the default is a sample, of which every result gets its part.
"""

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest

from .answers import Document, saved_results
from .campaign import tampered
from .judge import lies
from .mutations import decoded, encoded

COUNT = int(os.environ.get("PNET_LP_TAMPERINGS", "180"))
PARTS = 3


@pytest.fixture(scope="session")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[Document]:
    return list(saved_results(tmp_path_factory.mktemp("results")))


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_false_is_accepted(part: int, documents: list[Document], tmp_path: Path) -> None:
    accepted = 0
    for outcome in tampered(documents, range(part, COUNT, PARTS), tmp_path):
        assert not outcome.lies, (outcome.number, outcome.lies)
        assert not outcome.undecided, (outcome.number, outcome.undecided)
        if outcome.error:
            assert str(outcome.error).startswith(str(tmp_path)), outcome.number
            assert "\n" not in str(outcome.error), outcome.number
            assert len(str(outcome.error)) < 1000, outcome.number
        accepted += not outcome.error
    assert 0 < accepted < COUNT / PARTS


def test_the_judge_believes_what_is_true(documents: list[Document], tmp_path: Path) -> None:
    for document in documents[::5]:
        (tmp_path / "r.json").write_text(json.dumps(document))
        assert lies(document, tmp_path / "r.json") == []


def scaled(document: Any, factor: float, *keys: str) -> Any:
    """The value with all numbers of these keys multiplied, wherever they are."""
    if isinstance(document, dict):
        return {
            key: value * factor if key in keys and isinstance(value, float) else scaled(value, factor, *keys)
            for key, value in document.items()
        }
    return [scaled(item, factor, *keys) for item in document] if isinstance(document, list) else document


CLAIMS = [
    *("throughput_gbps", "max_utilisation", "total_gbps", "cost_gbps_links"),
    *(f"{side}_bound{unit}" for side in ("lower", "upper") for unit in ("", "_gbps", "_gbps_links")),
    *("rate", "upper", "rate_gbps", "min", "mean", "max"),
]


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_the_judge_believes_no_lie(factor: float, documents: list[Document], tmp_path: Path) -> None:
    """Not even one in which all figures go together."""
    told = 0
    for document in documents[::3]:
        if document["status"] == "bounds" or document["binding"] == "disconnected":
            continue
        if document["objective"].startswith("total") and factor < 1 and document["binding"] == "demand":
            continue
        lie = scaled(copy.deepcopy(document), factor, *CLAIMS)
        if "answer" in lie and not lie["objective"].startswith("min-cost"):
            rates = decoded(lie["answer"]["rates_gbps"])
            lie["answer"]["rates_gbps"] = encoded(rates * factor)
        (tmp_path / "r.json").write_text(json.dumps(lie))
        assert lies(lie, tmp_path / "r.json"), (document["objective"], document["routing"])
        told += 1
    assert told > 10
