//! The cheapest flow by column generation with first-order steps on the restricted master: they take no matrix of the links
//! that limit, however many these are.

use super::cheapest::{CHECK, Found, Rounds, SHORT};
use super::first_of;
use super::goal::{Goal, Lengths, Split};
use super::pool::Pool;
use super::price::{LEAST, Limits, Path, Priced};
use super::source::Source;
use super::{FIRST_PATHS, FIRST_SLACK, LEAST_STEPS, MISSING, MOST_PATHS, PATHS_PER_TASK, PATIENCE, STEPS_FRACTION};
use crate::error::Error;
use crate::mcf::bundles::steps::{Iterate, State};
use crate::mcf::pdhg::split::NEW;
use crate::mcf::pdhg::{Iteration, PROGRESS, STANDSTILL};
use crate::rounding::Nearest;

/// The restricted master, the iterate on it, and the best bounds.
pub(super) struct Search<'a, S> {
    goal: &'a Goal<'a, S>,
    pool: Pool,
    /// Cost of a unit on each path, less what that is worth.
    cost: Vec<f64>,
    /// None only while it moves.
    at: Option<Iterate>,
    split: Split,
    lengths: Lengths,
    /// The least length of each link: of paths of equal cost the one with fewer links is shortest.
    shortest: Vec<f64>,
    gap: f64,
    /// Whether paths are missing.
    missing: bool,
    /// The gap at the last progress, and the steps done then.
    last: (f64, usize),
    /// Links of paths visited.
    spent: f64,
    pricings: usize,
    impossible: bool,
}

impl<'a, S: Source> Search<'a, S> {
    /// Starts with no flow, or even splits, over paths that are short by cost.
    pub(super) fn new(goal: &'a Goal<'a, S>) -> Result<Self, Error> {
        let (source, demands) = (goal.source, goal.source.demand().len());
        let priced = source.under(goal.lengthened());
        let most = priced.shortest.iter().map(|length| length * (1.0 + FIRST_SLACK)).collect();
        let limits = Limits { length: most, count: first_of(demands, FIRST_PATHS) };
        let pool = Pool::new(source.capacity(), source.demand(), &source.paths(&priced, limits))?;
        let shortest = pool.problem.shortest::<Nearest>(&goal.cost);
        let lengths = goal.lengths(vec![0.0; goal.cost.len()], &shortest);
        let all = goal.terms.worth * source.demand().iter().sum::<f64>();
        let least = LEAST * if all.is_finite() { all } else { lengths.takes } / source.capacity().len() as f64;
        let cost = costs(goal, &pool);
        let at = State::new(&pool.problem, &cost, goal.terms.least()).release();
        let (split, _) = goal.everything(&pool.problem);
        let gap = goal.gap(&split, &lengths);
        Ok(Search {
            goal,
            pool,
            cost,
            at: Some(at),
            split,
            lengths,
            shortest: source.capacity().iter().map(|c| least / c).collect(),
            gap,
            missing: true,
            last: (gap, 0),
            spent: 0.0,
            pricings: 0,
            impossible: false,
        })
    }

    /// Links of paths visited by all steps.
    pub(super) fn spent(&self) -> f64 {
        self.spent
    }

    /// The paths that carry more than such a part of their demand, and these.
    pub(super) fn carrying(&self, least: f64, paths: &[Vec<Path>]) -> Pool {
        let mut pool = self.pool.clone();
        let kept: Vec<bool> = self.split.weight.iter().map(|w| *w > least).collect();
        pool.exchange(paths, &kept);
        pool
    }

    /// Where it has ended.
    pub(super) fn release(self) -> Found {
        (self.split, self.lengths, self.pool, self.gap)
    }

    /// Steps until the next pricing.
    fn steps(&self) -> usize {
        match self.missing {
            true => LEAST_STEPS,
            false => (self.iterations() / STEPS_FRACTION).max(LEAST_STEPS),
        }
    }

    /// The weights, where not all of a demand has to be served less what overloads a link of their path.
    fn fitting(&self, weight: &[f64]) -> Vec<f64> {
        let (paths, mut weight) = (&self.pool.problem, weight.to_vec());
        if self.goal.terms.worth.is_finite() {
            let load = paths.load_of(&weight);
            let fits: Vec<f64> = load.iter().zip(&paths.capacity).map(|(load, c)| (c / load).min(1.0)).collect();
            for (n, weight) in weight.iter_mut().enumerate() {
                *weight *= paths.path(n).iter().map(|l| fits[*l as usize]).fold(1.0, f64::min);
            }
        }
        weight
    }

    /// Adds the paths of negative reduced cost, and drops those that have long carried nothing.
    fn exchange(&mut self, priced: &Priced, known: Vec<f64>, mut at: Iterate) {
        let (worth, floor) = (self.goal.terms.worth, self.goal.terms.floor);
        let mut kept = self.pool.keep(PATIENCE, |n| self.split.weight[n] > 0.0 || at.used(n));
        let mut paths = self.goal.source.paths(priced, Limits { length: known, count: MOST_PATHS });
        for (j, own) in self.pool.problem.pair_ptr.windows(2).enumerate() {
            // A demand that is too far to be worth anything needs no more paths.
            if floor == 0.0 && priced.shortest[j] >= worth {
                paths[j].clear();
                kept[own[0]] |= !kept[own[0]..own[1]].contains(&true);
            }
        }
        let from = self.pool.exchange(&paths, &kept);
        at.choose(&from);
        self.split.weight = from.iter().map(|n| if *n == NEW { 0.0 } else { self.split.weight[*n as usize] }).collect();
        self.cost = costs(self.goal, &self.pool);
        self.at = Some(at);
    }
}

impl<S: Source> Rounds for Search<'_, S> {
    fn gap(&self) -> f64 {
        self.gap
    }

    fn iterations(&self) -> usize {
        self.at.as_ref().map_or(0, Iterate::iterations)
    }

    fn impossible(&self) -> bool {
        self.impossible
    }

    fn stalled(&self) -> bool {
        self.iterations() >= STANDSTILL + 2 * self.last.1
    }

    /// Takes steps, and prices; returns whether `stop` ended them.
    fn advance(&mut self, _: f64, most: usize, mut stop: impl FnMut() -> bool) -> bool {
        let steps = self.steps().min(most);
        self.spent += (steps * self.pool.problem.link.len()) as f64;
        let Some(at) = self.at.take() else { return true };
        let mut state = State::resume(&self.pool.problem, &self.cost, self.goal.terms.least(), at, PATHS_PER_TASK);
        let stopped = (0..steps).any(|_| {
            state.iterate();
            stop()
        });
        let (weight, mut length) = (self.fitting(state.weight()), state.length());
        length.iter_mut().zip(&self.shortest).for_each(|(length, least)| *length = length.max(*least));
        let at = state.release();
        let paths = &self.pool.problem;
        let served: Vec<f64> = paths.pair_ptr.windows(2).map(|own| weight[own[0]..own[1]].iter().sum()).collect();
        let (split, _) = self.goal.split(paths, &weight, &served);
        let priced = self.goal.under(&length);
        let known = paths.shortest::<Nearest>(&priced.length);
        let restricted = self.goal.lengths(length, &known);
        let within = self.goal.gap(&split, &restricted);
        self.pricings += 1;
        if self.goal.terms.least() == 1.0 && split.fits < 1.0 - SHORT && self.pricings.is_multiple_of(CHECK) {
            self.impossible = self.goal.source.bound(restricted.length.clone()).upper < 1.0;
        }
        let lengths = self.goal.lengths(restricted.length, &priced.shortest);
        self.missing = self.goal.gap(&split, &lengths) - within > MISSING * within;
        if lengths.bound() > self.lengths.bound() {
            self.lengths = lengths;
            self.gap = self.goal.gap(&self.split, &self.lengths);
        }
        let gap = self.goal.gap(&split, &self.lengths);
        if gap < self.gap {
            (self.split, self.gap) = (split, gap);
        }
        if self.gap < PROGRESS * self.last.0 {
            self.last = (self.gap, at.iterations());
        }
        self.exchange(&priced, known, at);
        stopped
    }
}

/// What a unit on each path costs, less what it is worth.
fn costs(goal: &Goal<impl Source>, pool: &Pool) -> Vec<f64> {
    let worth = if goal.terms.worth.is_finite() { goal.terms.worth } else { 0.0 };
    (0..pool.len()).map(|n| goal.cost_of(&pool.problem, n) - worth).collect()
}
