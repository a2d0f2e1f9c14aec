//! The first pass of an iteration: flows, injections and potentials of eight rows of one plane.

use multiversion::multiversion;

use crate::mcf::lanes::{LANES, Lane, sum};
use crate::mcf::problem::Plane;

/// A demand as one plane's block sees it.
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

/// Eight rows of one plane, with everything that belongs to them alone; a block without lanes holds the plane's
/// local demands.
pub(super) struct Block {
    /// The plane.
    pub plane: usize,
    /// Flow of each arc, `[arc]` lanes, and where it was at the last restart.
    pub x: Vec<Lane>,
    pub x0: Vec<Lane>,
    /// Potential of each switch, and at the last restart.
    pub y: Vec<Lane>,
    pub y0: Vec<Lane>,
    /// Step size of each potential.
    pub sigma: Vec<f64>,
    /// Targets of the lanes in use.
    pub targets: Vec<u32>,
    /// Demands of the rows.
    pub entries: Vec<Entry>,
    /// Injection of each entry, at the last restart, and extrapolated; empty where one plane carries all.
    pub i: Vec<f64>,
    pub i0: Vec<f64>,
    pub i_bar: Vec<f64>,
    /// Extrapolated flow on each arc, summed over the lanes.
    pub load: Vec<f64>,
    /// What flows in minus what flows out, extrapolated.
    pub net: Vec<Lane>,
    /// Squared, weighted distances moved by the iteration: primal, dual.
    pub moved: (f64, f64),
    /// With a single plane: sum over the entries of size times potential.
    pub value: f64,
}

/// What all blocks share in one iteration.
pub(super) struct Shared<'a> {
    /// Primal and dual step scale.
    pub tau: f64,
    pub sigma: f64,
    /// Weight of the reflected step; the anchor has the rest.
    pub weight: f64,
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

/// Step size of a flow: it stands in two balances and one capacity.
pub(super) const TAU_FLOW: f64 = 1.0 / 3.0;

impl Block {
    /// The flow after a primal step from here, without taking it: what rounding reads.
    pub(super) fn flow(&self, plane: &Plane, length: &[f64], tau: f64, lane: usize, flow: &mut [f64]) {
        for u in 0..plane.nodes() {
            for a in plane.out(u) {
                let cost = length[a] + self.y[plane.head(a)][lane] - self.y[u][lane];
                flow[a] = (self.x[a][lane] - tau * TAU_FLOW * cost).max(0.0);
            }
        }
    }

    /// The injection after a primal step from here, without taking it.
    pub(super) fn injection(&self, index: usize, shared: &Shared) -> f64 {
        let entry = &self.entries[index];
        (self.i[index] - shared.tau * entry.tau * self.injection_cost(entry, shared)).max(0.0)
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
        self.moved.0 += flows(self, plane, shared) / TAU_FLOW;
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
        let anchor = 1.0 - shared.weight;
        for index in 0..self.entries.len() {
            let entry = self.entries[index];
            let old = self.i[index];
            let new = (old - shared.tau * entry.tau * self.injection_cost(&entry, shared)).max(0.0);
            let bar = 2.0 * new - old;
            self.i[index] = shared.weight * bar + anchor * self.i0[index];
            self.i_bar[index] = bar;
            self.moved.0 += (new - old) * (new - old) / entry.tau;
            if entry.slot != LOCAL {
                self.net.as_flattened_mut()[entry.slot as usize] += bar;
            }
        }
    }
}

/// Moves all flows; returns the squared distance.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2"))]
fn flows(block: &mut Block, plane: &Plane, shared: &Shared) -> f64 {
    let (weight, anchor, tau) = (shared.weight, 1.0 - shared.weight, shared.tau * TAU_FLOW);
    let (y, net) = (&block.y[..], &mut block.net[..]);
    // Lengths may be negative between two restarts, so flow must be kept out of the lanes without a target.
    let used: Lane = std::array::from_fn(|i| f64::from(u8::from(i < block.targets.len())));
    let mut moved = [0.0; LANES];
    for u in 0..plane.nodes() {
        let here = y[u];
        let mut out = [0.0; LANES];
        for a in plane.out(u) {
            let v = plane.head(a);
            let (x, x0, there) = (&mut block.x[a], &block.x0[a], &y[v]);
            let inflow = &mut net[v];
            let mut bars = [0.0; LANES];
            for i in 0..LANES {
                let stepped = x[i] - tau * (shared.length[a] + there[i] - here[i]);
                let new = if stepped > 0.0 { stepped * used[i] } else { 0.0 };
                let step = new - x[i];
                let bar = new + step;
                moved[i] += step * step;
                x[i] = weight * bar + anchor * x0[i];
                inflow[i] += bar;
                out[i] += bar;
                bars[i] = bar;
            }
            block.load[a] = sum(&bars);
        }
        for i in 0..LANES {
            net[u][i] -= out[i];
        }
    }
    sum(&moved)
}

/// Moves all potentials; returns the squared, weighted distance.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2"))]
fn potentials(block: &mut Block, shared: &Shared) -> f64 {
    let (weight, anchor) = (shared.weight, 1.0 - shared.weight);
    for (lane, target) in block.targets.iter().enumerate() {
        block.net[*target as usize][lane] = 0.0;
    }
    let mut moved = [0.0; LANES];
    for u in 0..block.y.len() {
        let sigma = shared.sigma * block.sigma[u];
        let (y, y0, net) = (&mut block.y[u], &block.y0[u], &block.net[u]);
        for i in 0..LANES {
            let step = sigma * net[i];
            moved[i] += step * net[i];
            y[i] = weight * (y[i] + 2.0 * step) + anchor * y0[i];
        }
    }
    // step = shared.sigma * sigma_u * net, so this is the sum of step^2 / sigma_u.
    sum(&moved) * shared.sigma
}
