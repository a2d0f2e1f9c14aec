//! Steps of the simplex: rates move together, and with them the basic variables that keep full links full, until a variable
//! is at its bound.

use std::cmp::Reverse;

use super::super::super::fabric::NONE;
use super::basis::Column;
use super::{LOST, STALLED, Split, TINY};

/// Bounds that are reached within so much of each other are reached at once.
const AT_ONCE: f64 = 1e-12;

/// The variable that limits a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Blocking {
    /// A link is full.
    Link(u32),
    /// A basic variable is at its bound: the value of a path, or the rate of a commodity at the level.
    Column(u32),
    /// A key that is not its commodity's only path carries nothing any more.
    Key(u32),
}

/// The ratio test: the bound that is reached first.
struct RatioTest {
    step: f64,
    blocking: Option<Blocking>,
    /// How fast it is reached, and the order of those that are reached at once.
    speed: f64,
    order: (u8, u32),
    by_order: bool,
}

impl RatioTest {
    /// A variable has this much room, and uses it at this speed.  Of those at their bounds at once the fastest is taken,
    /// which gives the largest pivot, unless Bland's rule decides.
    fn consider(&mut self, room: f64, speed: f64, blocking: Blocking, order: (u8, u32)) {
        if speed <= TINY {
            return;
        }
        let step = room.max(0.0) / speed;
        let sooner = if self.blocking.is_none() || (step - self.step).abs() > AT_ONCE {
            step < self.step
        } else if self.by_order || (speed - self.speed).abs() <= TINY * speed {
            order < self.order
        } else {
            speed > self.speed
        };
        if sooner {
            let step = step.min(self.step);
            *self = RatioTest { step, blocking: Some(blocking), speed, order, by_order: self.by_order };
        }
    }
}

impl Split {
    /// Raises the level to the next event, or until a variable blocks and the basis changes.
    pub(super) fn rise(&mut self) {
        let driven: Vec<(u32, f64)> =
            self.rising.iter().map(|number| (*number, self.commodities[*number as usize].weight)).collect();
        self.set_direction(&driven);
        let next = self.queue.peek().map(|Reverse((key, _))| f64::from_bits(*key));
        let most = next.map_or(f64::INFINITY, |next| (next - self.level).max(0.0));
        let (step, blocking) = self.ratio_test(most, true);
        self.level = match (blocking, next) {
            (None, Some(next)) => next,
            _ => self.level + step,
        };
        self.advance(step);
        if let Some(blocking) = blocking {
            self.pivot(blocking, true);
        }
    }

    /// Lowers a commodity's rate to 0, or until a variable blocks and the basis changes.
    pub(super) fn withdraw(&mut self, number: u32) {
        self.set_direction(&[(number, -1.0)]);
        let (step, blocking) = self.ratio_test(self.commodities[number as usize].rate, false);
        self.advance(step);
        match blocking {
            None => self.commodities[number as usize].rate = 0.0,
            Some(blocking) => self.pivot(blocking, false),
        }
    }

    /// Finds the direction in which the rates of these commodities change at these speeds.
    fn set_direction(&mut self, driven: &[(u32, f64)]) {
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
        // Basic variables take away what is put on full links.
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

    /// The largest step up to `most`, and what blocks there.
    fn ratio_test(&self, most: f64, rising: bool) -> (f64, Option<Blocking>) {
        let (speed, order, by_order) = (0.0, (0, 0), self.stalled > STALLED);
        let mut test = RatioTest { step: most, blocking: None, speed, order, by_order };
        for (link, speed) in self.flow.iter().filter(|(link, _)| self.basis.row[*link as usize] == NONE) {
            let room = self.capacity[link as usize] - self.load[link as usize];
            test.consider(room, speed, Blocking::Link(link), (0, link));
        }
        for (path, speed) in self.moving.iter() {
            let found = &self.paths[path as usize];
            if found.column != NONE {
                test.consider(found.value, -speed, Blocking::Column(found.column), (1, path));
            } else if self.splits(found.commodity) {
                test.consider(found.value, -speed, Blocking::Key(path), (1, path));
            }
        }
        for (at, column) in (0..).zip(&self.basis.columns) {
            if let (true, Column::Rate(number)) = (rising, *column) {
                let found = &self.commodities[number as usize];
                let room = found.rate - found.weight * self.level;
                let speed = found.weight - self.rates.get(number);
                test.consider(room, speed, Blocking::Column(at), (2, number));
            }
        }
        (test.step, test.blocking)
    }

    /// Whether a commodity has paths in the basis beside its key.
    fn splits(&self, number: u32) -> bool {
        self.commodities[number as usize].paths.iter().any(|path| self.paths[*path as usize].column != NONE)
    }

    /// Takes a step.
    fn advance(&mut self, step: f64) {
        self.steps += 1;
        self.stalled = if step > 0.0 { 0 } else { self.stalled + 1 };
        // Links are finite: no step is infinite but for rounding.
        self.needs_cold_start |= step.is_infinite() || self.stalled > LOST;
        if step == 0.0 || self.needs_cold_start {
            return;
        }
        for (path, speed) in self.moving.iter() {
            self.paths[path as usize].value += step * speed;
            if !std::mem::replace(&mut self.is_moved[path as usize], true) {
                self.moved.push(path);
            }
        }
        for (number, speed) in self.rates.iter() {
            self.commodities[number as usize].rate += step * speed;
        }
        for (link, speed) in self.flow.iter() {
            self.load[link as usize] += step * speed;
        }
    }
}
