"""How far fluid and packets are apart, and both from the linear program."""

from __future__ import annotations

from typing import Any

from pnet_lp.crosscheck import CrosscheckSettings, compare, run
from pnet_lp.experiment.keys import NetworkKeys
from pnet_lp.experiment.question import QUESTIONS, Answer, Headline, OnProgress, Posed, Value
from pnet_lp.sim import FlowSettings, OutageSettings, ScenarioText

_MODELS = ("lp_ideal", "lp_paths", "split", "bare", "fluid", "packets")


class CrosscheckCase(CrosscheckSettings, OutageSettings, FlowSettings, NetworkKeys):
    """One network and its flows, as of ``pnet-lp crosscheck``."""

    headline = "packets_over_fluid"
    columns = (
        *(f"all_{model}_us" for model in _MODELS),
        *(f"mean_{model}_fct_us" for model in _MODELS if not model.startswith("lp")),
        "p50_error",
        "p90_error",
        "unfinished",
    )


@QUESTIONS.register(
    "crosscheck",
    params=CrosscheckCase,
    summary="completion times in packets over those in the fluid, with the linear program",
)
def crosscheck(case: CrosscheckCase, seed: int) -> Posed:
    """Pose the case on the network and the flows that ``seed`` gives."""
    text = ScenarioText(case.topology, flows=case, planes=case, failures=case, outage=case, seed=seed)
    network, workload, outage = text.given()
    settings = repr([case.packets, case.fluid, outage and outage.to_json()])

    def answer(_: int, __: OnProgress) -> Answer:
        document = compare(run(case, network, workload, outage=outage, seed=seed))
        return Answer(
            Headline.exact(
                case.headline,
                "",
                "mean completion, packets over fluid",
                document["ratios"]["mean_fct"],
            ),
            "exact",
            _columns(document),
            {name: value for name, value in document.items() if name != "seconds"},
        )

    return Posed((network.fingerprint, workload.fingerprint, settings), answer)


def _columns(document: dict[str, Any]) -> dict[str, Value]:
    """Return what a table says."""
    times = document["fct_us"]
    return {
        **{f"all_{model}_us": document["all_us"].get(model) for model in _MODELS},
        **{
            f"mean_{model}_fct_us": times.get(model, {}).get("mean")
            for model in _MODELS
            if not model.startswith("lp")
        },
        "p50_error": document["ratios"]["p50_error"],
        "p90_error": document["ratios"]["p90_error"],
        "unfinished": document["flows"]["unfinished"]["packets"],
    }
