//! Max-min fair levels, kept up to date while streams come, go and change their weights.
//!
//! A link is *full at* the level `L` at which what its streams take, each at the least of `L` and the levels at which its
//! other links are full, is its capacity; it is full at no level if they never take that much.  A stream's level is the
//! least at which any of its links is full.  These equations have one solution, the max-min fair rates; and since a link
//! depends only on links that are full at lower levels, it is found in the order of rising levels.
//!
//! After a change only links whose equation has changed are solved again, in the same order: a sweep over levels, in which
//! a link is met up to twice.
//!
//! - It *settles* at the level at which it is full now.  Streams that it stops there, and that had another level before,
//!   change the equations of their other links.
//! - If it was full at a lower level before, it *opens* there: the streams that it stopped rise on, until another link, or
//!   itself, stops them; this too changes the equations of their other links.
//!
//! Both happen in the order of levels, and change only links that are full at higher ones, so that no link is settled twice.
//! This is the propagation of a change along the bottleneck structure of a network (J. Ros-Giralt et al., "On the
//! bottleneck structure of congestion-controlled networks", SIGMETRICS 2020), without that graph being kept.

mod sweep;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Method;
use super::filling::fill;
use super::streams::Streams;

/// Levels that differ by a smaller part differ by rounding, which is not passed on.
const SAME: f64 = 1e-12;

/// The part of a link that its load is not known to.
const UNSURE: f64 = 1e-9;

/// Where a link is in the sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    /// Its equation has not changed.
    #[default]
    Clean,
    /// It has, and is to be solved again.
    Dirty,
    /// The same, and the sweep has passed the level at which it was full.
    Opened,
    /// Solved.
    Settled,
}

/// A link in the sweep.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    phase: Phase,
    /// Whether it waits to be solved.
    waiting: bool,
    /// Whether streams have been stopped since it was solved, so that it is full later.
    stale: bool,
    /// At which level it is full as far as is known, from below.
    full_at: f64,
    /// When the sweep meets it next.
    key: f64,
    /// Of a link that was never full and is watched: at a level `x` it carries at most `base + rising * x`, as long as so
    /// many streams rise on it.
    watched: bool,
    base: f64,
    rising: f64,
    risers: u32,
}

/// Links, streams, and their levels.
#[derive(Debug)]
pub(super) struct Levels {
    pub(super) streams: Streams,
    method: Method,
    /// By link; infinite where it is never full, and while it is open.
    pub(super) full_at: Vec<f64>,
    /// By stream: the least level at which one of its links is full.
    level: Vec<f64>,
    /// By stream: its level before the sweep, where that has changed; none for a new one.
    before: Vec<Option<f64>>,
    changed: Vec<u32>,
    is_changed: Vec<bool>,
    states: Vec<State>,
    /// By link: what its streams take at their levels before the sweep, but for rounding.
    load: Vec<f64>,
    /// Links that are not clean, or watched.
    dirty: Vec<u32>,
    /// Of these, those to be solved.
    waiting: Vec<u32>,
    /// The others, by the level at which the sweep meets them.
    order: BinaryHeap<Reverse<(u64, u32)>>,
    /// Links that are not full, by a level at which they are not full yet, however far streams rise.
    watch: BinaryHeap<Reverse<(u64, u32)>>,
    /// Streams that no link stops yet, and the highest level at which one is stopped.
    unstopped: usize,
    highest: f64,
    /// Scratch: levels at which a link's streams are stopped elsewhere, and their loads at level 1.
    stops: Vec<(f64, f64)>,
    /// Scratch: members of the link that is met.
    met: Vec<u32>,
}

impl Levels {
    /// Links of these capacities, and no stream.
    pub(super) fn new(capacity: Vec<f64>, method: Method) -> Self {
        let links = capacity.len();
        Levels {
            streams: Streams::new(capacity),
            method,
            full_at: vec![f64::INFINITY; links],
            level: vec![],
            before: vec![],
            changed: vec![],
            is_changed: vec![],
            states: vec![State::default(); links],
            load: vec![0.0; links],
            dirty: vec![],
            waiting: vec![],
            order: BinaryHeap::new(),
            watch: BinaryHeap::new(),
            unstopped: 0,
            highest: 0.0,
            stops: vec![],
            met: vec![],
        }
    }

    /// Adds a stream; see [`Streams::add`].  It has no level until [`Levels::settle`].
    pub(super) fn add(&mut self, links: &[(u32, f64)], weight: f64) -> u32 {
        let stream = self.streams.add(links, weight);
        let i = stream as usize;
        if i == self.level.len() {
            self.level.push(0.0);
            self.before.push(None);
            self.is_changed.push(false);
        }
        self.level[i] = 0.0;
        self.note(stream);
        self.before[i] = None;
        let rises_to = self.least(i);
        self.set(stream, rises_to);
        for (link, coefficient) in links {
            self.raise(*link as usize, weight * coefficient, (0.0, rises_to));
        }
        stream
    }

    /// Takes a stream away.
    pub(super) fn remove(&mut self, stream: u32) {
        let i = stream as usize;
        // A new one has no load yet.
        let level = if self.is_changed[i] { self.before[i].unwrap_or(0.0) } else { self.level[i] };
        self.set(stream, 0.0);
        self.add_load(i, -self.streams.weight[i] * level);
        for hop in 0..self.streams.hops[i].len() {
            let link = self.streams.hops[i][hop].link as usize;
            // What is not full is not full either when less is taken.
            if self.full_at[link].is_finite() {
                self.wait(link);
            }
            if self.streams.members[link].len() == 1 {
                self.load[link] = 0.0;
            }
        }
        self.streams.remove(stream);
        self.is_changed[i] = false;
    }

    /// Changes the weight of a stream.
    pub(super) fn set_weight(&mut self, stream: u32, weight: f64) {
        let i = stream as usize;
        let more = weight - self.streams.weight[i];
        if more == 0.0 {
            return;
        }
        self.add_load(i, more * self.level[i]);
        self.streams.weight[i] = weight;
        for hop in 0..self.streams.hops[i].len() {
            self.wait(self.streams.hops[i][hop].link as usize);
        }
    }

    /// Changes the capacity of a link.
    pub(super) fn set_capacity(&mut self, link: u32, capacity: f64) {
        self.streams.capacity[link as usize] = capacity;
        self.wait(link as usize);
    }

    /// The level of a stream.
    #[inline]
    pub(super) fn level(&self, stream: u32) -> f64 {
        self.level[stream as usize]
    }

    /// Brings all levels up to date; hands over the streams whose levels have changed.
    pub(super) fn settle(&mut self, changed: &mut Vec<u32>) {
        match self.method {
            Method::Incremental => self.sweep(),
            Method::FromScratch => self.start_over(),
        }
        for link in self.dirty.drain(..) {
            self.states[link as usize] = State::default();
        }
        let mut noted = std::mem::take(&mut self.changed);
        for stream in noted.drain(..) {
            let i = stream as usize;
            if std::mem::replace(&mut self.is_changed[i], false) && self.before[i] != Some(self.level[i]) {
                let more = self.level[i] - self.before[i].unwrap_or(0.0);
                self.add_load(i, self.streams.weight[i] * more);
                changed.push(stream);
            }
        }
        self.changed = noted;
        self.highest = 0.0;
    }

    /// Finds all levels anew.
    fn start_over(&mut self) {
        self.waiting.clear();
        self.watch.clear();
        let level = fill(&self.streams);
        for (stream, level) in (0..).zip(level) {
            if self.streams.weight[stream as usize] > 0.0 {
                self.set(stream, level);
            }
        }
    }

    /// Adds to the loads of a stream's links.
    fn add_load(&mut self, stream: usize, more: f64) {
        for hop in &self.streams.hops[stream] {
            self.load[hop.link as usize] += more * hop.coefficient;
        }
    }

    /// The least level at which a link of a stream is full.
    #[inline]
    fn least(&self, stream: usize) -> f64 {
        let hops = self.streams.hops[stream].iter();
        hops.fold(f64::INFINITY, |least, hop| least.min(self.full_at[hop.link as usize]))
    }

    /// Remembers the level that a stream had before the sweep.
    #[inline]
    fn note(&mut self, stream: u32) {
        if !std::mem::replace(&mut self.is_changed[stream as usize], true) {
            self.changed.push(stream);
        }
    }

    /// Changes the level of a stream.
    #[inline]
    fn set(&mut self, stream: u32, level: f64) {
        let i = stream as usize;
        let before = std::mem::replace(&mut self.level[i], level);
        if !self.is_changed[i] {
            self.before[i] = Some(before);
        }
        self.note(stream);
        self.unstopped =
            self.unstopped + usize::from(level.is_infinite()) - usize::from(before.is_infinite());
        if level.is_finite() {
            self.highest = self.highest.max(level);
        }
    }
}
