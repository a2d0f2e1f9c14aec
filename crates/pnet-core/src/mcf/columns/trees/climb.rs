//! The way from a vertex to the best one.

use rayon::prelude::*;

use super::basis::{Entering, Gain};
use super::{FairTrees, MOST_TIGHT, NONE};
use crate::mcf::columns::vertex::{EXACT, NOISE};
use crate::mcf::run::{Monitor, Progress, Watch};

/// Trees of which the best arc is looked at before each step, until none gains this part of what the best did when all were.
const HOT: usize = 32;
const COOL: f64 = 0.3;
/// Those of which the distance is.
const COMPARED: usize = 24;
/// See [`vertex`](super::super::vertex).
const CLOSE: f64 = 0.01 * EXACT;
const CLEAR: f64 = 1e-6;
const CORRECTED: usize = 100;
const IDLE: usize = 20;
const LEAST_IDLE: usize = 2_000;

/// The trees whose best arcs gained most when all were looked at, and what the best gained then.
struct Candidates {
    hot: Vec<u32>,
    hottest: f64,
}

impl FairTrees {
    /// Moves to the best vertex; returns whether it was stopped.
    pub(super) fn climb(&mut self, last: usize, watch: &mut Watch, monitor: &mut impl Monitor) -> bool {
        if self.basis.rate.is_none() && self.basis.step(Entering::Rate, 0.0).is_none() {
            return false;
        }
        let mut candidates = Candidates { hot: vec![], hottest: f64::INFINITY };
        let (mut highest, mut since) = (self.basis.t, self.iterations);
        while self.iterations < last && self.basis.tight() <= MOST_TIGHT {
            if self.basis.t > highest * (1.0 + EXACT) {
                (highest, since) = (self.basis.t, self.iterations);
            } else if self.iterations - since > LEAST_IDLE + IDLE * self.basis.tight() {
                return false;
            }
            if watch.stop(monitor) {
                return true;
            }
            if self.iterations.is_multiple_of(CORRECTED) {
                let report =
                    Progress { iterations: self.iterations, lower: self.basis.t * self.unit, upper: f64::INFINITY };
                if !monitor.progress(report) {
                    return true;
                }
                self.basis.refresh();
            }
            let gains = self.gains(&mut candidates);
            let worth = gains.iter().map(|(gain, entering)| (gain * gain / self.basis.distance(*entering), *entering));
            let mut worth: Vec<Gain> = worth.collect();
            worth.sort_by(|a, b| b.0.total_cmp(&a.0));
            let mut enters = [CLEAR, 0.0].into_iter().flat_map(|slowest| worth.iter().map(move |of| (of.1, slowest)));
            if !enters.any(|(entering, slowest)| self.basis.step(entering, slowest).is_some()) {
                return false;
            }
            self.iterations += 1;
        }
        false
    }

    /// Some of what t gains most by; none at the best vertex, or where its matrix is singular.
    fn gains(&mut self, candidates: &mut Candidates) -> Vec<Gain> {
        let (mut length, error) = self.basis.lengths(CLOSE);
        let exact = EXACT * self.basis.t;
        let dearest = NOISE * self.basis.prices(&length).fold(0.0, f64::max);
        let mut gains = self.shorter(&candidates.hot, &length);
        if best_of(&gains) <= COOL * candidates.hottest {
            let all: Vec<u32> = (0..self.basis.trees.len() as u32).collect();
            gains = self.shorter(&all, &length);
            if gains.is_empty() && error > exact {
                if !self.basis.refactor() {
                    return vec![];
                }
                length = self.basis.lengths(CLOSE).0;
                gains = self.shorter(&all, &length);
            }
            gains.sort_by(|a, b| b.0.total_cmp(&a.0));
            gains.truncate(HOT);
            candidates.hottest = best_of(&gains);
            let tree = |gain: &Gain| if let Entering::Arc(d, _) = gain.1 { Some(d) } else { None };
            candidates.hot = gains.iter().filter_map(tree).collect();
            candidates.hot.sort_unstable();
        }
        let loose = self.basis.loose(&length, dearest.max(exact / self.basis.per.len() as f64));
        let full = |entering: Entering| {
            matches!(entering, Entering::Slack(r) if self.closed.full(self.basis.rows[r as usize]))
        };
        gains.extend(loose.filter(|(_, entering)| !full(*entering)));
        gains.sort_by(|a, b| b.0.total_cmp(&a.0));
        gains.truncate(COMPARED);
        gains
    }

    /// The open arc of each of some trees, in ascending order, by which t gains most.
    fn shorter(&mut self, some: &[u32], length: &[f64]) -> Vec<Gain> {
        let length = self.basis.of_arcs(length);
        let least = EXACT * self.basis.t / self.basis.all();
        let network = &self.basis.network;
        let mut some = some.iter().copied().peekable();
        let trees = (0..).zip(&mut self.basis.trees).filter(|(d, _)| some.next_if_eq(d).is_some());
        let trees: Vec<_> = trees.collect();
        let best = trees.into_par_iter().filter_map(|(d, tree)| {
            let longest = tree.measure(&length);
            let (mut best, mut most) = (NONE, least.max(NOISE * longest));
            for arc in &tree.open {
                let gain = tree.gain(network, *arc, &length);
                if gain > most && !tree.has(network, *arc) {
                    (best, most) = (*arc, gain);
                }
            }
            (best != NONE).then_some((most, Entering::Arc(d, best)))
        });
        best.collect()
    }
}

fn best_of(gains: &[Gain]) -> f64 {
    gains.iter().map(|(gain, _)| *gain).fold(0.0, f64::max)
}
