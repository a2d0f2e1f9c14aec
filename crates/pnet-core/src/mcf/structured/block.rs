//! The first pass of an iteration: flows, injections and potentials of eight rows of one plane.

use multiversion::multiversion;

use super::flows::{Duals, Flows, TAU_FLOW};
use crate::mcf::lanes::{LANES, Lane, add, all, multiply, sum};
use crate::mcf::pdhg::Step;
use crate::mcf::problem::Plane;

/// A demand in one plane's block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Index of the demand.
    pub demand: u32,
    /// Endpoints of the demand.
    pub src: u32,
    /// Destination endpoint.
    pub dst: u32,
    /// `node * LANES + lane` where it enters, or `LOCAL` if it stays on its switch.
    pub slot: u32,
    /// Scaled size of the demand.
    pub size: f64,
    /// Step size of its injection.
    pub tau: f64,
}

/// The slot of a demand that uses only access links.
pub(super) const LOCAL: u32 = u32::MAX;

/// Eight rows of one plane with their own variables; a block without targets holds the plane's local demands.
pub(super) struct Block {
    /// The plane.
    pub plane: usize,
    /// Flow of each arc.
    pub x: Flows,
    /// Potential of each switch, and at the last restart.
    pub y: Vec<Lane>,
    pub y0: Vec<Lane>,
    /// Step size of each potential.
    pub sigma: Vec<f64>,
    /// Targets of the lanes in use.
    pub targets: Vec<u32>,
    /// Demands of the rows.
    pub entries: Vec<Entry>,
    /// Injection of each entry, at the last restart, and extrapolated; empty with a single plane.
    pub i: Vec<f64>,
    pub i0: Vec<f64>,
    pub i_bar: Vec<f64>,
    /// Extrapolated flow on each arc, summed over the lanes.
    pub load: Vec<f64>,
    /// Inflow minus outflow, extrapolated.
    pub net: Vec<Lane>,
    /// Squared, weighted distances moved by the iteration: primal, dual.
    pub moved: (f64, f64),
    /// With a single plane: sum over the entries of size times potential.
    pub value: f64,
}

/// The variables that all blocks read in one iteration.
pub(super) struct Shared<'a> {
    pub step: Step,
    /// Extrapolated K.
    pub k_bar: f64,
    /// Lengths of the block's plane's arcs.
    pub length: &'a [f64],
    /// Lengths of the block's plane's access links.
    pub up: &'a [f64],
    pub down: &'a [f64],
    /// Price of each demand; empty with a single plane.
    pub price: &'a [f64],
}

impl Block {
    /// The flow after a primal step from here, without taking it, for rounding.
    pub(super) fn flow(&self, plane: &Plane, length: &[f64], tau: f64, lane: usize, flow: &mut [f64]) {
        let (tails, y) = (plane.graph.tails(), &self.y);
        let cost = |a: usize| length[a] + y[plane.head(a)][lane] - y[tails[a] as usize][lane];
        self.x.stepped(lane, tau * TAU_FLOW, cost, flow);
    }

    /// The injection after a primal step from here, without taking it.
    pub(super) fn injection(&self, index: usize, shared: &Shared) -> f64 {
        let entry = &self.entries[index];
        (self.i[index] - shared.step.tau * entry.tau * self.injection_cost(entry, shared)).max(0.0)
    }

    #[inline]
    fn injection_cost(&self, entry: &Entry, shared: &Shared) -> f64 {
        let potential = match entry.slot {
            LOCAL => 0.0,
            slot => self.y.as_flattened()[slot as usize],
        };
        potential + shared.up[entry.src as usize] + shared.down[entry.dst as usize]
            - shared.price[entry.demand as usize]
    }

    /// One iteration of the block's own variables.
    pub(super) fn iterate(&mut self, plane: &Plane, shared: &Shared) {
        self.moved = (0.0, 0.0);
        self.value = 0.0;
        if self.targets.is_empty() {
            self.inject(shared);
            return;
        }
        self.net.fill([0.0; LANES]);
        self.inject(shared);
        let (lanes, duals) = (self.targets.len(), Duals { length: shared.length, y: &self.y });
        let moved = self.x.iterate(plane, duals, shared.step, lanes, &mut self.net, &mut self.load);
        self.moved.0 += moved / TAU_FLOW;
        self.moved.1 += potentials(self, shared);
        if shared.price.is_empty() {
            let y = self.y.as_flattened();
            self.value = self.entries.iter().map(|entry| entry.size * y[entry.slot as usize]).sum();
        }
    }

    fn inject(&mut self, shared: &Shared) {
        if shared.price.is_empty() {
            let net = self.net.as_flattened_mut();
            for entry in &self.entries {
                net[entry.slot as usize] += shared.k_bar * entry.size;
            }
            return;
        }
        let anchor = 1.0 - shared.step.weight;
        for index in 0..self.entries.len() {
            let entry = self.entries[index];
            let old = self.i[index];
            let new = (old - shared.step.tau * entry.tau * self.injection_cost(&entry, shared)).max(0.0);
            let bar = 2.0 * new - old;
            self.i[index] = shared.step.weight * bar + anchor * self.i0[index];
            self.i_bar[index] = bar;
            self.moved.0 += (new - old) * (new - old) / entry.tau;
            if entry.slot != LOCAL {
                self.net.as_flattened_mut()[entry.slot as usize] += bar;
            }
        }
    }
}

/// Moves all potentials; returns the squared, weighted distance.
fn potentials(block: &mut Block, shared: &Shared) -> f64 {
    for (lane, target) in block.targets.iter().enumerate() {
        block.net[*target as usize][lane] = 0.0;
    }
    let mut moved = all(0.0);
    move_potentials(block, shared, &mut moved);
    // step = shared.step.sigma * sigma_u * net, so this is the sum of step^2 / sigma_u.
    sum(&moved) * shared.step.sigma
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2"))]
fn move_potentials(block: &mut Block, shared: &Shared, moved: &mut Lane) {
    let (weight, anchor) = (all(shared.step.weight), all(1.0 - shared.step.weight));
    let (y, y0) = (&mut block.y[..], &block.y0[..]);
    for ((y, y0), (net, sigma)) in y.iter_mut().zip(y0).zip(block.net.iter().zip(&block.sigma)) {
        let step = multiply(all(shared.step.sigma * sigma), *net);
        *moved = add(*moved, multiply(step, *net));
        *y = add(multiply(weight, add(*y, multiply(all(2.0), step))), multiply(anchor, *y0));
    }
}
