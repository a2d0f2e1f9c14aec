//! Windows and times worked out by hand, with losses by script, between two hosts at one switch.
//!
//! Links have 10 Gb/s and 1 us; a packet of 1,500 bytes takes 1.2 us onto a link and 4.4 us from host to host, an
//! acknowledgement of 40 bytes 0.032 and 2.064 us, so a packet's round trip takes 6.464 us.

use std::sync::Arc;

use super::*;
use crate::graph::{Graph, Planes};
use crate::paths::Policy;
use crate::sim::port::Backlog;
use crate::sim::queues::{Discipline, DropTail, Fifo, Limit, Verdict};
use crate::sim::trace::Watched;
use crate::sim::{Ecmp, Fabric, FlowList, MICROSECOND, Model, Outcome, Rate, SECOND, Scenario, TransportKind};

const PACKET: Time = 1_200_000;
const ROUND: Time = 6_464_000;

/// Stands for the packet that opens a connection.
const SYN: u32 = u32::MAX;

/// Drops or marks data by number, as often as a number is listed.
struct Script {
    drops: Vec<u32>,
    marks: Vec<u32>,
}

impl Fifo for Script {
    fn admit(&mut self, port: u32, _: Backlog, packet: &Packet) -> Verdict {
        let number = match packet.kind {
            Kind::Data => Some(packet.seq),
            Kind::Syn => Some(SYN),
            _ => None,
        };
        let listed = |list: &mut Vec<u32>| {
            let place = list.iter().position(|seq| port == 0 && Some(*seq) == number);
            place.map(|i| list.remove(i)).is_some()
        };
        match () {
            () if listed(&mut self.drops) => Verdict::Drop,
            () if listed(&mut self.marks) => Verdict::Mark,
            () => Verdict::Admit,
        }
    }
}

fn params() -> Tcp {
    let rto = Rto { initial: SECOND, least: SECOND, most: 60 * SECOND, granularity: 0 };
    Tcp { syn: None, rto, ..Tcp::default() }
}

/// Over planes of these rates in Gb/s, one switch each; subflows take one after the other.
fn scenario(transport: Tcp, packets: u64, gbps: &[u64]) -> Scenario {
    let switch = || Graph::new(1, vec![], vec![]).unwrap();
    let planes =
        Planes::new(gbps.iter().map(|_| switch()).collect(), vec![vec![Some(0), Some(0)]; gbps.len()]).unwrap();
    // Ports from the hosts of each plane, then those to them.
    let rates = gbps.iter().flat_map(|gbps| [*gbps; 2]).map(|gbps| Rate::new(gbps * 1_000_000_000).unwrap());
    let rates: Vec<Rate> = rates.collect();
    Scenario {
        queue: Arc::new(DropTail { limit: Limit::Packets(1000) }),
        forwarding: Arc::new(Ecmp { policy: Policy::RoundRobin }),
        transport: Arc::new(transport),
        watched: Watched { flows: vec![0], rows: 1000, ports: vec![] },
        ..Scenario::new(
            Fabric::new(planes, &[rates.clone(), rates].concat(), &vec![MICROSECOND; 4 * gbps.len()]).unwrap(),
            FlowList::new([(0, 1, 1500 * packets, 0)]),
        )
    }
}

fn run(transport: Tcp, packets: u64, drops: &[u32], marks: &[u32]) -> Outcome {
    let shape = transport.shape().unwrap();
    let script = Script { drops: drops.to_vec(), marks: marks.to_vec() };
    let disciplines = (Discipline::Fifo(Box::new(script)), None);
    scenario(transport, packets, &[10]).run_with(disciplines, shape, &mut |_| true).unwrap()
}

fn windows(outcome: &Outcome) -> Vec<f64> {
    outcome.traces.windows.iter().map(|row| row.window).collect()
}

fn arrivals(outcome: &Outcome) -> Vec<(u32, Time)> {
    outcome.traces.arrivals.iter().map(|row| (row.seq, row.time)).collect()
}

/// Every acknowledgement lets two packets go: 1, 2 and 4 a round trip, each round as late as the first.
#[test]
fn slow_start_doubles_every_round_trip() {
    let found = run(Tcp { initial_window: 1, ..params() }, 8, &[], &[]);
    assert_eq!(windows(&found), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    let first = ROUND - 2_064_000;
    let expected = [
        (0, first),
        (1, first + ROUND),
        (2, first + ROUND + PACKET),
        (3, first + 2 * ROUND),
        (4, first + 2 * ROUND + PACKET),
        (5, first + 2 * ROUND + 2 * PACKET),
        (6, first + 2 * ROUND + 3 * PACKET),
        (7, first + 3 * ROUND),
    ];
    assert_eq!(arrivals(&found), expected);
    assert_eq!(found.flows[0].end, Some(4 * ROUND));
    assert_eq!(found.flows[0].ideal, ROUND + 7 * PACKET);
}

/// From the threshold on a window grows by one over itself for every acknowledgement; the receive window bounds what is
/// sent, not the window.
#[test]
fn congestion_avoidance_begins_at_the_threshold() {
    let found = run(Tcp { initial_window: 2, initial_threshold: Some(3), ..params() }, 5, &[], &[]);
    let fourth = 3.0 + 1.0 / 3.0;
    assert_eq!(
        windows(&found),
        [2.0, 3.0, fourth, fourth + 1.0 / fourth, {
            let fifth = fourth + 1.0 / fourth;
            fifth + 1.0 / fifth
        }]
    );
    let found = run(Tcp { receive_window: Some(1), ..params() }, 5, &[], &[]);
    assert_eq!(found.flows[0].end, Some(5 * ROUND));
}

/// Packet 4 of 20 is lost: four acknowledgements, then eleven duplicates for packets 5 to 15.  The third finds 12 packets
/// under way, halves them, and adds the three; each of the others adds one, and from 13 on a packet goes for each.  The full
/// acknowledgement (of 16) finds four under way; of those that follow, the last ends the flow.
#[test]
fn the_third_duplicate_halves_the_window() {
    let found = run(Tcp { initial_window: 8, ..params() }, 20, &[4], &[]);
    let mut expected = vec![8.0, 9.0, 10.0, 11.0, 12.0, 12.0, 12.0, 9.0];
    expected.extend((10..18).map(f64::from));
    let seventh = 6.0 + 1.0 / 6.0;
    expected.extend([5.0, 6.0, seventh, seventh + 1.0 / seventh]);
    assert_eq!(windows(&found), expected);
    let flow = &found.flows[0];
    assert_eq!((flow.counts.resent, flow.counts.fast_retransmits, flow.counts.timeouts), (1, 1, 0));
    assert_eq!((flow.counts.dropped, flow.counts.data_packets, flow.received), (1, 21, 30_000));
}

/// Packets 4 and 6 of 16 are lost.  Ten duplicates (5, 7 to 15) raise the window from 9 to 16; the first partial
/// acknowledgement takes two segments off and adds one, and 6 is sent again at once, a round trip after 4 was.
#[test]
fn a_partial_acknowledgement_repairs_the_next_loss() {
    let found = run(Tcp { initial_window: 8, ..params() }, 16, &[4, 6], &[]);
    let mut expected = vec![8.0, 9.0, 10.0, 11.0, 12.0, 12.0, 12.0, 9.0];
    expected.extend((10..17).map(f64::from));
    expected.push(15.0);
    assert_eq!(windows(&found), expected);
    let flow = &found.flows[0];
    assert_eq!((flow.counts.resent, flow.counts.fast_retransmits, flow.counts.timeouts), (2, 1, 0));
    let repaired = arrivals(&found);
    let when = |seq: u32| repaired.iter().find(|row| row.0 == seq).unwrap().1;
    assert_eq!(when(6) - when(4), ROUND);
    assert_eq!(found.flows[0].end, Some(when(6) + 2_064_000));
}

/// A packet that is lost three times goes at 0, 100, 300 and 700 us; the window stays 1, and the second and third loss leave
/// the threshold.
#[test]
fn timeouts_back_off() {
    let rto = Rto { initial: 100 * MICROSECOND, least: MICROSECOND, most: 250 * MICROSECOND, granularity: 0 };
    let found = run(Tcp { initial_window: 1, rto, ..params() }, 1, &[0, 0], &[]);
    assert_eq!(found.flows[0].end, Some(300 * MICROSECOND + ROUND));
    assert_eq!(windows(&found), [1.0, 1.0, 1.0]);
    // The next is bound by the most that a timeout can be.
    let found = run(Tcp { initial_window: 1, rto, ..params() }, 1, &[0, 0, 0], &[]);
    assert_eq!(found.flows[0].end, Some(550 * MICROSECOND + ROUND));
    assert_eq!((found.flows[0].counts.timeouts, found.flows[0].counts.resent), (3, 3));
    // Timers that are looked at every 80 us: sent at 160 and 160 + 200 -> 400 us.
    let rto = Rto { granularity: 80 * MICROSECOND, ..rto };
    let found = run(Tcp { initial_window: 1, rto, ..params() }, 1, &[0, 0], &[]);
    assert_eq!(found.flows[0].end, Some(400 * MICROSECOND + ROUND));
}

/// The last three of six packets are lost, so no duplicates come: the timeout is the round trip and four times half of
/// it, smoothed over three samples.  Then slow start from one segment, with a threshold of two.
#[test]
fn a_lost_tail_waits_for_the_timer() {
    let rto = Rto { initial: SECOND, least: 1, most: SECOND, granularity: 0 };
    let found = run(Tcp { initial_window: 6, rto, ..params() }, 6, &[3, 4, 5], &[]);
    // Packets 0, 1, 2 meet 0, 1 and 2 packets at their host.
    let samples = [ROUND, ROUND + PACKET, ROUND + 2 * PACKET];
    let (mut smoothed, mut variation) = (samples[0], samples[0] / 2);
    for sample in &samples[1..] {
        variation = (3 * variation + sample - smoothed) / 4;
        smoothed = (7 * smoothed + sample) / 8;
    }
    let sent = samples[2] + smoothed + 4 * variation;
    assert_eq!(
        arrivals(&found)[3..],
        [(3, sent + 4_400_000), (4, sent + ROUND + 4_400_000), (5, sent + ROUND + PACKET + 4_400_000),]
    );
    assert_eq!(windows(&found), [6.0, 7.0, 8.0, 9.0, 1.0, 2.0, 2.5]);
    assert_eq!(found.flows[0].counts.timeouts, 1);
}

/// One acknowledgement for two packets, or for one after the delay; at once where a packet is missing, and for the
/// packet that fills the gap.
#[test]
fn acknowledgements_are_delayed() {
    let acks = Acks { every: 2, delay: 50 * MICROSECOND };
    let delayed = Tcp { initial_window: 1, acks, ..params() };
    let found = run(delayed.clone(), 3, &[], &[]);
    // The first packet, at 4.4 us, is acknowledged only after the delay, the other two by the second of them.
    assert_eq!(arrivals(&found)[1], (1, ROUND + 50 * MICROSECOND + 4_400_000));
    assert_eq!(found.flows[0].end, Some(ROUND + 50 * MICROSECOND + PACKET + ROUND));
    assert_eq!(windows(&found), [1.0, 2.0]);
    assert_eq!(found.flows[0].counts.sent - found.flows[0].counts.data_packets, 2);

    // 0, 1 | 3, 4, 5 at once as duplicates, 2 at once as it fills the gap: five in all.
    let found = run(Tcp { initial_window: 6, ..delayed }, 6, &[2], &[]);
    assert_eq!(found.flows[0].counts.sent - found.flows[0].counts.data_packets, 5);
    assert_eq!((found.flows[0].counts.out_of_order, found.flows[0].counts.fast_retransmits), (3, 1));
}

/// The last packet stands for the end of the connection, and is acknowledged at once, on whatever subflow it comes.
#[test]
fn the_end_is_acknowledged_at_once() {
    let acks = Acks { every: 2, delay: SECOND };
    let delayed = Tcp { initial_window: 3, acks, ..params() };
    let found = run(delayed.clone(), 3, &[], &[]);
    assert_eq!(found.flows[0].end, Some(2 * PACKET + ROUND));
    // Packets 0 to 2 go on the first subflow, 3 on the second: when that comes, packet 2 is acknowledged with it.
    let found = run(Tcp { subflows: 2, ..delayed }, 4, &[], &[]);
    assert_eq!(found.flows[0].end, Some(3 * PACKET + ROUND + 32_000));
    assert_eq!(found.flows[0].counts.sent - found.flows[0].counts.data_packets, 3);
}

/// Packets 4, 6 and 8 of 24 are lost, with a window of 16 at the third duplicate (for 5, 7 and 9), which is halved to 8: of the
/// twelve under way two are known to be lost but not sent again.
#[test]
fn selective_acknowledgements_repair_losses_together() {
    let lost = [4, 6, 8];
    let (plain, sack) = (Tcp { initial_window: 8, ..params() }, Tcp { initial_window: 8, sack: true, ..params() });
    let (plain, sack) = (run(plain, 24, &lost, &[]), run(sack, 24, &lost, &[]));
    let again =
        |found: &Outcome| lost.map(|seq| arrivals(found).into_iter().rev().find(|(other, _)| *other == seq).unwrap().1);
    let flow = &sack.flows[0];
    assert_eq!((flow.counts.resent, flow.counts.fast_retransmits, flow.counts.timeouts), (3, 1, 0));
    // Without them every repair waits for that before; with them for the window alone.
    let (plain, [first, second, third]) = (again(&plain), again(&sack));
    assert_eq!(plain[0], first);
    assert_eq!([plain[1], plain[2]], [first + ROUND, first + 2 * ROUND]);
    assert!(first < second && second < third && third < first + ROUND, "{first} {second} {third}");
    // The window halves once, and stays until all is repaired.
    let windows = windows(&sack);
    let halved = windows.iter().position(|window| *window == 6.0).unwrap();
    assert!(windows[..halved].is_sorted() && windows[halved..].is_sorted(), "{windows:?}");
}

/// What has come before a timeout is not sent again after it, if the receiver says so once more.
#[test]
fn after_a_timeout_what_has_come_is_left_out() {
    let rto = Rto { initial: 50 * MICROSECOND, least: 50 * MICROSECOND, most: SECOND, granularity: 0 };
    let tcp = Tcp { initial_window: 8, sack: true, rto, ..params() };
    // Packets 0 and 2 are lost, and again when duplicates show it; 7, on its way still, is sent again as the last that is
    // missing.  The timeout brings 0, and its acknowledgement says that of what follows only 2 is missing.
    let found = run(tcp, 8, &[0, 0, 2, 2], &[]);
    let flow = &found.flows[0];
    assert_eq!((flow.counts.timeouts, flow.counts.fast_retransmits, flow.received), (1, 1, 12_000));
    assert_eq!((flow.counts.dropped, flow.counts.resent), (4, 5));
}

/// DCTCP with weight 1/2, from an estimate of 0.  Packets 2 and 4 of 8 are marked.  The window of 2 ends with the
/// acknowledgement of packet 2: one of two is marked, so the estimate is 1/4, and the window of 4 loses an eighth.  Up to
/// packet 5, the next not sent then, it is not reduced again; of the four packets 3 to 6 one is marked, which leaves the
/// estimate, and packet 6 finds no mark.
#[test]
fn dctcp_shrinks_by_the_marked_part() {
    let congestion = Arc::new(Dctcp { gain: 0.5, alpha: 0.0, ..Dctcp::default() });
    let found = run(Tcp { initial_window: 2, congestion: congestion.clone(), ..params() }, 8, &[], &[2, 4]);
    let mut expected = vec![2.0, 3.0, 4.0, 3.5];
    for grows in [true, false, true, true] {
        let last: f64 = expected[expected.len() - 1];
        expected.push(if grows { last + 1.0 / last } else { last });
    }
    assert_eq!(windows(&found), expected);
    assert_eq!(found.flows[0].counts.marked, 2);
    // A second mark in a later window: that of packets 3 to 6 has none, which halves the estimate.
    let found = run(Tcp { initial_window: 2, congestion, ..params() }, 12, &[], &[2, 7]);
    let (before, after) = (windows(&found)[7], windows(&found)[8]);
    let ends_at_six = 0.25 + 0.5 * (0.0 - 0.25);
    assert_eq!(after, before * (1.0 - ends_at_six / 2.0));
}

/// Windows that shrink at their end, marked or not.  Packets 2 and 4 are marked.  A window ends with as many acknowledgements
/// as it had segments when the last one ended: 2 for the second, one of them marked, then 3, one of them marked, then 3 with
/// none.
#[test]
fn dctcp_may_shrink_after_every_window() {
    let congestion = Arc::new(Dctcp { gain: 0.5, alpha: 0.0, always: true, ..Dctcp::default() });
    let found = run(Tcp { initial_window: 2, congestion: congestion.clone(), ..params() }, 10, &[], &[2, 4]);
    let mut expected = vec![2.0, 3.0, 4.0];
    let (first, second) = (0.25, 0.25 + 0.5 * (1.0 / 3.0 - 0.25));
    for alpha in [first, 0.0, 0.0, second, 0.0, 0.0, second / 2.0] {
        let last: f64 = expected[expected.len() - 1] * (1.0 - alpha / 2.0);
        expected.push(last + 1.0 / last);
    }
    assert_eq!(windows(&found)[..9], expected[..9]);
    // Without a mark it never does, and a mark that only ends slow start takes nothing off.
    let found = run(Tcp { initial_window: 2, congestion: congestion.clone(), ..params() }, 8, &[], &[]);
    assert_eq!(windows(&found), [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    let found = run(Tcp { initial_window: 4, congestion, ..params() }, 8, &[], &[2]);
    assert_eq!(windows(&found)[..4], [4.0, 5.0, 6.0, 6.0 + 1.0 / 6.0]);
}

/// Subflows may be DCTCPs whose windows grow together: two over two planes, with windows of 2 and a threshold of 3.  In slow
/// start each grows by one, and from there by the larger window over the square of both, as round trips count as equal.
#[test]
fn windows_of_dctcp_may_grow_together() {
    let growth = Coupled { coupling: Coupling::Lia, rtt_unit: SECOND };
    let congestion = Arc::new(Dctcp { gain: 0.5, alpha: 0.0, always: true, growth });
    let tcp = Tcp { initial_window: 2, initial_threshold: Some(3), subflows: 2, congestion, ..params() };
    let found = scenario(tcp, 8, &[10, 10]).run(&mut |_| true).unwrap();
    let of_each = |subflow| {
        let rows = found.traces.windows.iter().filter(move |row| row.subflow == subflow);
        rows.map(|row| row.window).collect::<Vec<f64>>()
    };
    assert_eq!((&of_each(0)[..2], &of_each(1)[..2]), (&[2.0, 3.0][..], &[2.0, 3.0][..]));
    // max / total^2 = 3 / 36, and for the other 3.0833 / 6.0833^2.
    let first: f64 = 3.0 + 3.0 / 36.0;
    let mut both = [of_each(0)[2], of_each(1)[2]];
    both.sort_by(f64::total_cmp);
    assert_eq!(both, [3.0 + first / ((first + 3.0) * (first + 3.0)), first]);
}

/// Two subflows have four packets each to deliver, over planes of 10 and 5 Gb/s, and windows that let both send all eight.
/// The flow ends with the fourth acknowledgement on the slower plane, where a packet takes 2.4 us onto a link and 8.928 us
/// there and back; if they share the bytes, the first has sent all of them before the second asks.
#[test]
fn subflows_may_have_a_share_each() {
    let pool = Tcp { subflows: 2, ..params() };
    let shares = Tcp { shares: true, ..pool.clone() };
    let pooled = scenario(pool, 8, &[10, 5]).run(&mut |_| true).unwrap();
    for (seed, model) in [(1, Model::Fast), (2, Model::Fast), (3, Model::Plain)] {
        let found = Scenario { seed, model, ..scenario(shares.clone(), 8, &[10, 5]) }.run(&mut |_| true).unwrap();
        let flow = &found.flows[0];
        assert_eq!(flow.end, Some(3 * 2_400_000 + 8_928_000));
        assert_eq!(flow.arrived, Some(3 * 2_400_000 + 6_800_000));
        assert_eq!((flow.received, flow.counts.data_packets, flow.counts.resent), (12_000, 16, 0));
    }
    assert_eq!(pooled.flows[0].counts.data_packets, 8);
    // A window of one: each packet takes a round trip.  By the fifth on the faster plane, 32.3 us, three are acknowledged on
    // the slower one, which makes eight: the faster stops, and the slower sends its fourth.
    let slow = Tcp { receive_window: Some(1), ..shares.clone() };
    let found = scenario(slow, 8, &[10, 5]).run(&mut |_| true).unwrap();
    assert_eq!(found.flows[0].end, Some(4 * 8_928_000));
    assert_eq!(found.plane_bytes, [5 * 1500, 4 * 1500]);
}

/// With a share each, one path has one subflow, and one packet too.
#[test]
fn subflows_with_a_share_have_a_path_and_a_packet_each() {
    let shares = Tcp { subflows: 2, shares: true, syn: Some(1), ..params() };
    for (packets, gbps) in [(8, &[10][..]), (1, &[10, 10])] {
        let found = scenario(shares.clone(), packets, gbps).run(&mut |_| true).unwrap();
        let flow = &found.flows[0];
        assert_eq!((flow.received, flow.counts.data_packets), (1500 * packets, packets));
        assert_eq!(found.subflow_bytes.iter().filter(|bytes| **bytes > 0).count(), 1);
        // One handshake, and an acknowledgement for each packet.
        assert_eq!(flow.counts.sent, 2 + 2 * packets);
    }
    // Five packets over two planes are three and two.
    let last = Tcp { initial_window: 1, receive_window: Some(1), ..shares };
    let found = scenario(last, 5, &[10, 10]).run(&mut |_| true).unwrap();
    assert_eq!(found.flows[0].end, Some(4_000_000 + 2 * 41 * 800 + 3 * ROUND));
}

/// What waits for a delayed acknowledgement is acknowledged when a mark comes, so that marks are counted right.
#[test]
fn a_mark_does_not_wait() {
    let acks = Acks { every: 4, delay: 50 * MICROSECOND };
    let found = run(Tcp { initial_window: 4, acks, ..params() }, 4, &[], &[2]);
    // 0 and 1 when 2 comes, 2 when 3 comes, 3 as the last.
    assert_eq!(found.flows[0].counts.sent - found.flows[0].counts.data_packets, 3);
    assert_eq!(found.flows[0].end, Some(3 * PACKET + ROUND + 32_000));
}

/// Timeouts of 50 us without back-off or fast retransmit: sent at 0 and 50 us, and lost; at 100 us the sender asks, and
/// sends again when it is answered.
#[test]
fn probes_ask_for_the_way() {
    let rto = Rto { initial: 50 * MICROSECOND, least: 50 * MICROSECOND, most: 50 * MICROSECOND, granularity: 0 };
    let mintcp = Tcp { duplicate_threshold: None, probe_after: Some(2), rto, initial_window: 12, ..params() };
    let found = run(mintcp.clone(), 1, &[0, 0], &[]);
    assert_eq!(found.flows[0].end, Some(100 * MICROSECOND + 2 * 2_064_000 + ROUND));
    // Of 12 packets 3 is lost: eight duplicates change nothing, and the timer runs from the acknowledgement of 2.
    let found = run(mintcp, 12, &[3], &[]);
    assert_eq!(found.flows[0].end, Some(ROUND + 2 * PACKET + 50 * MICROSECOND + ROUND));
    assert_eq!(
        (found.flows[0].counts.timeouts, found.flows[0].counts.fast_retransmits, found.flows[0].counts.resent),
        (1, 0, 1)
    );
}

/// Packet 2 of 6 is lost.  Packets 3 to 5 are held back for 20 us from the first of them on, then acknowledged one after the
/// other, and the third duplicate brings packet 2.
#[test]
fn early_packets_are_held_back() {
    let held = Tcp { resequence: Some(20 * MICROSECOND), initial_window: 6, ..params() };
    let found = run(held, 6, &[2], &[]);
    let third = 2 * PACKET + 4_400_000;
    assert_eq!(found.flows[0].end, Some(third + 20 * MICROSECOND + 2_064_000 + 2 * 32_000 + ROUND));
    assert_eq!((found.flows[0].counts.out_of_order, found.flows[0].counts.fast_retransmits), (3, 1));
}

/// A connection is opened by a packet of one byte and its answer; if the first is lost, by the next.
#[test]
fn the_handshake_takes_a_round_trip() {
    let found = run(Tcp { syn: Some(1), ..params() }, 1, &[], &[]);
    assert_eq!(found.flows[0].end, Some(4_000_000 + 2 * 41 * 800 + ROUND));
    assert_eq!(found.flows[0].end, Some(found.flows[0].ideal));
}

/// After a lost handshake the first window is one segment (RFC 5681, section 3.1): 1, 2 and 1 packets in three rounds.
#[test]
fn a_lost_handshake_leaves_a_window_of_one() {
    let rto = Rto { initial: 100 * MICROSECOND, ..params().rto };
    let tcp = Tcp { syn: Some(1), rto, ..params() };
    let (found, whole) = (run(tcp.clone(), 4, &[SYN], &[]), run(tcp, 4, &[], &[]));
    let handshake = 4_000_000 + 2 * 41 * 800;
    assert_eq!(whole.flows[0].end, Some(handshake + ROUND + 3 * PACKET));
    assert_eq!(found.flows[0].end, Some(100 * MICROSECOND + handshake + 3 * ROUND));
    assert_eq!(windows(&found), [10.0, 2.0, 3.0, 4.0]);
}
