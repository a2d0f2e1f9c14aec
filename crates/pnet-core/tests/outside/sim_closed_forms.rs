//! Times on idle and on evenly shared links, against closed forms.

use std::sync::Arc;

use crate::common::graph_of;
use pnet_core::graph::Planes;
use pnet_core::paths::Policy;
use pnet_core::sim::*;
use proptest::prelude::*;

const GIGABIT: u64 = 1_000_000_000;

/// Hosts at both ends of a row of switches, `left` of them at the first and `right` at the last.
fn row(switches: u32, left: usize, right: usize) -> Planes {
    let arcs = (1..switches).flat_map(|v| [(v - 1, v), (v, v - 1)]).collect();
    let hosts = [vec![Some(0); left], vec![Some(switches - 1); right]].concat();
    Planes::new(vec![graph_of(switches, arcs)], vec![hosts]).unwrap()
}

fn scenario(fabric: Fabric, transport: Tcp, packets: u32, flows: Vec<(u32, u32, u64, Time)>) -> Scenario {
    Scenario {
        queue: Arc::new(DropTail { limit: Limit::Packets(packets) }),
        transport: Arc::new(transport),
        ..Scenario::new(fabric, FlowList::new(flows))
    }
}

fn run(scenario: Scenario) -> Outcome {
    scenario.run(&mut |_| true).unwrap()
}

fn gigabits(n: u64) -> Rate {
    Rate::new(n * GIGABIT).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A flow alone, with a window that holds all of it, takes its ideal time exactly, whatever the rates and delays: the
    /// sum over links for one packet, and the slowest link for each further one.
    #[test]
    fn a_flow_alone_takes_its_ideal_time(
        switches in 1..5_u32,
        rates in prop::collection::vec(10..50_u64, 12),
        delays in prop::collection::vec(0..3_000_000_u64, 12),
        full in 0..30_u64,
        rest in 200..1500_u64,
        handshake in any::<bool>(),
    ) {
        // The last packet is not so short that its acknowledgement catches up with the one before.
        let (bytes, planes) = (1500 * full + rest, row(switches, 1, 1));
        let ports = 2 * (switches as usize - 1) + 4;
        let rates: Vec<Rate> = rates[..ports].iter().map(|rate| gigabits(*rate)).collect();
        let fabric = Fabric::new(planes, &rates, &delays[..ports]).unwrap();
        let path: Vec<Link> = [fabric.up(0, 0)]
            .into_iter()
            .chain((0..switches - 1).map(|v| if v == 0 { 0 } else { 2 * v }))
            .chain([fabric.down(0, 1)])
            .map(|port| *fabric.link(port))
            .collect();
        let back: Vec<Link> = [fabric.up(0, 1)]
            .into_iter()
            .chain((1..switches).rev().map(|v| 2 * v - 1))
            .chain([fabric.down(0, 0)])
            .map(|port| *fabric.link(port))
            .collect();
        let one_way = |links: &[Link], size: u16| -> Time {
            links.iter().map(|link| link.rate.serialisation(size) + link.delay).sum()
        };
        // Packet by packet: a link sends when the packet is there and the one before has left.
        let mut free = vec![0; path.len()];
        let mut arrival = 0;
        for first in (0..bytes).step_by(1500) {
            let size = 1500.min(bytes - first) as u16;
            arrival = 0;
            for (link, free) in path.iter().zip(&mut free) {
                *free = arrival.max(*free) + link.rate.serialisation(size);
                arrival = *free + link.delay;
            }
        }
        let opening = if handshake { one_way(&path, 1) + one_way(&back, 40) } else { 0 };
        let expected = opening + arrival + one_way(&back, 40);
        let transport = Tcp { syn: handshake.then_some(1), initial_window: 100, ..Tcp::default() };
        let found = run(scenario(fabric, transport, 100, vec![(0, 1, bytes, 7)]));
        prop_assert_eq!(found.flows[0].end, Some(7 + expected));
        prop_assert_eq!(found.flows[0].ideal, expected);
        prop_assert_eq!(found.flows[0].received, bytes);
    }
}

/// Hosts of 10 Gb/s at the two ends of two parallel cables of 1 Gb/s: the ideal time is that of both cables, each with
/// half of the packets, and a sprayed flow takes a packet's time at the host longer, as the second cable starts later.
#[test]
fn the_ideal_time_over_parallel_cables_is_that_of_all() {
    let graph = graph_of(2, vec![(0, 1), (0, 1), (1, 0), (1, 0)]);
    let planes = Planes::new(vec![graph], vec![vec![Some(0), Some(1)]]).unwrap();
    let rates = [vec![gigabits(1); 4], vec![gigabits(10); 4]].concat();
    let fabric = Fabric::new(planes, &rates, &[MICROSECOND; 8]).unwrap();
    let (policy, order, packets) = (Policy::Any, Order::RoundRobin, 1000);
    let turns: Arc<dyn Forwarding> = Arc::new(Spray { policy, over: Over::Paths, order });
    for forwarding in [turns, Arc::new(PerHop { policy, drawn: Some(1) })] {
        let transport = Tcp { syn: None, initial_window: 2000, ..Tcp::default() };
        let even = forwarding.lists_paths();
        let made = scenario(fabric.clone(), transport, 2000, vec![(0, 1, packets * 1500, 0)]);
        let flow = &run(Scenario { forwarding, ..made }).flows[0];
        let (host, cable) = (1_200_000, 12_000_000);
        let answer = 2 * 32_000 + 320_000 + 3 * MICROSECOND;
        assert_eq!(flow.ideal, 2 * host + packets / 2 * cable + 3 * MICROSECOND + answer);
        let behind = flow.end.unwrap() - flow.ideal;
        // Drawn packet by packet, one cable gets more than half: by the deviation of a thousand throws, 16 packets.
        assert!(if even { behind == host } else { behind < 80 * cable }, "{behind}");
    }
}

/// One uncontended packet with a handshake before it: 4 L us and 1,581 bytes over each of L links.
#[test]
fn a_packet_with_a_handshake() {
    for (switches, links) in [(1, 2), (3, 4), (5, 6)] {
        let fabric = Fabric::uniform(row(switches, 1, 1), gigabits(100), MICROSECOND).unwrap();
        let found = run(scenario(fabric, Tcp::default(), 100, vec![(0, 1, 1500, 0)]));
        assert_eq!(found.flows[0].end, Some(4 * links * MICROSECOND + links * 1581 * 80));
        assert_eq!(u64::from(found.flows[0].hops), links);
    }
}

/// A window larger than the bandwidth-delay product and smaller than a queue: no packet is lost, and after the first round
/// trips the link is never idle.
#[test]
fn a_long_flow_fills_its_link() {
    let fabric = Fabric::uniform(row(3, 1, 1), gigabits(10), MICROSECOND).unwrap();
    let transport = Tcp { receive_window: Some(50), ..Tcp::default() };
    let bytes = 10_000_000;
    let found = run(scenario(fabric, transport, 100, vec![(0, 1, bytes, 0)]));
    let flow = &found.flows[0];
    assert_eq!((flow.counts.resent, flow.counts.dropped), (0, 0));
    let time = flow.end.unwrap() - flow.start;
    let rate = bytes as f64 * 8.0 / (time as f64 / SECOND as f64);
    assert!(rate > 0.99e10, "{rate}");
    // The arc between the first switches is busy as long as the data takes.
    assert_eq!(found.ports[0].bytes, bytes + 1);
}

/// A window without bound at a host that drops nothing: its link is never idle, and little waits before it.
#[test]
fn a_flow_waits_for_room_in_its_own_port() {
    for (small_queue, most) in [(0, 1500), (30_000, 31_500), (131_072, 132_000)] {
        let fabric = Fabric::uniform(row(3, 1, 1), gigabits(10), MICROSECOND).unwrap();
        let bytes = 10_000_000;
        let host_queue = Some(Arc::new(Unbounded { small_queue: Some(small_queue) }) as Arc<dyn Queue>);
        let made = scenario(fabric, Tcp::default(), 100, vec![(0, 1, bytes, 0)]);
        let found = run(Scenario { host_queue, ..made });
        let flow = &found.flows[0];
        assert_eq!((flow.counts.resent, flow.counts.dropped), (0, 0));
        // The host's own port comes after the four arcs between switches.
        assert_eq!((found.ports[4].longest_bytes, found.ports[4].dropped), (most, 0));
        let rate = bytes as f64 * 8.0 / ((flow.end.unwrap() - flow.start) as f64 / SECOND as f64);
        assert!(rate > 0.99e10, "{rate}");
    }
}

/// `n` flows to one host: its link is shared, and never idle until the last byte.
#[test]
fn incast_takes_as_long_as_all_bytes_take() {
    let (n, bytes) = (10, 150_000);
    let fabric = Fabric::uniform(row(1, n, 1), gigabits(10), MICROSECOND).unwrap();
    let flows = (0..n as u32).map(|host| (host, n as u32, bytes, 0)).collect();
    // Windows of 9 packets, and a queue for all of them.
    let transport = Tcp { syn: None, receive_window: Some(9), initial_window: 9, ..Tcp::default() };
    let found = run(scenario(fabric, transport, 100, flows));
    let last = found.flows.iter().map(|flow| flow.end.unwrap()).max().unwrap();
    // Over two links, the last byte of the last packet: everybody's bytes over one, one packet over the other.
    let expected = (n as u64 * bytes + 1500) * 800 + 2 * MICROSECOND + 40 * 2 * 800 + 2 * MICROSECOND;
    assert_eq!(last, expected);
    assert!(found.flows.iter().all(|flow| flow.counts.dropped == 0 && flow.end.unwrap() > expected * 9 / 10));
}

/// Long flows through one link share it: each within a twentieth of its part, all together within a fiftieth of the link.
#[test]
fn flows_share_a_link() {
    let n = 4;
    let planes = row(2, n, n);
    let fabric = Fabric::uniform(planes, gigabits(1), MICROSECOND).unwrap();
    let flows = (0..n as u32).map(|host| (host, host + n as u32, 1 << 40, 0)).collect();
    let mut run_for = scenario(fabric, Tcp::default(), 100, flows);
    run_for.limits.time = 2 * SECOND;
    let found = run(run_for);
    assert_eq!(found.end, End::TimeLimit);
    let rates: Vec<f64> = found.flows.iter().map(|flow| flow.received as f64 * 8.0 / 2e9).collect();
    assert!(rates.iter().sum::<f64>() > 0.98, "{rates:?}");
    assert!(rates.iter().all(|rate| (rate / 0.25 - 1.0).abs() < 0.05), "{rates:?}");
}

/// Constant streams that come to a full port at the same picosecond get the same each, those that come in turn over one link too.
#[test]
fn streams_that_meet_share_a_port() {
    for (hosts, streams) in [(2, 1), (8, 1), (2, 2), (3, 3)] {
        let fabric = Fabric::uniform(row(1, hosts, 1), gigabits(1), MICROSECOND).unwrap();
        let of_host = |host| (0..streams).map(move |_| (host, hosts as u32, 1 << 40, 0));
        let mut run_for = scenario(fabric, Tcp::default(), 10, (0..hosts as u32).flat_map(of_host).collect());
        let rate = Some(Rate::new(GIGABIT / streams).unwrap());
        run_for.transport = Arc::new(Cbr { payload: 1500, header: 0, rate });
        run_for.limits.time = SECOND / 5;
        let received: Vec<f64> = run(run_for).flows.iter().map(|flow| flow.received as f64).collect();
        let part = received.iter().sum::<f64>() / received.len() as f64;
        assert!(received.iter().all(|got| (got / part - 1.0).abs() < 0.1), "{hosts} x {streams}: {received:?}");
    }
}

/// The mean queue is what Little's law says: the time that packets spend, over the time of the run.
#[test]
fn a_queue_is_as_long_as_packets_wait() {
    let fabric = Fabric::uniform(row(1, 1, 1), gigabits(10), MICROSECOND).unwrap();
    let up = fabric.up(0, 0) as usize;
    let found = run(scenario(fabric, Tcp { syn: None, ..Tcp::default() }, 100, vec![(0, 1, 3 * 1500, 0)]));
    // Three packets at once: they wait for 0, 1 and 2 others, and for themselves.
    assert_eq!(found.ports[up].spent, (1 + 2 + 3) * 1_200_000);
    assert_eq!((found.ports[up].longest_packets, found.ports[up].longest_bytes), (3, 4500));
}
