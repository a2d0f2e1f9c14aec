//! Paths over which others write programs: those of some first-order steps, and those that prices ask for.

use super::links::Links;
use super::pool::Pool;
use super::price::{Limits, NO_PATH, Path};
use super::search::Search;
use super::source::{Anywhere, Source};
use crate::error::{Error, invalid};
use crate::mcf::best::Best;
use crate::mcf::path_form::{PathProblem, Solution, even, normalise};
use crate::mcf::problem::{Problem, Use};
use crate::mcf::proof::Proof;
use crate::mcf::run::{Monitor, Options, Progress, Watch};
use crate::rounding::Nearest;

/// How far first-order steps go.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    /// The gap at which they end, and how many they are at most.
    pub(super) gap: f64,
    pub(super) most: usize,
    /// Paths with this part of their demand, or less, are left out then, but for the fullest.
    pub(super) unused: f64,
    /// They end where K is seen to be no more than this.
    pub(super) least: f64,
}

impl Steps {
    /// A program needs but few paths: missing ones are found again.
    pub(super) const ROUGH: Steps = Steps { gap: 0.02, most: 1_000, unused: 0.01, least: 0.0 };
}

/// Part of the time that first steps take, at most.
const PART: f64 = 0.25;
/// Paths of a demand in a plane that are added in one pricing.
const MOST_PATHS: usize = 4;
/// A shortest path is new to a demand where it is shorter, by this part, than those that it has.
const SHORTER: f64 = 1e-9;

/// Where first-order steps for K ended: paths with the part of its demand on each, bounds, and lengths.
pub(super) struct First {
    pub(super) pool: Pool,
    pub(super) split: Vec<f64>,
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) length: Vec<f64>,
}

impl First {
    /// The rate of all demands that the split attains, in multiples of `unit`, and the paths of each with what they carry
    /// then, a demand so much per unit of the rate as its `slope`.
    pub(super) fn flows(mut self, unit: f64, slope: &[f64]) -> (f64, Vec<Vec<(Path, f64)>>) {
        let problem = &self.pool.problem;
        normalise(problem, &mut self.split);
        let t = problem.lower_bound::<Nearest>(&problem.load::<Nearest>(&self.split)) / unit;
        let flow = |j: usize, n: usize| {
            let path = Path { place: self.pool.numbers()[n], links: problem.path(n).to_vec() };
            (path, self.split[n] * slope[j] * t)
        };
        let of_demand = |j| (problem.pair_ptr[j]..problem.pair_ptr[j + 1]).map(|n| flow(j, n)).collect();
        (t, (0..slope.len()).map(of_demand).collect())
    }
}

/// The links, and the paths in use after some first-order steps for K.
pub(super) fn first(
    problem: &Problem,
    steps: Steps,
    options: &Options,
    monitor: &mut impl Monitor,
) -> Result<(Links, First), Error> {
    let best = Best::new(problem)?;
    if !best.lower.is_finite() {
        return invalid("capacity", "no link limits any demand");
    }
    let source = Anywhere { problem, links: Links::new(problem) };
    let mut watch = Watch::new(PART * options.time_limit_s);
    let first = steps.take(Search::anywhere(&source, &best)?, &mut watch, monitor);
    Ok((source.links, first))
}

/// The same where paths are given.
pub(super) fn first_listed(
    problem: &PathProblem,
    steps: Steps,
    options: &Options,
    monitor: &mut impl Monitor,
) -> Result<First, Error> {
    let search = Search::listed(problem, &Solution::first(problem, &even(problem))?)?;
    Ok(steps.take(search, &mut Watch::new(PART * options.time_limit_s), monitor))
}

impl Steps {
    /// Where the steps of a search end.
    pub(super) fn take<S: Source>(
        self,
        mut search: Search<'_, S>,
        watch: &mut Watch,
        monitor: &mut impl Monitor,
    ) -> First {
        let open = |lower: f64, upper: f64| upper > self.least && upper - lower > self.gap * upper;
        while open(search.lower, search.upper) && search.iterations() < self.most {
            let stopped = search.advance(search.steps(), || watch.stop(monitor));
            let report = Progress { iterations: search.iterations(), lower: search.lower, upper: search.upper };
            if stopped || watch.late() || !monitor.progress(report) {
                break;
            }
        }
        let Search { mut pool, split, lower, upper, length, .. } = search;
        let used = used(&pool.problem, &split, self.unused);
        let from = pool.exchange(&vec![vec![]; pool.problem.demand.len()], &used);
        let split = from.iter().map(|n| split[*n as usize]).collect();
        First { pool, split, lower, upper, length }
    }
}

/// Which paths have more than the part `unused` of their demand, or the most.
fn used(problem: &PathProblem, split: &[f64], unused: f64) -> Vec<bool> {
    let of_demand = |own: &[usize]| {
        let parts = &split[own[0]..own[1]];
        let most = parts.iter().copied().fold(0.0, f64::max);
        parts.iter().map(move |part| *part > unused || *part == most)
    };
    problem.pair_ptr.windows(2).flat_map(of_demand).collect()
}

/// Paths of each demand, which grow in number.
pub struct PathsInUse {
    source: Anywhere<Problem>,
    pool: Pool,
}

/// Paths, those of a demand after each other; arcs are numbered within their plane.
pub struct Listed {
    /// Where the paths of each demand begin.
    pub pair_ptr: Vec<usize>,
    /// The plane of each path.
    pub plane: Vec<u32>,
    /// Where the arcs of each path begin.
    pub path_ptr: Vec<usize>,
    /// The arcs.
    pub arc: Vec<u32>,
}

impl PathsInUse {
    /// The paths in use after some first-order steps for K of `problem`, in which each demand has a path.
    ///
    /// ```
    #[doc = include_str!("../two_cables.md")]
    /// use pnet_core::mcf::columns::PathsInUse;
    /// use pnet_core::mcf::run::{Options, Unwatched};
    ///
    /// let options = Options { tolerance: 1e-4, max_iterations: 1_000, time_limit_s: f64::INFINITY };
    /// let mut paths = PathsInUse::new(&problem, &options, &mut Unwatched)?;
    /// assert!(!paths.listed().plane.is_empty());
    /// // Where all links cost the same, none is missing.
    /// assert_eq!(paths.add(&[1.0; 4], &[0.0; 4], &[0.0; 4])?, 0);
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn new(problem: &Problem, options: &Options, monitor: &mut impl Monitor) -> Result<Self, Error> {
        let (links, First { pool, .. }) = first(problem, Steps::ROUGH, options, monitor)?;
        Ok(PathsInUse { source: Anywhere { problem: problem.clone(), links }, pool })
    }

    /// The paths.
    pub fn listed(&self) -> Listed {
        let (Anywhere { problem, links }, paths) = (&self.source, &self.pool.problem);
        let plane = self.pool.numbers().to_vec();
        let (mut path_ptr, mut arc) = (vec![0], vec![]);
        for j in 0..problem.demands() {
            for n in paths.pair_ptr[j]..paths.pair_ptr[j + 1] {
                let of_plane = &problem.planes[plane[n] as usize];
                if let Use::Core { source, .. } = of_plane.demands[j] {
                    links.for_each_arc(plane[n] as usize, of_plane, source, paths.path(n), |a| arc.push(a as u32));
                }
                path_ptr.push(arc.len());
            }
        }
        Listed { pair_ptr: paths.pair_ptr.clone(), plane, path_ptr, arc }
    }

    /// Adds short paths under lengths of arcs and of access links; returns how many demands had no shortest one.
    pub fn add(&mut self, length: &[f64], up: &[f64], down: &[f64]) -> Result<usize, Error> {
        let Anywhere { problem, links } = &self.source;
        let access = problem.planes.len() * problem.endpoints;
        if length.len() != problem.arcs() || up.len() != access || down.len() != access {
            return invalid("length", "not one for each arc and access link");
        }
        if !length.iter().chain(up).chain(down).all(|length| *length >= 0.0 && length.is_finite()) {
            return invalid("length", "not finite and at least 0");
        }
        let priced = self.source.bound(links.joined(length, up, down));
        let mut length = self.pool.problem.shortest::<Nearest>(&priced.length);
        for (known, all) in length.iter_mut().zip(&priced.shortest) {
            *known = if *all < *known * (1.0 - SHORTER) { *known } else { NO_PATH };
        }
        let missing = length.iter().filter(|length| **length != NO_PATH).count();
        let paths = self.source.paths(&priced, Limits { length, count: MOST_PATHS });
        self.pool.exchange(&paths, &vec![true; self.pool.len()]);
        Ok(missing)
    }

    /// The flow in which each demand has so much of its `rate` on each of its paths; its lengths are 0.
    pub fn proof(&self, weight: &[f64], rate: &[f64]) -> Result<Proof, Error> {
        if weight.len() != self.pool.len() || rate.len() != self.source.problem.demands() {
            return invalid("weight", "not one for each path, or no rate for each demand");
        }
        if !weight.iter().all(|part| *part >= 0.0 && part.is_finite()) {
            return invalid("weight", "not finite and at least 0");
        }
        if !rate.iter().all(|rate| *rate > 0.0 && rate.is_finite()) {
            return invalid("rate", "not finite and above 0");
        }
        let paths = &self.pool.problem;
        let mut part = weight.to_vec();
        for (j, rate) in rate.iter().enumerate() {
            let own = paths.pair_ptr[j]..paths.pair_ptr[j + 1];
            part[own].iter_mut().for_each(|part| *part *= rate / paths.demand[j]);
        }
        Ok(self.source.proof(rate.to_vec(), &self.pool, &part, false))
    }
}
