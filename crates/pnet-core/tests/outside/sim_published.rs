//! Small cases of published experiments.

use std::sync::Arc;

use crate::common::graph_of;
use crate::fat_tree::fat_tree;
use pnet_core::paths::Policy;
use pnet_core::random::SplitMix;
use pnet_core::sim::*;

/// SOPA, section 4.2: in a fat tree with k = 4 and links of 1 Gb/s and 25 ns, hosts 0 and 1 send 10 MiB each to hosts 4 and 5.
fn four_flows(forwarding: Arc<dyn Forwarding>, threshold: u32, resequence: Option<Time>, seed: u64) -> Outcome {
    let tcp = Tcp {
        payload: 1460,
        header: 40,
        syn: Some(40),
        initial_window: 2,
        initial_threshold: Some(44),
        receive_window: Some(44),
        acks: Acks { every: 2, delay: SECOND / 5 },
        resequence,
        rto: Rto { initial: SECOND, least: SECOND / 5, most: 60 * SECOND, granularity: 0 },
        duplicate_threshold: Some(threshold),
        ..Tcp::default()
    };
    let flows = [(0, 4), (0, 5), (1, 4), (1, 5)].map(|(src, dst)| (src, dst, 10 << 20, 0));
    let scenario = Scenario {
        forwarding,
        transport: Arc::new(tcp),
        seed,
        watched: Watched { flows: vec![0, 1, 2, 3], ports: vec![], rows: 100_000 },
        ..Scenario::new(
            Fabric::uniform(fat_tree(4), Rate::new(1_000_000_000).unwrap(), 25_000).unwrap(),
            FlowList::new(flows),
        )
    };
    scenario.run(&mut |_| true).unwrap()
}

/// Round robin over the paths from the source: half of the link each (published are 475 Mb/s with headers), hardly a packet
/// out of order (up to 0.4 % published), and windows that only grow, however the flows meet.
#[test]
fn source_routed_spraying_shares_evenly() {
    let sopa = Arc::new(Spray { policy: Policy::Any, over: Over::Paths, order: Order::RoundRobin });
    for seed in 0..9 {
        let found = four_flows(sopa.clone(), 10, None, seed);
        for flow in &found.flows {
            let rate = flow.counts.data_bytes as f64 * 8.0 / ((flow.end.unwrap() - flow.start) as f64 / 1e12) / 1e6;
            assert!((450.0..=510.0).contains(&rate), "{rate} Mb/s");
            assert_eq!((flow.counts.resent, flow.counts.timeouts), (0, 0));
        }
        for flow in 0..4 {
            let windows = found.traces.windows.iter().filter(|row| row.flow == flow).map(|row| row.window);
            assert!(windows.is_sorted());
        }
        let early = |flow: &FlowRecord<PacketCounts>| flow.counts.out_of_order as f64 / flow.counts.data_packets as f64;
        let worst = found.flows.iter().map(early).fold(0.0, f64::max);
        assert!(worst < 0.004, "{worst} with seed {seed}");
    }
}

/// Random spraying by the switches puts packets out of order, and the sender takes that for losses.
#[test]
fn random_spraying_is_slower() {
    let last = |found: &Outcome| found.flows.iter().map(|flow| flow.end.unwrap()).max().unwrap();
    let sopa = Spray { policy: Policy::Any, over: Over::Paths, order: Order::RoundRobin };
    let (sopa, random) = (
        four_flows(Arc::new(sopa), 10, None, 1),
        four_flows(Arc::new(PerHop { policy: Policy::Any, drawn: Some(1) }), 3, None, 1),
    );
    assert!(last(&random) as f64 > 1.05 * last(&sopa) as f64);
    assert!(
        random
            .flows
            .iter()
            .all(|flow| flow.counts.fast_retransmits > 0 && flow.counts.out_of_order > flow.counts.data_packets / 50)
    );
}

/// DRB: packets bounce off the cores in an order drawn for each flow, and wait at the receiver for those before them; the
/// sender sees no loss where there is none.
#[test]
fn a_buffer_at_the_receiver_hides_the_order() {
    let drb = Arc::new(Spray { policy: Policy::Any, over: Over::Paths, order: Order::Shuffled });
    let held = four_flows(drb.clone(), 3, Some(SECOND / 1000), 1);
    let bare = four_flows(drb, 3, None, 1);
    assert!(held.flows.iter().all(|flow| flow.counts.out_of_order > 0 && flow.counts.resent == 0));
    // Without it every early packet is acknowledged at once.
    for (held, bare) in held.flows.iter().zip(&bare.flows) {
        assert!(held.counts.sent - held.counts.data_packets < bare.counts.sent - bare.counts.data_packets);
    }
}

/// A fat tree with k = 8, 10 Gb/s and 1 us a link, in which 128 hosts send to each other in pairs over one random shortest
/// path: another simulator's means are 18.9 ms for 10 MB and 4.8 ms for 1 MB.
#[test]
fn pairs_in_a_fat_tree_take_as_long_as_elsewhere() {
    let mut order: Vec<u32> = (0..128).collect();
    let mut random = SplitMix::of([1]);
    for i in 1..order.len() {
        order.swap(i, random.below(i + 1));
    }
    for (bytes, published, tolerance) in [(10_000_000, 18.9, 0.15), (1_000_000, 4.8, 0.20)] {
        let pairs = order.chunks(2).flat_map(|pair| [(pair[0], pair[1]), (pair[1], pair[0])]);
        let scenario = Scenario::new(
            Fabric::uniform(fat_tree(8), Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap(),
            FlowList::new(pairs.map(|(src, dst)| (src, dst, bytes, 0))),
        );
        let found = scenario.run(&mut |_| true).unwrap();
        let times = found.flows.iter().map(|flow| flow.end.unwrap() as f64 / 1e9);
        let mean = times.sum::<f64>() / 128.0;
        assert!((mean / published - 1.0).abs() < tolerance, "{mean} ms");
    }
}

/// pFabric with its own transport brings short flows to one host home almost as if they were alone; drop-tail does not.
#[test]
fn the_shortest_go_first() {
    let hosts = 8_u32;
    let run = |queue: Arc<dyn Queue>, transport: Tcp| {
        let planes = pnet_core::graph::Planes::new(vec![graph_of(1, vec![])], vec![vec![Some(0); hosts as usize + 1]]);
        let long = (0..4).map(|host| (host, hosts, 5_000_000, 0));
        let short = (4..hosts).map(|host| (host, hosts, 15_000, u64::from(host) * 2 * SECOND / 1000));
        let scenario = Scenario {
            queue,
            transport: Arc::new(transport),
            ..Scenario::new(
                Fabric::uniform(planes.unwrap(), Rate::new(1_000_000_000).unwrap(), 2 * MICROSECOND).unwrap(),
                FlowList::new(long.chain(short)),
            )
        };
        let found = scenario.run(&mut |_| true).unwrap();
        let slowdown = |flow: &FlowRecord<PacketCounts>| (flow.end.unwrap() - flow.start) as f64 / flow.ideal as f64;
        found.flows.iter().filter(|flow| flow.bytes == 15_000).map(slowdown).fold(0.0, f64::max)
    };
    let timeout = 40 * SECOND / 1000;
    let rto = Rto { initial: timeout, least: timeout, most: timeout, granularity: 0 };
    let mintcp =
        Tcp { syn: None, initial_window: 12, duplicate_threshold: None, probe_after: Some(5), rto, ..Tcp::default() };
    let pfabric = run(Arc::new(Pfabric { limit: Limit::Packets(15) }), mintcp);
    let tcp = run(Arc::new(DropTail { limit: Limit::Packets(150) }), Tcp { syn: None, ..Tcp::default() });
    assert!(pfabric < 1.2, "{pfabric}");
    assert!(tcp > 3.0, "{tcp}");
}
