//! The sweep over levels: links whose equations have changed are solved in the order of the levels at which they are full.

use std::cmp::Reverse;

use super::super::streams::Hop;
use super::{Levels, Phase, SAME, State, UNSURE};

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

fn same(a: f64, b: f64) -> bool {
    // Next to an infinite one, every part is infinite.
    a == b || (a - b).abs() <= SAME * a.min(b)
}

impl Levels {
    /// Solves all equations that have changed, in the order of levels.
    pub(super) fn sweep(&mut self) {
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

    /// A stream that puts `load` on a link at level 1 rises from one level to another, or not so far.  The link is to be
    /// solved; if it is not full, not before it may be.
    pub(super) fn raise(&mut self, link: usize, load: f64, (level, to): (f64, f64)) {
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
    pub(super) fn wait(&mut self, link: usize) {
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
}
