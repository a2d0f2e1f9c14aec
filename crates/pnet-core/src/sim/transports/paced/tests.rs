//! Times worked out by hand between hosts at one switch.
//!
//! Links have 10 Gb/s and 1 us; a packet of 1,500 bytes takes 1.2 us onto a link and 4.4 us from host to host, what has 64
//! bytes 0.0512 and 2.1024 us.

use std::sync::Arc;

use super::control::{Dcqcn, Rccc, Swift};
use super::*;
use crate::graph::{Graph, Planes};
use crate::sim::port::Backlog;
use crate::sim::queues::{Discipline, DropTail, Ecn, Fifo, Limit, Queue, Trim, Unbounded, Verdict};
use crate::sim::trace::Watched;
use crate::sim::{Fabric, FlowList, MICROSECOND, Model, Outcome, Rate, Scenario};

const PACKET: Time = 1_200_000;
const THERE: Time = 4_400_000;
const BACK: Time = 2_102_400;
const TIMEOUT: Time = 1000 * MICROSECOND;

/// Drops packets of a kind by number, each once, and marks all data from a number on.
struct Script(Vec<(Kind, u32)>, u32);

impl Fifo for Script {
    fn admit(&mut self, port: u32, _: Backlog, packet: &Packet) -> Verdict {
        match self.0.iter().position(|listed| port > 1 && *listed == (packet.kind, packet.seq)) {
            Some(i) => {
                self.0.remove(i);
                Verdict::Drop
            }
            None if packet.kind == Kind::Data && packet.seq >= self.1 => Verdict::Mark,
            None => Verdict::Admit,
        }
    }
}

fn dcqcn() -> Dcqcn {
    Dcqcn {
        gain: 1.0 / 256.0,
        estimate_timer: 55 * MICROSECOND,
        rate_timer: 55 * MICROSECOND,
        byte_counter: 10_000_000,
        recovery_steps: 5,
        additive: 40_000_000,
        hyper: 400_000_000,
        least: 10_000_000,
        reacts: true,
    }
}

fn roce(recovery: Recovery) -> Paced {
    Paced {
        payload: 1500,
        header: 0,
        ack: 64,
        recovery,
        duplicate_threshold: Some(1),
        reorder: None,
        timeout: TIMEOUT,
        notify: Some(50 * MICROSECOND),
        control: Arc::new(dcqcn()),
    }
}

fn swift() -> Paced {
    swift_by(1.0)
}

fn swift_by(additive: f64) -> Paced {
    let control = Swift {
        initial_window: 12.0,
        base_target: 20 * MICROSECOND,
        per_hop: MICROSECOND,
        flow_range: 100 * MICROSECOND,
        flow_least: 0.1,
        flow_most: 100.0,
        additive,
        beta: 0.8,
        most_decrease: 0.5,
        least_window: 0.001,
        most_window: 1000.0,
        reset_after: 5,
    };
    Paced { notify: None, duplicate_threshold: Some(3), control: Arc::new(control), ..roce(Recovery::Selective) }
}

/// So many hosts at one switch, and flows of so many packets each.
fn scenario(transport: Paced, queue: Arc<dyn Queue>, hosts: usize, flows: &[(u32, u32, u64)]) -> Scenario {
    let planes = Planes::new(vec![Graph::new(1, vec![], vec![]).unwrap()], vec![vec![Some(0); hosts]]).unwrap();
    Scenario {
        queue,
        host_queue: Some(Arc::new(Unbounded { small_queue: None })),
        transport: Arc::new(transport),
        watched: Watched { flows: (0..flows.len() as u32).collect(), rows: 100_000, ports: vec![] },
        ..Scenario::new(
            Fabric::uniform(planes, Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap(),
            FlowList::new(flows.iter().map(|(src, dst, packets)| (*src, *dst, 1500 * packets, 0))),
        )
    }
}

fn ample() -> Arc<dyn Queue> {
    Arc::new(DropTail { limit: Limit::Packets(10_000) })
}

fn run(scenario: Scenario) -> Outcome {
    scenario.run(&mut |_| true).unwrap()
}

/// A flow of so many packets between two hosts, of which some are lost, and those from one on are marked.
fn alone(transport: Paced, packets: u64, lost: &[(Kind, u32)], marked: u32) -> Outcome {
    let shape = transport.shape().unwrap();
    let scenario = scenario(transport, ample(), 2, &[(0, 1, packets)]);
    let script = Discipline::Fifo(Box::new(Script(lost.to_vec(), marked)));
    scenario.run_with((script, None), shape, &mut |_| true).unwrap()
}

fn arrivals(outcome: &Outcome) -> Vec<(u32, Time)> {
    outcome.traces.arrivals.iter().map(|row| (row.seq, row.time)).collect()
}

#[test]
fn a_flow_alone_takes_its_ideal_time() {
    for transport in [roce(Recovery::GoBack), roce(Recovery::Selective), swift()] {
        let found = alone(transport, 200, &[], u32::MAX);
        assert_eq!(found.flows[0].end, Some(THERE + 199 * PACKET + BACK));
        assert_eq!(found.flows[0].end, Some(found.flows[0].ideal));
        assert_eq!((found.flows[0].counts.data_packets, found.flows[0].counts.sent), (200, 400));
    }
}

/// Packets 3 on come without 2.  The first of them, at 8 us, is answered with what is missing; the answer is back while
/// packet 8 is being sent and the next one waits for it, and all from 2 on go again.
#[test]
fn going_back_sends_all_again() {
    let found = alone(roce(Recovery::GoBack), 12, &[(Kind::Data, 2)], u32::MAX);
    let flow = &found.flows[0];
    assert_eq!((flow.counts.fast_retransmits, flow.counts.timeouts, flow.received), (1, 0, 18_000));
    // 8 us and 2.1024 us: the ninth packet is being sent, the tenth waits behind it.
    let first = arrivals(&found).iter().rposition(|(seq, _)| *seq == 2).unwrap();
    let order: Vec<u32> = arrivals(&found).iter().map(|(seq, _)| *seq).collect();
    assert_eq!(order[..2], [0, 1]);
    assert_eq!(order[first..], (2..12).collect::<Vec<u32>>());
    assert_eq!(u64::from(order[first - 1] - 1), flow.counts.resent);
    assert_eq!(flow.end, Some(arrivals(&found)[first].1 + 9 * PACKET + BACK));
}

/// The same flow, which sends packet 2 alone again.
#[test]
fn selective_repeat_sends_what_is_missing() {
    let found = alone(roce(Recovery::Selective), 12, &[(Kind::Data, 2)], u32::MAX);
    let flow = &found.flows[0];
    assert_eq!((flow.counts.fast_retransmits, flow.counts.resent, flow.counts.timeouts), (1, 1, 0));
    assert_eq!(flow.end, Some(THERE + 12 * PACKET + BACK));
}

/// Where nothing comes after what is lost, the timer shows it; twice as late the second time.
#[test]
fn a_timeout_finds_a_lost_tail() {
    for recovery in [Recovery::GoBack, Recovery::Selective] {
        let lost = [(Kind::Data, 2), (Kind::Data, 2)];
        let flow = &alone(roce(recovery), 3, &lost, u32::MAX).flows[0];
        assert_eq!((flow.counts.timeouts, flow.counts.resent, flow.counts.dropped), (2, 2, 2));
        // Packet 2 is put into the port as one packet is left there, at 1.2 us, and taken for lost from there on.
        let end = flow.end.unwrap() - (THERE + BACK);
        assert!((3 * TIMEOUT..=3 * TIMEOUT + 2 * PACKET).contains(&end), "{end}");
        // An acknowledgement is made up for by the next one.
        let flow = &alone(roce(recovery), 3, &[(Kind::Ack, 2)], u32::MAX).flows[0];
        assert_eq!((flow.counts.timeouts, flow.counts.resent), (0, 0));
    }
}

/// Ten packets are lost one after the other, once or again and again: each is missed a timeout after it was sent, none later
/// than that, and those that are lost again with the first of them.
#[test]
fn what_is_lost_together_is_missed_together() {
    for times in 1..=4 {
        let lost: Vec<(Kind, u32)> = (0..times).flat_map(|_| (5..15).map(|seq| (Kind::Data, seq))).collect();
        for transport in [roce(Recovery::GoBack), roce(Recovery::Selective), rccc(1.0, 2.0)] {
            let flow = &alone(transport, 15, &lost, u32::MAX).flows[0];
            assert_eq!(flow.counts.resent, 10 * times);
            let (end, least) = (flow.end.unwrap(), ((1 << times) - 1) * TIMEOUT);
            assert!((least..least + 40 * PACKET).contains(&end), "{end} {least}");
        }
    }
}

/// Every packet is marked: a notification 50 us after the other; the first, with packet 0, halves the rate at 6.5024 us, the
/// second comes with the first packet 50 us after packet 0 or later.
#[test]
fn notifications_are_rare_and_halve_the_rate() {
    let found = alone(roce(Recovery::GoBack), 60, &[], 0);
    let gaps: Vec<Time> = arrivals(&found).windows(2).map(|pair| pair[1].1 - pair[0].1).collect();
    // Packet 5 leaves at 6 us, and 6 a packet of full rate after it, or at half of it.
    assert_eq!(gaps[..5], [PACKET; 5]);
    assert!(gaps[8..20].iter().all(|gap| *gap == 2 * PACKET), "{gaps:?}");
    assert!(gaps[40..].iter().any(|gap| *gap >= 4 * PACKET - 10), "{gaps:?}");
    let flow = &found.flows[0];
    // A notification at least every 50 us of those that the flow lasts, but for the first that comes later.
    let notes = flow.counts.sent - 2 * flow.counts.data_packets;
    assert!(notes >= 2 && notes <= flow.end.unwrap() / (50 * MICROSECOND) + 1, "{notes}");
    // A card that does not react stays at full rate.
    let deaf = Paced { control: Arc::new(Dcqcn { reacts: false, ..dcqcn() }), ..roce(Recovery::GoBack) };
    assert_eq!(alone(deaf, 60, &[], 0).flows[0].end, Some(THERE + 59 * PACKET + BACK));
}

/// Many to one: windows below a packet keep the queue short where every window of a packet would be too much.
#[test]
fn swift_keeps_an_incast_near_its_target() {
    let hosts = 200;
    let flows: Vec<(u32, u32, u64)> = (0..hosts).map(|host| (host, hosts, 200)).collect();
    let found = run(scenario(Paced { timeout: 10 * TIMEOUT, ..swift_by(0.1) }, ample(), hosts as usize + 1, &flows));
    let last = found.flows.iter().map(|flow| flow.end.unwrap()).max().unwrap();
    let least = u64::from(hosts) * 200 * PACKET;
    assert!(last < least * 12 / 10, "{last} {least}");
    assert!(found.flows.iter().all(|flow| flow.counts.resent == 0));
    // Target of the smallest windows: 120 us, or 100 packets; in the second half of the run delays are about that, where
    // windows of a packet would make them 240 us.
    let late = found.traces.arrivals.iter().filter(|row| row.time > last / 2 && row.time < last * 9 / 10);
    let (count, sum) = late.fold((0, 0), |(count, sum), row| (count + 1, sum + row.delay));
    let mean = sum / count;
    assert!((60 * MICROSECOND..200 * MICROSECOND).contains(&mean), "{} us", mean / MICROSECOND);
}

/// Two long flows into one port share it, with marks, without loss, and near its rate.
#[test]
fn two_senders_share_a_port() {
    let queue: Arc<dyn Queue> =
        Arc::new(Ecn { low: 4, high: 130, chance: 0.01, ..Ecn::threshold(Limit::Packets(10_000), 4) });
    for transport in [roce(Recovery::GoBack), swift()] {
        let found = run(scenario(transport, queue.clone(), 3, &[(0, 2, 20_000), (1, 2, 20_000)]));
        for flow in &found.flows {
            // The estimate of DCQCN is high at first, and takes 14 ms to fall to a third.
            let end = flow.end.unwrap();
            assert!(end > 40_000 * PACKET * 9 / 10 && end < 40_000 * PACKET * 13 / 10, "{end} {}", 40_000 * PACKET);
            assert_eq!((flow.counts.dropped, flow.counts.timeouts), (0, 0));
        }
    }
}

/// What has lost its payload is sent again at once.
#[test]
fn a_trimmed_packet_is_sent_again() {
    let trim: Arc<dyn Queue> =
        Arc::new(Trim { limit: Limit::Packets(8), header: 64, headers: 64_000, weight: Some(10), low: None, high: 0 });
    assert!(!roce(Recovery::GoBack).takes_trimmed());
    let found = run(scenario(swift(), trim, 9, &(0..8).map(|host| (host, 8, 100)).collect::<Vec<_>>()));
    let sum = |value: fn(&crate::sim::PacketCounts) -> u64| found.flows.iter().map(|flow| value(&flow.counts)).sum();
    let (trimmed, resent, timeouts): (u64, u64, u64) = (sum(|c| c.trimmed), sum(|c| c.resent), sum(|c| c.timeouts));
    assert!(trimmed > 0 && timeouts == 0);
    assert!(resent >= trimmed, "{resent} {trimmed}");
}

/// Several flows of a host, each with a packet or two in its port: the port is never idle, and none waits long.
#[test]
fn a_card_takes_packets_as_its_port_sends_them() {
    let flows: Vec<(u32, u32, u64)> = (0..10).map(|i| (0, 1 + i, 100)).collect();
    for model in [Model::Fast, Model::Plain] {
        for transport in [roce(Recovery::GoBack), swift()] {
            let found = run(Scenario { model, ..scenario(transport, ample(), 11, &flows) });
            let last = found.flows.iter().map(|flow| flow.end.unwrap()).max().unwrap();
            assert_eq!(last, THERE + 999 * PACKET + BACK);
            assert!(found.flows.iter().all(|flow| flow.end.unwrap() > last * 95 / 100));
            assert!(found.ports[0].longest_packets <= 30, "{}", found.ports[0].longest_packets);
            // Stamps are of the first bit, so that waiting in the host counts for nothing.
            assert!(found.traces.arrivals.iter().all(|row| row.delay == THERE));
        }
    }
}

fn rccc(initial: f64, outstanding: f64) -> Paced {
    let control = Rccc { initial, outstanding, share: 1.0, patience: TIMEOUT };
    Paced { notify: None, control: Arc::new(control), ..roce(Recovery::Selective) }
}

/// One credit of its own.  The first of the receiver goes as packet 0 comes, behind the answer to it, and one more every
/// 1.2 us; each is a little early for the packet that it is for.
#[test]
fn credits_come_at_the_rate_of_the_link() {
    let whole = 2 * (THERE + BACK) + 51_200 + 28 * PACKET;
    let found = alone(rccc(0.01, 100.0), 30, &[], u32::MAX);
    assert_eq!(found.flows[0].end, Some(whole));
    // 30 packets, as many answers, and a credit for all but the first.
    assert_eq!(found.flows[0].counts.sent, 89);
    // A credit that is lost is made up for by the next, which finds the port idle; of the last only the timer knows.
    let found = alone(rccc(0.01, 100.0), 30, &[(Kind::Pull, 9)], u32::MAX);
    assert_eq!((found.flows[0].end, found.flows[0].counts.timeouts), (Some(whole + PACKET - 51_200), 0));
    let found = alone(rccc(0.01, 100.0), 30, &[(Kind::Pull, 29)], u32::MAX);
    assert!(found.flows[0].end.is_some_and(|end| (TIMEOUT..TIMEOUT + 2 * whole).contains(&end)));
    // What is lost on the way goes again without a credit.
    let found = alone(rccc(0.01, 100.0), 30, &[(Kind::Data, 9), (Kind::Data, 10)], u32::MAX);
    assert_eq!((found.flows[0].counts.resent, found.flows[0].counts.timeouts), (2, 0));
    // With what a round trip takes from the start it is as if nobody counted: 5.4 packets of 1.2 us.
    let found = alone(rccc(1.0, 2.0), 30, &[], u32::MAX);
    assert_eq!(found.flows[0].end, Some(found.flows[0].ideal));
}

/// Flows to one host get credits in turn: its link is busy, its queue short, and they end together, but for three credits that
/// go to those that come first before the others come.
#[test]
fn senders_to_one_host_take_turns() {
    let flows: Vec<(u32, u32, u64)> = (0..8).map(|host| (host, 8, 100)).collect();
    let found = run(scenario(rccc(0.01, 100.0), ample(), 9, &flows));
    let ends: Vec<Time> = found.flows.iter().map(|flow| flow.end.unwrap()).collect();
    let (first, last) = (ends.iter().min().unwrap(), ends.iter().max().unwrap());
    assert!(last - first <= 8 * 3 * PACKET, "{ends:?}");
    assert!(*last <= 2 * (THERE + BACK) + 801 * PACKET, "{ends:?}");
    // All first packets meet, and then one comes for each that leaves.
    assert!(found.ports[9 + 8].longest_packets <= 9, "{}", found.ports[9 + 8].longest_packets);
}

/// What is sent again after a timeout waits for room in its port, and uses up the last credit when none has come for as long as
/// is waited for one: the next packet goes at once.
#[test]
fn the_last_credit_may_be_used_late() {
    let flows: Vec<(u32, u32, u64)> = (0..5).map(|host| (host, 7, 50)).collect();
    for seed in 0..10 {
        let queue: Arc<dyn Queue> = Arc::new(DropTail { limit: Limit::Packets(3) });
        let found = run(Scenario { seed, ..scenario(rccc(1.0, 100.0), queue, 8, &flows) });
        assert!(found.flows.iter().all(|flow| flow.end.is_some()));
    }
}

/// Host 0 sends to three others, a third of its link to each.  Host 1 gives it no more credits than it uses, so that host 4
/// has two thirds of the link to host 1.
#[test]
fn credits_that_are_not_used_go_to_others() {
    let flows = [(0, 1, 100), (0, 2, 100), (0, 3, 100), (4, 1, 200)];
    let found = run(scenario(rccc(1.0, 1.5), ample(), 5, &flows));
    let ends: Vec<Time> = found.flows.iter().map(|flow| flow.end.unwrap()).collect();
    assert!(ends.iter().all(|end| *end <= THERE + BACK + 312 * PACKET), "{ends:?}");
}

#[test]
fn parameters_are_checked() {
    let error = |transport: Paced| transport.shape().unwrap_err().to_string();
    let zero = Paced { timeout: 0, ..swift() };
    assert_eq!(error(zero), "transport: 0; a timeout lasts, and a packet is overtaken by one at least");
    let gain = Paced { control: Arc::new(Dcqcn { gain: 0.0, ..dcqcn() }), ..roce(Recovery::GoBack) };
    assert_eq!(error(gain), "dcqcn: the gain is a part of 1");
}
