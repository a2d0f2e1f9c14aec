//! The best split of flows over their paths: rates that are max-min fair in what flows get altogether, whichever paths they
//! take for it.
//!
//! A *commodity* is all flows with the same paths.  Its level is its rate per unit of weight.  The level cannot rise where a
//! *bottleneck* limits it: dual prices of full links by which all flow takes shortest paths and every commodity without a
//! path of length 0 has no higher level.  This is the certificate of a linear program (D. Nace, M. Pioro, "Max-min fairness
//! and its applications to routing and load-balancing in communication networks: a tutorial", IEEE Surveys 10 (2008)); with
//! one path each it is a full link on which no other gets more.  If every commodity has a bottleneck, rates are max-min fair.
//!
//! When commodities come or go, a sweep over rising levels restores this, by a parametric simplex method.  It raises the
//! rates of the active commodities, all at one level, until a link is full or a path carries nothing more (`moves`).  Then
//! another path, the slack of a link, or the rate of a commodity of a higher level enters the basis (`pivot`); where none
//! can, the multipliers are the prices of a new bottleneck (`bottleneck`).  Bottlenecks that no changed rate crosses stay as
//! they are, so that a change costs as much as what it reaches.
//!
//! - `basis` has a row for each link that moving rates between paths keeps full, and the inverse of their matrix;
//! - a commodity's *key* is the path that carries what its other paths do not (generalised upper bounds).

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
use super::{Method, Poll};
use crate::error::Error;
use basis::{Basis, Column};
use bottleneck::Bottleneck;
use sparse::Sparse;

/// What is smaller is rounding, where the largest link carries 1.
const TINY: f64 = 1e-11;

/// Prices that differ by less are the same.
const SAME_PRICE: f64 = 1e-8;

/// Degenerate steps after which Bland's rule chooses (R. Bland, Math. of Operations Research 2 (1977)), so that the same basis
/// does not come back.
const STALLED: usize = 64;

/// Degenerate steps after which all is solved from a cold start.
const LOST: usize = 100_000;

/// Steps after which the basis is factored again, against the growth of rounding.
const STALE: usize = 1_000;

/// A path of a commodity.
#[derive(Debug, Clone, Default)]
struct Path {
    commodity: u32,
    /// Empty where it has been removed.
    links: Vec<u32>,
    /// What it carries.
    value: f64,
    /// Its column in the basis; [`NONE`] for keys, and for paths that carry nothing.
    column: u32,
}

/// A commodity's rate in the sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It stays.
    Fixed,
    /// It rises with the level.
    Rising,
    /// It is a basic variable, above the level.
    Basic,
}

/// All flows with the same paths.
#[derive(Debug, Clone)]
struct Commodity {
    /// 0 where it has been removed.
    weight: f64,
    rate: f64,
    paths: Vec<u32>,
    key: u32,
    state: State,
    /// The bottleneck that limits it; [`NONE`] where it is active.
    limited_by: u32,
    /// All bottlenecks that each of its paths crosses.
    crosses: Vec<u32>,
}

/// What the sweep reaches at a level: an active commodity, or a bottleneck that a changed rate crosses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Active(u32),
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
    /// Commodities that no bottleneck limits, and bottlenecks that may limit none any more.
    active: Vec<u32>,
    changed: Vec<u32>,
    /// Whether capacities have changed or precision is lost.
    needs_cold_start: bool,
    /// The level that the sweep has reached, and the commodities that rise with it.
    level: f64,
    rising: Vec<u32>,
    /// What it will reach above.
    queue: BinaryHeap<Reverse<(u64, Event)>>,
    /// Degenerate steps in a row, and steps since the basis was factored.
    stalled: usize,
    steps: usize,
    /// Scratch: the direction of a step, in paths' values, commodities' rates and links' loads.
    moving: Sparse,
    rates: Sparse,
    flow: Sparse,
    /// Scratch: lengths of paths by the prices of links, and the commodities of these paths.
    length: Sparse,
    measured: Sparse,
    /// Paths whose values may have changed since they were last reported.
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
            active: vec![],
            changed: vec![],
            needs_cold_start: false,
            level: 0.0,
            rising: vec![],
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
        let (state, limited_by, crosses) = (State::Fixed, NONE, vec![]);
        let made = Commodity { weight, rate: 0.0, paths, key, state, limited_by, crosses };
        if commodity as usize == self.commodities.len() {
            self.commodities.push(made);
        } else {
            self.commodities[commodity as usize] = made;
        }
        self.active.push(commodity);
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
        self.mark_moved(path);
        path
    }

    /// Removes the commodity of a path.
    pub(super) fn remove(&mut self, path: u32) {
        let number = self.paths[path as usize].commodity;
        let i = number as usize;
        self.mark_changed(number);
        self.stalled = 0;
        while self.commodities[i].rate > 0.0 && !self.needs_cold_start {
            self.withdraw(number);
        }
        // Its other paths carry nothing now.
        for at in (0..self.basis.columns.len() as u32).rev() {
            match self.basis.columns[at as usize] {
                Column::Path(path) if self.paths[path as usize].commodity == number => self.drop_column(at),
                _ => {}
            }
        }
        for crossed in std::mem::take(&mut self.commodities[i].crosses) {
            if let Some(found) = &mut self.bottlenecks[crossed as usize] {
                found.crossing.retain(|(other, _)| *other != number);
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
        self.active.retain(|other| *other != number);
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
        found.limited_by = NONE;
        for place in 0..found.paths.len() {
            self.mark_moved(self.commodities[number as usize].paths[place]);
        }
        self.mark_changed(number);
        self.active.push(number);
    }

    /// Changes the capacity of a link.
    pub(super) fn set_capacity(&mut self, link: u32, capacity: f64) {
        self.capacity[link as usize] = capacity / self.scale;
        self.needs_cold_start = true;
    }

    /// What a path carries for each unit of its commodity's weight.
    pub(super) fn level(&self, path: u32) -> f64 {
        let found = &self.paths[path as usize];
        found.value.max(0.0) / self.commodities[found.commodity as usize].weight * self.scale
    }

    /// Brings all rates up to date; reports the paths on which they have changed.
    pub(super) fn settle(&mut self, changed: &mut Vec<u32>, poll: &mut Poll) -> Result<(), Error> {
        let stale = self.steps > STALE;
        if self.needs_cold_start || self.method == Method::FromScratch || stale && !self.refactor() {
            self.cold_start();
        }
        self.sweep(poll)?;
        if self.needs_cold_start {
            self.cold_start();
            self.sweep(poll)?;
        }
        if self.needs_cold_start {
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

    /// Notes that a path's value may have changed.
    fn mark_moved(&mut self, path: u32) {
        if !std::mem::replace(&mut self.is_moved[path as usize], true) {
            self.moved.push(path);
        }
    }

    /// Forgets all rates.
    fn cold_start(&mut self) {
        self.needs_cold_start = false;
        self.steps = 0;
        self.basis.clear();
        self.bottlenecks.clear();
        self.free_bottlenecks.clear();
        self.changed.clear();
        self.rising.clear();
        self.active.clear();
        self.load.fill(0.0);
        for path in 0..self.paths.len() {
            self.paths[path].value = 0.0;
            self.paths[path].column = NONE;
            self.mark_moved(path as u32);
        }
        for (number, found) in (0..).zip(&mut self.commodities).filter(|(_, found)| found.weight > 0.0) {
            found.rate = 0.0;
            found.state = State::Fixed;
            found.limited_by = NONE;
            found.crosses.clear();
            self.active.push(number);
        }
    }

    /// Raises the level until every commodity has a bottleneck.
    fn sweep(&mut self, poll: &mut Poll) -> Result<(), Error> {
        self.level = 0.0;
        self.stalled = 0;
        self.queue.clear();
        for active in self.active.drain(..) {
            let found = &self.commodities[active as usize];
            self.queue.push(Reverse(((found.rate / found.weight).to_bits(), Event::Active(active))));
        }
        for changed in self.changed.drain(..) {
            if let Some(found) = &self.bottlenecks[changed as usize] {
                self.queue.push(Reverse((found.level.to_bits(), Event::Changed(changed))));
            }
        }
        while !self.needs_cold_start {
            poll()?;
            self.process_events();
            let is_rate = |column: &Column| matches!(column, Column::Rate(_));
            if !self.rising.is_empty() || self.basis.columns.iter().any(is_rate) {
                self.rise();
            } else if let Some(Reverse((key, _))) = self.queue.peek() {
                self.level = f64::from_bits(*key);
            } else {
                break;
            }
        }
        // The sweep has rechecked those that changed on its way.
        self.changed.clear();
        Ok(())
    }

    /// Processes all events at the level reached.
    fn process_events(&mut self) {
        while let Some(Reverse((_, event))) =
            self.queue.peek().copied().filter(|first| f64::from_bits(first.0.0) <= self.level)
        {
            self.queue.pop();
            match event {
                Event::Changed(bottleneck) => self.recheck(bottleneck),
                Event::Active(number) => {
                    let found = &self.commodities[number as usize];
                    if found.state == State::Fixed && found.limited_by == NONE {
                        self.let_rise(number);
                    }
                }
            }
        }
    }

    /// A commodity's rate rises with the level from now on.
    fn let_rise(&mut self, number: u32) {
        let found = &mut self.commodities[number as usize];
        found.state = State::Rising;
        found.limited_by = NONE;
        self.rising.push(number);
    }

    /// The rate of a commodity will change: all bottlenecks that it crosses are to be rechecked, at their levels.
    fn mark_changed(&mut self, number: u32) {
        for crossed in &self.commodities[number as usize].crosses {
            let Some(found) = &mut self.bottlenecks[*crossed as usize] else { continue };
            if !std::mem::replace(&mut found.changed, true) {
                self.changed.push(*crossed);
                self.queue.push(Reverse((found.level.to_bits(), Event::Changed(*crossed))));
            }
        }
    }
}
