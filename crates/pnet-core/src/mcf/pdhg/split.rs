//! The variables over given columns: how each demand is split over its own, and a price for each link.

use rayon::prelude::*;

use super::Step;
use super::simplex::project;

/// Index of a column that is new.
pub(in crate::mcf) const NEW: u32 = u32::MAX;

/// Demands at most, or links, handled by one task; fixed, so that sums have one order.
pub(in crate::mcf) const CHUNK: usize = 512;

/// The primal or the dual variables: the iterate, at the last restart, and right after the last step, where they are
/// feasible.
#[derive(Debug, Clone)]
pub(in crate::mcf) struct Side {
    pub(in crate::mcf) at: Vec<f64>,
    pub(in crate::mcf) anchor: Vec<f64>,
    pub(in crate::mcf) stepped: Vec<f64>,
}

impl Side {
    pub(in crate::mcf) fn new(values: Vec<f64>) -> Self {
        Side { at: values.clone(), anchor: values.clone(), stepped: values }
    }

    /// Continues on these of the variables, and [`NEW`] ones of 0.
    pub(in crate::mcf) fn choose(&mut self, from: &[u32]) {
        for values in [&mut self.at, &mut self.anchor, &mut self.stepped] {
            *values = from.iter().map(|n| values.get(*n as usize).copied().unwrap_or(0.0)).collect();
        }
    }

    /// Makes the last step the iterate and the anchor.
    fn restart(&mut self) {
        self.at.copy_from_slice(&self.stepped);
        self.anchor.copy_from_slice(&self.stepped);
    }
}

/// How each demand is split over its columns.
pub(in crate::mcf) struct Splits<'a> {
    pub(in crate::mcf) side: Side,
    /// Step size of each demand's columns.
    step: Vec<f64>,
    /// Columns of demand `j` are `pair_ptr[j]..pair_ptr[j + 1]`.
    pair_ptr: &'a [usize],
    /// Demands handled by one task; fixed by the problem, so that sums have one order.
    demands: usize,
    /// `2 stepped - at` times the demand, the split at which prices are updated.
    pub(in crate::mcf) reflected: Vec<f64>,
}

impl<'a> Splits<'a> {
    pub(in crate::mcf) fn new(side: Side, step: Vec<f64>, pair_ptr: &'a [usize], demands: usize) -> Self {
        Splits { reflected: vec![0.0; side.at.len()], side, step, pair_ptr, demands }
    }

    /// Step size of each demand's columns.
    pub(in crate::mcf) fn steps(&self) -> &[f64] {
        &self.step
    }

    /// Moves the split of each demand `j` of size `size(j)` towards cheap columns, a unit of column `n` costing `cost(n)`; it
    /// sums to `least` or more, and to 1 at most.  Returns the squared, weighted distance.
    pub(in crate::mcf) fn step(
        &mut self,
        by: Step,
        least: f64,
        size: impl Fn(usize) -> f64 + Copy + Send + Sync,
        cost: impl Fn(usize) -> f64 + Copy + Send + Sync,
    ) -> f64 {
        let (pair_ptr, step) = (self.pair_ptr, &self.step[..]);
        let mut at = Cut(&mut self.side.at);
        let mut stepped = Cut(&mut self.side.stepped);
        let mut reflected = Cut(&mut self.reflected);
        let mut anchor = &self.side.anchor[..];
        let mut tasks = vec![];
        for first in (0..step.len()).step_by(self.demands) {
            let demands = first..(first + self.demands).min(step.len());
            let columns = pair_ptr[demands.end] - pair_ptr[demands.start];
            let (own, rest) = anchor.split_at(columns);
            anchor = rest;
            tasks.push((demands, at.take(columns), stepped.take(columns), reflected.take(columns), own));
        }
        let moved: Vec<f64> = tasks
            .into_par_iter()
            .map(|(demands, at, stepped, reflected, anchor)| {
                // Copies that stay in registers, whatever the stores below write.
                let (by, size, cost) = (by, size, cost);
                let first = pair_ptr[demands.start];
                let mut moved = 0.0;
                for j in demands {
                    let own = pair_ptr[j] - first..pair_ptr[j + 1] - first;
                    let size = size(j);
                    let pace = by.tau * step[j] * size;
                    for i in own.clone() {
                        stepped[i] = at[i] - pace * cost(first + i);
                    }
                    let part = &mut stepped[own.clone()];
                    let total = if least < 1.0 { part.iter().map(|w| w.max(0.0)).sum() } else { f64::INFINITY };
                    if total > 1.0 {
                        project(part, 1.0);
                    } else if total < least {
                        project(part, least);
                    } else {
                        part.iter_mut().for_each(|w| *w = w.max(0.0));
                    }
                    let mut squares = 0.0;
                    for i in own {
                        let (old, new) = (at[i], stepped[i]);
                        let bar = 2.0 * new - old;
                        squares += (new - old) * (new - old);
                        reflected[i] = size * bar;
                        at[i] = by.weight * bar + (1.0 - by.weight) * anchor[i];
                    }
                    moved += if step[j] > 0.0 { squares / step[j] } else { 0.0 };
                }
                moved
            })
            .collect();
        moved.iter().sum()
    }

    /// Restarts from the last step; returns the squared, weighted distance to the last restart.
    pub(in crate::mcf) fn restart(&mut self) -> f64 {
        let mut moved = 0.0;
        for (j, step) in self.step.iter().enumerate().filter(|(_, step)| **step > 0.0) {
            let own = self.pair_ptr[j]..self.pair_ptr[j + 1];
            let squares = own.map(|n| (self.side.stepped[n] - self.side.anchor[n]).powi(2));
            moved += squares.sum::<f64>() / step;
        }
        self.side.restart();
        moved
    }
}

/// The price of each link, for its whole capacity.
pub(in crate::mcf) struct Prices {
    pub(in crate::mcf) side: Side,
    /// Step size of each price, 0 where the price stays 0.
    pub(in crate::mcf) step: Vec<f64>,
    /// 1 / capacity, 0 without a limit.
    pub(in crate::mcf) inverse: Vec<f64>,
    /// Price by capacity, the cost of a unit of load.
    pub(in crate::mcf) length: Vec<f64>,
}

impl Prices {
    pub(in crate::mcf) fn new(side: Side, step: Vec<f64>, inverse: Vec<f64>) -> Self {
        Prices { length: by_capacity(&side.at, &inverse).collect(), side, step, inverse }
    }

    /// The lengths right after the last step, none negative, for certificates.
    pub(in crate::mcf) fn stepped_lengths(&self) -> Vec<f64> {
        by_capacity(&self.side.stepped, &self.inverse).collect()
    }

    /// Restarts from the last step; returns the squared, weighted distance to the last restart.
    pub(in crate::mcf) fn restart(&mut self) -> f64 {
        let prices = self.side.stepped.iter().zip(&self.side.anchor).zip(&self.step);
        let moved = prices.map(|((new, old), step)| (new - old) * (new - old) * reciprocal(*step)).sum();
        self.side.restart();
        for (length, value) in self.length.iter_mut().zip(by_capacity(&self.side.at, &self.inverse)) {
            *length = value;
        }
        moved
    }
}

fn by_capacity(price: &[f64], inverse: &[f64]) -> impl Iterator<Item = f64> {
    price.iter().zip(inverse).map(|(price, inverse)| price * inverse)
}

/// A slice that is divided among tasks.
struct Cut<'a>(&'a mut [f64]);

impl<'a> Cut<'a> {
    fn take(&mut self, count: usize) -> &'a mut [f64] {
        let (own, rest) = std::mem::take(&mut self.0).split_at_mut(count);
        self.0 = rest;
        own
    }
}

/// 1 / x, and 0 for 0.
pub(in crate::mcf) fn reciprocal(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}
