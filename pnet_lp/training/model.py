"""The parameters of a training step, and the bytes of its operations by published formulas.

Megatron is Narayanan et al., SC 2021 (arXiv 2104.04473); b, s and h are its micro-batch, sequence and hidden size.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from pydantic import ConfigDict, Field, model_validator

from pnet_lp.collectives import Algorithm, AlgorithmOf, Operation
from pnet_lp.errors import SpecError
from pnet_lp.groups import Placement, placed
from pnet_lp.model.workload import LongArray
from pnet_lp.registry import Params
from pnet_lp.seeds import OwnSeed
from pnet_lp.training.models import MODELS

Phase: TypeAlias = Literal["tp", "ep", "pp", "dp"]

GroupName: TypeAlias = Literal["tp", "ep", "dp", "expert_dp"]

PHASES: tuple[Phase, ...] = ("tp", "ep", "pp", "dp")

SOURCE = (
    "Narayanan et al.: Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM, SC 2021; "
    "Korthikanti et al.: Reducing Activation Recomputation in Large Transformer Models, MLSys 2023; "
    "DeepSeek-AI: DeepSeek-V3 Technical Report, arXiv 2412.19437, 2024 (experts)"
)

_OF_EXPERTS = ("top_k", "expert_ffn", "moe_every", "dispatch_precision", "ep_algorithm")


@dataclass(frozen=True)
class Collective:
    """An operation that ranks do in groups.

    Attributes:
        phase: what it belongs to, and the algorithm it is done by.
        operation: what it is.
        size: bytes of each rank's buffer.
        times: how often, one after the other.
        group: the groups, one of those of :class:`~pnet_lp.training.groups.Groups`.
    """

    phase: Phase
    operation: Operation
    size: int
    times: int = 1
    group: GroupName = "tp"


class TrainingParams(Params):
    """Parameters of a training step."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    model: str | None = Field(
        None, description=f"a published model, for what of its shape is not given: {', '.join(MODELS)}"
    )
    tp: int = Field(1, ge=1, le=10**6, description="tensor-parallel ranks, which share each layer")
    pp: int = Field(1, ge=1, le=10**6, description="pipeline stages, with as many layers each")
    dp: int = Field(1, ge=1, le=10**6, description="data-parallel replicas")
    ep: int = Field(1, ge=1, le=10**6, description="replicas that share the experts, a divisor of dp")
    order: str = Field("tp-ep-dp-pp", description="dimensions of a rank's number, the fastest first")
    layers: int = Field(ge=1, le=10**5, description="transformer layers")
    hidden: int = Field(ge=1, le=10**7, description="hidden size")
    ffn: int | None = Field(None, ge=1, le=10**8, description="inner size of feed-forward layers; default: 4 hidden")
    gated: bool = Field(False, description="whether feed-forward layers have three matrices, as SwiGLU, and not two")
    kv_share: float = Field(
        1.0, gt=0, le=1, description="heads of keys and values for each head of queries, as 0.125 for 8 of 64"
    )
    vocabulary: int = Field(ge=1, le=10**8, description="tokens of the vocabulary")
    sequence: int = Field(ge=1, le=10**8, description="tokens of a sequence")
    batch: int = Field(ge=1, le=10**8, description="sequences of a step, over all replicas")
    micro_batch: int = Field(1, ge=1, le=10**6, description="sequences of a micro-batch of a replica")
    experts: int = Field(0, ge=0, le=10**6, description="experts of a layer that has some; 0: none has")
    top_k: int = Field(2, ge=1, le=10**6, description="experts that a token goes to")
    expert_ffn: int | None = Field(None, ge=1, le=10**8, description="inner size of an expert; default: ffn")
    moe_every: int = Field(1, ge=1, le=10**5, description="one of so many layers has experts: 2 for every other one")
    precision: int = Field(2, ge=1, le=8, description="bytes of an activation, and of a parameter that is gathered")
    gradient_precision: int = Field(4, ge=1, le=8, description="bytes of a gradient that is reduced")
    dispatch_precision: int | None = Field(
        None, ge=1, le=8, description="bytes of an activation on its way to experts; default: precision"
    )
    sequence_parallel: bool = Field(
        False, description="whether what tensor parallelism leaves whole is split by sequence; has to be with experts"
    )
    scatter_gather: bool = Field(
        False, description="whether each tensor-parallel rank sends a part to the next stage, where it is gathered"
    )
    zero: int = Field(
        0,
        ge=0,
        le=1,
        description="1: replicas share the optimizer, so that gradients scatter and parameters are gathered",
    )
    tp_algorithm: AlgorithmOf = Field("ring", validate_default=True, description="of tensor-parallel groups")
    dp_algorithm: AlgorithmOf = Field("ring", validate_default=True, description="of data-parallel groups")
    ep_algorithm: AlgorithmOf = Field("pairwise", validate_default=True, description="of groups that share experts")

    placement: Placement = Field(
        "in-order",
        description="whether rank i is at endpoint i, at one that is drawn, or at the i-th in the order of rails: "
        "accelerators of index 0 of all servers, then those of index 1",
    )
    seed: OwnSeed = None

    @model_validator(mode="before")
    @classmethod
    def _shape(cls, given: Any) -> Any:
        """Return the parameters with those of the model that are not given."""
        name = given.get("model") if isinstance(given, dict) else None
        if name is None:
            return given
        if name not in MODELS:
            raise SpecError("unknown model", where="model", found=name, allowed=", ".join(MODELS))
        return {**MODELS[name], **given}

    @model_validator(mode="after")
    def _check_model(self) -> Self:
        if sorted(self.order.split("-")) != sorted(PHASES):
            raise ValueError(f"order is tp, ep, dp and pp in some order, as in tp-ep-dp-pp, found {self.order!r}")
        for whole, key, part, parts in (
            (self.layers, "layers", "pp", self.pp),
            (self.hidden, "hidden", "tp", self.tp),
            (self.batch, "batch", "dp times micro_batch", self.dp * self.micro_batch),
            (self.dp, "dp", "ep", self.ep),
            (self.experts, "experts", "ep", self.ep),
        ):
            if whole % parts:
                raise ValueError(f"{key} is {whole}, which {part}, {parts}, does not divide")
        return self

    @model_validator(mode="after")
    def _check_meaning(self) -> Self:
        stated = self.model_fields_set
        for key, meant, needed in (
            ("sequence_parallel", self.tp > 1, "tp above 1"),
            ("scatter_gather", self.tp > 1 and self.pp > 1, "tp and pp above 1"),
            ("tp_algorithm", self.tp > 1, "tp above 1"),
            ("dp_algorithm", self.dp > 1, "dp above 1"),
            ("zero", self.dp > 1, "dp above 1"),
            ("gradient_precision", self.dp > 1, "dp above 1"),
            ("seed", self.placement == "random", "placement=random"),
        ):
            if key in stated and getattr(self, key) != type(self).model_fields[key].default and not meant:
                raise ValueError(f"{key} has a meaning with {needed} only")
        if not self.experts and (idle := [key for key in _OF_EXPERTS if key in stated]):
            raise ValueError(f"{idle[0]} has a meaning for experts only")
        if not self.experts and self.ep > 1:
            raise ValueError("ep has a meaning for experts only")
        if self.ep == 1 and "ep_algorithm" in stated:
            raise ValueError("ep_algorithm has a meaning with ep above 1 only")
        if self.ep == 1 and self.tp == 1 and self.dispatch_precision is not None:
            raise ValueError("dispatch_precision has a meaning with ep or tp above 1 only")
        if self.experts and self.top_k > self.experts:
            raise ValueError(f"a token goes to {self.top_k} of {self.experts} experts")
        if self.experts and self.moe_every > self.layers:
            raise ValueError(f"no layer has experts: one of {self.moe_every}, and layers is {self.layers}")
        if self.experts and self.tp > 1 and not self.sequence_parallel:
            raise ValueError("experts with tp above 1 need sequence_parallel=true, so that a token is sent once")
        if self.scatter_gather and self.sequence_parallel:
            raise ValueError(
                "with sequence_parallel each rank has a part already, so that scatter_gather has no meaning"
            )
        passed = itertools.chain.from_iterable(self.of_pass(0, back=True))
        for each in (*passed, *self.handed_on(), *self.of_end(0)):
            self.algorithm_of(each).check(each.operation, where=f"{self._by(each)}_algorithm")
        return self

    def places(
        self, endpoints: int, called: str, server: int, random: Callable[[str, int | None], np.random.Generator]
    ) -> LongArray:
        """Return the endpoint of each rank.

        Args:
            endpoints: number of endpoints.
            called: what they are called.
            server: how many are in a server, 0 where there are none.
            random: returns the generator of a component, given its own seed.

        Raises:
            SpecError: there are not as many endpoints as ranks, or no rails.
        """
        if self.ranks != endpoints:
            raise SpecError(
                f"tp, pp and dp make {self.tp} x {self.pp} x {self.dp} = {self.ranks:,} ranks",
                found=f"{endpoints:,} {called}",
            )
        return placed(np.arange(endpoints), self.placement, server, lambda: random("placement", self.seed))

    def algorithm_of(self, each: Collective) -> Algorithm:
        """Return what an operation is done by."""
        found: Algorithm = getattr(self, f"{self._by(each)}_algorithm")
        return found

    @staticmethod
    def _by(each: Collective) -> str:
        # What is handed on is gathered by tensor-parallel ranks.
        return "tp" if each.phase == "pp" else each.phase

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self.tp * self.pp * self.dp

    @property
    def micro_batches(self) -> int:
        """Micro-batches of a replica in a step."""
        return self.batch // (self.dp * self.micro_batch)

    @property
    def activation(self) -> int:
        """Bytes of the activations between two layers, of a micro-batch: b s h values (Megatron, section 3.2)."""
        return self._tokens(self.precision)

    @property
    def handed(self) -> int:
        """Bytes of a micro-batch that a rank sends to the next stage, or back.

        All of them (Megatron, section 3.2), or its part where ranks have parts (section 4.1).
        """
        return _part(self.activation, self.tp if self.scatter_gather or self.sequence_parallel else 1)

    def handed_on(self) -> Iterator[Collective]:
        """Yield what a stage does with what came from another before it is used."""
        if self.scatter_gather and self.tp > 1 and self.pp > 1:
            yield Collective("pp", "all-gather", self.activation)

    def of_pass(self, stage: int, *, back: bool) -> list[list[Collective]]:
        """Return what a micro-batch's pass through a stage sends inside it, for each layer.

        Args:
            stage: from 0.
            back: whether it is the backward pass.
        """
        layers = self._layers(stage)
        in_order = layers[::-1] if back else layers
        return [list(self._of_layer(self._has_experts(layer), back=back)) for layer in in_order]

    def _of_layer(self, experts: bool, *, back: bool) -> Iterator[Collective]:
        """Yield the operations of a layer: its attention, and its feed-forward part or its experts.

        An all-reduce for each part, forward and backward (Megatron, section 3.2).  With sequence parallelism it is an
        all-gather and a reduce-scatter, and going back the inputs are gathered once more (Korthikanti et al., arXiv
        2205.05198, section 4.2.2).  Each token goes to its experts and returns, in both directions (GShard, arXiv
        2006.16668; DeepSeek-V3, arXiv 2412.19437, sections 3.2.2 and 3.3.3, which dispatches in 8 bits and combines in
        16); between, the parts of an expert are tensor-parallel (Liu et al., arXiv 2504.14960).
        """
        parts = 1 if experts else 2
        if self.tp > 1 and self.sequence_parallel:
            yield Collective("tp", "all-gather", self.activation, 2 * parts if back else parts)
            yield Collective("tp", "reduce-scatter", self.activation, parts)
        elif self.tp > 1:
            yield Collective("tp", "all-reduce", self.activation, parts)
        if experts:
            yield from self._to_experts(
                "all-gather", self.precision if self.dispatch_precision is None else self.dispatch_precision
            )
            yield from self._to_experts("reduce-scatter", self.precision)

    def _to_experts(self, operation: Operation, precision: int) -> Iterator[Collective]:
        """Yield how tokens come to experts, as they are gathered, or return, as their sums scatter."""
        size = self._tokens(precision) * self.top_k
        across = [Collective("ep", "all-to-all", _part(size, self.tp), group="ep")] if self.ep > 1 else []
        inside = [Collective("tp", operation, size)] if self.tp > 1 else []
        yield from (*across, *inside) if operation == "all-gather" else (*inside, *across)

    def of_end(self, stage: int) -> Iterator[Collective]:
        """Yield how the gradients of a stage are reduced.

        An all-reduce of each rank's gradients (Megatron, section 3.3); sharing the optimizer, a reduce-scatter of them
        and an all-gather of parameters (ZeRO, arXiv 1910.02054, section 7.2.1).  Those of experts are between the
        replicas that have the same ones.
        """
        parts: tuple[tuple[GroupName, int, int], ...] = (
            ("dp", self.shared_parameters(stage), self.dp),
            ("expert_dp", self.expert_parameters(stage), self.dp // self.ep),
        )
        for group, count, ranks in parts:
            if count and ranks > 1 and self.zero:
                yield Collective("dp", "reduce-scatter", count * self.gradient_precision, group=group)
                yield Collective("dp", "all-gather", count * self.precision, group=group)
            elif count and ranks > 1:
                yield Collective("dp", "all-reduce", count * self.gradient_precision, group=group)

    def shared_parameters(self, stage: int) -> int:
        """Return the parameters of a rank that all replicas have: matrices, as in Megatron's equation 2.

        Queries and what leaves attention are h h each, keys and values a share of this; a feed-forward layer has 2 or 3
        matrices of h and its inner size.  The first stage has an embedding of the vocabulary, the last one another for
        its output.  Vectors, as biases are, a part of 13/(12 h), are left out, and so are positions.
        """
        h, count = self.hidden, 0
        for layer in self._layers(stage):
            count += round((2 + 2 * self.kv_share) * h * h)
            count += 0 if self._has_experts(layer) else self._matrices * h * (self.ffn or 4 * h)
        count += ((stage == 0) + (stage == self.pp - 1)) * self.vocabulary * h
        # A router is not split.
        return _part(count, self.tp) + sum(self._has_experts(layer) for layer in self._layers(stage)) * h * self.experts

    def expert_parameters(self, stage: int) -> int:
        """Return the parameters of a rank's experts."""
        count = sum(self._has_experts(layer) for layer in self._layers(stage)) * self.experts // self.ep
        inner = self.expert_ffn or self.ffn or 4 * self.hidden
        return _part(count * self._matrices * self.hidden * inner, self.tp)

    @property
    def _matrices(self) -> int:
        return 3 if self.gated else 2

    def _tokens(self, precision: int) -> int:
        return self.micro_batch * self.sequence * self.hidden * precision

    def _layers(self, stage: int) -> range:
        count = self.layers // self.pp
        return range(stage * count, (stage + 1) * count)

    def _has_experts(self, layer: int) -> bool:
        return self.experts > 0 and (layer + 1) % self.moe_every == 0


def _part(whole: int, parts: int) -> int:
    """Return a part in whole bytes, or values, rounded up."""
    return -(-whole // parts)
