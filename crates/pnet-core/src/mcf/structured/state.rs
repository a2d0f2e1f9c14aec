//! The iterate, its steps and its restarts.

use rayon::prelude::*;

use super::block::{Block, Shared};
use super::coupling::{Access, Capacities, Demands, squared_distance};
use super::flows::{Precision, TAU_FLOW};
use super::init::{Init, Lengths};
use crate::error::Error;
use crate::mcf::evaluate::for_each_row;
use crate::mcf::lanes::LANES;
use crate::mcf::pdhg::{Halpern, Iteration, Step};
use crate::mcf::problem::Problem;
use crate::mcf::proof::Proof;
use crate::mcf::round::Flow;

/// How much of the new primal weight enters at a restart, on a logarithmic scale.
const SMOOTHING: f64 = 0.5;
/// How much of the ratio of the last dual to the last primal step enters the weight at a restart: where only the dual
/// still moves, its steps are too short.
const LAST_STEP: f64 = 0.3;
/// Iterations after which all flows are in double precision: what is not certified by then may need it.
const SINGLE_ITERATIONS: usize = 2_000;

/// The iterate of restarted Halpern PDHG.
pub(super) struct State<'a> {
    pub(super) problem: &'a Problem,
    blocks: Vec<Block>,
    /// Index of the first block of each plane.
    first_block: Vec<usize>,
    links: Vec<Capacities>,
    /// Up and down of each plane; inactive where access does not limit, or with a single plane.
    access: Vec<[Access; 2]>,
    /// No entries with a single plane: there, K fixes every injection.
    demands: Demands,
    k: f64,
    k_anchor: f64,
    tau_k: f64,
    /// Derivative of the Lagrangian by K, plus 1: the demands' value at current prices.
    value: f64,
    pub(super) halpern: Halpern,
}

impl<'a> State<'a> {
    /// The first iterate for `problem`, on which K is at most `upper`, from the flow of a proof and lengths.
    pub(super) fn new(
        problem: &'a Problem,
        upper: f64,
        start: &Proof,
        lengths: Lengths,
        precision: Precision,
    ) -> Result<Self, Error> {
        let parts = Init::new(problem, upper, lengths, precision);
        let planes = 0..problem.planes.len();
        let mut blocks = vec![];
        let mut first_block = vec![];
        for p in planes.clone() {
            first_block.push(blocks.len());
            blocks.extend(parts.blocks(p)?);
        }
        let links = planes.clone().map(|p| parts.links(p)).collect();
        let access = planes.map(|p| parts.access(p, &blocks)).collect();
        let demands = parts.demands(&blocks);
        let total: f64 = parts.size.iter().sum();
        let mut state = State {
            problem,
            blocks,
            first_block,
            links,
            access,
            demands,
            k: 1.0,
            k_anchor: 1.0,
            tau_k: 1.0 / total,
            value: 1.0,
            halpern: Halpern::new(1.0),
        };
        state.set_flows(start, parts.scale.demand)?;
        state.halpern.omega = state.first_weight();
        Ok(state)
    }

    /// Sets the flow to that of a proof, `factor` times its size at K = 1.
    fn set_flows(&mut self, start: &Proof, factor: f64) -> Result<(), Error> {
        let (blocks, first_block) = (&mut self.blocks, &self.first_block);
        for_each_row(self.problem, start, |p, row, load| {
            let block = &mut blocks[first_block[p] + row / LANES];
            block.x.set(row % LANES, load.iter().map(|load| factor * load));
        })?;
        for block in blocks.iter_mut() {
            let share = &start.share[block.plane * self.problem.demands()..];
            for (i, entry) in block.i.iter_mut().zip(&block.entries) {
                *i = share[entry.demand as usize] * entry.size;
            }
            block.i0.copy_from_slice(&block.i);
        }
        Ok(())
    }

    /// Lengths of all links, of access links into and out of planes, none negative.
    pub(super) fn lengths(&self) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let links = self.links.iter().flat_map(|links| links.stepped.iter().copied()).collect();
        let [up, down] =
            [0, 1].map(|side| self.access.iter().flat_map(|both| both[side].duals.stepped.iter().copied()).collect());
        (links, up, down)
    }

    /// The first primal weight: potentials are distances already, flows are far from their final size.
    fn first_weight(&self) -> f64 {
        let mut dual = 0.0;
        let mut primal = 1.0 / self.tau_k;
        for block in &self.blocks {
            for (y, sigma) in block.y.iter().zip(&block.sigma) {
                dual += y.iter().map(|y| y * y).sum::<f64>() / sigma;
            }
            primal += block.entries.iter().map(|entry| entry.size * entry.size).sum::<f64>() / TAU_FLOW;
        }
        (dual / primal).sqrt().clamp(1e-8, 1e8)
    }

    fn blocks_of(&self, p: usize) -> std::ops::Range<usize> {
        self.first_block[p]..self.first_block.get(p + 1).copied().unwrap_or(self.blocks.len())
    }

    fn shared(&self, p: usize) -> Shared<'_> {
        let [up, down] = &self.access[p];
        Shared {
            step: Step { tau: 1.0 / self.halpern.omega, sigma: self.halpern.omega, weight: 1.0 },
            k_bar: self.k,
            length: &self.links[p].length,
            up: &up.duals.length,
            down: &down.duals.length,
            price: &self.demands.price,
        }
    }
}

impl Iteration for State<'_> {
    fn halpern(&mut self) -> &mut Halpern {
        &mut self.halpern
    }

    fn step(&mut self, step: Step) -> (f64, f64) {
        if self.halpern.iterations == SINGLE_ITERATIONS {
            self.blocks.iter_mut().for_each(|block| block.x.widen());
        }
        let stepped = (self.k - step.tau * self.tau_k * (self.value - 1.0)).clamp(0.0, 1.0);
        let k_moved = (stepped - self.k) * (stepped - self.k) / self.tau_k;
        let k_bar = 2.0 * stepped - self.k;
        self.k = step.weight * k_bar + (1.0 - step.weight) * self.k_anchor;

        let (problem, links, access, price) = (self.problem, &self.links, &self.access, &self.demands.price);
        self.blocks.par_iter_mut().for_each(|block| {
            let p = block.plane;
            let (length, [up, down]) = (&links[p].length[..], &access[p]);
            let (up, down) = (&up.duals.length[..], &down.duals.length[..]);
            block.iterate(&problem.planes[p], &Shared { step, k_bar, length, up, down, price });
        });

        let (mut primal, mut dual) = (k_moved, 0.0);
        for block in &self.blocks {
            primal += block.moved.0;
            dual += block.moved.1;
        }
        for p in 0..problem.planes.len() {
            let own = &self.blocks[self.blocks_of(p)];
            let load = |a: usize| own.iter().map(|block| block.load.get(a).unwrap_or(&0.0)).sum::<f64>();
            let partner = &self.problem.planes[p].partner;
            dual += match partner.is_empty() {
                true => self.links[p].iterate(step, load),
                false => self.links[p].iterate(step, |a| 0.5 * (load(a) + load(partner[a] as usize))),
            };
            for direction in &mut self.access[p] {
                dual += direction.iterate(step, &self.blocks);
            }
        }
        if self.demands.size.is_empty() {
            self.value = self.blocks.iter().map(|block| block.value).sum();
        } else {
            let (moved, value) = self.demands.iterate(step, k_bar, &self.blocks);
            dual += moved;
            self.value = value;
        }
        (primal, dual)
    }

    fn restart(&mut self) -> (f64, f64) {
        let moved: Vec<(f64, f64)> = self.blocks.par_iter_mut().map(restart_block).collect();
        let mut primal = (self.k - self.k_anchor) * (self.k - self.k_anchor) / self.tau_k;
        let mut dual = self.demands.restart();
        self.k_anchor = self.k;
        for part in moved {
            primal += part.0;
            dual += part.1;
        }
        for links in &mut self.links {
            dual += links.restart();
        }
        for direction in self.access.iter_mut().flatten() {
            dual += direction.duals.restart();
        }
        (primal, dual)
    }

    fn balanced(omega: f64, (primal, dual): (f64, f64), last: (f64, f64)) -> f64 {
        if !(primal > 0.0 && dual > 0.0) {
            return omega;
        }
        let balanced = (dual / primal).sqrt();
        let last_step = (last.1 / last.0.max(f64::MIN_POSITIVE)).sqrt().clamp(1e-2, 1e2);
        (SMOOTHING * balanced.ln() + (1.0 - SMOOTHING) * omega.ln() + LAST_STEP * last_step.ln()).exp()
    }
}

impl Flow for State<'_> {
    fn row(&self, plane: usize, row: usize, flow: &mut [f64]) {
        let block = &self.blocks[self.first_block[plane] + row / LANES];
        let shared = self.shared(plane);
        block.flow(&self.problem.planes[plane], shared.length, shared.step.tau, row % LANES, flow);
    }

    fn share(&self, plane: usize, demand: usize) -> f64 {
        if self.demands.size.is_empty() {
            return 1.0;
        }
        let mut injections = self.demands.injections.of(demand).iter();
        let here = injections.find(|(block, _)| self.blocks[*block as usize].plane == plane);
        here.map_or(0.0, |(block, index)| self.blocks[*block as usize].injection(*index as usize, &self.shared(plane)))
    }
}

fn restart_block(block: &mut Block) -> (f64, f64) {
    let mut primal = block.x.restart() / TAU_FLOW;
    let mut dual = 0.0;
    for (u, sigma) in block.sigma.iter().enumerate() {
        dual += squared_distance(&block.y[u], &block.y0[u]) / sigma;
    }
    for (index, entry) in block.entries.iter().enumerate().take(block.i.len()) {
        primal += (block.i[index] - block.i0[index]).powi(2) / entry.tau;
    }
    block.y0.copy_from_slice(&block.y);
    block.i0.copy_from_slice(&block.i);
    (primal, dual)
}
