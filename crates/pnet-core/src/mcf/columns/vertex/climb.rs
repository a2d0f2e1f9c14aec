//! The way from a point of a level to one that is as good as its best vertex.

use super::basis::{Entering, Gain};
use super::rest::Rest;
use super::{EXACT, FIRST, NOISE, Vertices};
use crate::mcf::columns::in_use::Steps;
use crate::mcf::columns::price::{Limits, NO_PATH};
use crate::mcf::columns::source::Source;
use crate::mcf::run::{Monitor, Progress, Watch};

/// Paths that are looked at before each step, until none gains this part of what the best did; and those of which the
/// distance is.
const HOT: usize = 2_000;
const COOL: f64 = 0.3;
const COMPARED: usize = 48;
/// All paths are priced again where no known one gains this part of what the best did then.
const FADED: f64 = 0.2;

/// What lengths may lack, as a part of t, where the next step is looked for.
pub(in crate::mcf::columns) const CLOSE: f64 = 0.01 * EXACT;
/// What stops a step is to be this part of the fastest path, at least: a matrix with a smaller pivot loses digits.  Only where
/// nothing else is left to enter may it be slower.
pub(in crate::mcf::columns) const CLEAR: f64 = 1e-6;
/// Steps after which flows are corrected.
pub(in crate::mcf::columns) const CORRECTED: usize = 100;
/// Steps without a rise of t, for each tight link and beside, before a level ends: numbers have lost their precision then.
pub(in crate::mcf::columns) const IDLE: usize = 20;
pub(in crate::mcf::columns) const LEAST_IDLE: usize = 2_000;

/// Pricings in a row after which what closes paths is not added any more.
const MOST_PRICINGS: usize = 100;

/// What paths out of the basis carry is moved in the order of what t gains by it: first what brings these parts of the most.
pub(in crate::mcf::columns) const MUCH: [f64; 3] = [0.1, 0.01, 0.001];
/// First-order steps bring a level so much further that it starts anew where they end.
pub(in crate::mcf::columns) const RISEN: f64 = 1e-3;
const AGAIN: Steps = Steps { gap: 1e-4, most: 1_000, ..FIRST };

/// What may enter.
struct Candidates {
    /// The paths that gained most when all that are known were looked at, what the best gained then, and how long the longest
    /// key path was.
    hot: Vec<u32>,
    hottest: f64,
    longest: f64,
    /// What the best gained when all paths were priced.
    priced: f64,
}

/// How a push, or a climb, ended.
enum End {
    /// Where t gains by nothing more.
    Top,
    /// Where numbers have lost their precision.
    Idle,
    Stopped,
    /// There were as many steps, or tight links, as there may be.
    Limit,
}

impl<S: Source> Vertices<S> {
    /// Moves to a point that is as good as the best vertex; returns whether it was stopped.
    pub(super) fn ascend(&mut self, last: usize, watch: &mut Watch, monitor: &mut impl Monitor) -> bool {
        let mut long = self.iterations + self.patience + self.basis.tight();
        let mut climbed = false;
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
                End::Limit if self.iterations >= long && long < last => {
                    if !self.restart(watch, monitor) {
                        self.patience *= 2;
                    }
                    (long, climbed) = (last, false);
                }
                End::Idle | End::Limit => return false,
            }
        }
    }

    /// Raises t, and moves what paths out of the basis carry as long as t gains by it.
    ///
    /// What is left on them then needs no column: that t gains nothing by it is all that a proof asks.
    fn push(&mut self, last: usize, watch: &mut Watch, monitor: &mut impl Monitor) -> End {
        let new = self.basis.tight() == 0;
        if self.is_large() {
            return End::Limit;
        }
        if self.basis.matrix.rate.is_none() && self.basis.step(Entering::Rate, 1.0, 0.0).is_none() {
            return End::Top;
        }
        let mut length = self.basis.lengths(CLOSE).0;
        let mut slowest = CLEAR;
        loop {
            let keys = self.basis.keys(&length);
            let least = self.least(largest(keys.iter().copied()));
            let mut worth = self.basis.worth(&keys, &length, least);
            let most = largest(worth.iter().map(|(worth, _)| *worth));
            let before = self.iterations;
            worth.retain(|(worth, _)| *worth >= MUCH[MUCH.len() - 1] * most);
            for (enough, (_, n)) in MUCH.iter().flat_map(|part| worth.iter().map(move |path| (part * most, path))) {
                if watch.stop(monitor) {
                    return End::Stopped;
                }
                if self.iterations >= last || self.is_large() {
                    return End::Limit;
                }
                let gain = self.basis.gain(*n, &length);
                let much = gain.abs() > least && gain.abs() * self.basis.x[*n as usize] >= enough;
                let enters = || Some(Entering::Path(*n)).filter(|_| much && self.basis.is_superbasic(*n));
                if enters().and_then(|path| self.basis.step(path, gain.signum(), slowest)).is_some() {
                    self.iterations += 1;
                    length = self.basis.lengths(CLOSE).0;
                }
            }
            match self.iterations == before {
                true if slowest == 0.0 || worth.is_empty() => break,
                true => slowest = 0.0,
                false => slowest = CLEAR,
            }
        }
        if new {
            self.basis.forget();
        }
        End::Top
    }

    /// Starts anew with first-order flows in what fixed demands leave, if t is higher with these; returns false where they
    /// were in vain.
    fn restart(&mut self, watch: &mut Watch, monitor: &mut impl Monitor) -> bool {
        let least = self.basis.t * (1.0 + RISEN);
        if self.bound().upper <= least {
            return true;
        }
        let Some(rest) = Rest::new(&self.source, &self.basis) else { return false };
        let Some(search) = rest.search() else { return false };
        let first = Steps { least: self.unit * least, ..AGAIN }.take(search, watch, monitor);
        let higher = first.lower > self.unit * least;
        if higher {
            let (base, slope) = (self.basis.base.clone(), self.basis.slope.clone());
            let fixed = |j: usize| slope[j] == 0.0;
            let (t, mut paths) = first.flows(self.unit, &slope);
            (0..paths.len()).filter(|j| fixed(*j)).for_each(|j| paths[j] = self.basis.carrying(j));
            self.begin(t, paths, base, slope);
        }
        higher
    }

    /// What paths have to be shorter by than key paths, of which the longest is so long.
    fn least(&self, longest: f64) -> f64 {
        (EXACT * self.basis.t / self.basis.all()).max(NOISE * longest)
    }

    /// Moves to the best vertex.
    fn climb(&mut self, last: usize, watch: &mut Watch, monitor: &mut impl Monitor) -> End {
        let mut candidates = Candidates { hot: vec![], hottest: f64::INFINITY, longest: 0.0, priced: f64::INFINITY };
        let (mut highest, mut since) = (self.basis.t, self.iterations);
        while self.iterations < last && !self.is_large() {
            if self.basis.t > highest * (1.0 + EXACT) {
                (highest, since) = (self.basis.t, self.iterations);
            } else if self.iterations - since > LEAST_IDLE + IDLE * self.basis.tight() {
                return End::Idle;
            }
            let report =
                Progress { iterations: self.iterations, lower: self.basis.t * self.unit, upper: f64::INFINITY };
            if watch.stop(monitor) {
                return End::Stopped;
            }
            if self.iterations.is_multiple_of(CORRECTED) {
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
        End::Limit
    }

    /// Some of what t gains most by; none at the best vertex, or where its matrix is singular.
    fn gains(&mut self, candidates: &mut Candidates) -> Vec<Gain> {
        let (mut length, error) = self.basis.lengths(CLOSE);
        let (exact, total) = (EXACT * self.basis.t, self.basis.all());
        let dearest = NOISE * largest(self.basis.matrix.prices(&self.basis.per, &length));
        let mut gains = self.basis.shorter(&candidates.hot, &length, self.least(candidates.longest));
        if best_of(&gains) <= COOL * candidates.hottest {
            let mut keys = self.basis.keys(&length);
            candidates.longest = largest(keys.iter().copied());
            let least = self.least(candidates.longest);
            gains = self.basis.shorter_than(&keys, &length, least);
            if best_of(&gains) <= FADED * candidates.priced {
                if error > least * total {
                    if !self.basis.refactor() {
                        return vec![];
                    }
                    length = self.basis.lengths(CLOSE).0;
                    keys = self.basis.keys(&length);
                }
                self.price(&length, &keys, least);
                gains = self.basis.shorter_than(&keys, &length, least);
                candidates.priced = best_of(&gains);
            }
            if gains.len() > HOT {
                gains.select_nth_unstable_by(HOT, |a, b| b.0.total_cmp(&a.0).then(a.1.path().cmp(&b.1.path())));
                gains.truncate(HOT);
            }
            candidates.hottest = best_of(&gains);
            candidates.hot = gains.iter().filter_map(|(_, entering)| entering.path()).collect();
        }
        let loose = self.basis.loose(&length, dearest.max(exact / self.source.capacity().len() as f64));
        gains.extend(loose.filter(|(_, entering)| !self.full(*entering)));
        gains.sort_by(|a, b| b.0.total_cmp(&a.0));
        gains.truncate(COMPARED);
        gains
    }

    /// Whether what enters is the slack of a link that stays full.
    fn full(&self, entering: Entering) -> bool {
        matches!(entering, Entering::Slack(r) if self.closed.full(self.basis.matrix.rows[r as usize]))
    }

    /// Adds open paths that are shorter than the key paths of their demands, which are as long as `keys`, by more than `least`.
    ///
    /// Where closed ones are as well, what closes them is added to the lengths until there is an open one, or none is shorter.
    fn price(&mut self, length: &[f64], keys: &[f64], least: f64) {
        for _ in 0..MOST_PRICINGS {
            let all = self.closed.with(length);
            let ends = self.basis.keys(&all);
            let noise = least.max(NOISE * largest(ends.iter().copied()));
            let priced = self.source.under(all);
            let limit = |(end, shortest): (&f64, &f64)| if *shortest < end - noise { end - noise } else { NO_PATH };
            let limits = Limits { length: ends.iter().zip(&priced.shortest).map(limit).collect(), count: 1 };
            let (mut found, mut closed) = (false, false);
            for (j, paths) in self.source.paths(&priced, limits).into_iter().enumerate() {
                for path in paths {
                    let shorter =
                        |key: f64, length: &[f64]| key - path.links.iter().map(|l| length[*l as usize]).sum::<f64>();
                    let gain = shorter(ends[j], &priced.length);
                    if self.closed.opens(&path.links, self.basis.key_links(j), gain.max(0.0)) {
                        found |= shorter(keys[j], length) > least;
                        self.basis.add(j, &path, 0.0);
                    } else {
                        closed |= gain > noise;
                    }
                }
            }
            if !self.closed.lift() || found || !closed {
                return;
            }
        }
    }
}

fn best_of(gains: &[Gain]) -> f64 {
    largest(gains.iter().map(|(gain, _)| *gain))
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}
