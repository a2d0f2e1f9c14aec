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

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Method;
use super::filling::fill;
use super::streams::{Hop, Streams};

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

impl State {
    /// A level below which a watched link is not full.
    fn may_be_full_at(&self, capacity: f64) -> f64 {
        let left = capacity * (1.0 - UNSURE) - self.base;
        match self.risers {
            0 if left >= 0.0 => f64::INFINITY,
            0 => 0.0,
            _ => left.max(0.0) / self.rising,
        }
    }

    /// A stream that rose on a watched link is stopped.
    fn stop(&mut self, load: f64, level: f64) {
        self.base += load * level;
        self.risers -= 1;
        self.rising = if self.risers == 0 { 0.0 } else { self.rising - load };
    }
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

fn same(a: f64, b: f64) -> bool {
    // Next to an infinite one, every part is infinite.
    a == b || (a - b).abs() <= SAME * a.min(b)
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

    /// Solves all equations that have changed, in the order of levels.
    fn sweep(&mut self) {
        loop {
            while let Some(link) = self.waiting.pop() {
                self.solve(link as usize);
            }
            let first = self.order.peek().map_or(u64::MAX, |Reverse((key, _))| *key);
            if let Some(Reverse((key, link))) =
                self.watch.peek().copied().filter(|watched| watched.0.0 < first)
            {
                self.watch.pop();
                // Nothing rises so far, unless something opens: then it is watched anew.
                if self.unstopped == 0 && f64::from_bits(key) > self.highest {
                    if first == u64::MAX {
                        self.watch.clear();
                    }
                    let state = &mut self.states[link as usize];
                    if state.phase == Phase::Clean && state.key.to_bits() == key {
                        state.key = f64::INFINITY;
                    }
                    continue;
                }
                let state = &mut self.states[link as usize];
                if state.phase == Phase::Clean && state.key.to_bits() == key {
                    // Later, where streams have been stopped since.
                    state.key = state.may_be_full_at(self.streams.capacity[link as usize]);
                    if state.key.is_finite() && state.key > f64::from_bits(key) {
                        self.watch.push(Reverse((state.key.to_bits(), link)));
                    } else if state.key.is_finite() {
                        self.wait(link as usize);
                    }
                }
                continue;
            }
            let Some(Reverse((key, link))) = self.order.pop() else { return };
            let state = &self.states[link as usize];
            // A link that has been solved again since leaves an entry behind.
            if state.phase == Phase::Settled || state.key.to_bits() != key {
                continue;
            }
            if state.stale {
                self.wait(link as usize);
            } else if state.full_at == state.key {
                self.stop(link as usize);
            } else {
                self.open(link as usize);
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

    /// A stream that puts `load` on a link at level 1 rises from one level to another, or not so far.  The link is to be
    /// solved; if it is not full, not before it may be.
    fn raise(&mut self, link: usize, load: f64, (level, to): (f64, f64)) {
        let state = &mut self.states[link];
        if state.phase != Phase::Clean || self.full_at[link].is_finite() {
            self.wait(link);
            return;
        }
        if !std::mem::replace(&mut state.watched, true) {
            state.base = self.load[link];
            state.key = f64::INFINITY;
            self.dirty.push(link as u32);
        }
        if to.is_finite() {
            state.base += load * (to - level);
        } else {
            state.base -= load * level;
            state.rising += load;
            state.risers += 1;
        }
        let key = state.may_be_full_at(self.streams.capacity[link]);
        if key <= level {
            self.wait(link);
        } else if key < state.key {
            state.key = key;
            self.watch.push(Reverse((key.to_bits(), link as u32)));
        }
    }

    /// A link is to be solved.
    #[inline]
    fn wait(&mut self, link: usize) {
        let state = &mut self.states[link];
        if state.phase == Phase::Clean {
            state.phase = Phase::Dirty;
            // One that is watched is among them.
            if !state.watched {
                self.dirty.push(link as u32);
            }
        }
        if !std::mem::replace(&mut state.waiting, true) {
            self.waiting.push(link as u32);
        }
    }

    /// Solves a link's equation as far as is known, and puts it where the sweep will meet it.
    fn solve(&mut self, link: usize) {
        let mut full_at = self.solution(link);
        let state = &mut self.states[link];
        state.waiting = false;
        state.stale = false;
        let mut key = full_at;
        if state.phase == Phase::Dirty {
            if same(full_at, self.full_at[link]) {
                full_at = self.full_at[link];
            }
            key = full_at.min(self.full_at[link]);
        }
        state.full_at = full_at;
        state.key = key;
        if key.is_finite() {
            self.order.push(Reverse((key.to_bits(), link as u32)));
        }
    }

    /// The level at which a link is full, where the others are full where they are.
    fn solution(&mut self, link: usize) -> f64 {
        let (streams, own) = (&self.streams, self.full_at[link]);
        let capacity = streams.capacity[link];
        self.stops.clear();
        let (mut most, mut rising) = (0.0, 0.0);
        for member in &streams.members[link] {
            let stream = member.stream as usize;
            let mut stop = self.level[stream];
            // What this link itself stops: where would the others?
            if stop >= own && own.is_finite() {
                stop = f64::INFINITY;
                for hop in &streams.hops[stream] {
                    if hop.link as usize != link {
                        stop = stop.min(self.full_at[hop.link as usize]);
                    }
                }
            }
            let load = streams.weight[stream] * member.coefficient;
            most += load * stop;
            rising += load;
            self.stops.push((stop, load));
        }
        if most <= capacity * (1.0 + SAME) {
            return f64::INFINITY;
        }
        // The level rises from one at which none is stopped elsewhere; those stopped below it are taken out.
        let mut left = capacity;
        loop {
            let level = left.max(0.0) / rising;
            let before = self.stops.len();
            self.stops.retain(|(stop, load)| {
                let stays = *stop >= level;
                if !stays {
                    left -= load * stop;
                }
                stays
            });
            if self.stops.len() == before {
                return level;
            }
            if self.stops.is_empty() {
                return f64::INFINITY;
            }
            rising = self.stops.iter().map(|(_, load)| load).sum();
        }
    }

    /// The members of a link, to go through while levels change.
    fn meet(&mut self, link: usize) -> Vec<u32> {
        let mut met = std::mem::take(&mut self.met);
        met.clear();
        met.extend(self.streams.members[link].iter().map(|member| member.stream));
        met
    }

    /// The link is full: its streams that are not stopped below stop here.
    fn stop(&mut self, link: usize) {
        let level = self.states[link].full_at;
        self.full_at[link] = level;
        self.states[link].phase = Phase::Settled;
        let met = self.meet(link);
        for stream in &met {
            let i = *stream as usize;
            if self.level[i] < level {
                continue;
            }
            // Where another link stops it at this very level, that one's equation has changed still.
            let (falls, rose) = (self.level[i] > level, self.level[i].is_infinite());
            if falls {
                self.set(*stream, level);
            }
            for hop in 0..self.streams.hops[i].len() {
                let Hop { link: other, coefficient, .. } = self.streams.hops[i][hop];
                let other = other as usize;
                let state = &mut self.states[other];
                match state.phase {
                    Phase::Dirty | Phase::Opened => state.stale = true,
                    // One that is not full is watched, if it may be, since the stream began to rise.
                    Phase::Clean if state.watched => {
                        if rose {
                            state.stop(self.streams.weight[i] * coefficient, level);
                        }
                    }
                    Phase::Clean if falls && self.full_at[other].is_finite() => {
                        let takes = self.full_at[other].min(level);
                        if self.before[i].is_none_or(|before| !same(before, takes)) {
                            self.wait(other);
                        }
                    }
                    Phase::Clean | Phase::Settled => {}
                }
            }
        }
        self.met = met;
    }

    /// The link was full here and is so no more: its streams that no other link stops here rise on.
    fn open(&mut self, link: usize) {
        let level = std::mem::replace(&mut self.full_at[link], f64::INFINITY);
        let state = &mut self.states[link];
        state.phase = Phase::Opened;
        state.key = state.full_at;
        if state.key.is_finite() {
            self.order.push(Reverse((state.key.to_bits(), link as u32)));
        }
        let met = self.meet(link);
        for stream in &met {
            let i = *stream as usize;
            if self.level[i] < level {
                continue;
            }
            let rises_to = self.least(i);
            let rises = rises_to > level;
            if rises {
                self.set(*stream, rises_to);
            }
            for hop in 0..self.streams.hops[i].len() {
                let Hop { link: other, coefficient, .. } = self.streams.hops[i][hop];
                let other = other as usize;
                match self.states[other].phase {
                    Phase::Dirty | Phase::Opened if other != link => self.wait(other),
                    Phase::Clean if rises => {
                        self.raise(other, self.streams.weight[i] * coefficient, (level, rises_to));
                    }
                    _ => {}
                }
            }
        }
        self.met = met;
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
