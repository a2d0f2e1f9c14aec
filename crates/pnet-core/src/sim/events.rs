//! What happens next: a calendar of lanes.
//!
//! Whatever can fire (a port's next arrival, a port that becomes free, a timer, the source) is a *lane*, and has at most
//! one pending event: a port's arrivals come in the order of its wire, so only the first has to be compared with others.
//! Events are ordered by time, at one time by rank, and then by [`Turn`].
//!
//! The near future is a ring of buckets, each a list linked through the lanes; the bucket being served is sorted, what
//! lies beyond the ring waits in a heap.  The width of a bucket follows the load; it does not change the order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::packet::Packet;
use super::time::{NEVER, Time};
use crate::random::SplitMix;

/// Buckets of the ring.
const BUCKETS: usize = 1 << 13;

/// After how many events the width of a bucket is looked at.
const PERIOD: u32 = 1 << 12;

/// Width of a bucket at first, and the range in which it is kept, as powers of two of a picosecond.
const SHIFT: (u32, u32, u32) = (16, 6, 40);

/// No lane.
const NONE: u32 = u32::MAX;

/// Whose turn it is at one time: a hash of `who`, the time and the run's seed says who goes first, `number` what of it does.
///
/// So nobody is favoured, packets of one connection keep their order where they meet, and the order does not depend on
/// when an event was announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    who: u64,
    number: u32,
}

impl Turn {
    /// The turn of a packet.
    #[inline]
    pub(super) fn of(packet: &Packet) -> Self {
        Turn { who: u64::from(packet.connection) | 1 << 32, number: packet.seq }
    }

    /// The turn of what fires for itself.
    #[inline]
    pub(super) fn of_lane(lane: u32) -> Self {
        Turn { who: u64::from(lane), number: 0 }
    }
}

/// The pending event of a lane.
#[derive(Debug, Clone, Copy)]
struct Lane {
    /// When it fires, [`NEVER`] if nothing is pending.
    time: Time,
    /// Its place among those of that time.
    rank: u32,
    /// The next lane of the same bucket.
    next: u32,
}

impl Lane {
    const IDLE: Lane = Lane { time: NEVER, rank: 0, next: NONE };
}

/// When, at which rank, which lane; compared in that order.
type Event = (Time, u32, u32);

/// All pending events.
#[derive(Debug)]
pub(super) struct Events {
    lanes: Vec<Lane>,
    /// Lanes below this one go first at their time.
    urgent: u32,
    salt: u64,
    shift: u32,
    /// First lane of each bucket.
    first: Vec<u32>,
    /// One bit for each bucket that is not empty.
    occupied: Vec<u64>,
    /// Number of the bucket being served: its times are `current << shift` and on.
    current: u64,
    /// What is left of it, the last first.
    open: Vec<Event>,
    /// What lies beyond the ring; entries that their lane does not confirm are void.
    far: BinaryHeap<Reverse<(Time, u32)>>,
    /// Since the width was looked at: events served, buckets opened, events that went to `far`.
    served: u32,
    opened: u32,
    sent_far: u32,
}

impl Events {
    /// No events, of `lanes` lanes; those below `urgent` go first at their time.
    pub(super) fn new(lanes: usize, urgent: usize, seed: u64) -> Self {
        Events {
            lanes: vec![Lane::IDLE; lanes],
            urgent: urgent as u32,
            salt: SplitMix::of([seed, 0x006f_7264_6572]).word(),
            shift: SHIFT.0,
            first: vec![NONE; BUCKETS],
            occupied: vec![0; BUCKETS / 64],
            current: 0,
            open: vec![],
            far: BinaryHeap::new(),
            served: 0,
            opened: 0,
            sent_far: 0,
        }
    }

    /// Makes room for at least `lanes` lanes.
    pub(super) fn grow(&mut self, lanes: usize) {
        if lanes > self.lanes.len() {
            self.lanes.resize(lanes, Lane::IDLE);
        }
    }

    /// When a lane fires, [`NEVER`] if nothing is pending.
    #[inline]
    pub(super) fn pending(&self, lane: u32) -> Time {
        self.lanes[lane as usize].time
    }

    /// Announces the event of a lane that has none.
    #[inline]
    pub(super) fn push(&mut self, lane: u32, time: Time, turn: Turn) {
        debug_assert_eq!(self.pending(lane), NEVER, "lane {lane} has an event already");
        if time == NEVER {
            return;
        }
        let rank = self.rank(lane, time, turn);
        let at = &mut self.lanes[lane as usize];
        (at.time, at.rank) = (time, rank);
        self.insert(lane, time);
    }

    /// Puts a lane where its time belongs.
    #[inline]
    fn insert(&mut self, lane: u32, time: Time) {
        debug_assert!(time >> self.shift >= self.current, "an event in the past");
        let ahead = (time >> self.shift) - self.current;
        if ahead == 0 {
            let event = (time, self.lanes[lane as usize].rank, lane);
            let place = self.open.partition_point(|other| *other > event);
            self.open.insert(place, event);
        } else if ahead < BUCKETS as u64 {
            self.link(lane, time);
        } else {
            self.sent_far += 1;
            self.far.push(Reverse((time, lane)));
        }
    }

    /// Lets a lane that fires for itself do so at `time`, which is earlier than what is pending.
    pub(super) fn hasten(&mut self, lane: u32, time: Time) {
        let old = self.pending(lane);
        debug_assert!(time < old);
        let ahead = (old >> self.shift).saturating_sub(self.current);
        if old != NEVER && ahead == 0 {
            self.open.retain(|event| event.2 != lane);
        } else if old != NEVER && ahead < BUCKETS as u64 {
            self.unlink(lane, old);
        }
        self.lanes[lane as usize].time = NEVER;
        self.push(lane, time, Turn::of_lane(lane));
    }

    /// Takes the next event: its time and lane.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(Time, u32)> {
        if self.open.is_empty() && !self.advance() {
            return None;
        }
        let (time, _, lane) = self.open.pop()?;
        self.lanes[lane as usize].time = NEVER;
        self.served += 1;
        Some((time, lane))
    }

    #[inline]
    fn rank(&self, lane: u32, time: Time, turn: Turn) -> u32 {
        let mut mixed = (time ^ self.salt).wrapping_add(turn.who.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        // Numbers that follow each other keep their order but where the sum wraps, which is as rare as it is even.
        let rank = ((mixed >> 33) as u32).wrapping_add(turn.number) & !(1 << 31);
        if lane < self.urgent { rank } else { rank | 1 << 31 }
    }

    #[inline]
    fn link(&mut self, lane: u32, time: Time) {
        let bucket = (time >> self.shift) as usize % BUCKETS;
        self.lanes[lane as usize].next = self.first[bucket];
        self.first[bucket] = lane;
        self.occupied[bucket / 64] |= 1 << (bucket % 64);
    }

    fn unlink(&mut self, lane: u32, time: Time) {
        let bucket = (time >> self.shift) as usize % BUCKETS;
        let next = self.lanes[lane as usize].next;
        let mut at = self.first[bucket];
        if at == lane {
            // The bit may stay where the bucket becomes empty: opening it finds nothing.
            self.first[bucket] = next;
            return;
        }
        while self.lanes[at as usize].next != lane {
            at = self.lanes[at as usize].next;
        }
        self.lanes[at as usize].next = next;
    }

    /// Opens the next bucket that holds something; returns whether there is one.
    fn advance(&mut self) -> bool {
        while self.open.is_empty() {
            if self.served >= PERIOD {
                self.adapt();
                continue;
            }
            let next = self.next_occupied();
            let far = self.far.peek().map(|Reverse((time, _))| time >> self.shift);
            match (next, far) {
                (None, None) => return false,
                (Some(bucket), None) => self.current = bucket,
                (None, Some(bucket)) => self.current = bucket,
                (Some(near), Some(far)) => self.current = near.min(far),
            }
            if far.is_some_and(|far| far < self.current + BUCKETS as u64) {
                self.fetch();
            }
            let bucket = self.current as usize % BUCKETS;
            self.occupied[bucket / 64] &= !(1 << (bucket % 64));
            let mut lane = std::mem::replace(&mut self.first[bucket], NONE);
            while lane != NONE {
                let Lane { time, rank, next } = self.lanes[lane as usize];
                self.open.push((time, rank, lane));
                lane = next;
            }
            self.open.sort_unstable_by(|a, b| b.cmp(a));
            self.opened += 1;
        }
        true
    }

    /// Number of the next bucket of the ring that holds something.
    #[inline]
    fn next_occupied(&self) -> Option<u64> {
        let start = self.current as usize % BUCKETS;
        let words = BUCKETS / 64;
        let mut word = start / 64;
        let mut bits = self.occupied[word] & (!0 << (start % 64));
        for _ in 0..=words {
            if bits != 0 {
                let bucket = 64 * word + bits.trailing_zeros() as usize;
                return Some(self.current + ((bucket + BUCKETS - start) % BUCKETS) as u64);
            }
            word = (word + 1) % words;
            bits = self.occupied[word];
        }
        None
    }

    /// Moves into the ring what has come near enough.
    fn fetch(&mut self) {
        while let Some(Reverse((time, lane))) = self.far.peek().copied() {
            if (time >> self.shift) - self.current >= BUCKETS as u64 {
                return;
            }
            self.far.pop();
            // A lane that was hastened has left an entry behind, or two if it went to the same time again.
            if self.lanes[lane as usize].time == time {
                self.link(lane, time);
                while self.far.peek() == Some(&Reverse((time, lane))) {
                    self.far.pop();
                }
            }
        }
    }

    /// Halves or doubles the width of a bucket where events crowd in it, or where too many lie beyond the ring.
    fn adapt(&mut self) {
        let (_, least, most) = SHIFT;
        let shift = if self.sent_far > self.served / 8 && self.shift < most {
            self.shift + 1
        } else if self.opened < self.served / 2 && self.sent_far < self.served / 64 && self.shift > least {
            self.shift - 1
        } else {
            self.shift
        };
        (self.served, self.opened, self.sent_far) = (0, 0, 0);
        if shift == self.shift {
            return;
        }
        // Nothing is open, so all of the bucket being served is past.
        let mut near = vec![];
        for first in &mut self.first {
            let mut lane = std::mem::replace(first, NONE);
            while lane != NONE {
                near.push(lane);
                lane = self.lanes[lane as usize].next;
            }
        }
        self.occupied.fill(0);
        let past = (self.current + 1) << self.shift;
        self.shift = shift;
        self.current = (past - 1) >> shift;
        for lane in near {
            self.insert(lane, self.lanes[lane as usize].time);
        }
        self.fetch();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against a sorted list, over times near, far and alike, with lanes hastened on the way.
        #[test]
        fn the_earliest_event_comes_first(
            steps in prop::collection::vec((0..40_u32, 0..3_u32, 0..1_000_000_u64, 0..4_u32, any::<bool>()), 1..400),
        ) {
            let mut events = Events::new(40, 8, 1);
            let mut wanted: Vec<Event> = vec![];
            let mut now = 0;
            for (lane, scale, ahead, number, take) in steps {
                let time = now + (ahead << (12 * scale)) / 4 * 4;
                let pending = events.pending(lane);
                if pending == NEVER {
                    let turn = Turn { who: u64::from(lane) % 5, number };
                    events.push(lane, time, turn);
                    wanted.push((time, events.rank(lane, time, turn), lane));
                } else if time < pending {
                    events.hasten(lane, time);
                    wanted.retain(|event| event.2 != lane);
                    wanted.push((time, events.rank(lane, time, Turn::of_lane(lane)), lane));
                }
                if take {
                    wanted.sort_unstable_by(|a, b| b.cmp(a));
                    let next = wanted.pop().unwrap();
                    prop_assert_eq!(events.pop(), Some((next.0, next.2)));
                    now = next.0;
                }
                if lane == 0 {
                    events.served = PERIOD;
                }
            }
            wanted.sort_unstable_by(|a, b| b.cmp(a));
            while let Some(next) = wanted.pop() {
                prop_assert_eq!(events.pop(), Some((next.0, next.2)));
            }
            prop_assert_eq!(events.pop(), None);
        }
    }
}
