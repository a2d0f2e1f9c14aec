"""Keys that questions about simulated flows share."""

from __future__ import annotations

from pnet_lp.failures import fail
from pnet_lp.model import Network, Workload
from pnet_lp.questions.keys import NOTHING_BUILT, Built, MetricKeys
from pnet_lp.sim import FlowSettings, Outage, OutageSettings


class FlowKeys(OutageSettings, FlowSettings, MetricKeys):
    """A network, the flows on it, and when what fails is down."""

    def drawn(self, seed: int, built: Built = NOTHING_BUILT) -> tuple[Network, Workload, tuple[Outage, ...]]:
        """Return the network, its flows, and what fails while they run; what fails all the time is down in it."""
        network, failures = self.whole(seed, built), self.failures
        outages = self.outages(network, failures, seed)
        if not self.for_a_time:
            network = fail(network, failures, seed=seed)
        if built.workload:
            return network, built.workload(network), outages
        return network, self.build(network, seed, built.traffic and built.traffic(network)), outages
