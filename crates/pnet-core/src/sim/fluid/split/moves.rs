//! Steps: commodities' rates move together, and with them all that keeps full links full, until something is at its bound.

use std::cmp::Reverse;

use super::super::super::fabric::NONE;
use super::basis::Column;
use super::{LOST, STALLED, Split, TINY};

/// Bounds that are reached within so much of each other are reached at once.
const AT_ONCE: f64 = 1e-12;

/// What can go no further.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Blocking {
    /// A link is full.
    Link(u32),
    /// What a column stands for is used up: a path, or the rate of a commodity that is down to the level.
    Column(u32),
    /// A key that is not its commodity's only path is used up.
    Key(u32),
}

/// The bound that is reached first, as far as bounds have been looked at.
struct First {
    length: f64,
    blocking: Option<Blocking>,
    /// How fast it is reached, and what orders those that are reached at once.
    speed: f64,
    order: (u8, u32),
    by_order: bool,
}

impl First {
    /// Something has so much room left, and uses it so fast.  Of what is reached at once the fastest comes first, which
    /// divides by the largest number, unless order is to decide.
    fn consider(&mut self, room: f64, speed: f64, blocking: Blocking, order: (u8, u32)) {
        if speed <= TINY {
            return;
        }
        let length = room.max(0.0) / speed;
        let sooner = if self.blocking.is_none() || (length - self.length).abs() > AT_ONCE {
            length < self.length
        } else if self.by_order || (speed - self.speed).abs() <= TINY * speed {
            order < self.order
        } else {
            speed > self.speed
        };
        if sooner {
            let length = length.min(self.length);
            *self = First { length, blocking: Some(blocking), speed, order, by_order: self.by_order };
        }
    }
}

impl Split {
    /// Lets the level rise until it meets something, or something blocks and gives way.
    pub(super) fn rise(&mut self) {
        let driven: Vec<(u32, f64)> =
            self.tied.iter().map(|number| (*number, self.commodities[*number as usize].weight)).collect();
        self.aim(&driven);
        let next = self.queue.peek().map(|Reverse((key, _))| f64::from_bits(*key));
        let most = next.map_or(f64::INFINITY, |next| (next - self.level).max(0.0));
        let (length, blocking) = self.first(most, true);
        self.level = match (blocking, next) {
            (None, Some(next)) => next,
            _ => self.level + length,
        };
        self.advance(length);
        if let Some(blocking) = blocking {
            self.give_way(blocking, true);
        }
    }

    /// Lets a commodity's rate fall until it is 0, or something blocks and gives way.
    pub(super) fn withdraw(&mut self, number: u32) {
        self.aim(&[(number, -1.0)]);
        let (length, blocking) = self.first(self.commodities[number as usize].rate, false);
        self.advance(length);
        match blocking {
            None => self.commodities[number as usize].rate = 0.0,
            Some(blocking) => self.give_way(blocking, false),
        }
    }

    /// Finds how all moves where the rates of these commodities move so fast.
    fn aim(&mut self, driven: &[(u32, f64)]) {
        self.moving.clear();
        self.rates.clear();
        self.flow.clear();
        let mut load = vec![0.0; self.basis.tight.len()];
        for (number, speed) in driven {
            let key = self.commodities[*number as usize].key;
            self.rates.add(*number, *speed);
            self.moving.add(key, *speed);
            let rows = self.paths[key as usize].links.iter().map(|link| self.basis.row[*link as usize]);
            rows.filter(|row| *row != NONE).for_each(|row| load[row as usize] += speed);
        }
        let load: Vec<(u32, f64)> = (0..).zip(load).filter(|(_, speed)| *speed != 0.0).collect();
        // What is driven loads full links; columns take that away.
        let solved = if load.is_empty() { vec![] } else { self.basis.solve(&load) };
        for (column, more) in self.basis.columns.iter().zip(solved).filter(|(_, more)| more.abs() > TINY) {
            match *column {
                Column::Path(path) => {
                    let number = self.paths[path as usize].commodity;
                    self.moving.add(path, -more);
                    self.moving.add(self.commodities[number as usize].key, more);
                }
                Column::Rate(number) => {
                    self.rates.add(number, -more);
                    self.moving.add(self.commodities[number as usize].key, -more);
                }
            }
        }
        for (path, speed) in self.moving.iter() {
            for link in &self.paths[path as usize].links {
                self.flow.add(*link, speed);
            }
        }
    }

    /// How far all can move, at most so far, and what blocks there.
    fn first(&self, most: f64, rising: bool) -> (f64, Option<Blocking>) {
        let (speed, order, by_order) = (0.0, (0, 0), self.stalled > STALLED);
        let mut first = First { length: most, blocking: None, speed, order, by_order };
        for (link, speed) in self.flow.iter().filter(|(link, _)| self.basis.row[*link as usize] == NONE) {
            let room = self.capacity[link as usize] - self.load[link as usize];
            first.consider(room, speed, Blocking::Link(link), (0, link));
        }
        for (path, speed) in self.moving.iter() {
            let found = &self.paths[path as usize];
            if found.column != NONE {
                first.consider(found.value, -speed, Blocking::Column(found.column), (1, path));
            } else if self.splits(found.commodity) {
                first.consider(found.value, -speed, Blocking::Key(path), (1, path));
            }
        }
        for (at, column) in (0..).zip(&self.basis.columns) {
            if let (true, Column::Rate(number)) = (rising, *column) {
                let found = &self.commodities[number as usize];
                let room = found.rate - found.weight * self.level;
                let speed = found.weight - self.rates.get(number);
                first.consider(room, speed, Blocking::Column(at), (2, number));
            }
        }
        (first.length, first.blocking)
    }

    /// Whether a commodity has paths in the basis beside its key.
    fn splits(&self, number: u32) -> bool {
        self.commodities[number as usize].paths.iter().any(|path| self.paths[*path as usize].column != NONE)
    }

    /// Moves all so far.
    fn advance(&mut self, length: f64) {
        self.steps += 1;
        self.stalled = if length > 0.0 { 0 } else { self.stalled + 1 };
        // Nothing goes on for ever: links are finite.
        self.anew |= length.is_infinite() || self.stalled > LOST;
        if length == 0.0 || self.anew {
            return;
        }
        for (path, speed) in self.moving.iter() {
            self.paths[path as usize].value += length * speed;
            if !std::mem::replace(&mut self.is_moved[path as usize], true) {
                self.moved.push(path);
            }
        }
        for (number, speed) in self.rates.iter() {
            self.commodities[number as usize].rate += length * speed;
        }
        for (link, speed) in self.flow.iter() {
            self.load[link as usize] += length * speed;
        }
    }
}
