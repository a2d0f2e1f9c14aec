//! What happens next: a calendar of lanes.
//!
//! Whatever can fire (a port's next arrival, a port that becomes free, a timer, the source) is a *lane*, and has at most
//! one pending event: a port's arrivals come in the order of its wire, so only the first has to be compared with others.
//! Events are ordered by time, at one time by place: ports that become free, arrivals at each node, and then the others, in
//! an order drawn every time.  Links that bring packets to one node at one time take [`Turns`].
//!
//! The near future is a ring of buckets, each a list linked through the lanes; the bucket being served is sorted, what
//! lies beyond the ring waits in a heap.  The width of a bucket follows the load; it does not change the order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::time::{NEVER, Time};
use super::turns::Turns;
use crate::random::SplitMix;

/// Buckets of the ring.
const BUCKETS: usize = 1 << 13;

/// After how many events the width of a bucket is looked at.
const PERIOD: u32 = 1 << 12;

/// How many events are too many for a bucket.
const CROWD: u32 = 16;

/// Width of a bucket at first, and the range in which it is kept, as powers of two of a picosecond.
const SHIFT: (u32, u32, u32) = (16, 6, 40);

/// The bit of places that are drawn.
const DRAWN: u32 = 1 << 31;

/// No lane.
const NONE: u32 = u32::MAX;

/// The pending event of a lane.
#[derive(Debug, Clone, Copy)]
struct Lane {
    /// When it fires, [`NEVER`] if nothing is pending.
    time: Time,
    /// Its place among those of that time; of an arrival, that of its node.
    place: u32,
    /// The next lane of the same bucket.
    next: u32,
}

impl Lane {
    const IDLE: Lane = Lane { time: NEVER, place: 0, next: NONE };
}

/// When, where, which lane, from the most significant bit on: compared in that order, and as one number.
type Event = u128;

#[inline]
fn event(time: Time, place: u32, lane: u32) -> Event {
    u128::from(time) << 64 | u128::from(place) << 32 | u128::from(lane)
}

/// Whether two events are arrivals at one node at one time.
#[inline]
fn meet(one: Event, other: Event) -> bool {
    // Of very many that are drawn two may be the same.
    one >> 32 == other >> 32 && (one >> 32) as u32 & DRAWN == 0
}

/// All pending events.
#[derive(Debug)]
pub(super) struct Events {
    lanes: Vec<Lane>,
    pub(super) turns: Turns,
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
    /// Since the width was looked at: events served, buckets opened, those of them with events of more than one time, events
    /// that went to `far`.
    served: u32,
    opened: u32,
    mixed: u32,
    sent_far: u32,
}

impl Events {
    /// No events, of a port and a link to each of `nodes`, and of so many `others`: lanes in this order.
    pub(super) fn new(nodes: &[u32], others: usize, seed: u64) -> Self {
        let ports = nodes.len() as u32;
        let places = (0..ports).chain(nodes.iter().map(|node| ports.saturating_add(*node)));
        let mut lanes: Vec<Lane> = places.map(|place| Lane { place, ..Lane::IDLE }).collect();
        lanes.resize(lanes.len() + others, Lane::IDLE);
        Events {
            lanes,
            turns: Turns::new(nodes.len(), seed),
            salt: SplitMix::of([seed, 0x706c_6163_6573]).word(),
            shift: SHIFT.0,
            first: vec![NONE; BUCKETS],
            occupied: vec![0; BUCKETS / 64],
            current: 0,
            open: vec![],
            far: BinaryHeap::new(),
            served: 0,
            opened: 0,
            mixed: 0,
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
    pub(super) fn push(&mut self, lane: u32, time: Time) {
        debug_assert_eq!(self.pending(lane), NEVER, "lane {lane} has an event already");
        if time == NEVER {
            return;
        }
        if lane as usize >= 2 * self.turns.links() {
            self.lanes[lane as usize].place = self.draw(lane, time);
        }
        self.lanes[lane as usize].time = time;
        self.insert(lane, time);
    }

    /// Puts a lane where its time belongs.
    #[inline]
    fn insert(&mut self, lane: u32, time: Time) {
        let ahead = (time >> self.shift).wrapping_sub(self.current);
        if ahead == 0 {
            let event = event(time, self.lanes[lane as usize].place, lane);
            let place = self.open.partition_point(|other| *other > event);
            self.open.insert(place, event);
        } else if ahead < BUCKETS as u64 {
            self.link(lane, time);
        } else {
            assert!(time >> self.shift > self.current, "an event in the past");
            self.sent_far += 1;
            self.far.push(Reverse((time, lane)));
        }
    }

    /// Lets a lane that fires for itself do so at `time`, which is earlier than what is pending.
    pub(super) fn reschedule_earlier(&mut self, lane: u32, time: Time) {
        let old = self.pending(lane);
        debug_assert!(time < old);
        let ahead = (old >> self.shift).saturating_sub(self.current);
        if old != NEVER && ahead == 0 {
            self.open.retain(|event| *event as u32 != lane);
        } else if old != NEVER && ahead < BUCKETS as u64 {
            self.unlink(lane, old);
        }
        self.lanes[lane as usize].time = NEVER;
        self.push(lane, time);
    }

    /// Sees to it that the next events are in order; returns whether they just were put so.
    #[inline]
    pub(super) fn prepare(&mut self) -> bool {
        self.open.is_empty() && self.advance()
    }

    /// The lanes of the next events that are in order, the last first.
    #[inline]
    pub(super) fn prepared(&self) -> impl Iterator<Item = u32> {
        self.open.iter().map(|event| *event as u32)
    }

    /// Takes the next event: its time and lane.  Of two links that meet, `before` says whether they bring packets of one
    /// connection, the first one the earlier.
    #[inline]
    pub(super) fn pop(&mut self, before: impl Fn(u32, u32) -> bool) -> Option<(Time, u32)> {
        self.prepare();
        let next = *self.open.last()?;
        let alone = self.open.len() < 2 || !meet(next, self.open[self.open.len() - 2]);
        let event = if alone { self.open.pop()? } else { self.choose(next, before) };
        let (time, lane) = ((event >> 64) as Time, event as u32);
        self.lanes[lane as usize].time = NEVER;
        self.served += 1;
        Some((time, lane))
    }

    /// Takes one of the events that meet the next one.
    fn choose(&mut self, next: Event, before: impl Fn(u32, u32) -> bool) -> Event {
        let met = self.open.iter().rposition(|event| !meet(*event, next)).map_or(0, |other| other + 1);
        let links = self.open[met..].iter().map(|event| *event as u32 - self.turns.links() as u32);
        self.open.remove(met + self.turns.first(links, before))
    }

    /// The place of what fires neither at a port nor at the end of a link.
    #[inline]
    fn draw(&self, lane: u32, time: Time) -> u32 {
        let mut mixed = (time ^ self.salt).wrapping_add(u64::from(lane).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed >> 32) as u32 | DRAWN
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
                let Lane { time, place, next } = self.lanes[lane as usize];
                self.open.push(event(time, place, lane));
                lane = next;
            }
            self.open.sort_unstable_by(|a, b| b.cmp(a));
            self.opened += 1;
            if let [last, .., first] = self.open[..] {
                self.mixed += u32::from(first >> 64 != last >> 64);
            }
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
            // A lane that was rescheduled has left an entry behind, or two if it went to the same time again.
            if self.lanes[lane as usize].time == time {
                self.link(lane, time);
                while self.far.peek() == Some(&Reverse((time, lane))) {
                    self.far.pop();
                }
            }
        }
    }

    /// Halves the width of a bucket where events crowd in it that this can part, doubles it where too many lie beyond the
    /// ring.
    fn adapt(&mut self) {
        let (_, least, most) = SHIFT;
        let shift = if self.sent_far > self.served / 8 && self.shift < most {
            self.shift + 1
        } else if self.opened < self.served / CROWD
            && self.mixed > self.opened / 2
            && self.sent_far < self.served / 64
            && self.shift > least
        {
            self.shift - 1
        } else {
            self.shift
        };
        if shift != self.shift {
            self.widen(shift);
        }
        // What was put elsewhere for the new width says nothing of whether that fits.
        (self.served, self.opened, self.mixed, self.sent_far) = (0, 0, 0, 0);
    }

    /// Gives buckets another width.
    fn widen(&mut self, shift: u32) {
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

    const LINKS: u32 = 12;

    /// The earliest, of links that meet the one that waited longest, found by looking at all.
    fn earliest(wanted: &mut Vec<Event>, waiting: &[u32]) -> Option<(Time, u32)> {
        let rank = |lane: u32| waiting.iter().position(|link| LINKS + link == lane);
        let next = *wanted.iter().min_by_key(|event| (**event >> 32, rank(**event as u32)))?;
        wanted.retain(|event| *event != next);
        Some(((next >> 64) as Time, next as u32))
    }

    /// So many draws of 31 bits that some are the same: these are no links that meet.
    #[test]
    fn equal_draws_are_in_the_order_of_lanes() {
        let mut events = Events::new(&[0; LINKS as usize], 200_000, 1);
        for lane in 2 * LINKS..2 * LINKS + 200_000 {
            events.push(lane, 0);
        }
        let (mut equal, mut before) = (0, None);
        while let Some((_, lane)) = events.pop(|_, _| false) {
            let place = events.lanes[lane as usize].place;
            assert!(before < Some((place, lane)));
            equal += u32::from(before.is_some_and(|(other, _)| other == place));
            before = Some((place, lane));
        }
        assert!(equal > 0);
    }

    /// Crowds of one time each, which no width parts.
    #[test]
    fn what_fires_at_one_time_narrows_no_bucket() {
        let mut events = Events::new(&[0; LINKS as usize], 40, 1);
        let lanes = 2 * LINKS..2 * LINKS + 40;
        for lane in lanes {
            events.push(lane, 0);
        }
        for _ in 0..20 * PERIOD {
            let (time, lane) = events.pop(|_, _| false).unwrap();
            events.push(lane, time + 1_000_000);
        }
        assert_eq!(events.shift, SHIFT.0);
    }

    proptest! {
        /// Against a list, over times near, far and equal, with lanes rescheduled earlier meanwhile.
        #[test]
        fn the_earliest_event_comes_first(
            steps in prop::collection::vec((0..40_u32, 0..3_u32, 0..1_000_000_u64, any::<bool>()), 1..400),
        ) {
            let nodes: Vec<u32> = (0..LINKS).map(|link| link % 3).collect();
            let mut events = Events::new(&nodes, 40 - 2 * LINKS as usize, 1);
            let (mut wanted, mut waiting): (Vec<Event>, Vec<u32>) = (vec![], (0..LINKS).collect());
            (0..LINKS).for_each(|link| events.turns.end(link));
            let mut now = 0;
            for (lane, scale, ahead, take) in steps {
                let time = now + (ahead << (12 * scale)) / 4 * 4;
                let pending = events.pending(lane);
                if pending == NEVER {
                    events.push(lane, time);
                } else if time < pending && lane >= 2 * LINKS {
                    events.reschedule_earlier(lane, time);
                    wanted.retain(|event| *event as u32 != lane);
                }
                if events.pending(lane) != pending {
                    wanted.push(event(time, events.lanes[lane as usize].place, lane));
                }
                if take {
                    let next = earliest(&mut wanted, &waiting).unwrap();
                    prop_assert_eq!(events.pop(|_, _| false), Some(next));
                    now = next.0;
                    if (LINKS..2 * LINKS).contains(&next.1) {
                        let link = next.1 - LINKS;
                        events.turns.end(link);
                        waiting.retain(|other| *other != link);
                        waiting.push(link);
                    }
                }
                if lane == 0 {
                    events.served = PERIOD;
                }
            }
            while let Some(next) = earliest(&mut wanted, &waiting) {
                prop_assert_eq!(events.pop(|_, _| false), Some(next));
            }
            prop_assert_eq!(events.pop(|_, _| false), None);
        }
    }
}
