//! The sweep: links whose equations have changed are solved, the lowest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::super::fabric::NONE;
use super::super::Poll;
use super::super::streams::Streams;
use super::{Levels, Link, Stop, stop};
use crate::error::Error;

/// Levels that differ by a smaller part differ by rounding, which is not passed on.
const SAME: f64 = 1e-12;

/// Links and members that a sweep may look at, as a multiple of all that there are.
const MOST_WORK: usize = 2;

impl Link {
    /// Queues the link to be solved when the sweep reaches `level`.
    #[inline]
    pub(super) fn enqueue(&mut self, number: u32, level: f64, queue: &mut BinaryHeap<Reverse<u128>>) {
        if !std::mem::replace(&mut self.is_queued, true) {
            // Numbers that are not negative have the order of their bits.
            queue.push(Reverse(u128::from(level.to_bits()) << 32 | u128::from(number)));
        }
    }
}

impl Levels {
    /// Solves all equations that have changed.  Returns false where so much has changed at one time that it takes less to
    /// compute all levels from scratch.
    pub(super) fn sweep(&mut self, poll: &mut Poll) -> Result<bool, Error> {
        let all = MOST_WORK * (self.links.len() + self.streams.all_hops);
        let mut work = 0;
        while let Some(Reverse(first)) = self.queue.pop() {
            let (due, link) = ((first >> 32) as u64, first as u32);
            if work > all {
                return Ok(false);
            }
            poll()?;
            work += 1 + self.streams.members[link as usize].len();
            let full_at = self.solution(link);
            let state = &mut self.links[link as usize];
            state.is_queued = false;
            // Many of its streams may have been stopped since it was queued.
            let now = full_at.min(state.full_at);
            if now.to_bits() > due
                && self.queue.peek().is_some_and(|Reverse(next)| ((next >> 32) as u64) < now.to_bits())
            {
                state.enqueue(link, now, &mut self.queue);
            } else if !same(full_at, state.full_at) {
                work += self.fill_at(link, full_at);
            }
        }
        Ok(true)
    }

    /// Queues a link whose equation has changed, at its new level where that is lower.
    pub(super) fn enqueue_changed(&mut self, link: usize) {
        if !self.links[link].is_queued {
            let full_at = self.solution(link as u32);
            let state = &mut self.links[link];
            state.enqueue(link as u32, full_at.min(state.full_at), &mut self.queue);
        }
    }

    /// The level at which a link is full, given the current levels of the others.  Leaves in `stops` where its members stop,
    /// as far as that matters.
    fn solution(&mut self, link: u32) -> f64 {
        let Levels { streams, links, states, stops, .. } = self;
        let (capacity, own) = (streams.capacity[link as usize], links[link as usize].full_at);
        let members = &streams.members[link as usize];
        stops.clear();
        // What the members take that other links stop, and the highest level of these; the load of the remaining members.
        let (mut taken, mut highest, mut rising) = (0.0, 0.0_f64, 0.0);
        stops.extend(members.iter().map(|member| {
            let state = &states[member.stream as usize];
            let load = load(state.load, streams, member.stream, member.hop as usize);
            let rises = state.bottleneck == link || state.bottleneck == NONE;
            let level = if rises { 0.0 } else { state.level };
            taken += load * level;
            highest = highest.max(level);
            rising += if rises { load } else { 0.0 };
            Stop { level: if rises { f64::INFINITY } else { level }, bottleneck: state.bottleneck, load }
        }));
        let level = if rising > 0.0 { (capacity - taken).max(0.0) / rising } else { f64::INFINITY };
        if level <= own && own.is_finite() {
            // None of those that it has stopped stops below.
            return if highest <= level { level } else { root(stops, capacity, level) };
        }
        let (mut lowest, mut most) = (f64::INFINITY, taken);
        for (member, found) in members.iter().zip(&mut *stops) {
            if found.level.is_infinite() {
                let Stop { level, bottleneck, .. } = stop(links, &streams.hops[member.stream as usize], link);
                (found.level, found.bottleneck) = (level, bottleneck);
                lowest = lowest.min(level);
                most += found.load * level;
            }
        }
        if most <= capacity * (1.0 + SAME) {
            // Streams without a bottleneck take nothing yet; all of their links are full at no level.
            links[link as usize].load = if own.is_finite() { most } else { taken };
            return f64::INFINITY;
        }
        if highest <= level && level <= lowest && rising > 0.0 {
            return level;
        }
        root(stops, capacity, if rising > 0.0 { level } else { highest })
    }

    /// Sets the level at which a link is full to its solution.  Returns how many links its changed streams have.
    fn fill_at(&mut self, link: u32, full_at: f64) -> usize {
        let mut work = 0;
        let Levels { streams, links, states, queue, .. } = self;
        let before = std::mem::replace(&mut links[link as usize].full_at, full_at);
        for (member, stop) in streams.members[link as usize].iter().zip(&self.stops) {
            let state = &mut states[member.stream as usize];
            let (from, took) = (state.level, state.takes());
            let to = if state.bottleneck == link && full_at > before && stop.level < full_at {
                state.bottleneck = stop.bottleneck;
                stop.level
            } else if state.bottleneck == link || from > full_at {
                state.bottleneck = link;
                full_at
            } else {
                continue;
            };
            state.set(to, &mut self.changed, member.stream);
            let (even, more) = (state.load, to - took);
            let hops = &streams.hops[member.stream as usize];
            work += hops.len();
            for (place, hop) in hops.iter().enumerate() {
                let other = &mut links[hop.link as usize];
                if hop.link == link {
                    continue;
                }
                if other.full_at.is_finite() {
                    other.enqueue(hop.link, other.full_at, queue);
                } else {
                    other.load += more * load(even, streams, member.stream, place);
                    if other.load > other.room {
                        other.enqueue(hop.link, to, queue);
                    }
                }
            }
        }
        work
    }
}

/// What a stream puts on its link at level 1, where `even` is [`Streams::even_load`], or NaN.
#[inline]
fn load(even: f64, streams: &Streams, stream: u32, hop: usize) -> f64 {
    if even.is_nan() { streams.load(stream as usize, hop) } else { even }
}

/// The level at which streams that stop at `stops` take a capacity, which is less than all that they would take.
///
/// What they take is a concave function of the level, so Newton's method from any level is below the solution after one
/// step, and rises to it, until the set of streams that stop below does not change.
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
            // Beyond the solution: start at the bottom.
            rising = stops.iter().map(|stop| stop.load).sum();
            left = capacity;
            count = 0;
            if step > 0 {
                return level;
            }
        }
        // The set grows, up to rounding.
        if count == below || step > 1 && count < below {
            return level;
        }
        below = count;
        level = left.max(0.0) / rising;
    }
    level
}

fn same(a: f64, b: f64) -> bool {
    // Of an infinite level, every part is infinite.
    a == b || (a - b).abs() <= SAME * a.min(b)
}
