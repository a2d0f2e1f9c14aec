//! Where the paths of a restricted master come from.

use std::borrow::{Borrow, Cow};

use rayon::prelude::*;

use super::links::Links;
use super::pool::Pool;
use super::price::{LEAST, Limits, NO_PATH, Path, Priced};
use crate::mcf::path_form::PathProblem;
use crate::mcf::problem::Problem;
use crate::mcf::proof::Proof;
use crate::mcf::round::round;
use crate::rounding::Nearest;

/// Links, demands, and the paths that are short under lengths of the links.
pub(super) trait Source {
    /// Capacity of each link, infinite where it has no limit.
    fn capacity(&self) -> &[f64];
    fn demand(&self) -> &[f64];
    /// The shortest paths under lengths >= 0.
    fn under(&self, length: Vec<f64>) -> Priced;
    /// Some of the paths that are short under them.
    fn paths(&self, priced: &Priced, limits: Limits) -> Vec<Vec<Path>>;
    /// The plane of each link; one for all where it is not known.
    fn plane(&self) -> Cow<'_, [u32]>;
    /// The lengths as others number the links: over any path, of arcs, then of access links into planes and out of them.
    fn outside(&self, length: Vec<f64>) -> Vec<f64>;

    /// Capacity times length of all links that have a limit.
    fn volume(&self, length: &[f64]) -> f64 {
        let limited = self.capacity().iter().zip(length).filter(|(c, _)| c.is_finite());
        limited.map(|(c, l)| c * l).sum()
    }

    /// The shortest paths under lengths >= 0 of any scale, 0 on links without a limit, and the bound on K that they prove.
    fn bound(&self, mut length: Vec<f64>) -> Priced {
        let all = self.volume(&length);
        let scale = if all > 0.0 { 1.0 / all } else { 0.0 };
        let least = LEAST / length.len() as f64;
        for (l, c) in length.iter_mut().zip(self.capacity()) {
            *l = if c.is_finite() { (*l * scale).max(least / c) } else { 0.0 };
        }
        let all = self.volume(&length);
        let mut priced = self.under(length);
        let carried: f64 = priced.shortest.iter().zip(self.demand()).map(|(dist, d)| dist * d).sum();
        if carried > 0.0 {
            priced.upper = all / carried;
        }
        priced
    }
}

/// Any path.
pub(super) struct Anywhere<P> {
    pub(super) problem: P,
    pub(super) links: Links,
}

impl Anywhere<Problem> {
    /// The flow of such weights of paths in which each demand is `served` so much; its lengths are 0.
    ///
    /// Where it is `exact`, small parts are no noise.
    pub(super) fn proof(&self, served: Vec<f64>, pool: &Pool, weight: &[f64], exact: bool) -> Proof {
        let served = Problem { demand: served, ..self.problem.clone() };
        let mut flow = pool.flow(&served, &self.links, weight);
        flow.exact = exact;
        let (length, up, down) = self.links.lengths(&vec![0.0; self.links.capacity.len()]);
        round(&served, &flow, length, up, down)
    }
}

impl<P: Borrow<Problem>> Source for Anywhere<P> {
    fn capacity(&self) -> &[f64] {
        &self.links.capacity
    }

    fn demand(&self) -> &[f64] {
        &self.problem.borrow().demand
    }

    fn under(&self, length: Vec<f64>) -> Priced {
        Priced::under(self.problem.borrow(), &self.links, length)
    }

    fn paths(&self, priced: &Priced, limits: Limits) -> Vec<Vec<Path>> {
        priced.paths(self.problem.borrow(), &self.links, limits)
    }

    fn plane(&self) -> Cow<'_, [u32]> {
        Cow::Borrowed(&self.links.plane)
    }

    fn outside(&self, length: Vec<f64>) -> Vec<f64> {
        <[_; 3]>::from(self.links.lengths(&length)).concat()
    }
}

impl Source for PathProblem {
    fn capacity(&self) -> &[f64] {
        &self.capacity
    }

    fn demand(&self) -> &[f64] {
        &self.demand
    }

    fn under(&self, length: Vec<f64>) -> Priced {
        let shortest = self.shortest::<Nearest>(&length);
        Priced::listed(length, shortest)
    }

    fn paths(&self, priced: &Priced, limits: Limits) -> Vec<Vec<Path>> {
        let far = |n: usize| self.path(n).iter().map(|l| priced.length[*l as usize]).sum::<f64>();
        (0..self.demand.len())
            .into_par_iter()
            .map(|j| {
                if limits.length[j] == NO_PATH {
                    return vec![];
                }
                let own = self.pair_ptr[j]..self.pair_ptr[j + 1];
                let limit = limits.length[j].max(priced.shortest[j]);
                let mut short: Vec<(f64, usize)> =
                    own.clone().map(|n| (far(n), n)).filter(|(length, _)| *length <= limit).collect();
                // Of paths of the same length each demand begins with another one: the first of all may share a link.
                let turned = |n: usize| (n - own.start + j) % own.len();
                short.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(turned(a.1).cmp(&turned(b.1))));
                short.truncate(limits.count);
                let listed = short.into_iter().map(|(_, n)| Path { place: n as u32, links: self.path(n).to_vec() });
                listed.collect()
            })
            .collect()
    }

    fn plane(&self) -> Cow<'_, [u32]> {
        Cow::Owned(vec![0; self.capacity.len()])
    }

    fn outside(&self, length: Vec<f64>) -> Vec<f64> {
        length
    }
}
