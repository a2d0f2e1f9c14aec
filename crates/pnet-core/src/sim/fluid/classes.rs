//! Classes: flows under way on the same path or paths.
//!
//! All flows of a class get the same rate for each unit of their weights, so one clock, the bytes that a flow of weight 1
//! would have sent, tells of all how much is left; a change of the rate touches the class and none of its flows.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::super::fabric::NONE;
use super::super::time::{NEVER, Time};
use super::Poll;
use super::rates::Rates;
use super::streams::Stream;
use crate::error::Error;

/// A sum that keeps what rounding cuts off (Knuth's two-sum): when the heavy flows of a class have gone, the weight of the
/// light ones is left, not what rounding made of it.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    value: f64,
    rest: f64,
}

impl Sum {
    fn add(&mut self, more: f64) {
        let sum = self.value + more;
        let part = sum - self.value;
        self.rest += (self.value - (sum - part)) + (more - part);
        self.value = sum;
    }

    fn get(self) -> f64 {
        self.value + self.rest
    }
}

/// Flows on the same paths.  What each change of their rate touches comes first, in one line of the processor's cache.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Class {
    /// Bytes that a flow of weight 1 has sent.
    pub(super) clock: f64,
    /// What its streams get together, for each unit of weight.
    rate: f64,
    /// When the clocks were set.
    since: Time,
    /// At what clock the first of its flows is complete.
    first: f64,
    /// When that is, if no level changes.
    next: Time,
    /// When the class is looked at, which is not later.
    queued: Time,
    /// Whether it has more than one stream.
    split: bool,
    /// Whether a flow has come or gone, or a level has changed, since the levels were settled.
    touched: bool,
    /// Whether the sharing does not know its streams yet.
    is_new: bool,
    /// Sum of its flows' weights.
    weight: Sum,
    /// Bytes that its flows keep in the network, as far as they have windows.
    pub(super) held: f64,
    /// The longest time of a packet and its acknowledgement through empty queues.
    pub(super) round_trip: Time,
    /// The ports of its paths.
    pub(super) key: Box<[u32]>,
    pub(super) streams: Vec<Stream>,
    /// At what clock each flow is complete, and its slot; the order of numbers is that of their bits.
    flows: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Class {
    /// Sets the clocks to `now`.
    #[inline]
    fn advance(&mut self, now: Time) {
        let time = (now - self.since) as f64;
        self.since = now;
        self.clock += self.rate * time;
        if self.split {
            self.streams.iter_mut().for_each(|stream| stream.clock += stream.level * time);
        }
    }

    /// The clock of each stream.
    pub(super) fn clocks(&self) -> impl Iterator<Item = f64> {
        self.streams.iter().map(|stream| if self.split { stream.clock } else { self.clock })
    }

    /// The ports of its paths, one path after the other.
    pub(super) fn ports(&self) -> Vec<u32> {
        self.key.iter().copied().filter(|port| *port != NONE).collect()
    }

    /// Sum of its flows' weights.
    pub(super) fn weight(&self) -> f64 {
        self.weight.get()
    }

    /// Number of its flows.
    pub(super) fn count(&self) -> usize {
        self.flows.len()
    }

    /// Foresees when the first flow is complete.
    #[inline]
    fn foresee(&mut self) {
        let left = (self.first - self.clock).max(0.0) / self.rate;
        // Infinite where nothing moves, and NaN where nothing is left either.
        self.next = if left < 1e19 {
            let whole = left as Time;
            self.since.saturating_add(whole + Time::from((whole as f64) < left))
        } else {
            NEVER
        };
    }

    /// Looks which flow is the first to be complete.
    fn find_first(&mut self) {
        self.first = self.flows.peek().map_or(f64::INFINITY, |Reverse((mark, _))| f64::from_bits(*mark));
    }
}

/// All classes.  A class without flows is forgotten.
#[derive(Debug, Default)]
pub(super) struct Classes {
    classes: Vec<Class>,
    /// By ports; never gone through.
    known: HashMap<Box<[u32]>, u32>,
    free: Vec<u32>,
    touched: Vec<u32>,
    /// Of each stream, its class and its place there.
    owner: Vec<(u32, u32)>,
    /// When to look at which class.
    queue: BinaryHeap<Reverse<(Time, u32)>>,
    /// Scratch: streams whose levels have changed.
    changed: Vec<u32>,
}

/// What names the class of these paths.
pub(super) fn key(paths: &[Vec<u32>]) -> Box<[u32]> {
    paths.iter().flat_map(|path| path.iter().copied().chain([NONE])).collect()
}

impl Classes {
    /// A class.
    pub(super) fn get(&self, class: u32) -> &Class {
        &self.classes[class as usize]
    }

    /// When a flow is complete at the earliest.
    pub(super) fn next(&self) -> Time {
        self.queue.peek().map_or(NEVER, |Reverse((time, _))| *time)
    }

    /// Adds a flow to its class, which `streams` makes where there is none; returns the class, and at what clock of it the
    /// flow will be complete.
    pub(super) fn join(
        &mut self,
        key: Box<[u32]>,
        streams: impl FnOnce() -> Vec<Stream>,
        (slot, weight, bytes): (u32, f64, f64),
        (held, round_trip): (f64, Time),
        now: Time,
    ) -> (u32, f64) {
        let number = match self.known.get(&key) {
            Some(number) => *number,
            None => {
                let number = self.free.pop().unwrap_or(self.classes.len() as u32);
                if number as usize == self.classes.len() {
                    self.classes.push(Class::default());
                }
                self.known.insert(key.clone(), number);
                let (streams, next, queued) = (streams(), NEVER, NEVER);
                let (split, is_new) = (streams.len() > 1, true);
                self.classes[number as usize] =
                    Class { key, streams, split, since: now, next, queued, is_new, ..Class::default() };
                number
            }
        };
        let class = &mut self.classes[number as usize];
        class.advance(now);
        let mark = class.clock + bytes / weight;
        class.flows.push(Reverse((mark.to_bits(), slot)));
        class.find_first();
        class.weight.add(weight);
        class.held += held;
        class.round_trip = class.round_trip.max(round_trip);
        self.touch(number);
        (number, mark)
    }

    /// Takes a flow out of its class before it is complete.
    pub(super) fn leave(&mut self, number: u32, slot: u32, (weight, held): (f64, f64), now: Time) {
        let class = &mut self.classes[number as usize];
        class.advance(now);
        class.flows.retain(|Reverse((_, other))| *other != slot);
        class.find_first();
        class.weight.add(-weight);
        class.held -= held;
        self.touch(number);
    }

    /// Takes the flows that are complete by `now` out of their classes, in the order of classes and marks.
    /// `of` tells the weight of a flow, and what it holds.
    pub(super) fn complete(&mut self, now: Time, of: impl Fn(u32) -> (f64, f64), slots: &mut Vec<u32>) {
        while let Some(Reverse((time, number))) = self.queue.peek().copied().filter(|first| first.0.0 <= now) {
            self.queue.pop();
            let class = &mut self.classes[number as usize];
            // A class that was to be looked at later before leaves that entry behind.
            if class.queued != time {
                continue;
            }
            class.queued = NEVER;
            if class.next > now {
                self.enqueue(number);
                continue;
            }
            class.advance(now);
            // What is left of others in the first half of the next picosecond is rounding.
            let reached = class.clock + class.rate * 0.5;
            let mut first = true;
            while let Some(Reverse((_, slot))) =
                class.flows.peek().copied().filter(|done| first || f64::from_bits(done.0.0) <= reached)
            {
                class.flows.pop();
                let (weight, held) = of(slot);
                class.weight.add(-weight);
                class.held -= held;
                slots.push(slot);
                first = false;
            }
            class.find_first();
            class.next = NEVER;
            self.touch(number);
        }
    }

    /// Brings the levels of all streams, and with them what is foreseen, up to date.
    pub(super) fn settle(&mut self, rates: &mut Rates, now: Time, poll: &mut Poll) -> Result<(), Error> {
        for i in 0..self.touched.len() {
            let number = self.touched[i];
            let class = &mut self.classes[number as usize];
            if class.flows.is_empty() {
                let class = std::mem::replace(class, Class { next: NEVER, queued: NEVER, ..Class::default() });
                if !class.is_new {
                    rates.remove(&class.streams);
                }
                self.known.remove(&class.key);
                self.free.push(number);
                continue;
            }
            if !std::mem::replace(&mut class.is_new, false) {
                rates.set_weight(&class.streams, class.weight.get());
                continue;
            }
            poll()?;
            rates.add(&mut class.streams, class.weight.get());
            for (place, stream) in (0..).zip(&class.streams) {
                let owners = self.owner.len().max(stream.number as usize + 1);
                self.owner.resize(owners, (NONE, NONE));
                self.owner[stream.number as usize] = (number, place);
            }
        }
        let mut changed = std::mem::take(&mut self.changed);
        rates.settle(&mut changed, poll)?;
        for stream in changed.drain(..) {
            let (number, place) = self.owner[stream as usize];
            let class = &mut self.classes[number as usize];
            class.advance(now);
            if class.split {
                class.streams[place as usize].level = rates.level(stream);
            } else {
                class.rate = rates.level(stream);
            }
            self.touch(number);
        }
        self.changed = changed;
        let mut touched = std::mem::take(&mut self.touched);
        for number in touched.drain(..) {
            let class = &mut self.classes[number as usize];
            if !std::mem::replace(&mut class.touched, false) {
                continue;
            }
            if class.split {
                class.rate = class.streams.iter().map(|stream| stream.level).sum();
            }
            class.foresee();
            self.enqueue(number);
        }
        self.touched = touched;
        Ok(())
    }

    /// The class of a stream.
    pub(super) fn of(&self, stream: u32) -> &Class {
        self.get(self.owner[stream as usize].0)
    }

    /// Sets all clocks to `now`.
    pub(super) fn advance(&mut self, now: Time) {
        self.classes.iter_mut().for_each(|class| class.advance(now));
    }

    fn touch(&mut self, number: u32) {
        if !std::mem::replace(&mut self.classes[number as usize].touched, true) {
            self.touched.push(number);
        }
    }

    /// Lets a class be looked at in time.  It is looked at too early where it has slowed down, and then again.
    fn enqueue(&mut self, number: u32) {
        let class = &mut self.classes[number as usize];
        if class.next < class.queued {
            class.queued = class.next;
            self.queue.push(Reverse((class.next, number)));
        }
    }
}
