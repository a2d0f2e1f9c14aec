"""Which experiments fit into a time and into memory."""

from typing import Any

from pnet_lp.experiment import Experiment
from pnet_lp.experiment.plan import Estimate, plan
from pnet_lp.experiment.questions.throughput import ThroughputCase
from pnet_lp.units import GIB


def known(name: str, seconds: float | None, gib: float | None = None, draws: int = 4) -> Estimate:
    case = ThroughputCase(topology=("ring:n=4",), draws=draws)
    experiment = Experiment(name=name, title=name, cases={"a": case})
    return Estimate(experiment, seconds, None if gib is None else int(gib * GIB))


def planned(*estimates: Estimate, **limits: Any) -> dict[str, str]:
    limits = {"budget_s": None, "jobs": 1, "free_bytes": 8 * GIB, **limits}
    return {one.name: one.left_out for one in plan(estimates, **limits)}


def test_the_longest_come_first_and_the_unknown_last() -> None:
    found = planned(known("unknown", None), known("short", 1), known("long", 9), known("middle", 5))
    assert list(found.items()) == [("long", ""), ("middle", ""), ("short", ""), ("unknown", "")]


def test_what_does_not_fit_makes_room_for_what_does() -> None:
    estimates = (known("long", 7200), known("middle", 3000), known("short", 700), known("other", 500))
    assert planned(*estimates, budget_s=3600) == {
        "long": "needs about 2.0 h, of the budget 60 min are left",
        "middle": "",
        "short": "needs about 12 min, of the budget 10 min are left",
        "other": "",
    }
    # Two processes take half the time.
    assert not any(planned(*estimates, budget_s=5700, jobs=2).values())


def test_memory_is_that_of_all_processes() -> None:
    estimates = (known("large", 9, gib=5), known("one draw", 8, gib=5, draws=1))
    assert not any(planned(*estimates).values())
    assert planned(*estimates, jobs=2) == {
        "large": "needs about 10.0 GiB of memory, 8.0 GiB are free",
        "one draw": "",
    }
    assert not any(planned(*estimates, jobs=2, free_bytes=None).values())
