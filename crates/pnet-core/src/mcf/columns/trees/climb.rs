//! The way from a vertex to the best one.

use rayon::prelude::*;

use super::basis::{Entering, Gain};
use super::{FairTrees, MOST_TIGHT};
use crate::mcf::columns::in_use::first;
use crate::mcf::columns::source::Anywhere;
use crate::mcf::columns::vertex::climb::{CLEAR, CLOSE, CORRECTED, IDLE, LEAST_IDLE, MUCH, RISEN};
use crate::mcf::columns::vertex::matrix::NONE;
use crate::mcf::columns::vertex::{EXACT, FIRST, NOISE, OFF};
use crate::mcf::run::{Monitor, Options, Progress, Watch};

/// Trees of which the best arc is looked at before each step, until none gains this part of what the best did when all
/// were.
const HOT: usize = 32;
const COOL: f64 = 0.3;
/// Those of which the distance is.
const COMPARED: usize = 24;
/// Steps of the first level after which first-order steps are asked for a better point.
const PATIENCE: usize = 5_000;

/// The trees whose best arcs gained most when all were looked at, and what the best gained then.
struct Candidates {
    hot: Vec<u32>,
    hottest: f64,
}

/// How a push, or a climb, ended.
enum End {
    /// Where t gains by nothing more.
    Top,
    /// Where numbers have lost their precision, or there were as many steps or tight links as there may be.
    Over,
    Stopped,
}

impl FairTrees {
    /// Moves to a point that is as good as the best vertex; returns whether it was stopped.
    pub(super) fn ascend(&mut self, last: usize, watch: &mut Watch, monitor: &mut impl Monitor) -> bool {
        let (mut long, mut climbed) = (self.iterations + PATIENCE, false);
        loop {
            let (most, before) = (last.min(long), self.iterations);
            let mut end = self.push(most, watch, monitor);
            if let End::Top = end {
                if climbed && self.iterations == before {
                    return false;
                }
                end = self.climb(most, watch, monitor);
                climbed = true;
            }
            match end {
                End::Top => {}
                End::Stopped => return true,
                End::Over if self.iterations >= long && long < last => {
                    self.start_again(watch, monitor);
                    (long, climbed) = (last, false);
                }
                End::Over => return false,
            }
        }
    }

    /// Where all demands rise, begins with first-order flows if t is higher with these.
    fn start_again(&mut self, watch: &mut Watch, monitor: &mut impl Monitor) {
        let Anywhere { problem, links } = &self.source;
        if self.fixed > 0 {
            return;
        }
        let limits = Options { tolerance: 0.0, max_iterations: 0, time_limit_s: watch.left_s() };
        let Ok((_, first)) = first(problem, FIRST, &limits, monitor) else { return };
        if first.lower <= self.unit * self.basis.t * (1.0 + RISEN) {
            return;
        }
        let (t, paths) = first.flows(self.unit, &self.basis.slope);
        self.basis.begin(t, |network, tree| {
            let mut flow = vec![0.0; network.tail.len()];
            for j in tree.demands.iter().map(|(j, _)| *j as usize) {
                for (path, x) in &paths[j] {
                    network.for_each_arc((problem, links), j, path, |arc| flow[arc] += x);
                }
            }
            flow
        });
    }

    /// Raises t, and moves what superbasic arcs carry as long as t gains by it: see [`vertex`](super::super::vertex).
    fn push(&mut self, last: usize, watch: &mut Watch, monitor: &mut impl Monitor) -> End {
        // Superbasic arcs may have to enter a tree first.
        for _ in 0..LEAST_IDLE {
            if self.basis.matrix.rate.is_some() {
                break;
            }
            if watch.stop(monitor) {
                return End::Stopped;
            }
            if self.basis.step(Entering::Rate, 1.0, 0.0).is_none() {
                return End::Top;
            }
        }
        let mut length = self.basis.lengths(CLOSE).0;
        let mut slowest = CLEAR;
        loop {
            let (mut worth, least) = self.worth(&length);
            let most = worth.iter().map(|(worth, ..)| *worth).fold(0.0, f64::max);
            let before = self.iterations;
            worth.retain(|(worth, ..)| *worth >= MUCH[MUCH.len() - 1] * most);
            for (enough, (_, tree, arc)) in MUCH.iter().flat_map(|part| worth.iter().map(move |of| (part * most, of))) {
                if watch.stop(monitor) {
                    return End::Stopped;
                }
                if self.iterations >= last || self.basis.tight() > MOST_TIGHT {
                    return End::Over;
                }
                let x = self.basis.superbasic(*tree, *arc);
                let gain = if x > 0.0 { self.basis.gain(*tree, *arc, &length) } else { 0.0 };
                if gain.abs() > least
                    && gain.abs() * x >= enough
                    && self.basis.step(Entering::Arc(*tree, *arc), gain.signum(), slowest).is_some()
                {
                    self.iterations += 1;
                    length = self.basis.lengths(CLOSE).0;
                }
            }
            match self.iterations == before {
                true if slowest == 0.0 || worth.is_empty() => return End::Top,
                true => slowest = 0.0,
                false => slowest = CLEAR,
            }
        }
    }

    /// What t gains, at least, by moving all that superbasic arcs carry, up or down, of each for which that is something; and what
    /// a unit is to gain for that.
    fn worth(&mut self, length: &[f64]) -> (Vec<(f64, u32, u32)>, f64) {
        let length = self.basis.of_arcs(length);
        let longest = self.basis.trees.iter_mut().map(|tree| tree.measure(&length)).fold(0.0, f64::max);
        let least = self.least(longest);
        let (network, trees) = (&self.basis.network, (0..).zip(&self.basis.trees));
        let superbasic = trees.flat_map(|(d, tree)| tree.superbasic.iter().map(move |(arc, x)| (d, tree, *arc, *x)));
        let gains = superbasic.map(|(d, tree, arc, x)| (tree.gain(network, arc, &length).abs(), x, d, arc));
        (gains.filter(|(gain, ..)| *gain > least).map(|(gain, x, d, arc)| (gain * x, d, arc)).collect(), least)
    }

    /// Moves to the best vertex.
    fn climb(&mut self, last: usize, watch: &mut Watch, monitor: &mut impl Monitor) -> End {
        let mut candidates = Candidates { hot: vec![], hottest: f64::INFINITY };
        let (mut highest, mut since) = (self.basis.t, self.iterations);
        while self.iterations < last && self.basis.tight() <= MOST_TIGHT {
            if self.basis.t > highest * (1.0 + OFF.1) {
                (highest, since) = (self.basis.t, self.iterations);
            } else if self.iterations - since > LEAST_IDLE + IDLE * self.basis.tight() {
                return End::Over;
            }
            if watch.stop(monitor) {
                return End::Stopped;
            }
            if self.iterations.is_multiple_of(CORRECTED) {
                let report =
                    Progress { iterations: self.iterations, lower: self.basis.t * self.unit, upper: f64::INFINITY };
                if !monitor.progress(report) {
                    return End::Stopped;
                }
                self.basis.refresh();
            }
            let gains = self.gains(&mut candidates);
            let worth = gains.iter().map(|(gain, entering)| (gain * gain / self.basis.distance(*entering), *entering));
            let mut worth: Vec<Gain> = worth.collect();
            worth.sort_by(|a, b| b.0.total_cmp(&a.0));
            let mut enters = [CLEAR, 0.0].into_iter().flat_map(|slowest| worth.iter().map(move |of| (of.1, slowest)));
            if !enters.any(|(entering, slowest)| self.basis.step(entering, 1.0, slowest).is_some()) {
                return End::Top;
            }
            self.iterations += 1;
        }
        End::Over
    }

    /// What arcs have to be shorter by than the tree, of which the farthest node is so far.
    fn least(&self, longest: f64) -> f64 {
        (EXACT * self.basis.t / self.basis.all()).max(NOISE * longest)
    }

    /// Some of what t gains most by; none at the best vertex, or where its matrix is singular.
    fn gains(&mut self, candidates: &mut Candidates) -> Vec<Gain> {
        let (mut length, error) = self.basis.lengths(CLOSE);
        let exact = EXACT * self.basis.t;
        let dearest = NOISE * self.basis.matrix.prices(&self.basis.per, &length).fold(0.0, f64::max);
        let mut gains = self.shorter(&candidates.hot, &length);
        if best_of(&gains) <= COOL * candidates.hottest {
            let all: Vec<u32> = (0..self.basis.trees.len() as u32).collect();
            gains = self.shorter(&all, &length);
            let again = self.refactored + self.basis.tight();
            if error > exact && (gains.is_empty() || self.iterations >= again) {
                self.refactored = self.iterations;
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
        let full = |entering: Entering| matches!(entering, Entering::Slack(r) if self.closed.full(self.basis.matrix.rows[r as usize]));
        gains.extend(loose.filter(|(_, entering)| !full(*entering)));
        gains.sort_by(|a, b| b.0.total_cmp(&a.0));
        gains.truncate(COMPARED);
        gains
    }

    /// The open arc of each of some trees, in ascending order, by which t gains most.
    fn shorter(&mut self, some: &[u32], length: &[f64]) -> Vec<Gain> {
        let length = self.basis.of_arcs(length);
        let least = self.least(0.0);
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
