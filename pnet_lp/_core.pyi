"""Types of the Rust extension: arrays in, arrays out.  Shapes are those of pnet_lp.throughput.problems."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, final

import numpy as np
import numpy.typing as npt

__version__: str
build_profile: str
"""``release`` or ``debug``; benchmarks refuse a debug build."""

_I32 = npt.NDArray[np.int32]
_F64 = npt.NDArray[np.float64]
_BOOL = npt.NDArray[np.bool_]

class CoreError(Exception):
    """An array handed to the extension is inconsistent, or a computation cannot continue."""

class LateError(CoreError):
    """The time limit of a call was over before it was done."""

class InvalidError(CoreError):
    """An argument is inconsistent, or out of range."""

    place: str
    """The argument."""
    problem: str
    found: str | None
    allowed: str | None

class ManyPathsError(CoreError):
    """Two hosts have more shortest paths than the limit: the arguments are the hosts and the limit."""

def end_at_second_interrupt() -> None:
    """End the process with exit code 130 at the second SIGINT from now on, at once and wherever it is."""

@final
class FlowProblem:
    """Maximum concurrent flow over several planes."""

    def __new__(
        cls,
        node_count: _I32,
        arc_ptr: _I32,
        tail: _I32,
        head: _I32,
        capacity: _F64,
        attach: _I32,
        access_up: _F64,
        access_down: _F64,
        src: _I32,
        dst: _I32,
        demand: _F64,
        partner: _I32 | None = None,
        metric: _I32 | None = None,
        shortest: bool | None = None,
    ) -> FlowProblem: ...
    def available(self) -> npt.NDArray[np.bool_]: ...
    def leads(self) -> npt.NDArray[np.bool_]: ...
    def even_entries(self) -> int: ...
    def rows(self) -> _I32: ...

@final
class Proof:
    """Splitting fractions, plane shares and lengths: the contents of a certificate."""

    def __new__(
        cls,
        length: _F64,
        up_length: _F64,
        down_length: _F64,
        share: _F64,
        split_ptr: _I32,
        split_arc: _I32,
        split_fraction: _F64,
    ) -> Proof: ...
    length: _F64
    up_length: _F64
    down_length: _F64
    share: _F64
    split_ptr: _I32
    split_arc: _I32
    split_fraction: _F64

@final
class Evaluation:
    """The bounds of a proof, and the loads of its flow at K = lower."""

    lower: float
    upper: float
    load: _F64
    up_load: _F64
    down_load: _F64
    hops: int

@final
class Solution:
    """The result of a solver on arcs."""

    proof: Proof
    iterations: int
    interrupted: bool

@final
class Planes:
    """The links of several planes, each of metric 1 by default, and where endpoints attach: ``attach[p, e]`` or -1."""

    def __new__(
        cls, node_count: _I32, arc_ptr: _I32, tail: _I32, head: _I32, attach: _I32, metric: _I32 | None = None
    ) -> Planes: ...

@final
class PathKind:
    """The kind of paths."""

    EqualCost: ClassVar[PathKind]
    KShortest: ClassVar[PathKind]
    EdgeDisjoint: ClassVar[PathKind]

@final
class Split:
    """How a demand is split inside a plane."""

    Ecmp: ClassVar[Split]
    Vlb: ClassVar[Split]

@final
class Policy:
    """The planes that a pair may use."""

    Any: ClassVar[Policy]
    RoundRobin: ClassVar[Policy]
    Shortest: ClassVar[Policy]
    Single: ClassVar[Policy]

def round_flow(
    problem: FlowProblem, flow: _F64, injection: _F64, length: _F64, up_length: _F64, down_length: _F64
) -> Proof: ...
def evaluate(problem: FlowProblem, proof: Proof) -> Evaluation: ...
def decompose(problem: FlowProblem, proof: Proof) -> tuple[_I32, _I32, _F64, _I64, _I32]: ...
def demand_distances(problem: FlowProblem, length: _F64, up_length: _F64, down_length: _F64) -> _F64: ...

@final
class PathProblem:
    def __new__(
        cls,
        capacity: npt.NDArray[np.float64],
        demand: npt.NDArray[np.float64],
        pair_ptr: npt.NDArray[np.int64],
        path_ptr: npt.NDArray[np.int64],
        link: npt.NDArray[np.int32],
    ) -> PathProblem: ...
    def bounds(
        self, weight: npt.NDArray[np.float64], length: npt.NDArray[np.float64]
    ) -> tuple[float, float, npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
    def distances(self, length: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
    def estimate_bytes(self) -> int: ...

@final
class PathSolution:
    @property
    def weight(self) -> npt.NDArray[np.float64]: ...
    @property
    def length(self) -> npt.NDArray[np.float64]: ...
    @property
    def iterations(self) -> int: ...
    @property
    def interrupted(self) -> bool: ...

def solve_path_form(
    problem: PathProblem,
    *,
    warm_start: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None,
    tolerance: float,
    max_iterations: int,
    time_limit_s: float,
    threads: int,
    on_progress: Callable[[int, float, float], bool],
) -> PathSolution: ...

@final
class Bundles:
    def __new__(
        cls,
        capacity: npt.NDArray[np.float64],
        demand: npt.NDArray[np.float64],
        pair_ptr: npt.NDArray[np.int64],
        ptr: npt.NDArray[np.int64],
        link: npt.NDArray[np.int32],
        part: npt.NDArray[np.float64],
    ) -> Bundles: ...
    def fill(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.float64]]: ...

@final
class Cheapest:
    @property
    def weight(self) -> npt.NDArray[np.float64]: ...
    @property
    def length(self) -> npt.NDArray[np.float64]: ...
    @property
    def iterations(self) -> int: ...
    @property
    def interrupted(self) -> bool: ...

def solve_cheapest(
    bundles: Bundles,
    cost: npt.NDArray[np.float64],
    *,
    whole: bool,
    tolerance: float,
    max_iterations: int,
    time_limit_s: float,
    threads: int,
    on_progress: Callable[[int, float, float], bool],
) -> Cheapest: ...
def estimate_cheapest_bytes(columns: int, entries: int, links: int) -> int: ...
def solve_structured(
    problem: FlowProblem,
    *,
    warm_start: tuple[Proof, int] | None,
    tolerance: float,
    max_iterations: int,
    time_limit_s: float,
    threads: int,
    on_progress: Callable[[int, float, float], bool],
) -> Solution: ...
def solve_columns(
    problem: FlowProblem,
    *,
    tolerance: float,
    max_iterations: int,
    time_limit_s: float,
    threads: int,
    on_progress: Callable[[int, float, float], bool],
) -> Solution: ...
def enumerate_paths(
    planes: Planes,
    src: _I32,
    dst: _I32,
    *,
    kind: PathKind,
    count: int,
    policy: Policy,
    per_flow: bool,
    seed: int,
    threads: int,
    limit_s: float,
) -> tuple[npt.NDArray[np.int64], _I32, npt.NDArray[np.int64], _I32]: ...
def count_shortest(
    planes: Planes, src: _I32, dst: _I32, *, policy: Policy, seed: int, threads: int, limit_s: float
) -> tuple[_I32, _F64]: ...
def split_loads(
    planes: Planes,
    src: _I32,
    dst: _I32,
    demand: _F64,
    *,
    split: Split,
    policy: Policy,
    seed: int,
    threads: int,
    limit_s: float,
) -> tuple[_F64, _F64, _F64]: ...
def split_usage(
    planes: Planes, src: _I32, dst: _I32, *, split: Split, policy: Policy, seed: int, threads: int, limit_s: float
) -> tuple[npt.NDArray[np.int64], _I32, _F64]: ...
def place_flows(
    src: _I32,
    dst: _I32,
    send: _F64,
    receive: _F64,
    pair_ptr: npt.NDArray[np.int64],
    ptr: npt.NDArray[np.int64],
    link: npt.NDArray[np.int64],
    capacity: _F64,
    *,
    annealing: int | None,
    seed: int,
) -> npt.NDArray[np.int64]: ...
def estimate_structured_bytes(problem: FlowProblem) -> int: ...
def estimate_columns_bytes(problem: FlowProblem) -> int: ...

@final
class CheapestFlow:
    @property
    def proof(self) -> Proof: ...
    @property
    def served(self) -> _F64: ...
    @property
    def iterations(self) -> int: ...
    @property
    def interrupted(self) -> bool: ...

def solve_cheapest_flow(
    problem: FlowProblem,
    cost: _F64,
    *,
    worth: float,
    floor: float,
    tolerance: float,
    max_iterations: int,
    time_limit_s: float,
    threads: int,
    on_progress: Callable[[int, float, float], bool],
) -> CheapestFlow: ...
def estimate_cheapest_flow_bytes(problem: FlowProblem) -> int: ...

@final
class CheapestSplit:
    @property
    def weight(self) -> _F64: ...
    @property
    def length(self) -> _F64: ...
    @property
    def iterations(self) -> int: ...
    @property
    def interrupted(self) -> bool: ...

def solve_cheapest_split(
    problem: PathProblem,
    cost: _F64,
    *,
    worth: float,
    floor: float,
    tolerance: float,
    max_iterations: int,
    time_limit_s: float,
    threads: int,
    on_progress: Callable[[int, float, float], bool],
) -> CheapestSplit: ...
def estimate_cheapest_split_bytes(problem: PathProblem) -> int: ...
def solve_split(
    problem: PathProblem,
    *,
    tolerance: float,
    max_iterations: int,
    time_limit_s: float,
    threads: int,
    on_progress: Callable[[int, float, float], bool],
) -> PathSolution: ...
def estimate_split_bytes(problem: PathProblem) -> int: ...

@final
class FairLevel:
    @property
    def rate(self) -> float: ...
    @property
    def fits(self) -> float: ...
    @property
    def upper(self) -> float: ...
    @property
    def length(self) -> _F64: ...
    @property
    def iterations(self) -> int: ...
    @property
    def interrupted(self) -> bool: ...

@final
class FairFlow:
    def __new__(
        cls,
        problem: FlowProblem,
        *,
        tolerance: float,
        max_iterations: int,
        time_limit_s: float,
        threads: int,
        on_progress: Callable[[int, float, float], bool],
    ) -> FairFlow: ...
    def level(
        self,
        kept: _F64,
        *,
        tolerance: float,
        max_iterations: int,
        time_limit_s: float,
        threads: int,
        on_progress: Callable[[int, float, float], bool],
    ) -> FairLevel: ...
    def proof(self) -> Proof: ...

def estimate_fair_flow_bytes(problem: FlowProblem) -> int: ...
def estimate_fair_trees_bytes(problem: FlowProblem) -> int: ...

@final
class FairSplit:
    def __new__(
        cls,
        problem: PathProblem,
        *,
        tolerance: float,
        max_iterations: int,
        time_limit_s: float,
        threads: int,
        on_progress: Callable[[int, float, float], bool],
    ) -> FairSplit: ...
    def level(
        self,
        kept: _F64,
        *,
        tolerance: float,
        max_iterations: int,
        time_limit_s: float,
        threads: int,
        on_progress: Callable[[int, float, float], bool],
    ) -> FairLevel: ...
    def weight(self) -> _F64: ...

@final
class FairSplitVertices:
    def __new__(
        cls,
        problem: PathProblem,
        *,
        tolerance: float,
        max_iterations: int,
        time_limit_s: float,
        threads: int,
        on_progress: Callable[[int, float, float], bool],
    ) -> FairSplitVertices: ...
    def level(
        self,
        kept: _F64,
        *,
        tolerance: float,
        max_iterations: int,
        time_limit_s: float,
        threads: int,
        on_progress: Callable[[int, float, float], bool],
    ) -> FairLevel: ...
    def carried(self) -> _F64: ...

@final
class FairVertices:
    def __new__(
        cls,
        problem: FlowProblem,
        *,
        tolerance: float,
        max_iterations: int,
        time_limit_s: float,
        threads: int,
        on_progress: Callable[[int, float, float], bool],
    ) -> FairVertices: ...
    def level(
        self,
        kept: _F64,
        *,
        tolerance: float,
        max_iterations: int,
        time_limit_s: float,
        threads: int,
        on_progress: Callable[[int, float, float], bool],
    ) -> FairLevel: ...
    def proof(self) -> Proof: ...
    def served(self) -> _F64: ...

@final
class FairTrees:
    def __new__(
        cls,
        problem: FlowProblem,
        *,
        tolerance: float,
        max_iterations: int,
        time_limit_s: float,
        threads: int,
        on_progress: Callable[[int, float, float], bool],
    ) -> FairTrees: ...
    def level(
        self,
        kept: _F64,
        *,
        tolerance: float,
        max_iterations: int,
        time_limit_s: float,
        threads: int,
        on_progress: Callable[[int, float, float], bool],
    ) -> FairLevel: ...
    def proof(self) -> Proof: ...
    def served(self) -> _F64: ...

@final
class PathsInUse:
    def __new__(
        cls,
        problem: FlowProblem,
        *,
        tolerance: float,
        max_iterations: int,
        time_limit_s: float,
        threads: int,
        on_progress: object,
    ) -> PathsInUse: ...
    def listed(self) -> tuple[_I64, _I32, _I64, _I32]: ...
    def add(self, length: _F64, up_length: npt.NDArray[np.float64], down_length: npt.NDArray[np.float64]) -> int: ...
    def proof(self, weight: _F64, rate: _F64) -> Proof: ...

def estimate_fair_split_bytes(problem: PathProblem) -> int: ...

@final
class Demands:
    """Demands between endpoints: a rule, or a list."""

    @staticmethod
    def product(sends: _F64, receives: _F64, own: _F64) -> Demands: ...
    @staticmethod
    def groups(sends: _F64, receives: _F64, group: _I32, owner: _I32, outside: float) -> Demands: ...
    def beside(self, src: _I32, dst: _I32, demand: _F64) -> Demands: ...
    @staticmethod
    def pairs(endpoints: int, src: _I32, dst: _I32, demand: _F64) -> Demands: ...

@final
class Symmetry:
    """Planes, endpoints and demands as one graph, with its symmetry."""

    def __new__(
        cls,
        node_count: _I32,
        arc_ptr: _I32,
        tail: _I32,
        head: _I32,
        capacity: _F64,
        attach: _I32,
        access_up: _F64,
        access_down: _F64,
        demands: Demands,
        inside: _BOOL | None = None,
        partner: _I32 | None = None,
    ) -> Symmetry: ...
    def reduce(self, *, classes: int, looks: int, examples: int, time_limit_s: float) -> Reduced | None: ...
    def evaluate(
        self,
        link_class: _I32,
        length: _F64,
        targets: _I32,
        node_class: _I32,
        entries: _I32,
        flow: _F64,
        generators: _I32,
        *,
        time_limit_s: float,
    ) -> tuple[float, float, _F64]: ...

@final
class Reduced:
    """A network reduced to classes of links and, for each kind of destinations, of nodes."""

    link_class: _I32
    capacity: _F64
    links: _F64
    kind: _I32
    targets: _I32
    generators: _I32
    counts: _F64
    node_class: _I32
    classes: tuple[_I32, _F64, _F64]
    entries: _I32

def strong_components(nodes: int, tail: npt.NDArray[np.uint32], head: npt.NDArray[np.uint32]) -> _I32: ...
def count_hops(
    planes: Planes, size: _I32, arcs_down: _BOOL, sites_down: _BOOL, *, threads: int
) -> npt.NDArray[np.int64]: ...
def hops_between(
    planes: Planes, src: _I32, dst: _I32, arcs_down: _BOOL, sites_down: _BOOL, *, threads: int
) -> _I32: ...

_I64 = npt.NDArray[np.int64]
_Bool = npt.NDArray[np.bool_]

@final
class Queue:
    """A queue discipline by its name and parameters."""

    def __new__(cls, name: str, /, **parameters: object) -> Queue: ...

    trims: bool
    marks: bool

@final
class Transport:
    """A transport by its name and parameters; sizes in bytes, times in picoseconds, rates in bit/s."""

    def __new__(cls, name: str, /, **parameters: object) -> Transport: ...

    takes_trimmed: bool
    reacts_to_marks: bool
    waits_for_room: bool
    nic_packets: int | None

@final
class Forwarding:
    """A forwarding by its name and parameters."""

    def __new__(cls, name: str, /, **parameters: object) -> Forwarding: ...

    makes_tables: bool
    spreads: bool
    most_paths: int
    lists_paths: bool
    no_fluid: str | None

@final
class Outcome:
    """A finished run; columns are int64, times in picoseconds and -1 for what never happened."""

    end: Literal["complete", "no events left", "time limit", "event limit", "interrupted", "deadlock", "cut off"]
    time_ps: int
    events: int
    packet_hops: int | None
    flows: dict[str, _I64]
    ports: dict[str, _I64]
    plane_bytes: _I64
    """``[flows, planes]``."""
    subflow_bytes: _I64
    """``[flows, subflows]``."""
    traces: dict[str, dict[str, npt.NDArray[Any]]]

def simulate_packets(
    run: Mapping[str, object],
    *,
    queues: tuple[Queue, Queue | None],
    transports: tuple[Sequence[Transport], _I32],
    watched: tuple[_I32, _I32, int],
    fast_forward: bool,
) -> Outcome: ...
def simulate_fluid(run: Mapping[str, object], *, weights: _F64 | None, **parameters: object) -> Outcome: ...
