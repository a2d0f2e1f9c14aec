//! Times and requests worked out by hand, between hosts at one switch.
//!
//! Links have 10 Gb/s and 1 us; a packet of 1,500 bytes takes 1.2 us onto a link and 4.4 us from host to host, what has 64
//! bytes 0.0512 and 2.1024 us.  A request leaves right after the acknowledgement before it, 0.0512 us later.

use std::sync::Arc;

use super::*;
use crate::graph::{Graph, Planes};
use crate::paths::Policy;
use crate::sim::forwarding::{Order, Over, Spray};
use crate::sim::port::Backlog;
use crate::sim::queues::{Discipline, DropTail, Fifo, Limit, Queue, Trim, Verdict};
use crate::sim::trace::Watched;
use crate::sim::{Fabric, FlowList, MICROSECOND, Outage, Outcome, Rate, Scenario, TransportKind};

const PACKET: Time = 1_200_000;
const SMALL: Time = 51_200;
const THERE: Time = 4_400_000;
const BACK: Time = 2_102_400;

/// Drops packets of a kind by number, each once.
struct Script(Vec<(Kind, u32)>);

impl Fifo for Script {
    fn admit(&mut self, _: u32, _: Backlog, packet: &Packet) -> Verdict {
        match self.0.iter().position(|listed| *listed == (packet.kind, packet.seq)) {
            Some(i) => {
                self.0.remove(i);
                Verdict::Drop
            }
            None => Verdict::Admit,
        }
    }
}

/// So many hosts at the one switch of each of some planes, and flows of so many packets.
fn scenario(
    planes: usize,
    hosts: usize,
    ndp: Ndp,
    queue: Arc<dyn Queue>,
    flows: impl IntoIterator<Item = (u32, u32, u64)>,
) -> Scenario {
    let graph = Graph::new(1, vec![], vec![]).unwrap();
    let planes = Planes::new(vec![graph; planes], vec![vec![Some(0); hosts]; planes]).unwrap();
    let flows: Vec<_> = flows.into_iter().map(|(src, dst, packets)| (src, dst, 1500 * packets, 0)).collect();
    Scenario {
        queue,
        forwarding: Arc::new(Spray { policy: Policy::RoundRobin, over: Over::Paths, order: Order::RoundRobin }),
        transport: Arc::new(ndp),
        watched: Watched { flows: (0..flows.len() as u32).collect(), rows: 10_000, ports: vec![] },
        ..Scenario::new(
            Fabric::uniform(planes, Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap(),
            FlowList::new(flows),
        )
    }
}

fn ample() -> Arc<dyn Queue> {
    Arc::new(DropTail { limit: Limit::Packets(1000) })
}

fn trim(packets: u32, headers: u64) -> Arc<dyn Queue> {
    Arc::new(Trim { limit: Limit::Packets(packets), header: 64, headers, weight: Some(10), low: None, high: 0 })
}

fn run(scenario: Scenario) -> Outcome {
    scenario.run(&mut |_| true).unwrap()
}

/// A flow of so many packets between two hosts, where some are lost.
fn alone(ndp: Ndp, packets: u64, lost: &[(Kind, u32)]) -> Outcome {
    let shape = ndp.shape().unwrap();
    let scenario = scenario(1, 2, ndp, ample(), [(0, 1, packets)]);
    scenario.run_with((Discipline::Fifo(Box::new(Script(lost.to_vec()))), None), shape, &mut |_| true).unwrap()
}

fn arrivals(outcome: &Outcome) -> Vec<(u32, Time)> {
    outcome.traces.arrivals.iter().map(|row| (row.seq, row.time)).collect()
}

/// With a window of one each packet but the first waits for its request: three packets, three acknowledgements, and no request
/// after the last.
#[test]
fn every_packet_after_the_first_window_is_asked_for() {
    let found = alone(Ndp { window: Some(1), ..Ndp::default() }, 3, &[]);
    let round = THERE + SMALL + BACK;
    assert_eq!(arrivals(&found), [(0, THERE), (1, THERE + round), (2, THERE + 2 * round)]);
    let flow = &found.flows[0];
    assert_eq!(flow.end, Some(THERE + 2 * round + BACK));
    assert_eq!((flow.counts.sent, flow.counts.data_packets, flow.counts.resent), (3 + 3 + 2, 3, 0));
}

/// The window by itself is 11 packets, two round trips of 6.5024 us; requests then come while they are being sent, so that the
/// link is never idle.
#[test]
fn a_flow_alone_takes_its_ideal_time() {
    let found = alone(Ndp::default(), 20, &[]);
    assert_eq!(found.flows[0].end, Some(THERE + 19 * PACKET + BACK));
    assert_eq!(found.flows[0].end, Some(found.flows[0].ideal));
    // 9 requests.
    assert_eq!(found.flows[0].counts.sent, 20 + 20 + 9);
    // One round trip is enough: the first request comes while the sixth packet is being sent.
    assert_eq!(alone(Ndp { window: Some(6), ..Ndp::default() }, 20, &[]).flows[0].end, found.flows[0].end);
}

/// Requests carry their number: where the first of a window of two is lost, the second lets two packets go.
#[test]
fn a_lost_request_is_made_up_for_by_the_next() {
    let ndp = Ndp { window: Some(2), ..Ndp::default() };
    let found = alone(ndp, 4, &[(Kind::Pull, 1)]);
    // Packet 1 arrives at 5.6 us, and the request for it is made at once.
    let requested = THERE + PACKET + SMALL + BACK;
    assert_eq!(arrivals(&found)[2..], [(2, requested + THERE), (3, requested + PACKET + THERE)]);
    assert_eq!(found.flows[0].counts.timeouts, 0);
}

/// Where all that would let the sender go on is lost, it sends a packet after 100 us without a sign, and then after twice that.
#[test]
fn silence_ends_with_a_timeout() {
    let timeout = 100 * MICROSECOND;
    let ndp = Ndp { window: Some(1), timeout, ..Ndp::default() };
    // The request: the acknowledgement before it was the last sign.
    let found = alone(ndp.clone(), 2, &[(Kind::Pull, 1)]);
    assert_eq!(arrivals(&found)[1], (1, THERE + BACK + timeout + THERE));
    assert_eq!((found.flows[0].counts.timeouts, found.flows[0].counts.resent), (1, 0));
    // The data, twice.
    let found = alone(ndp.clone(), 1, &[(Kind::Data, 0), (Kind::Data, 0)]);
    assert_eq!(found.flows[0].end, Some(3 * timeout + THERE + BACK));
    assert_eq!(
        (found.flows[0].counts.timeouts, found.flows[0].counts.resent, found.flows[0].counts.dropped),
        (2, 2, 2)
    );
    // The acknowledgement: the packet comes again and is acknowledged again.
    let found = alone(ndp, 1, &[(Kind::Ack, 0)]);
    assert_eq!(found.flows[0].end, Some(timeout + THERE + BACK));
    assert_eq!((found.flows[0].received, found.flows[0].counts.delivered), (1500, 3));
}

/// Two packets each from two hosts, and a queue of two.  The fourth to come to the switch, at 3.4 us, or the third loses its
/// payload; the header goes when the second is sent, at 4.6 us, arrives at 5.6512 us, and is asked for at once.
#[test]
fn what_is_trimmed_is_asked_for_again() {
    let ndp = Ndp { window: Some(2), ..Ndp::default() };
    let found = run(scenario(1, 3, ndp, trim(2, 640), [(0, 2, 2), (1, 2, 2)]));
    let header = 4_600_000 + SMALL + MICROSECOND;
    let last = found.flows.iter().map(|flow| flow.end.unwrap()).max();
    assert_eq!(last, Some(header + SMALL + BACK + THERE + BACK));
    let sum = |value: fn(&crate::sim::FlowRecord<crate::sim::PacketCounts>) -> u64| {
        found.flows.iter().map(value).sum::<u64>()
    };
    assert_eq!(
        (sum(|f| f.counts.trimmed), sum(|f| f.counts.resent), sum(|f| f.counts.dropped), sum(|f| f.counts.timeouts)),
        (1, 1, 0, 0)
    );
    assert_eq!(found.ports.iter().map(|port| port.trimmed).sum::<u64>(), 1);
    // Four packets, one of them twice, four acknowledgements, its opposite, one request.
    assert_eq!(sum(|f| f.counts.sent), 5 + 4 + 1 + 1);
}

/// Many to one: what is not lost in the first windows comes at the link's rate, whoever is asked.
#[test]
fn incast_takes_as_long_as_all_bytes_take() {
    for hosts in [2, 8, 64] {
        let packets = 40;
        let flows = (0..hosts).map(|host| (host, hosts, packets));
        let found = run(scenario(1, hosts as usize + 1, Ndp::default(), trim(8, 72_000), flows));
        let last = found.flows.iter().map(|flow| flow.end.unwrap()).max().unwrap();
        let least = u64::from(hosts) * packets * PACKET + MICROSECOND + PACKET + MICROSECOND + BACK;
        assert!(least <= last && last < least * 105 / 100, "{hosts}: {last} {least}");
        for flow in &found.flows {
            assert_eq!(
                (flow.counts.timeouts, flow.counts.dropped, flow.counts.resent),
                (0, 0, flow.counts.trimmed),
                "{flow:?}"
            );
            // Requests go round, so equal flows end equally.
            assert!(flow.end.unwrap() > last * 9 / 10);
        }
    }
}

/// Where even headers find no room, the sender hears of it by its timer, and the flows end.
#[test]
fn lost_headers_are_repaired_by_timers() {
    let ndp = Ndp { timeout: 50 * MICROSECOND, ..Ndp::default() };
    let found = run(scenario(1, 9, ndp, trim(1, 128), (0..8).map(|host| (host, 8, 20))));
    assert!(found.flows.iter().all(|flow| flow.end.is_some() && flow.received == 30_000));
    assert!(found.flows.iter().any(|flow| flow.counts.timeouts > 0 && flow.counts.dropped > 0));
}

/// Over two planes, packets in turn: twice the rate, asked for on both sides.
#[test]
fn planes_are_asked_each_at_its_rate() {
    let found = run(scenario(2, 2, Ndp::default(), trim(8, 72_000), [(0, 1, 200)]));
    let flow = &found.flows[0];
    assert_eq!((flow.counts.resent, found.plane_bytes[0], found.plane_bytes[1]), (0, 150_000, 150_000));
    let end = flow.end.unwrap();
    assert!(flow.ideal <= end && end < flow.ideal + 2 * MICROSECOND, "{end} {}", flow.ideal);
    assert_eq!(flow.ideal, THERE + 99 * PACKET + BACK);
}

/// One of two planes goes silent, and no path takes note: what is lost there goes again, by turns over the plane that is left.
#[test]
fn a_dead_path_costs_timeouts() {
    let ndp = Ndp { timeout: 50 * MICROSECOND, ..Ndp::default() };
    let mut scenario = scenario(2, 2, ndp, trim(8, 72_000), [(0, 1, 100)]);
    let port = scenario.fabric.up(1, 0);
    scenario.failures.outages = vec![Outage { port, from: 10 * MICROSECOND, until: crate::sim::NEVER }];
    let found = run(scenario);
    let flow = &found.flows[0];
    assert_eq!(flow.received, 150_000);
    assert!(flow.end.is_some() && flow.counts.timeouts > 0 && flow.counts.resent > 0);
    assert_eq!(flow.counts.dropped, found.ports[port as usize].lost);
}
