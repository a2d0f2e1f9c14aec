//! The best split of flows over their paths: rates that are max-min fair in what flows get altogether, whichever paths they
//! take for it.
//!
//! What takes part is a *commodity*: all flows with the same paths.  Its level is its rate for each unit of weight.  A
//! commodity can get no more than its level where a *bottleneck* holds it: lengths of full links such that all flow is on
//! shortest paths and whoever has no path of length 0 has no higher level.  This is the certificate of a linear program (D. Nace,
//! M. Pioro, "Max-min fairness and its applications to routing and load-balancing in communication networks: a tutorial",
//! IEEE Surveys 10 (2008)); with one path each it is a full link on which nobody gets more.  If every commodity has a
//! bottleneck, rates are max-min fair.
//!
//! When commodities come or go, a sweep over rising levels restores this.  It moves the rates of commodities that nothing
//! holds, all at one level; what they fill or use up on the way is the event of a parametric simplex method, in which
//! another path, a link that may be emptier, or a commodity of a higher level gives way (`moves`, `pivot`); where nothing
//! can, the multipliers are lengths of a new bottleneck (`bottleneck`).  Bottlenecks whose commodities are not touched are
//! kept as they are, so that the cost of a change is that of what it reaches.
//!
//! - `basis` holds the links that moving rates between paths keeps full, and the inverse of their matrix;
//! - a commodity's *key* is the path that takes what its other paths do not.

mod basis;
mod bottleneck;
mod moves;
mod pivot;
mod sparse;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::fabric::NONE;
use super::Method;
use crate::error::Error;
use basis::{Basis, Column};
use bottleneck::Bottleneck;
use sparse::Sparse;

/// What is smaller is rounding, where the largest link carries 1.
const TINY: f64 = 1e-11;

/// Lengths that differ by less are the same.
const SAME_LENGTH: f64 = 1e-8;

/// Steps without progress after which the first of several ways is taken (R. Bland, Math. of Operations Research 2 (1977)),
/// so that the same basis does not come back.
const STALLED: usize = 64;

/// Steps without progress after which all begins from scratch.
const LOST: usize = 100_000;

/// Steps after which everything is computed anew from the rates, against the growth of rounding.
const STALE: usize = 1_000;

/// A path of a commodity.
#[derive(Debug, Clone, Default)]
struct Path {
    commodity: u32,
    /// None where it is gone.
    links: Vec<u32>,
    /// What it carries.
    value: f64,
    /// Its column; [`NONE`] for keys, and for what carries nothing.
    column: u32,
}

/// What a commodity's rate does in the sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It stays.
    Kept,
    /// It rises with the level.
    Tied,
    /// It gives way to others, or takes what they leave: a column.
    Yielding,
}

/// All flows with the same paths.
#[derive(Debug, Clone)]
struct Commodity {
    /// 0 where it is gone.
    weight: f64,
    rate: f64,
    paths: Vec<u32>,
    key: u32,
    state: State,
    /// What holds it; [`NONE`] where nothing does yet.
    held_by: u32,
    /// All bottlenecks that it has no way around.
    passes: Vec<u32>,
}

/// What the sweep meets at a level: a commodity that nothing holds, or a bottleneck through which rates have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Met {
    Loose(u32),
    Changed(u32),
}

/// Links, commodities, and their rates.
#[derive(Debug)]
pub(super) struct Split {
    method: Method,
    /// The largest capacity; what follows is in parts of it.
    scale: f64,
    capacity: Vec<f64>,
    load: Vec<f64>,
    /// By link: the paths over it.
    members: Vec<Vec<u32>>,
    paths: Vec<Path>,
    free_paths: Vec<u32>,
    commodities: Vec<Commodity>,
    free_commodities: Vec<u32>,
    bottlenecks: Vec<Option<Bottleneck>>,
    free_bottlenecks: Vec<u32>,
    basis: Basis,
    /// Commodities that nothing holds, and bottlenecks that may hold no more.
    loose: Vec<u32>,
    changed: Vec<u32>,
    /// Whether all is to be found from scratch, since capacities have changed or precision is lost.
    anew: bool,
    /// The level that the sweep has reached, and what rises with it.
    level: f64,
    tied: Vec<u32>,
    /// What it meets above.
    queue: BinaryHeap<Reverse<(u64, Met)>>,
    /// Steps without progress, and steps since all was computed anew.
    stalled: usize,
    steps: usize,
    /// Scratch: how paths, commodities' rates and links' loads move.
    moving: Sparse,
    rates: Sparse,
    flow: Sparse,
    /// Scratch: lengths of paths, and the commodities that have one.
    length: Sparse,
    measured: Sparse,
    /// Paths whose values may have changed since they were handed over.
    moved: Vec<u32>,
    is_moved: Vec<bool>,
}

impl Split {
    /// Links of these capacities, and no commodity.
    pub(super) fn new(capacity: Vec<f64>, method: Method) -> Self {
        let scale = capacity.iter().fold(f64::MIN_POSITIVE, |most, one| most.max(*one));
        let links = capacity.len();
        Split {
            method,
            scale,
            capacity: capacity.into_iter().map(|one| one / scale).collect(),
            load: vec![0.0; links],
            members: vec![vec![]; links],
            paths: vec![],
            free_paths: vec![],
            commodities: vec![],
            free_commodities: vec![],
            bottlenecks: vec![],
            free_bottlenecks: vec![],
            basis: Basis::new(links),
            loose: vec![],
            changed: vec![],
            anew: false,
            level: 0.0,
            tied: vec![],
            queue: BinaryHeap::new(),
            stalled: 0,
            steps: 0,
            moving: Sparse::default(),
            rates: Sparse::default(),
            flow: Sparse::default(),
            length: Sparse::default(),
            measured: Sparse::default(),
            moved: vec![],
            is_moved: vec![],
        }
    }

    /// Adds a commodity over these paths, each of which uses a link at most once; returns their numbers.  It has no rate
    /// until [`Split::settle`].
    pub(super) fn add<'a>(&mut self, paths: impl Iterator<Item = &'a [u32]>, weight: f64) -> Vec<u32> {
        let commodity = self.free_commodities.pop().unwrap_or(self.commodities.len() as u32);
        let numbers: Vec<u32> = paths.map(|links| self.add_path(commodity, links)).collect();
        let room = |path: &u32| {
            let left = |link: &u32| self.capacity[*link as usize] - self.load[*link as usize];
            self.paths[*path as usize].links.iter().map(left).fold(f64::INFINITY, f64::min)
        };
        let key = numbers.iter().copied().rev().max_by(|a, b| room(a).total_cmp(&room(b))).unwrap_or(NONE);
        let paths = numbers.clone();
        let (state, held_by, passes) = (State::Kept, NONE, vec![]);
        let made = Commodity { weight, rate: 0.0, paths, key, state, held_by, passes };
        if commodity as usize == self.commodities.len() {
            self.commodities.push(made);
        } else {
            self.commodities[commodity as usize] = made;
        }
        self.loose.push(commodity);
        numbers
    }

    fn add_path(&mut self, commodity: u32, links: &[u32]) -> u32 {
        let path = self.free_paths.pop().unwrap_or(self.paths.len() as u32);
        if path as usize == self.paths.len() {
            self.paths.push(Path::default());
            self.is_moved.push(false);
        }
        self.paths[path as usize] = Path { commodity, links: links.to_vec(), value: 0.0, column: NONE };
        for link in links {
            self.members[*link as usize].push(path);
        }
        self.note(path);
        path
    }

    /// Takes the commodity of a path away.
    pub(super) fn remove(&mut self, path: u32) {
        let number = self.paths[path as usize].commodity;
        let i = number as usize;
        self.mark(number);
        self.stalled = 0;
        while self.commodities[i].rate > 0.0 && !self.anew {
            self.withdraw(number);
        }
        // Of what it used beside its key nothing is left.
        for at in (0..self.basis.columns.len() as u32).rev() {
            match self.basis.columns[at as usize] {
                Column::Path(path) if self.paths[path as usize].commodity == number => self.drop_column(at),
                _ => {}
            }
        }
        for passed in std::mem::take(&mut self.commodities[i].passes) {
            if let Some(found) = &mut self.bottlenecks[passed as usize] {
                found.passing.retain(|(other, _)| *other != number);
            }
        }
        for path in std::mem::take(&mut self.commodities[i].paths) {
            for link in std::mem::take(&mut self.paths[path as usize].links) {
                let members = &mut self.members[link as usize];
                if let Some(at) = members.iter().position(|other| *other == path) {
                    members.swap_remove(at);
                }
            }
            self.free_paths.push(path);
        }
        self.loose.retain(|other| *other != number);
        self.commodities[i].weight = 0.0;
        self.free_commodities.push(number);
    }

    /// Changes the weight of the commodity of a path.
    pub(super) fn set_weight(&mut self, path: u32, weight: f64) {
        let number = self.paths[path as usize].commodity;
        let found = &mut self.commodities[number as usize];
        if found.weight == weight {
            return;
        }
        found.weight = weight;
        found.held_by = NONE;
        for place in 0..found.paths.len() {
            self.note(self.commodities[number as usize].paths[place]);
        }
        self.mark(number);
        self.loose.push(number);
    }

    /// Changes the capacity of a link.
    pub(super) fn set_capacity(&mut self, link: u32, capacity: f64) {
        self.capacity[link as usize] = capacity / self.scale;
        self.anew = true;
    }

    /// What a path carries for each unit of its commodity's weight.
    pub(super) fn level(&self, path: u32) -> f64 {
        let found = &self.paths[path as usize];
        found.value.max(0.0) / self.commodities[found.commodity as usize].weight * self.scale
    }

    /// Brings all rates up to date; hands over the paths on which they have changed.
    pub(super) fn settle(&mut self, changed: &mut Vec<u32>) -> Result<(), Error> {
        let stale = self.steps > STALE;
        if self.anew || self.method == Method::FromScratch || stale && !self.refresh() {
            self.start_over();
        }
        self.sweep();
        if self.anew {
            self.start_over();
            self.sweep();
        }
        if self.anew {
            let paths = self.paths.len() - self.free_paths.len();
            return Err(Error::Precision { found: format!("the best split over {paths} paths") });
        }
        for path in std::mem::take(&mut self.moved) {
            self.is_moved[path as usize] = false;
            if !self.paths[path as usize].links.is_empty() {
                changed.push(path);
            }
        }
        Ok(())
    }

    /// Remembers that a path's value may have changed.
    fn note(&mut self, path: u32) {
        if !std::mem::replace(&mut self.is_moved[path as usize], true) {
            self.moved.push(path);
        }
    }

    /// Forgets all rates.
    fn start_over(&mut self) {
        self.anew = false;
        self.steps = 0;
        self.basis.clear();
        self.bottlenecks.clear();
        self.free_bottlenecks.clear();
        self.changed.clear();
        self.tied.clear();
        self.loose.clear();
        self.load.fill(0.0);
        for path in 0..self.paths.len() {
            self.paths[path].value = 0.0;
            self.paths[path].column = NONE;
            self.note(path as u32);
        }
        for (number, found) in (0..).zip(&mut self.commodities).filter(|(_, found)| found.weight > 0.0) {
            found.rate = 0.0;
            found.state = State::Kept;
            found.held_by = NONE;
            found.passes.clear();
            self.loose.push(number);
        }
    }

    /// Lets the level rise until everything is held.
    fn sweep(&mut self) {
        self.level = 0.0;
        self.stalled = 0;
        self.queue.clear();
        for loose in self.loose.drain(..) {
            let found = &self.commodities[loose as usize];
            self.queue.push(Reverse(((found.rate / found.weight).to_bits(), Met::Loose(loose))));
        }
        for changed in self.changed.drain(..) {
            if let Some(found) = &self.bottlenecks[changed as usize] {
                self.queue.push(Reverse((found.level.to_bits(), Met::Changed(changed))));
            }
        }
        while !self.anew {
            self.meet();
            let yields = |column: &Column| matches!(column, Column::Rate(_));
            if !self.tied.is_empty() || self.basis.columns.iter().any(yields) {
                self.rise();
            } else if let Some(Reverse((key, _))) = self.queue.peek() {
                self.level = f64::from_bits(*key);
            } else {
                break;
            }
        }
        // What the sweep has met on its way is done.
        self.changed.clear();
    }

    /// Meets all that is at the level reached.
    fn meet(&mut self) {
        while let Some(Reverse((_, met))) =
            self.queue.peek().copied().filter(|first| f64::from_bits(first.0.0) <= self.level)
        {
            self.queue.pop();
            match met {
                Met::Changed(bottleneck) => self.look_at(bottleneck),
                Met::Loose(number) => {
                    let found = &self.commodities[number as usize];
                    if found.state == State::Kept && found.held_by == NONE {
                        self.tie(number);
                    }
                }
            }
        }
    }

    /// A commodity's rate rises with the level from now on.
    fn tie(&mut self, number: u32) {
        let found = &mut self.commodities[number as usize];
        found.state = State::Tied;
        found.held_by = NONE;
        self.tied.push(number);
    }

    /// The rate of a commodity will change: all bottlenecks that it passes are to be looked at, at their levels.
    fn mark(&mut self, number: u32) {
        for passed in &self.commodities[number as usize].passes {
            let Some(found) = &mut self.bottlenecks[*passed as usize] else { continue };
            if !std::mem::replace(&mut found.changed, true) {
                self.changed.push(*passed);
                self.queue.push(Reverse((found.level.to_bits(), Met::Changed(*passed))));
            }
        }
    }
}
