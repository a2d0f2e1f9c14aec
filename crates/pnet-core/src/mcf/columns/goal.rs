//! What a flow costs and is worth, and what lengths prove of that.

use super::price::Priced;
use super::source::Source;
use crate::mcf::path_form::PathProblem;

/// What a flow costs, and what of each demand has to be served.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// Cost of a unit on each arc, not negative.
    pub cost: &'a [f64],
    /// What serving a unit of demand is worth; infinite where all has to be served.
    pub worth: f64,
    /// The part of each demand that has to be served in any case.
    pub floor: f64,
}

impl Terms<'_> {
    /// The part of each demand that has to be served.
    pub(super) fn least(&self) -> f64 {
        if self.worth.is_infinite() { 1.0 } else { self.floor }
    }
}

/// A split of the demands over the paths.
pub(super) struct Split {
    /// The part of its demand on each path.
    pub(super) weight: Vec<f64>,
    /// The part of each demand on its paths.
    pub(super) served: Vec<f64>,
    /// The factor by which it fits, at most 1.
    pub(super) fits: f64,
    /// What it costs, and what it serves is worth.
    pub(super) cost: f64,
    pub(super) value: f64,
    /// The part of each demand that is served at least.
    pub(super) least: f64,
}

impl Split {
    pub(super) fn nothing() -> Self {
        Split { weight: vec![], served: vec![], fits: 0.0, cost: 0.0, value: 0.0, least: 0.0 }
    }
}

/// Lengths of all links, costs not included, what serving the demands costs under them at least, and their volume.
pub(super) struct Lengths {
    pub(super) length: Vec<f64>,
    pub(super) takes: f64,
    pub(super) volume: f64,
}

impl Lengths {
    /// The bound on costs, and on what is worth less than it costs.
    pub(super) fn bound(&self) -> f64 {
        self.takes - self.volume
    }
}

/// The objective on the links of a source.
pub(super) struct Goal<'a, S> {
    pub(super) source: &'a S,
    pub(super) terms: Terms<'a>,
    /// Cost of each link, access links included.
    pub(super) cost: Vec<f64>,
}

impl<S: Source> Goal<'_, S> {
    /// Costs by which of two paths of equal cost the one with fewer links is shorter.
    pub(super) fn lengthened(&self) -> Vec<f64> {
        let mean = self.terms.cost.iter().sum::<f64>() / self.terms.cost.len().max(1) as f64;
        let hop = if mean > 0.0 { 1e-9 * mean } else { 1.0 };
        self.cost.iter().map(|c| c + hop).collect()
    }

    /// The shortest paths under costs and such lengths.
    pub(super) fn under(&self, length: &[f64]) -> Priced {
        self.source.under(length.iter().zip(&self.cost).map(|(length, cost)| length + cost).collect())
    }

    /// What a unit on path `n` costs.
    pub(super) fn cost_of(&self, paths: &PathProblem, n: usize) -> f64 {
        paths.path(n).iter().map(|l| self.cost[*l as usize]).sum()
    }

    /// The split by these weights, which serves these parts of the demands, and its loads.
    pub(super) fn split(&self, paths: &PathProblem, weight: &[f64], served: &[f64]) -> (Split, Vec<f64>) {
        let mut load = vec![0.0; paths.capacity.len()];
        let mut normal = vec![0.0; weight.len()];
        let all = self.terms.worth.is_infinite();
        let served: Vec<f64> = served.iter().map(|part| if all { 1.0 } else { part.clamp(0.0, 1.0) }).collect();
        let (mut cost, mut value) = (0.0, 0.0);
        for (j, demand) in paths.demand.iter().enumerate() {
            let own = paths.pair_ptr[j]..paths.pair_ptr[j + 1];
            let total: f64 = weight[own.clone()].iter().sum();
            for n in own.filter(|_| total > 0.0) {
                normal[n] = served[j] * weight[n] / total;
                let amount = normal[n] * demand;
                paths.path(n).iter().for_each(|l| load[*l as usize] += amount);
                cost += amount * self.cost_of(paths, n);
            }
            if !all {
                value += served[j] * demand * self.terms.worth;
            }
        }
        let fits = load.iter().zip(&paths.capacity).map(|(load, c)| c / load).fold(1.0, f64::min);
        let least = served.iter().copied().fold(1.0, f64::min);
        (Split { weight: normal, served, fits, cost, value, least }, load)
    }

    /// The split that serves all, evenly, and its loads.
    pub(super) fn everything(&self, paths: &PathProblem) -> (Split, Vec<f64>) {
        self.split(paths, &vec![1.0; paths.paths()], &vec![1.0; paths.demand.len()])
    }

    /// The links on which a load exceeds the capacity.
    pub(super) fn overloaded(&self, load: &[f64]) -> Vec<u32> {
        let links = load.iter().zip(self.source.capacity()).enumerate();
        links.filter(|(_, (load, c))| load > c).map(|(l, _)| l as u32).collect()
    }

    /// Lengths under which, costs included, the shortest paths of the demands are so long.
    pub(super) fn lengths(&self, length: Vec<f64>, shortest: &[f64]) -> Lengths {
        let Terms { worth, floor, .. } = self.terms;
        let takes = self.source.demand().iter().zip(shortest).map(|(d, far)| match worth.is_finite() {
            true => d * (floor * far + (1.0 - floor) * far.min(worth)),
            false => d * far,
        });
        let priced = self.source.capacity().iter().zip(&length).filter(|(_, l)| **l > 0.0);
        let volume = priced.map(|(c, l)| c * l).sum();
        Lengths { takes: takes.sum(), volume, length }
    }

    /// The relative gap between what a split costs, or is worth, where it is scaled down until it fits, and the bound.
    pub(super) fn gap(&self, split: &Split, lengths: &Lengths) -> f64 {
        let Terms { worth, floor, .. } = self.terms;
        if worth.is_infinite() {
            let (cost, least) = (split.fits * split.cost, split.fits * lengths.takes - lengths.volume);
            let between = if cost > 0.0 { (cost - least) / cost } else { 0.0 };
            return between.max(1.0 - split.fits);
        }
        let all = worth * self.source.demand().iter().sum::<f64>();
        let (value, most) = (split.fits * (split.value - split.cost), all - lengths.bound());
        let between = if most > 0.0 { (most - value) / most } else { 0.0 };
        let lacking = if floor > 0.0 { 1.0 - split.fits * split.least / floor } else { 0.0 };
        between.max(lacking)
    }
}
