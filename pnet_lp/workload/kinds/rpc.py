"""Remote procedure calls: a request, its response, then the next request."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from pnet_lp.model.workload import Workload
from pnet_lp.quantities import Bytes, Duration
from pnet_lp.seeds import OwnSeed
from pnet_lp.workload.base import WORKLOADS, WorkloadContext, WorkloadParams


class RpcParams(WorkloadParams):
    """Parameters of ``rpc``."""

    request: Bytes = Field(1500, description="size of a request")
    response: Bytes = Field(1500, description="size of a response")
    rounds: int = Field(ge=1, le=10**9, description="calls of each client, one after the other")
    clients: int = Field(1, ge=1, le=10**6, description="concurrent calls of each host")
    server: Literal["each-round", "fixed", "paired"] = Field(
        "each-round",
        description="the server of a client is drawn for each call, or once; paired: hosts are in random pairs, once "
        "for each of their concurrent calls, and call each other",
    )
    responds: Literal["arrived", "acknowledged"] = Field(
        "arrived", description="whether a response begins when its request is there, or when its client knows so"
    )
    connects: Literal["message", "call", "once", "never"] = Field(
        "call",
        description="what begins with a handshake: every message; every call, whose response uses the connection; the "
        "first call of a client to a server; none, over existing connections",
    )
    pause: Duration = Field(0, description="time from a response to the next request")
    seed: OwnSeed = None


@WORKLOADS.register(
    "rpc",
    params=RpcParams,
    example="rounds=10",
    summary="every host calls random others: a request, a response, then the next call",
    source="P-Net, section 5.2.1 (table 2, figures 10 and 11)",
)
def rpc(params: RpcParams, context: WorkloadContext) -> Workload:
    """Return ``hosts x clients x rounds`` tasks of two flows, a request and the response that waits for it."""
    clients = context.hosts * params.clients
    calls = clients * params.rounds
    context.check_flows(2 * calls)
    client = np.tile(np.repeat(np.arange(context.hosts), params.clients), params.rounds)
    random = context.random("server", params.seed)
    if params.server == "paired":
        server = np.tile(context.draw_partners(params.clients, random).ravel(), params.rounds)
    elif params.server == "fixed":
        server = np.tile(context.draw_others(client[:clients], random), params.rounds)
    else:
        server = context.draw_others(client, random)
    src, dst = np.stack([client, server], axis=1).ravel(), np.stack([server, client], axis=1).ravel()
    request, later = 2 * np.arange(calls), 2 * np.arange(clients, calls)
    response = request + 1
    start = np.zeros(2 * calls, dtype=np.int64)
    start[later] = params.pause
    flow = np.arange(2 * calls)
    if params.connects == "message":
        connection = flow
    elif params.connects == "call":
        connection = flow // 2
    else:
        # One for each client and server.
        asking = np.tile(np.arange(clients), params.rounds)
        connection = np.repeat(asking * context.hosts + server, 2)
    connects = np.zeros(2 * calls, dtype=bool)
    if params.connects != "never":
        connects[np.unique(connection, return_index=True)[1]] = True
    return context.workload(
        src,
        dst,
        np.tile([params.request, params.response], calls),
        start,
        # A response waits for its request, a request for the response before it: both to arrive where they are awaited.
        after=(np.concatenate([response, later]), np.concatenate([request, later + 1 - 2 * clients])),
        acknowledged=np.repeat([params.responds == "acknowledged", False], [calls, len(later)]),
        connection=connection,
        connects=connects,
        task=np.repeat(np.arange(calls), 2),
    )
