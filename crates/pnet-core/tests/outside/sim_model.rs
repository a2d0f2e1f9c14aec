//! Random small networks: the shortcut equals the plain model, seeds decide everything, and what must never happen.

use std::sync::Arc;

use crate::common::{NODES, graph, graph_of, planes};
use pnet_core::graph::Graph;
use pnet_core::paths::Policy;
use pnet_core::sim::*;
use proptest::prelude::*;

type AnyQueue = Arc<dyn Queue>;
type AnyTransport = Arc<dyn TransportKind>;
type AnyForwarding = Arc<dyn Forwarding>;

#[derive(Debug, Clone)]
struct Case {
    graphs: Vec<Graph>,
    queue: AnyQueue,
    host_queue: Option<AnyQueue>,
    forwarding: AnyForwarding,
    flows: Vec<(u32, u32, u64, Time)>,
    transport: AnyTransport,
    /// Its queue, where that trims.
    trim: Option<Trim>,
    rates: Vec<u64>,
    delays: Vec<Time>,
    outages: Vec<(u32, Time, Time)>,
    repair: Option<Time>,
    seed: u64,
}

impl Case {
    fn scenario(&self, model: Model) -> Scenario {
        let planes = planes(&self.graphs);
        let arcs: usize = planes.graphs().iter().map(Graph::arcs).sum();
        let ports = arcs + 2 * planes.count() * planes.endpoints();
        let rates: Vec<Rate> =
            (0..ports).map(|i| Rate::new(self.rates[i % self.rates.len()] * 1_000_000_000).unwrap()).collect();
        let delays: Vec<Time> = (0..ports).map(|i| self.delays[i % self.delays.len()]).collect();
        Scenario {
            queue: self.queue.clone(),
            host_queue: self.host_queue.clone(),
            forwarding: self.forwarding.clone(),
            transport: self.transport.clone(),
            seed: self.seed,
            model,
            limits: Limits { time: SECOND / 10, events: u64::MAX },
            failures: self.failures(ports),
            watched: Watched {
                ports: (0..ports as u32).collect(),
                flows: (0..self.flows.len() as u32).collect(),
                rows: 100_000,
            },
            ..Scenario::new(Fabric::new(planes, &rates, &delays).unwrap(), FlowList::new(self.flows.clone()))
        }
    }

    fn failures(&self, ports: usize) -> Failures {
        let outage = |(port, from, lasts): &(u32, Time, Time)| Outage {
            port: port % ports as u32,
            from: *from,
            until: from.saturating_add(*lasts),
        };
        Failures { outages: self.outages.iter().map(outage).collect(), repair: self.repair }
    }

    fn run(&self, model: Model) -> Outcome {
        self.scenario(model).run(&mut |_| true).unwrap()
    }
}

/// Every cable in both directions, and a ring, so that everybody reaches everybody.
fn connected(graph: &Graph) -> Graph {
    let arcs = (0..graph.arcs() as u32).map(|arc| (graph.tail(arc), graph.head(arc)));
    let ring = (0..NODES).map(|v| (v, (v + 1) % NODES));
    graph_of(NODES, arcs.chain(ring).flat_map(|(u, v)| [(u, v), (v, u)]).collect())
}

prop_compose! {
    fn tcp()(
        syn in any::<bool>(),
        initial_window in 1..20_u32,
        initial_threshold in prop::option::of(2..40_u32),
        receive_window in prop::option::of(1..50_u32),
        every in 1..3_u32,
        delay in 1..50_000_000_u64,
        granularity in prop_oneof![Just(0), Just(700_000_000)],
        duplicate_threshold in prop::option::of(1..5_u32),
        sack in any::<bool>(),
        congestion in congestion(),
        subflows in 1..4_u32,
        shares in any::<bool>(),
        probe_after in prop::option::of(1..4_u32),
        resequence in prop::option::of(1..20_000_000_u64),
    ) -> AnyTransport {
        let tcp: AnyTransport = Arc::new(Tcp {
            syn: syn.then_some(1),
            initial_window,
            initial_threshold,
            receive_window,
            acks: Acks { every, delay },
            rto: Rto { initial: SECOND / 1000, least: SECOND / 5000, most: SECOND, granularity },
            duplicate_threshold,
            sack: sack && duplicate_threshold.is_some(),
            congestion,
            subflows,
            shares,
            probe_after,
            resequence,
            ..Tcp::default()
        });
        tcp
    }
}

fn ndp() -> impl Strategy<Value = AnyTransport> {
    let window = prop::option::of(1..20_u32);
    (window, 20_000_000..2_000_000_000_u64)
        .prop_map(|(window, timeout)| -> AnyTransport { Arc::new(Ndp { window, timeout, ..Ndp::default() }) })
}

fn cbr() -> impl Strategy<Value = AnyTransport> {
    prop::option::of(1..5_000_000_000_u64).prop_map(|rate| -> AnyTransport {
        let rate = rate.map(|bits| Rate::new(bits).unwrap());
        Arc::new(Cbr { payload: 1500, header: 0, rate })
    })
}

fn limit() -> impl Strategy<Value = Limit> {
    prop_oneof![(1..12_u32).prop_map(Limit::Packets), (1500..20_000_u64).prop_map(Limit::Bytes)]
}

fn fifo() -> impl Strategy<Value = AnyQueue> {
    prop_oneof![
        limit().prop_map(|limit| -> AnyQueue { Arc::new(DropTail { limit }) }),
        (limit(), 0..5_u32, 0..5_u32, 0.0..1.0).prop_map(|(limit, low, more, chance)| -> AnyQueue {
            Arc::new(Ecn { low, high: low + more, chance, ..Ecn::threshold(limit, 0) })
        }),
        (limit(), 0..6_u32, prop::option::of(0..9000_u64), any::<bool>()).prop_map(
            |(limit, low, threshold_bytes, leaving)| -> AnyQueue {
                Arc::new(Ecn { threshold_bytes, leaving, ..Ecn::threshold(limit, low) })
            }
        ),
    ]
}

fn host_queue() -> impl Strategy<Value = Option<AnyQueue>> {
    let unbounded = prop::option::of(0..20_000_u64);
    prop_oneof![
        1 => Just(None),
        1 => fifo().prop_map(Some),
        2 => unbounded.prop_map(|small_queue| -> Option<AnyQueue> { Some(Arc::new(Unbounded { small_queue })) }),
    ]
}

fn scheduler() -> impl Strategy<Value = AnyQueue> {
    prop_oneof![
        limit().prop_map(|limit| -> AnyQueue { Arc::new(Pfabric { limit }) }),
        (limit(), 1..20_u32).prop_map(|(limit, most)| -> AnyQueue { Arc::new(Strict { limit, bounds: vec![most] }) }),
    ]
}

/// Ports that share a buffer, and may pause others.
fn shared() -> impl Strategy<Value = AnyQueue> {
    let marks = prop::option::of(0..6_u32);
    (2000..40_000_u64, 0.1..8.0, any::<bool>(), prop::option::of(1500..4000_u64), marks).prop_map(
        |(buffer, alpha, pauses, headroom, low)| -> AnyQueue {
            let buffer = buffer + if pauses { 20_000 } else { 0 };
            Arc::new(Shared { buffer, alpha, pauses, headroom, resume: 1500, packet: 1500, low, high: 6, chance: 0.5 })
        },
    )
}

fn one_path() -> impl Strategy<Value = AnyForwarding> {
    policy().prop_map(|policy| -> AnyForwarding { Arc::new(Ecmp { policy }) })
}

fn many_paths() -> impl Strategy<Value = AnyForwarding> {
    let over = prop_oneof![Just(Over::Paths), Just(Over::Planes)];
    let order = prop_oneof![
        Just(Order::RoundRobin),
        Just(Order::Shuffled),
        Just(Order::Permuted),
        Just(Order::Random),
        Just(Order::Flowlets(3_000_000)),
    ];
    prop_oneof![
        policy().prop_map(|policy| -> AnyForwarding { Arc::new(PerHop { policy, drawn: Some(1) }) }),
        (policy(), over, order)
            .prop_map(|(policy, over, order)| -> AnyForwarding { Arc::new(Spray { policy, over, order }) }),
    ]
}

fn adaptive() -> impl Strategy<Value = AnyForwarding> {
    policy().prop_map(|policy| -> AnyForwarding { Arc::new(PerHop { policy, drawn: None }) })
}

fn policy() -> impl Strategy<Value = Policy> {
    prop_oneof![Just(Policy::Any), Just(Policy::RoundRobin), Just(Policy::Shortest), Just(Policy::Single)]
}

fn outage() -> impl Strategy<Value = (u32, Time, Time)> {
    let from = prop_oneof![Just(0), 1..60_000_000_u64];
    (any::<u32>(), from, prop_oneof![Just(NEVER), 1..60_000_000_u64])
}

fn growth() -> impl Strategy<Value = Coupled> {
    let coupling = prop_oneof![Just(Coupling::Lia), Just(Coupling::Linked), Just(Coupling::Uncoupled)];
    (coupling, prop_oneof![Just(0), Just(1_000_000)]).prop_map(|(coupling, rtt_unit)| Coupled { coupling, rtt_unit })
}

fn congestion() -> impl Strategy<Value = Arc<dyn Congestion>> {
    prop_oneof![
        Just(()).prop_map(|()| -> Arc<dyn Congestion> { Arc::new(Reno) }),
        Just(()).prop_map(|()| -> Arc<dyn Congestion> { Arc::new(Dctcp::default()) }),
        (any::<bool>(), growth()).prop_map(|(always, growth)| -> Arc<dyn Congestion> {
            Arc::new(Dctcp { alpha: 0.0, always, growth, ..Dctcp::default() })
        }),
        growth().prop_map(|growth| -> Arc<dyn Congestion> { Arc::new(growth) }),
    ]
}

/// A queue and a transport that goes with it; the queue again where it trims.
type Kinds = (AnyQueue, AnyTransport, Option<Trim>);

fn trim() -> impl Strategy<Value = Kinds> {
    let weight = prop::option::of(1..12_u32);
    let marks = prop::option::of(0..3_u32);
    (limit(), 64..2000_u64, weight, marks, ndp()).prop_map(|(limit, headers, weight, low, transport)| -> Kinds {
        let queue = Trim { limit, header: 64, headers, weight, low, high: 3 };
        (Arc::new(queue.clone()), transport, Some(queue))
    })
}

fn any_of(queue: impl Strategy<Value = AnyQueue> + 'static) -> BoxedStrategy<Kinds> {
    (queue, prop_oneof![6 => tcp(), 1 => ndp(), 1 => cbr()])
        .prop_map(|(queue, transport)| (queue, transport, None))
        .boxed()
}

prop_compose! {
    fn case(kinds: BoxedStrategy<Kinds>, forwarding: BoxedStrategy<AnyForwarding>)(
        graphs in prop::collection::vec(graph(), 1..3),
        (queue, transport, trim) in kinds,
        host_queue in host_queue(),
        forwarding in forwarding,
        flows in prop::collection::vec((0..NODES, 1..NODES, 1..60_000_u64, 0..40_000_000_u64), 1..12),
        rates in prop::collection::vec(prop_oneof![Just(1), Just(3), Just(10)], 1..5),
        delays in prop::collection::vec(prop_oneof![Just(0), Just(500_000), Just(1_000_000)], 1..4),
        outages in prop_oneof![3 => Just(vec![]), 1 => prop::collection::vec(outage(), 1..6)],
        repair in prop::option::of(0..30_000_000_u64),
        seed in any::<u64>(),
    ) -> Case {
        let flows = flows.into_iter().map(|(src, far, bytes, start)| (src, (src + far) % NODES, bytes, start));
        let (graphs, flows) = (graphs.iter().map(connected).collect(), flows.collect());
        Case { graphs, queue, host_queue, forwarding, flows, transport, trim, rates, delays, outages, repair, seed }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_shortcut_is_the_plain_model(
        case in case(any_of(fifo()), prop_oneof![one_path(), many_paths()].boxed()),
    ) {
        let (fast, mut plain) = (case.run(Model::Fast), case.run(Model::Plain));
        prop_assert!(plain.events > fast.events || fast.packet_hops == 0);
        plain.events = fast.events;
        prop_assert_eq!(fast, plain);
    }

    /// Where a port holds packets, what it sends is only found out when something comes to it or to its other end, or if others
    /// depend on it, in an event if packets wait.
    #[test]
    fn ports_may_catch_up_later(
        mut case in case(
            prop_oneof![any_of(prop_oneof![scheduler(), shared()]), trim().boxed()].boxed(),
            prop_oneof![one_path(), many_paths(), adaptive()].boxed(),
        ),
    ) {
        if case.forwarding.compares_queues() {
            // How long what a port holds takes is rounded, but not what is on its wire.
            case.host_queue = None;
        }
        let (fast, mut plain) = (case.run(Model::Fast), case.run(Model::Plain));
        prop_assert!(plain.events > fast.events || fast.packet_hops == 0);
        plain.events = fast.events;
        prop_assert_eq!(fast, plain);
    }

    #[test]
    fn what_holds_in_every_run(
        case in case(
            prop_oneof![2 => any_of(prop_oneof![fifo(), scheduler()]), 1 => trim()].boxed(),
            prop_oneof![one_path(), many_paths()].boxed(),
        ),
    ) {
        let patient = || Scenario { limits: Limits { time: 10 * SECOND, events: 1_000_000 }, ..case.scenario(Model::Fast) };
        let found = patient().run(&mut |_| true).unwrap();
        prop_assert_eq!(&found, &patient().run(&mut |_| true).unwrap());
        prop_assert_eq!(found.flows.len(), case.flows.len());
        if case.transport.takes_trimmed() {
            // Links that are down lose packets for good, and headers that always go first may starve all payload.
            let starves = case.trim.as_ref().is_some_and(|trim| trim.weight.is_none());
            let done = found.flows.iter().all(|flow| flow.end.is_some());
            prop_assert!(done || starves || !case.outages.is_empty());
        }
        for flow in &found.flows {
            prop_assert!(flow.received <= flow.bytes);
            // With a share each, every subflow may send all.
            let most = flow.bytes.div_ceil(1500) * u64::from(case.transport.shape().unwrap().subflows);
            prop_assert!(flow.counts.data_packets - flow.counts.resent <= most);
            if let Some(end) = flow.end {
                // A path that comes back may be shorter than those that were open at the start.
                prop_assert!(!case.outages.is_empty() || end - flow.start >= flow.ideal, "{flow:?}");
                prop_assert_eq!(flow.received, flow.bytes);
            }
        }
        let trimmed = |limit: Limit, headers: u64| match limit {
            Limit::Packets(most) => Limit::Bytes(u64::from(most) * 1500 + headers),
            Limit::Bytes(most) => Limit::Bytes(most + headers),
        };
        let limit = match &case.trim {
            Some(trim) => trimmed(trim.limit, trim.headers),
            None => case.queue.limit(),
        };
        let limit_of_hosts = case.host_queue.as_ref().map_or(limit, |queue| queue.limit());
        // The ports of hosts come last but for those into hosts; where queues trim, hosts do not.
        let nics = case.graphs.len() * NODES as usize;
        let of_hosts = found.ports.len() - 2 * nics..found.ports.len() - nics;
        for (i, port) in found.ports.iter().enumerate() {
            let host = of_hosts.contains(&i);
            match if host { limit_of_hosts } else { limit } {
                _ if case.queue.trims() && case.host_queue.is_none() && host => prop_assert_eq!(port.trimmed + port.dropped, 0),
                Limit::Packets(most) => prop_assert!(port.longest_packets <= most),
                Limit::Bytes(most) => prop_assert!(port.longest_bytes <= most),
            }
            prop_assert!(port.spent <= found.time.saturating_mul(u64::from(port.longest_packets)));
            prop_assert!(port.lost <= port.packets);
        }
        // What is down from start to end is never used.
        for outage in case.failures(found.ports.len()).outages {
            if outage.from == 0 && outage.until == NEVER {
                prop_assert_eq!(found.ports[outage.port as usize].packets, 0);
            }
        }
    }

    /// A flow that has one path and loses nothing meets no packet out of order, and stays in its plane.
    #[test]
    fn queues_keep_the_order(mut case in case(any_of(fifo()), one_path().boxed())) {
        // Paths that change put packets out of order.
        case.outages.clear();
        let found = case.run(Model::Fast);
        for (i, flow) in found.flows.iter().enumerate() {
            prop_assert!(flow.counts.dropped > 0 || flow.counts.out_of_order == 0);
            if found.subflow_bytes.len() == found.flows.len() {
                let of_plane = &found.plane_bytes[i * case.graphs.len()..][..case.graphs.len()];
                let used = of_plane.iter().filter(|bytes| **bytes > 0).count();
                prop_assert_eq!(used, usize::from(flow.counts.data_bytes > 0));
            }
        }
    }
}
