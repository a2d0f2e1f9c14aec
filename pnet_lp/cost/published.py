"""Costs that papers report, shown beside those computed here."""

from __future__ import annotations

HYBRID_SOURCE = "hybrid optical/electrical network, section 3.2"
HYBRID_SERVERS = 10_240
HYBRID_SAVING = 0.31
"""How much cheaper than the fat tree the hybrid network is at beta = 1, as a fraction."""

HYBRID_SCENARIOS = ((25.0, 6), (4.0, 20))
"""Oversubscription of a fat tree, and optical links of a ToR, that the paper calls equal in cost (section 5)."""

HYBRID_SPEEDUPS = {(25.0, 6): 1.30, (4.0, 20): 1.35}
"""By scenario, the largest ratio of completion times, tree over hybrid network, that the paper measured (section 5)."""
