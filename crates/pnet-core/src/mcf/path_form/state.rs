//! The iterate, its steps and its restarts.

use rayon::prelude::*;

use super::problem::PathProblem;
use super::simplex::{project, weighted_threshold};
use crate::csr::Csr;
use crate::mcf::run::Restarts;

/// Pairs at most, or links, handled by one task; fixed, so that sums have one order.
const CHUNK: usize = 512;

/// How much of the new primal weight enters at a restart, on a logarithmic scale.
const SMOOTHING: f64 = 0.7;

/// How much its logarithm may change at a restart.
const LARGEST_CHANGE: f64 = 1.5;

/// The iterate of restarted Halpern PDHG on the game between splits and prices.
pub(in crate::mcf) struct State<'a> {
    problem: &'a PathProblem,
    /// Pairs handled by one task; fixed by the problem, so that sums have one order.
    pairs: usize,
    /// 1 / capacity, 0 where a link limits nothing.
    inverse: Vec<f64>,
    /// Units of K: loads are `scale` times those at K = 1.
    scale: f64,
    /// Paths over each link, the transpose of [`PathProblem::link`].
    over: Csr<u32>,
    split: Side,
    price: Side,
    /// `2 stepped - split` times the demand, the split at which prices are updated.
    reflected: Vec<f64>,
    /// Price by capacity, what a unit of flow pays on each link.
    toll: Vec<f64>,
    /// 1 / step of each price, 0 where a link's price stays 0.
    slow: Vec<f64>,
    /// Threshold of the last projection of prices, where the next one begins.
    threshold: f64,
    omega: f64,
    /// Whether a side stood still up to the last restart.
    stood: bool,
    restarts: Restarts,
}

/// Index of a path that was not there before.
pub(in crate::mcf) const NEW: u32 = u32::MAX;

/// Where an iteration stands, without the problem that it is about.
pub(in crate::mcf) struct Carried {
    split: Side,
    price: Side,
    threshold: f64,
    omega: f64,
    stood: bool,
    restarts: Restarts,
}

impl Carried {
    /// Iterations done.
    pub(in crate::mcf) fn iterations(&self) -> usize {
        self.restarts.iterations
    }

    /// Whether path `n` has a part.
    pub(in crate::mcf) fn used(&self, n: usize) -> bool {
        self.split.at[n] > 0.0 || self.split.anchor[n] > 0.0
    }

    /// Goes on with these paths of the problem, and [`NEW`] ones that have no part yet.
    pub(in crate::mcf) fn choose(&mut self, from: &[u32]) {
        if self.stood && from.contains(&NEW) {
            // What balanced the players while one of them had no choice is nothing to go on with.
            self.omega = 1.0;
        }
        for values in [&mut self.split.at, &mut self.split.anchor, &mut self.split.stepped] {
            *values = from.iter().map(|n| values.get(*n as usize).copied().unwrap_or(0.0)).collect();
        }
    }
}

/// One player: where it stands, at the last restart, and right after its last step, where it is feasible.
pub(in crate::mcf) struct Side {
    pub(in crate::mcf) at: Vec<f64>,
    pub(in crate::mcf) anchor: Vec<f64>,
    pub(in crate::mcf) stepped: Vec<f64>,
    /// Step sizes: one a pair for splits, one a link for prices.
    pub(in crate::mcf) step: Vec<f64>,
}

impl Side {
    pub(in crate::mcf) fn new(start: Vec<f64>, step: Vec<f64>) -> Self {
        Side { at: start.clone(), anchor: start.clone(), stepped: start, step }
    }
}

impl<'a> State<'a> {
    /// A start for `problem`, on which K is about `scale`, from these weights and lengths.
    pub(in crate::mcf) fn new(
        problem: &'a PathProblem,
        scale: f64,
        weight: Vec<f64>,
        length: &[f64],
    ) -> Self {
        let price = vec![0.0; problem.capacity.len()];
        let start = Carried {
            split: Side::new(weight, vec![]),
            price: Side::new(price, vec![]),
            threshold: f64::NEG_INFINITY,
            omega: 1.0,
            stood: false,
            restarts: Restarts::default(),
        };
        let mut state = State::resume(problem, scale, start, usize::MAX);
        let steps = state.price.step.iter();
        let mut price: Vec<f64> = (problem.capacity.iter().zip(length).zip(steps))
            .map(|((c, l), step)| if *step > 0.0 { c * l } else { 0.0 })
            .collect();
        let total: f64 = price.iter().sum();
        price.iter_mut().for_each(|m| *m /= total);
        state.toll = price.iter().zip(&state.inverse).map(|(m, inverse)| m * inverse).collect();
        for values in [&mut state.price.at, &mut state.price.anchor, &mut state.price.stepped] {
            values.copy_from_slice(&price);
        }
        state
    }

    /// Goes on where an iteration stood, whose paths are those of `problem`, with about `grain` paths for a task.
    pub(in crate::mcf) fn resume(
        problem: &'a PathProblem,
        scale: f64,
        carried: Carried,
        grain: usize,
    ) -> Self {
        let inverse: Vec<f64> = problem.capacity.iter().map(|c| 1.0 / c).collect();
        let paths = (0..problem.paths()).flat_map(|n| problem.path(n).iter().map(move |l| (*l, n as u32)));
        let over = Csr::new(problem.capacity.len(), paths);
        let split_step = (0..problem.demand.len()).map(|j| {
            let paths = problem.pair_ptr[j]..problem.pair_ptr[j + 1];
            let widest = paths.map(|n| problem.path(n).iter().map(|l| inverse[*l as usize]).sum());
            reciprocal(scale * problem.demand[j] * widest.fold(0.0, f64::max))
        });
        let split_step = split_step.collect();
        let mut all = vec![0.0; problem.capacity.len()];
        for (j, demand) in problem.demand.iter().enumerate() {
            for n in problem.pair_ptr[j]..problem.pair_ptr[j + 1] {
                problem.path(n).iter().for_each(|l| all[*l as usize] += demand);
            }
        }
        let price_step: Vec<f64> =
            all.iter().zip(&inverse).map(|(all, inverse)| reciprocal(scale * all * inverse)).collect();
        let Carried { split, price, threshold, omega, stood, restarts } = carried;
        let each = problem.paths().div_ceil(problem.demand.len().max(1)).max(1);
        State {
            problem,
            pairs: (grain / each).clamp(1, CHUNK),
            scale,
            over,
            reflected: vec![0.0; problem.paths()],
            split: Side { step: split_step, ..split },
            toll: price.at.iter().zip(&inverse).map(|(m, inverse)| m * inverse).collect(),
            inverse,
            slow: price_step.iter().map(|step| reciprocal(*step)).collect(),
            threshold,
            price: Side { step: price_step, ..price },
            omega,
            stood,
            restarts,
        }
    }

    /// Where it stands.
    pub(in crate::mcf) fn release(self) -> Carried {
        let State { split, price, threshold, omega, stood, restarts, .. } = self;
        Carried { split, price, threshold, omega, stood, restarts }
    }

    /// Iterations done.
    pub(in crate::mcf) fn iterations(&self) -> usize {
        self.restarts.iterations
    }

    /// Restarts among them.
    pub(in crate::mcf) fn restarts(&self) -> usize {
        self.restarts.count
    }

    /// The split after the last step.
    pub(in crate::mcf) fn weight(&self) -> &[f64] {
        &self.split.stepped
    }

    /// The lengths after the last step.
    pub(in crate::mcf) fn length(&self) -> Vec<f64> {
        self.price.stepped.iter().zip(&self.inverse).map(|(m, inverse)| m * inverse).collect()
    }

    /// One iteration.
    pub(in crate::mcf) fn iterate(&mut self) {
        let halpern = self.restarts.weight();
        let primal = self.move_splits(halpern);
        let dual = self.move_prices(halpern);
        if self.restarts.due((self.omega * primal + dual / self.omega).sqrt()) {
            self.restart();
        }
    }

    /// Every pair moves its split towards cheap paths; returns the squared, weighted distance.
    fn move_splits(&mut self, halpern: f64) -> f64 {
        let (problem, toll) = (self.problem, &self.toll);
        let (scale, tau) = (self.scale, 1.0 / self.omega);
        let step = &self.split.step;
        let mut at = Cut(&mut self.split.at);
        let mut stepped = Cut(&mut self.split.stepped);
        let mut reflected = Cut(&mut self.reflected);
        let mut anchor = &self.split.anchor[..];
        let mut tasks = vec![];
        for first in (0..step.len()).step_by(self.pairs) {
            let pairs = first..(first + self.pairs).min(step.len());
            let paths = problem.pair_ptr[pairs.end] - problem.pair_ptr[pairs.start];
            let (own, rest) = anchor.split_at(paths);
            anchor = rest;
            tasks.push((pairs, at.take(paths), stepped.take(paths), reflected.take(paths), own));
        }
        let moved: Vec<f64> = tasks
            .into_par_iter()
            .map(|(pairs, at, stepped, reflected, anchor)| {
                let first = problem.pair_ptr[pairs.start];
                let mut moved = 0.0;
                for j in pairs {
                    let own = problem.pair_ptr[j] - first..problem.pair_ptr[j + 1] - first;
                    let size = scale * problem.demand[j];
                    let pace = tau * step[j] * size;
                    for i in own.clone() {
                        let cost: f64 = problem.path(first + i).iter().map(|l| toll[*l as usize]).sum();
                        stepped[i] = at[i] - pace * cost;
                    }
                    project(&mut stepped[own.clone()]);
                    let mut squares = 0.0;
                    for i in own {
                        let (old, new) = (at[i], stepped[i]);
                        let bar = 2.0 * new - old;
                        squares += (new - old) * (new - old);
                        reflected[i] = size * bar;
                        at[i] = halpern * bar + (1.0 - halpern) * anchor[i];
                    }
                    moved += if step[j] > 0.0 { squares / step[j] } else { 0.0 };
                }
                moved
            })
            .collect();
        moved.iter().sum()
    }

    /// Every link moves its price with its load; returns the squared, weighted distance.
    fn move_prices(&mut self, halpern: f64) -> f64 {
        let (inverse, step, omega) = (&self.inverse, &self.price.step, self.omega);
        let (over, reflected, at) = (&self.over, &self.reflected, &self.price.at);
        self.price.stepped.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, target)| {
            for (i, m) in target.iter_mut().enumerate() {
                let l = chunk * CHUNK + i;
                let load: f64 = over.of(l).iter().map(|n| reflected[*n as usize]).sum();
                *m = at[l] + omega * step[l] * load * inverse[l];
            }
        });
        self.threshold = weighted_threshold(&self.price.stepped, step, self.threshold);
        let price = &mut self.price;
        let links = (price.at.iter_mut().zip(&mut price.stepped).zip(&price.anchor))
            .zip(price.step.iter().zip(&self.slow))
            .zip(self.toll.iter_mut().zip(&self.inverse));
        let mut moved = 0.0;
        for ((((at, stepped), anchor), (step, slow)), (toll, inverse)) in links {
            let old = *at;
            let new = (*stepped - self.threshold * step).max(0.0);
            moved += (new - old) * (new - old) * slow;
            *stepped = new;
            *at = halpern * (2.0 * new - old) + (1.0 - halpern) * anchor;
            *toll = *at * inverse;
        }
        moved
    }

    /// Starts afresh from the last step, and balances the primal weight.
    fn restart(&mut self) {
        let problem = self.problem;
        let mut primal = 0.0;
        for (j, step) in self.split.step.iter().enumerate() {
            if *step > 0.0 {
                let own = problem.pair_ptr[j]..problem.pair_ptr[j + 1];
                let moved = own.map(|n| (self.split.stepped[n] - self.split.anchor[n]).powi(2));
                primal += moved.sum::<f64>() / step;
            }
        }
        let prices = self.price.stepped.iter().zip(&self.price.anchor).zip(&self.slow);
        let dual: f64 = prices.map(|((new, old), slow)| (new - old) * (new - old) * slow).sum();
        self.stood = primal == 0.0 || dual == 0.0;
        self.omega = balanced(self.omega, primal, dual);
        for side in [&mut self.split, &mut self.price] {
            side.at.copy_from_slice(&side.stepped);
            side.anchor.copy_from_slice(&side.stepped);
        }
        for (toll, (m, inverse)) in self.toll.iter_mut().zip(self.price.at.iter().zip(&self.inverse)) {
            *toll = m * inverse;
        }
        self.restarts.done();
    }
}

/// A slice from which tasks take their parts.
pub(in crate::mcf) struct Cut<'a>(pub(in crate::mcf) &'a mut [f64]);

impl<'a> Cut<'a> {
    pub(in crate::mcf) fn take(&mut self, count: usize) -> &'a mut [f64] {
        let (own, rest) = std::mem::take(&mut self.0).split_at_mut(count);
        self.0 = rest;
        own
    }
}

/// The primal weight after a round in which the sides have moved so far, squared and in units of their steps.
pub(in crate::mcf) fn balanced(omega: f64, primal: f64, dual: f64) -> f64 {
    if primal > 0.0 || dual > 0.0 {
        // Where one side stands still, as a vertex does, the ratio is noise: it may only nudge the weight.
        let wanted = 0.5 * (dual / primal).ln() - omega.ln();
        omega * (SMOOTHING * wanted).clamp(-LARGEST_CHANGE, LARGEST_CHANGE).exp()
    } else {
        omega
    }
}

/// 1 / x, and 0 where nothing moves.
pub(in crate::mcf) fn reciprocal(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}
