"""How many links apart the farthest racks are."""

from pnet_lp.hops import count_hops
from pnet_lp.questions.base import QUESTIONS, Answer, Headline, OnProgress, Posed
from pnet_lp.questions.keys import NetworkKeys


class DiameterCase(NetworkKeys):
    """One network."""

    headline = "diameter_hops"


@QUESTIONS.register(
    "diameter", params=DiameterCase, summary="links between the racks that are farthest apart"
)
def diameter(case: DiameterCase, seed: int) -> Posed:
    """Pose the case on the network that ``seed`` gives."""
    network = case.network(seed)

    def answer(threads: int, _: OnProgress) -> Answer:
        most = count_hops(network, "rack", threads=threads).most
        return Answer(Headline.exact(case.headline, "hops", "diameter", most), "exact", {}, {"hops": most})

    return Posed((network.fingerprint,), answer)
