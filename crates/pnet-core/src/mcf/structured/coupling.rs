//! The second pass of an iteration: the constraints that couple rows, one dual each.

use rayon::prelude::*;

use super::block::{Block, Entry};
use crate::csr::Csr;
use crate::mcf::pdhg::Step;

/// Entries handled by one task; fixed, so that sums have one order.
const CHUNK: usize = 1024;

/// Capacity constraints with their lengths, all with one step size.
pub(super) struct Capacities {
    /// Capacities.
    pub capacity: Vec<f64>,
    /// Lengths (a reflection may be negative), and at the last restart.
    pub length: Vec<f64>,
    pub anchor: Vec<f64>,
    /// Lengths right after the last dual step, none negative, for certificates.
    pub stepped: Vec<f64>,
    /// Step size.
    pub sigma: f64,
}

impl Capacities {
    pub(super) fn new(capacity: Vec<f64>, length: Vec<f64>, sigma: f64) -> Self {
        Capacities { capacity, anchor: length.clone(), stepped: length.clone(), length, sigma }
    }

    /// Moves all lengths, given the load on each constraint; returns the squared, weighted distance.
    pub(super) fn iterate(&mut self, step: Step, load: impl Fn(usize) -> f64 + Sync) -> f64 {
        let sigma = step.sigma * self.sigma;
        let moved: Vec<f64> = (self.length.par_chunks_mut(CHUNK), self.stepped.par_chunks_mut(CHUNK))
            .into_par_iter()
            .enumerate()
            .map(|(chunk, (length, stepped))| {
                let first = chunk * CHUNK;
                let mut moved = 0.0;
                for i in 0..length.len() {
                    let old = length[i];
                    let new = (old + sigma * (load(first + i) - self.capacity[first + i])).max(0.0);
                    moved += (new - old) * (new - old);
                    length[i] = step.weight * (2.0 * new - old) + (1.0 - step.weight) * self.anchor[first + i];
                    stepped[i] = new;
                }
                moved
            })
            .collect();
        moved.iter().sum::<f64>() / self.sigma
    }

    /// Restarts from here; returns the squared, weighted distance to the last restart.
    pub(super) fn restart(&mut self) -> f64 {
        let moved = squared_distance(&self.length, &self.anchor) / self.sigma;
        self.anchor.copy_from_slice(&self.length);
        moved
    }
}

/// Access constraints of one plane and direction.
pub(super) struct Access {
    /// Whether they can limit a flow; otherwise their lengths stay 0.
    pub active: bool,
    /// Their lengths, one per endpoint.
    pub duals: Capacities,
    /// The injections at each endpoint.
    pub injections: Injections,
}

impl Access {
    /// Moves all lengths; returns the squared, weighted distance.
    pub(super) fn iterate(&mut self, step: Step, blocks: &[Block]) -> f64 {
        if !self.active {
            return 0.0;
        }
        let injections = &self.injections;
        self.duals.iterate(step, |e| injections.of(e).iter().map(|at| injected(blocks, *at)).sum())
    }
}

/// The injections of each demand, or of each endpoint: (block, index in the block).
pub(crate) type Injections = Csr<(u32, u32)>;

/// Lists the entries of all blocks by key; those without one are omitted.
pub(crate) fn injections(
    blocks: &[Block],
    keys: usize,
    key: impl Fn(&Block, &Entry) -> Option<u32> + Copy,
) -> Injections {
    let injections = blocks.iter().zip(0..).flat_map(move |(block, b)| {
        let entries = block.entries.iter().zip(0..);
        entries.filter_map(move |(entry, index)| Some((key(block, entry)?, (b, index))))
    });
    Csr::new(keys, injections)
}

#[inline]
fn injected(blocks: &[Block], (block, index): (u32, u32)) -> f64 {
    blocks[block as usize].i_bar[index as usize]
}

/// The constraints `K d = sum over planes of the injections`, with their prices.
pub(super) struct Demands {
    /// Scaled demands.
    pub size: Vec<f64>,
    /// Prices, and at the last restart.
    pub price: Vec<f64>,
    pub anchor: Vec<f64>,
    /// Step size of each price.
    pub sigma: Vec<f64>,
    /// The injections of each demand.
    pub injections: Injections,
}

impl Demands {
    /// Moves all prices; returns the squared, weighted distance and the new sum of price times size.
    pub(super) fn iterate(&mut self, step: Step, k_bar: f64, blocks: &[Block]) -> (f64, f64) {
        let sums: Vec<(f64, f64)> = self
            .price
            .par_chunks_mut(CHUNK)
            .enumerate()
            .map(|(chunk, price)| {
                let (mut moved, mut value) = (0.0, 0.0);
                for i in 0..price.len() {
                    let j = chunk * CHUNK + i;
                    let mut residual = k_bar * self.size[j];
                    for at in self.injections.of(j) {
                        residual -= injected(blocks, *at);
                    }
                    let move_by = step.sigma * self.sigma[j] * residual;
                    moved += move_by * move_by / self.sigma[j];
                    price[i] = step.weight * (price[i] + 2.0 * move_by) + (1.0 - step.weight) * self.anchor[j];
                    value += price[i] * self.size[j];
                }
                (moved, value)
            })
            .collect();
        sums.iter().fold((0.0, 0.0), |total, part| (total.0 + part.0, total.1 + part.1))
    }

    /// Restarts from here; returns the squared, weighted distance to the last restart.
    pub(super) fn restart(&mut self) -> f64 {
        let moved = self
            .price
            .iter()
            .zip(&self.anchor)
            .zip(&self.sigma)
            .map(|((now, then), sigma)| (now - then) * (now - then) / sigma)
            .sum();
        self.anchor.copy_from_slice(&self.price);
        moved
    }
}

/// Sum of squared differences.
pub(super) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
