"""How many links apart the farthest racks are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pnet_lp.hops import count_hops
from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, Run, Summary
from pnet_lp.questions.keys import NOTHING_BUILT, Built, NetworkKeys


class DiameterCase(NetworkKeys):
    """Count the links between the racks that are farthest apart."""

    headline = "diameter_hops"
    example = "ring:n=8"


@dataclass(frozen=True)
class DiameterAnswer(Answer):
    """The diameter; None where no two racks are connected."""

    hops: int | None

    def summary(self) -> Summary:
        """See the base class."""
        return Summary(Headline.exact(DiameterCase.headline, "hops", "diameter", self.hops))

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        return {"hops": self.hops}


@QUESTIONS.register("diameter", params=DiameterCase, summary="links between the racks that are farthest apart")
def diameter(case: DiameterCase, seed: int, built: Built = NOTHING_BUILT) -> Posed:
    """Pose the case on the network that ``seed`` gives."""
    network = case.network(seed, built)

    def answer(run: Run) -> Answer:
        return DiameterAnswer(count_hops(network, "rack", threads=run.threads).most)

    return Posed((network.fingerprint,), answer)


def report(document: Mapping[str, Any]) -> list[str]:
    """Return what is printed."""
    return [f"diameter  {document['hops']} hops"]
