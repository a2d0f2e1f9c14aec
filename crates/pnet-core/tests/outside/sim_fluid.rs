//! The fluid simulator against closed forms, and against packets where one flow is alone.

use std::sync::Arc;

use crate::common::graph_of;
use pnet_core::graph::Planes;
use pnet_core::paths::{PathSet, Paths, Policy};
use pnet_core::sim::fluid::{Correction, FluidScenario, PacketSizes, Sharing};
use pnet_core::sim::*;
use proptest::prelude::*;

const BYTE: Time = 800;

/// A row of switches with a host at each for each entry: 10 Gb/s, 1 us a link.
fn row(switches: u32, hosts: &[u32]) -> Fabric {
    let arcs = (1..switches).flat_map(|v| [(v - 1, v), (v, v - 1)]).collect();
    let attach = hosts.iter().copied().map(Some).collect();
    let planes = Planes::new(vec![graph_of(switches, arcs)], vec![attach]).unwrap();
    Fabric::uniform(planes, Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap()
}

fn flows(list: &[(u32, u32, u64, Time)]) -> FlowList {
    FlowList::new(list.iter().copied())
}

fn run(scenario: FluidScenario) -> FluidOutcome {
    scenario.run(&mut |_| true).unwrap()
}

fn ends(outcome: &FluidOutcome) -> Vec<Option<Time>> {
    let mut flows: Vec<_> = outcome.flows.iter().map(|flow| (flow.id, flow.end)).collect();
    flows.sort_unstable();
    flows.into_iter().map(|(_, end)| end).collect()
}

/// The first step of so many flows is most of the run, and ends when it should.
#[test]
fn a_run_is_stopped_within_a_step() {
    let spread = Arc::new(Spray { policy: Policy::Any, over: Over::Paths, order: Order::Random });
    for (forwarding, sharing) in [(None, Sharing::Single), (Some(spread), Sharing::Best)] {
        let list = (0..200).map(|i| (i % 2, 2 + i / 2 % 2, 1_000_000 + u64::from(i), 0));
        let mut scenario = FluidScenario::new(row(2, &[0, 0, 1, 1]), FlowList::new(list));
        scenario.sharing = sharing;
        if let Some(forwarding) = forwarding {
            scenario.forwarding = forwarding;
        }
        let mut looks = 0;
        let outcome = scenario
            .run(&mut |_| {
                looks += 1;
                looks < 3
            })
            .unwrap();
        assert_eq!((outcome.end, outcome.time, looks), (End::Stopped, 0, 3), "{sharing:?}");
    }
}

/// A long flow over all links of a row and a short one over each: everybody has half of a link.
#[test]
fn parking_lot() {
    let fabric = row(4, &[0, 0, 1, 1, 2, 2, 3, 3]);
    // Host 0 goes to the end; one flow over each of the three links between switches.
    let list = [(0, 6, 2000, 0), (1, 2, 1000, 0), (3, 4, 1000, 0), (5, 7, 1000, 0)];
    let found = run(FluidScenario::new(fabric, flows(&list)));
    // The short ones end when each has sent 1,000 at half the rate; the long one has as much left, and a link to itself.
    let half = 2 * 1000 * BYTE;
    assert_eq!(ends(&found), [Some(half + 1000 * BYTE), Some(half), Some(half), Some(half)]);
}

/// `n` flows to one host share its link, and end together where they began together.
#[test]
fn incast() {
    let n = 10;
    let fabric = row(1, &[0; 11]);
    let list: Vec<_> = (0..n).map(|host| (host, n, 15_000, 0)).collect();
    let found = run(FluidScenario::new(fabric, flows(&list)));
    assert!(ends(&found).iter().all(|end| *end == Some(u64::from(n) * 15_000 * BYTE)));
    // One settling at the start, one at the end.
    assert_eq!(found.settled, 2);
    let down = *found.ports.last().unwrap();
    assert_eq!(down, u64::from(n) * 15_000);
}

/// Three flows leave one host, and one of them meets a fourth, which takes what it leaves of the last link.
#[test]
fn two_classes() {
    let fabric = row(1, &[0; 6]);
    let list = [(0, 2, 3000, 0), (0, 3, 3000, 0), (0, 4, 3000, 0), (1, 4, 6000, 0)];
    let found = run(FluidScenario::new(fabric, flows(&list)));
    let first = 3 * 3000 * BYTE;
    assert_eq!(ends(&found), [Some(first); 4]);
}

/// Weights divide a link in their proportion.
#[test]
fn weights() {
    let made = FluidScenario::new(row(1, &[0; 3]), flows(&[(0, 2, 3000, 0), (1, 2, 1000, 0)]));
    let found = run(FluidScenario { weights: Some(vec![3.0, 1.0]), ..made });
    assert_eq!(ends(&found), [Some(4000 * BYTE); 2]);
}

/// When the heavy flows of a class have gone, one of a millionth of their weight has all of the link, and no more.
#[test]
fn light_and_heavy_flows_on_one_path() {
    let count = 1000;
    let mut list = vec![(0, 1, 100_000_000, 0)];
    list.extend((0..count).map(|_| (0, 1, 1000, 0)));
    let weights = std::iter::once(0.001).chain((0..count).map(|i| 999.9 - 0.1 * i as f64)).collect();
    let made = FluidScenario::new(row(1, &[0; 2]), flows(&list));
    let found = ends(&run(FluidScenario { weights: Some(weights), ..made }));
    // The link is never idle, but for what is left of a picosecond when a flow is complete.
    let all = (100_000_000 + count * 1000) * BYTE;
    assert!((all..all + count).contains(&found[0].unwrap()), "{found:?} instead of {all}");
    // The heaviest first, all by the time that the others' bytes take, and what little the light one gets meanwhile.
    assert!(found[1..].is_sorted());
    assert!(found[1000].unwrap() < (count * 1000 + 20) * BYTE);
}

/// Flows that wait for others start when these have arrived, or are known to have, and a delay after.
#[test]
fn dependent_flows() {
    let correction = Correction { propagation: true, ..Correction::default() };
    for (stage, links) in [(Stage::Arrived, 2), (Stage::Acknowledged, 4)] {
        let list = [(0, 1, 1000, 5), (1, 0, 1000, 10)];
        let source = FlowList::new(list).after(&[0, 0, 1], &[(0, stage, 0)]).unwrap();
        let found = run(FluidScenario { correction, ..FluidScenario::new(row(1, &[0; 2]), source) });
        let first = 5 + 1000 * BYTE + links * MICROSECOND;
        assert_eq!(found.flows[1].start, first + 10);
        assert_eq!(found.flows[1].arrived, Some(first + 10 + 1000 * BYTE + 2 * MICROSECOND));
        assert_eq!(ends(&found)[1], Some(first + 10 + 1000 * BYTE + 4 * MICROSECOND));
    }
}

fn outage(port: u32, from: Time, until: Time, repair: Option<Time>) -> Failures {
    Failures { outages: vec![Outage { port, from, until }], repair }
}

/// A link that is down for a time stops its flow for so long.
#[test]
fn a_link_that_comes_back() {
    let up = row(1, &[0; 2]).up(0, 0);
    let made = FluidScenario::new(row(1, &[0; 2]), flows(&[(0, 1, 1000, 0)]));
    let (from, until) = (300 * BYTE, 5000 * BYTE);
    let found = run(FluidScenario { failures: outage(up, from, until, None), ..made });
    assert_eq!(ends(&found), [Some(until + 700 * BYTE)]);
    assert_eq!(found.ports[up as usize], 1000);
}

/// A flow that can never finish is there, with what of it arrived; the others end, and so does the run.
#[test]
fn a_flow_that_never_ends() {
    let up = row(1, &[0; 3]).up(0, 0);
    let made = FluidScenario::new(row(1, &[0; 3]), flows(&[(0, 1, 1000, 0), (2, 1, 1000, 300 * BYTE)]));
    let found = run(FluidScenario { failures: outage(up, 300 * BYTE, NEVER, None), ..made });
    assert_eq!(ends(&found), [None, Some(1300 * BYTE)]);
    assert_eq!((found.end, found.flows[0].received), (End::Idle, 300));
}

/// Two ways from switch 0 to 3; the flow goes on by the other one when paths take note.
#[test]
fn a_flow_takes_another_path() {
    let cables = [(0, 1), (0, 2), (1, 3), (2, 3)];
    let arcs = cables.into_iter().flat_map(|(u, v)| [(u, v), (v, u)]).collect();
    let planes = Planes::new(vec![graph_of(4, arcs)], vec![vec![Some(0), Some(3)]]).unwrap();
    let fabric = Fabric::uniform(planes, Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap();
    let whole = run(FluidScenario::new(fabric.clone(), flows(&[(0, 1, 1000, 0)])));
    let used = (0..8).find(|arc| whole.ports[*arc as usize] > 0).unwrap();
    let failures = outage(used, 400 * BYTE, NEVER, Some(100 * BYTE));
    let found = run(FluidScenario { failures, ..FluidScenario::new(fabric, flows(&[(0, 1, 1000, 0)])) });
    assert_eq!(ends(&found), [Some(1100 * BYTE)]);
    assert_eq!((found.ports[used as usize], found.ports[1 - used as usize]), (400, 600));
}

/// Switches 0 - 1 at 4 Gb/s, and by 2 at 10 Gb/s as the hosts' links; the flow takes the direct cable unless it is down.
#[test]
fn a_flow_returns_after_the_repair() {
    const MS: Time = SECOND / 1000;
    let arcs = [(0, 1), (0, 2), (2, 1)].into_iter().flat_map(|(u, v)| [(u, v), (v, u)]).collect();
    let planes = Planes::new(vec![graph_of(3, arcs)], vec![vec![Some(0), Some(1)]]).unwrap();
    let graph = &planes.graphs()[0];
    let direct = |arc: u32| graph.tail(arc) + graph.head(arc) == 1;
    let gbps = |port: u32| if port < 6 && direct(port) { 4 } else { 10 };
    let rates: Vec<Rate> = (0..10).map(|port| Rate::new(gbps(port) * 1_000_000_000).unwrap()).collect();
    let down = (0..6).find(|arc| direct(*arc)).unwrap();
    let fabric = Fabric::new(planes.clone(), &rates, &[0; 10]).unwrap();
    let failures = outage(down, MS, 3 * MS, Some(MS / 4));
    let found = run(FluidScenario { failures, ..FluidScenario::new(fabric, flows(&[(0, 1, 20_000_000, 0)])) });
    // 160 Mb: 4 in the first millisecond, none until 1.25 ms, 20 until 3.25 ms, and 136 at 4 Gb/s.
    assert_eq!(ends(&found), [Some(3 * MS + MS / 4 + 34 * MS)]);
}

/// A flow that finds no path when it is to start begins when it learns of one, and not before.
#[test]
fn a_flow_without_a_path_waits_for_the_repair() {
    let long = 1000 * BYTE;
    for (start, from, until, repair, begins) in [
        (0, 0, 3 * long, Some(0), 3 * long),
        (long, 0, 3 * long, Some(100), 3 * long + 100),
        (7 * long / 2, 3 * long, 4 * long, Some(100), 4 * long + 100),
        (10 * long, 0, 3 * long, None, 10 * long),
        (long, 0, 3 * long, None, 3 * long),
    ] {
        let up = row(1, &[0; 2]).up(0, 0);
        let made = FluidScenario::new(row(1, &[0; 2]), flows(&[(0, 1, 1000, start)]));
        let found = run(FluidScenario { failures: outage(up, from, until, repair), ..made });
        assert_eq!((ends(&found), found.end), (vec![Some(begins + long)], End::Complete), "{begins}");
        assert_eq!((found.flows[0].start, found.flows[0].ideal), (start, long));
    }
}

/// A limit of time leaves what arrived until then.
#[test]
fn a_limit_of_time() {
    let mut made = FluidScenario::new(row(1, &[0; 2]), flows(&[(0, 1, 1000, 0), (1, 0, 500, 9000 * BYTE)]));
    made.limits.time = 250 * BYTE;
    let found = run(made);
    assert_eq!((found.end, found.time, ends(&found)), (End::TimeLimit, 250 * BYTE, vec![None, None]));
    assert_eq!((found.flows[0].received, found.flows[1].start), (250, 9000 * BYTE));
}

/// Four subflows leave by one access link, and take what one would; over two planes they take both.
#[test]
fn subflows_share_what_a_host_has() {
    let graph = || graph_of(2, vec![(0, 1), (1, 0)]);
    let attach = vec![vec![Some(0), Some(0), Some(1)]; 2];
    let planes = Planes::new(vec![graph(), graph()], attach).unwrap();
    let fabric = Fabric::uniform(planes, Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap();
    let forwarding = Arc::new(Ecmp { policy: Policy::RoundRobin });
    let made = FluidScenario::new(fabric, flows(&[(0, 2, 1000, 0)]));
    let found = run(FluidScenario { forwarding, sharing: Sharing::Subflows(4), ..made });
    assert_eq!(ends(&found), [Some(500 * BYTE)]);
    assert_eq!((&found.plane_bytes[..], &found.subflow_bytes[..]), (&[500, 500][..], &[250; 4][..]));
    assert_eq!(found.flows[0].ideal, 500 * BYTE);
}

/// With all terms, a flow alone takes as long as its packets do, in slow start and out of it.
#[test]
fn a_flow_alone_takes_as_long_as_its_packets() {
    let correction =
        Correction { handshake: true, propagation: true, store_and_forward: true, slow_start: Some(2), windows: None };
    for packets in [1, 2, 3, 6, 14, 40, 400] {
        let list = [(0, 1, 1500 * packets, 7)];
        let fabric = || row(4, &[0, 3]);
        let packet = pnet_core::sim::Scenario {
            queue: Arc::new(DropTail { limit: Limit::Packets(1000) }),
            transport: Arc::new(Tcp { syn: Some(40), initial_window: 2, ..Tcp::default() }),
            ..pnet_core::sim::Scenario::new(fabric(), flows(&list))
        };
        let packet = packet.run(&mut |_| true).unwrap();
        let found = run(FluidScenario { correction, ..FluidScenario::new(fabric(), flows(&list)) });
        assert_eq!(found.flows[0].ideal, packet.flows[0].ideal, "{packets} packets");
        assert_eq!(found.flows[0].end, packet.flows[0].end, "{packets} packets");
    }
}

proptest! {
    /// The same without slow start, over links that differ, where a short last packet catches up with the others.
    #[test]
    fn a_flow_alone_takes_its_pipeline(
        rates in prop::collection::vec(prop_oneof![Just(1_u64), Just(4), Just(10), Just(25)], 10),
        delays in prop::collection::vec(0..2_000_000_u64, 10),
        full in 0..40_u64,
        rest in 1..1460_u64,
    ) {
        let uniform = row(4, &[0, 3]);
        let rates: Vec<Rate> = rates.iter().map(|rate| Rate::new(rate * 1_000_000_000).unwrap()).collect();
        let fabric = Fabric::new(uniform.planes().clone(), &rates, &delays).unwrap();
        let list = [(0, 1, 1460 * full + rest, 7)];
        let packet = pnet_core::sim::Scenario { queue: Arc::new(DropTail { limit: Limit::Packets(1000) }), transport: Arc::new(Tcp { payload: 1460, header: 40, initial_window: 100, syn: Some(40), ..Tcp::default() }), ..pnet_core::sim::Scenario::new(fabric.clone(), flows(&list)) };
        let packet = packet.run(&mut |_| true).unwrap();
        let correction = Correction {
            handshake: true,
            propagation: true,
            store_and_forward: true,
            ..Correction::default()
        };
        let sizes = PacketSizes { packet: 1500, header: 40, ack: 40 };
        let found = run(FluidScenario { correction, sizes, ..FluidScenario::new(fabric, flows(&list)) });
        prop_assert_eq!(found.flows[0].ideal, packet.flows[0].ideal);
        // An acknowledgement of a packet that is not much shorter may wait for the one before it on its way back.
        prop_assert_eq!(found.flows[0].end, Some(7 + packet.flows[0].ideal));
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let error = |change: &dyn Fn(&mut FluidScenario)| {
        let mut made = FluidScenario::new(row(1, &[0; 2]), flows(&[(0, 1, 1000, 0)]));
        change(&mut made);
        made.run(&mut |_| true).unwrap_err().to_string()
    };
    assert_eq!(
        error(&|made| made.sharing = Sharing::Even),
        "sharing: a forwarding that chooses one path has none to split over"
    );
    assert_eq!(
        error(&|made| made.sharing = Sharing::Best),
        "sharing: a forwarding that chooses one path has none to split over"
    );
    assert_eq!(
        error(&|made| made.sharing = Sharing::Subflows(0)),
        "sharing: too few subflows, found 0; allowed: at least 1"
    );
    assert_eq!(
        error(&|made| made.forwarding = Arc::new(PerHop { policy: Policy::Any, drawn: Some(1) })),
        "sharing: a forwarding that spreads packets gives a flow no path of its own"
    );
    assert_eq!(
        error(&|made| {
            let (policy, over, order) = (Policy::Any, Over::Paths, Order::Flowlets(1));
            made.forwarding = Arc::new(Spray { policy, over, order });
        }),
        "forwarding: a fluid has no gaps in which a flow could change its path"
    );
    assert_eq!(
        error(&|made| made.weights = Some(vec![0.0])),
        "weights: invalid weight, found 0; allowed: positive numbers"
    );
    assert_eq!(error(&|made| made.weights = Some(vec![])), "weights: none for flow 0");
    assert_eq!(
        error(&|made| made.sizes.header = 1500),
        "sizes: PacketSizes { packet: 1500, header: 1500, ack: 40 } leave no room for payload"
    );
}

/// Two planes and a flow over both, until one of them fails: the best split goes on by the other at once, and takes both
/// again when it is back.
#[test]
fn a_best_split_leaves_what_fails() {
    let graphs = vec![graph_of(1, vec![]), graph_of(1, vec![])];
    let planes = Planes::new(graphs, vec![vec![Some(0); 2]; 2]).unwrap();
    let fabric = Fabric::uniform(planes, Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap();
    let up = fabric.up(1, 0);
    let (over, order) = (Over::Paths, Order::RoundRobin);
    let made = FluidScenario::new(fabric, flows(&[(0, 1, 4000, 0)]));
    let found = run(FluidScenario {
        forwarding: Arc::new(Spray { policy: Policy::RoundRobin, over, order }),
        sharing: Sharing::Best,
        failures: outage(up, 500 * BYTE, 1500 * BYTE, None),
        ..made
    });
    // 1,000 bytes over both, 1,000 over one, 2,000 over both.
    assert_eq!(ends(&found), [Some(2500 * BYTE)]);
    assert_eq!((found.flows[0].ideal, found.plane_bytes), (2000 * BYTE, vec![2500, 1500]));
}

/// A link that two flows share and a way around it that one of them has: what they get altogether is equal.
#[test]
fn a_best_split_evens_out() {
    // Switches 0 - 1 directly, and by 2 at the rate of a host's link; hosts 0, 1 at switch 0 and 2, 3 at switch 1.
    let arcs = [(0, 1), (0, 2), (2, 1)].into_iter().flat_map(|(u, v)| [(u, v), (v, u)]).collect();
    let planes = Planes::new(vec![graph_of(3, arcs)], vec![vec![Some(0), Some(0), Some(1), Some(1)]]).unwrap();
    let fabric = Fabric::uniform(planes, Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap();
    let graph = &fabric.planes().graphs()[0];
    let arc = |u, v| (0..6).find(|arc| (graph.tail(*arc), graph.head(*arc)) == (u, v)).unwrap();
    let paths = PathSet {
        pair_ptr: vec![0, 2, 3],
        paths: Paths {
            plane: vec![0; 3],
            ptr: vec![0, 1, 3, 4],
            arcs: vec![arc(0, 1), arc(0, 2), arc(2, 1), arc(0, 1)],
        },
    };
    let given = Given { pairs: vec![(0, 2), (1, 3)], paths, since: vec![(0, 0)] };
    let made = FluidScenario::new(fabric, flows(&[(0, 2, 1000, 0), (1, 3, 1000, 0)]));
    let found = run(FluidScenario { forwarding: Arc::new(given), sharing: Sharing::Best, ..made });
    assert_eq!(ends(&found), [Some(1000 * BYTE); 2]);
}
