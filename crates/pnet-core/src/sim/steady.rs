//! Steady state skipped: while flows under way get on at constant rates, time jumps to shortly before what changes them.
//!
//! What recurs exactly is too rare to wait for: packets of many flows hardly ever stand twice as they stood.  Rates do recur.
//! Since the last arrival, end or failure, what each flow has received is noted after 16, 32, 64, ... idle round trips.  If each
//! flow's rate in the last half of this time is that of the quarter before within [`TOLERANCE`], the rates are taken for those
//! of all time to come.  Time then jumps to the next start, failure or repair, or to [`GUARD`] round trips before the first flow
//! has nothing left to send, whichever comes first.  Flows are shortened by what they would have sent meanwhile, and counters
//! grow as they have grown since the quarter began.  All that is under way stays as it is.
//!
//! Inside the run the clock does not jump: what comes from outside (starts, failures, limits) comes so much earlier, and what
//! is told to the outside is so much later.

use super::flows::Flows;
use super::records::{PacketCounts, PauseRecord, PortRecord};
use super::time::{NEVER, Time};

/// Most that the rate of a flow may differ between two periods, as a part of the larger one.
const TOLERANCE: f64 = 0.01;

/// Idle round trips to the first note, and for which flows have still to send after a jump.
const FIRST: Time = 16;
const GUARD: Time = 8;

/// What a flow under way has done so far.
#[derive(Debug, Clone)]
pub(super) struct FlowNote {
    /// Its first connection, and the place of its record.
    pub(super) connection: u32,
    pub(super) record: u32,
    pub(super) received: u64,
    pub(super) counts: PacketCounts,
    pub(super) planes: Vec<u64>,
    pub(super) subflows: Vec<u64>,
}

/// What all have done so far, at a time of the run's own clock.
#[derive(Debug, Clone)]
pub(super) struct Note {
    pub(super) time: Time,
    pub(super) flows: Vec<FlowNote>,
    pub(super) ports: Vec<PortRecord>,
    pub(super) pauses: Vec<PauseRecord>,
}

/// What has been skipped, to be added to the records of a run.
#[derive(Debug, Default)]
pub(super) struct Skipped {
    pub(super) ports: Vec<PortRecord>,
    pub(super) pauses: Vec<PauseRecord>,
    /// Of each record: counts, and bytes into each plane and by each subflow.
    pub(super) flows: Vec<(u32, PacketCounts, Vec<u64>, Vec<u64>)>,
}

/// Looks for a steady state.
#[derive(Debug)]
pub(super) struct Steady {
    /// Idle round trip of the longest path so far.
    round: Time,
    /// When something last changed.
    began: Time,
    /// When to note what has been done next.
    pub(super) next: Time,
    /// Notes of a quarter and of half of the time until then.
    notes: Vec<Note>,
}

/// What is to be skipped.
#[derive(Debug, PartialEq)]
pub(super) struct Jump {
    pub(super) time: Time,
    /// Segments of each flow of the last note.
    pub(super) segments: Vec<u32>,
}

impl Steady {
    pub(super) fn new() -> Self {
        Steady { round: 0, began: 0, next: NEVER, notes: vec![] }
    }

    /// Flows have started over paths of which the longest has this idle round trip.
    pub(super) fn widen(&mut self, round: Time) {
        self.round = self.round.max(round);
    }

    /// Something has changed: rates are looked at anew.
    pub(super) fn disturb(&mut self, now: Time) {
        self.notes.clear();
        self.began = now;
        self.next = if self.round > 0 { now + FIRST * self.round } else { NEVER };
    }

    /// Takes the next note; returns the earlier one from which on rates are constant, if they are.
    pub(super) fn look(&mut self, note: Note) -> Option<(Note, Note)> {
        self.next = self.began + 2 * (note.time - self.began);
        self.notes.push(note);
        let [first, half, last] = &self.notes[..] else { return None };
        let steady = constant(first, half, last);
        let first = self.notes.remove(0);
        steady.then(|| (first, self.notes[1].clone()))
    }

    /// What to skip where rates are as between two notes, `limit` of time at most, and each flow has so many segments of so
    /// much payload left to send; none where that is not worth it.
    pub(super) fn jump(&self, first: &Note, last: &Note, unsent: &[u32], payload: u16, limit: Time) -> Option<Jump> {
        let elapsed = (last.time - first.time) as f64;
        let pairs = first.flows.iter().zip(&last.flows);
        let rates: Vec<f64> =
            pairs.map(|(a, b)| (b.received - a.received) as f64 / (elapsed * f64::from(payload))).collect();
        let guard = (GUARD * self.round) as f64;
        // The last segment, which may be shorter, is sent.
        let least = rates.iter().zip(unsent).map(|(rate, unsent)| (f64::from(*unsent) - 1.0) / rate - guard);
        let time = least.fold(limit as f64, f64::min);
        if time < elapsed {
            return None;
        }
        let segments = rates.iter().map(|rate| (rate * time) as u32).collect();
        Some(Jump { time: time as Time, segments })
    }
}

/// Whether each flow has got on at one rate between three notes.
fn constant(first: &Note, half: &Note, last: &Note) -> bool {
    let rate =
        |a: &Note, b: &Note, i: usize| (b.flows[i].received - a.flows[i].received) as f64 / (b.time - a.time) as f64;
    !last.flows.is_empty()
        && (0..last.flows.len()).all(|i| {
            let (before, now) = (rate(first, half, i), rate(half, last, i));
            before.min(now) > 0.0 && (before - now).abs() <= TOLERANCE * before.max(now)
        })
}

/// What a counter grows by in addition, where it has grown from one value to another.
fn more(from: u64, to: u64, times: f64) -> u64 {
    (to.saturating_sub(from) as f64 * times).round() as u64
}

/// The same for each of several counters.
fn all_more(from: &[u64], to: &[u64], times: f64) -> Vec<u64> {
    from.iter().zip(to).map(|(from, to)| more(*from, *to, times)).collect()
}

impl Skipped {
    /// Adds what ports and flows do in a jump, if they get on as they did from one note to another.
    pub(super) fn add(&mut self, first: &Note, last: &Note, jump: &Jump, payload: u16) {
        let times = jump.time as f64 / (last.time - first.time) as f64;
        self.ports.resize(last.ports.len(), PortRecord::default());
        for (sum, (a, b)) in self.ports.iter_mut().zip(first.ports.iter().zip(&last.ports)) {
            *sum = sum.with(&a.with(b, |a, b| more(a, b, times)), |sum, more| sum + more);
        }
        self.pauses.resize(last.pauses.len(), PauseRecord::default());
        for (sum, (a, b)) in self.pauses.iter_mut().zip(first.pauses.iter().zip(&last.pauses)) {
            *sum = sum.with(&a.with(b, |a, b| more(a, b, times)), |sum, more| sum + more);
        }
        for ((a, b), segments) in first.flows.iter().zip(&last.flows).zip(&jump.segments) {
            // What is skipped of a flow is whole segments, so its counters grow with these.
            let times = f64::from(*segments) * f64::from(payload) / (b.received - a.received) as f64;
            let mut counts = a.counts.with(&b.counts, |a, b| more(a, b, times));
            // As much comes as is sent, though more was under way at the end of the period than at its start.
            counts.sent = counts.delivered + counts.dropped;
            counts.data_packets = u64::from(*segments) + counts.resent;
            let times = counts.data_packets as f64 / (b.counts.data_packets - a.counts.data_packets).max(1) as f64;
            let planes = all_more(&a.planes, &b.planes, times);
            counts.data_bytes = planes.iter().sum();
            self.flows.push((b.record, counts, planes, all_more(&a.subflows, &b.subflows, times)));
        }
    }

    /// Adds all of it to the records of a run.
    pub(super) fn finish(self, flows: &mut Flows<PacketCounts>, ports: &mut [PortRecord], pauses: &mut [PauseRecord]) {
        for (port, more) in ports.iter_mut().zip(self.ports) {
            *port = port.with(&more, |own, more| own + more);
        }
        for (port, more) in pauses.iter_mut().zip(self.pauses) {
            *port = port.with(&more, |own, more| own + more);
        }
        for (record, more, planes, subflows) in self.flows {
            let (of_planes, of_subflows) = flows.sent(record);
            of_planes.iter_mut().zip(planes).for_each(|(sum, more)| *sum += more);
            of_subflows.iter_mut().zip(subflows).for_each(|(sum, more)| *sum += more);
            let counts = &mut flows.records[record as usize].counts;
            *counts = counts.with(&more, |own, more| own + more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two flows that have received so many bytes.
    fn note(time: Time, received: [u64; 2]) -> Note {
        let flow = |received| FlowNote {
            connection: 0,
            record: 0,
            received,
            counts: PacketCounts {
                delivered: received / 100,
                data_packets: received / 100 + 7,
                ..PacketCounts::default()
            },
            planes: vec![received],
            subflows: vec![received],
        };
        Note { time, flows: received.map(flow).to_vec(), ports: vec![], pauses: vec![] }
    }

    fn steady(now: Time) -> Steady {
        let mut steady = Steady::new();
        steady.widen(25);
        steady.disturb(now);
        steady
    }

    /// Notes after 16, 32, 64 round trips of 25; rates are those of the last half and of the quarter before.
    #[test]
    fn rates_are_constant_within_a_part() {
        for (last, is) in [([3000, 1500], true), ([3020, 1495], true), ([3021, 1500], false), ([3000, 1489], false)] {
            let mut steady = steady(1000);
            assert_eq!(steady.next, 1400);
            assert!(steady.look(note(1400, [0, 0])).is_none());
            assert_eq!(steady.next, 1800);
            assert!(steady.look(note(1800, [1000, 500])).is_none());
            assert_eq!(steady.next, 2600);
            assert_eq!(steady.look(note(2600, last)).is_some(), is, "{last:?}");
            assert_eq!(steady.next, 4200);
        }
        let mut standing = steady(0);
        for time in [100, 200, 400] {
            assert!(standing.look(note(time, [time, 7])).is_none());
        }
    }

    /// The first flow sends 10 bytes a unit of time, a segment of 100 in 10; the second half as much.
    #[test]
    fn time_jumps_to_what_comes_first() {
        let steady = steady(0);
        let (first, last) = (note(100, [0, 0]), note(400, [3000, 1500]));
        let jump = |unsent, limit| steady.jump(&first, &last, unsent, 100, limit);
        // 8 round trips of 25 are left to each.
        assert_eq!(jump(&[1001, 1001], NEVER), Some(Jump { time: 9800, segments: vec![980, 490] }));
        assert_eq!(jump(&[1001, 101], NEVER), Some(Jump { time: 1800, segments: vec![180, 90] }));
        assert_eq!(jump(&[1000, 1000], 5000), Some(Jump { time: 5000, segments: vec![500, 250] }));
        assert_eq!(jump(&[1000, 1000], 299), None);
        let mut skipped = Skipped::default();
        skipped.add(&first, &last, &jump(&[1000, 1000], 5000).unwrap(), 100);
        let (_, counts, planes, _) = &skipped.flows[1];
        assert_eq!((counts.sent, counts.delivered, counts.data_bytes, &planes[..]), (250, 250, 25_000, &[25_000][..]));
    }
}
