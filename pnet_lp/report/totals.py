"""How many claims of each paper have which verdict; our own claims are apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pnet_lp.experiment import Experiment
from pnet_lp.experiment.claims import VERDICTS
from pnet_lp.report.claims import NOT_RUN
from pnet_lp.report.published import Publication

OURS = "Not from a paper"
"""In place of a paper for what we claim ourselves."""

ALL = "All papers"
"""The sum over papers."""

_PLACE_IN_PAPER = re.compile(r",? (?:in )?(?:figures?|tables?|sections?|examples?|abstract|artifact|§)\b.*", re.DOTALL)


@dataclass(frozen=True)
class Total:
    """The claims of one paper.

    Attributes:
        paper: which, or :data:`OURS`, or :data:`ALL`.
        verdicts: how many have each verdict, in the order of these.
        late: how many were written or changed when there was a result.
        first: the first experiment that has one of them.
    """

    paper: str
    verdicts: Mapping[str, int]
    late: int
    first: str = ""


def totals(publications: Sequence[Publication]) -> list[Total]:
    """Return the claims of each paper in alphabetical order, then those of all papers, then ours."""
    verdicts: dict[str, Counter[str]] = {}
    late = Counter[str]()
    first: dict[str, str] = {}
    for one in publications:
        claimed = one.experiment.claimed
        for claim, verdict in zip(claimed.claims if claimed else (), one.judged, strict=True):
            assert claimed is not None
            paper = OURS if claim.origin == "ours" else paper_of(claim.source or claimed.source)
            for name in {paper, OURS if paper == OURS else ALL}:
                verdicts.setdefault(name, Counter())[verdict] += 1
                late[name] += claim.late
            first.setdefault(paper, one.experiment.name)
    papers = sorted(first.keys() - {OURS}, key=str.casefold)
    names = [*papers, *(name for name in (ALL, OURS) if name in verdicts)]
    return [Total(name, in_order(verdicts[name]), late[name], first.get(name, "")) for name in names]


def in_order(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the verdicts that there are, in the order of verdicts."""
    return {verdict: counts[verdict] for verdict in (*VERDICTS, NOT_RUN) if counts.get(verdict)}


def paper_of(source: str) -> str:
    """Return the paper that a source names: what stands before its figure, table or section."""
    return _PLACE_IN_PAPER.sub("", source).strip() or source


def heading_of(experiment: Experiment) -> str:
    """Return the paper whose claims an experiment is about, or :data:`OURS` where all of them are ours."""
    claimed = experiment.claimed
    sources = (one.source or claimed.source for one in claimed.claims if one.origin != "ours") if claimed else iter(())
    return paper_of(next(sources, "")) or OURS
