//! The sweep: links whose equations have changed are solved, the lowest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::super::fabric::NONE;
use super::super::streams::Streams;
use super::{Levels, Link, Stop, stop};

/// Levels that differ by a smaller part differ by rounding, which is not passed on.
const SAME: f64 = 1e-12;

/// How much a sweep may go through, as a multiple of all that there is.
const PATIENCE: usize = 2;

impl Link {
    /// The link is to be solved, when the sweep comes to `level`.
    #[inline]
    pub(super) fn wait(&mut self, number: u32, level: f64, order: &mut BinaryHeap<Reverse<u128>>) {
        if !std::mem::replace(&mut self.waits, true) {
            // The order of numbers that are not negative is that of their bits.
            order.push(Reverse(u128::from(level.to_bits()) << 32 | u128::from(number)));
        }
    }
}

impl Levels {
    /// Solves all equations that have changed.  Returns whether it has; if not, so much has changed at one time that it takes
    /// less to find all levels anew.
    pub(super) fn sweep(&mut self) -> bool {
        let all = PATIENCE * (self.links.len() + self.streams.all_hops);
        let mut gone_through = 0;
        while let Some(Reverse(first)) = self.order.pop() {
            let (due, link) = ((first >> 32) as u64, first as u32);
            if gone_through > all {
                return false;
            }
            gone_through += 1 + self.streams.members[link as usize].len();
            let full_at = self.solution(link);
            let state = &mut self.links[link as usize];
            state.waits = false;
            // Many may have been stopped since it was put there.
            let now = full_at.min(state.full_at);
            if now.to_bits() > due
                && self.order.peek().is_some_and(|Reverse(next)| ((next >> 32) as u64) < now.to_bits())
            {
                state.wait(link, now, &mut self.order);
            } else if !same(full_at, state.full_at) {
                gone_through += self.fill_at(link, full_at);
            }
        }
        true
    }

    /// A link's equation has changed, so that it is full at a level which may be lower.
    pub(super) fn look(&mut self, link: usize) {
        if !self.links[link].waits {
            let full_at = self.solution(link as u32);
            let state = &mut self.links[link];
            state.wait(link as u32, full_at.min(state.full_at), &mut self.order);
        }
    }

    /// The level at which a link is full, where the others are full where they are.  Leaves behind where its members stop,
    /// as far as that matters.
    fn solution(&mut self, link: u32) -> f64 {
        let Levels { streams, links, held, stops, .. } = self;
        let (capacity, own) = (streams.capacity[link as usize], links[link as usize].full_at);
        let members = &streams.members[link as usize];
        stops.clear();
        // What those take that others stop, and the highest level of these; the load of the others.
        let (mut taken, mut highest, mut rising) = (0.0, 0.0_f64, 0.0);
        stops.extend(members.iter().map(|member| {
            let held = &held[member.stream as usize];
            let load = load(held.load, streams, member.stream, member.hop as usize);
            let rises = held.by == link || held.by == NONE;
            let level = if rises { 0.0 } else { held.level };
            taken += load * level;
            highest = highest.max(level);
            rising += if rises { load } else { 0.0 };
            Stop { level: if rises { f64::INFINITY } else { level }, by: held.by, load }
        }));
        let level = if rising > 0.0 { (capacity - taken).max(0.0) / rising } else { f64::INFINITY };
        if level <= own && own.is_finite() {
            // Those that it has held stop nowhere below.
            return if highest <= level { level } else { root(stops, capacity, level) };
        }
        let (mut lowest, mut most) = (f64::INFINITY, taken);
        for (member, found) in members.iter().zip(&mut *stops) {
            if found.level.is_infinite() {
                let Stop { level, by, .. } = stop(links, &streams.hops[member.stream as usize], link);
                (found.level, found.by) = (level, by);
                lowest = lowest.min(level);
                most += found.load * level;
            }
        }
        if most <= capacity * (1.0 + SAME) {
            // Streams that none holds take nothing yet; all of their links are full at no level.
            links[link as usize].load = if own.is_finite() { most } else { taken };
            return f64::INFINITY;
        }
        if highest <= level && level <= lowest && rising > 0.0 {
            return level;
        }
        root(stops, capacity, if rising > 0.0 { level } else { highest })
    }

    /// A link is full at another level, its solution.  Returns how many links its streams have that this concerns.
    fn fill_at(&mut self, link: u32, full_at: f64) -> usize {
        let mut gone_through = 0;
        let Levels { streams, links, held, order, .. } = self;
        let before = std::mem::replace(&mut links[link as usize].full_at, full_at);
        for (member, stop) in streams.members[link as usize].iter().zip(&self.stops) {
            let held = &mut held[member.stream as usize];
            let (from, took) = (held.level, held.takes());
            let to = if held.by == link && full_at > before && stop.level < full_at {
                held.by = stop.by;
                stop.level
            } else if held.by == link || from > full_at {
                held.by = link;
                full_at
            } else {
                continue;
            };
            held.set(to, &mut self.changed, member.stream);
            let (even, more) = (held.load, to - took);
            let hops = &streams.hops[member.stream as usize];
            gone_through += hops.len();
            for (place, hop) in hops.iter().enumerate() {
                let other = &mut links[hop.link as usize];
                if hop.link == link {
                    continue;
                }
                if other.full_at.is_finite() {
                    other.wait(hop.link, other.full_at, order);
                } else {
                    other.load += more * load(even, streams, member.stream, place);
                    if other.load > other.room {
                        other.wait(hop.link, to, order);
                    }
                }
            }
        }
        gone_through
    }
}

/// What a stream puts on its link at level 1, where `even` is [`Streams::even_load`], or NaN.
#[inline]
fn load(even: f64, streams: &Streams, stream: u32, hop: usize) -> f64 {
    if even.is_nan() { streams.load(stream as usize, hop) } else { even }
}

/// The level at which what stops so takes a capacity, which is less than all of it.
///
/// What is taken is a concave function of the level, so that Newton's method from anywhere is below the solution after one
/// step, and rises to it, in the end with the same set of streams that stop below.
#[inline]
fn root(stops: &[Stop], capacity: f64, mut level: f64) -> f64 {
    let mut below = usize::MAX;
    for step in 0.. {
        let (mut left, mut rising, mut count) = (capacity, 0.0, 0);
        for stop in stops {
            let stays = stop.level < level;
            left -= if stays { stop.load * stop.level } else { 0.0 };
            rising += if stays { 0.0 } else { stop.load };
            count += usize::from(stays);
        }
        if count == stops.len() {
            // Too far: from the bottom.
            rising = stops.iter().map(|stop| stop.load).sum();
            left = capacity;
            count = 0;
            if step > 0 {
                return level;
            }
        }
        // The set grows but in rounding.
        if count == below || step > 1 && count < below {
            return level;
        }
        below = count;
        level = left.max(0.0) / rising;
    }
    level
}

fn same(a: f64, b: f64) -> bool {
    // Next to an infinite one, every part is infinite.
    a == b || (a - b).abs() <= SAME * a.min(b)
}
