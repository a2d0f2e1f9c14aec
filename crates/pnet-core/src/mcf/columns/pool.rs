//! The restricted master: a problem over given paths, which grows and shrinks.

use super::links::Links;
use super::price::Path;
use crate::csr::Csr;
use crate::error::Error;
use crate::graph::{FAR, Reach};
use crate::mcf::path_form::PathProblem;
use crate::mcf::pdhg::split::NEW;
use crate::mcf::problem::{Plane, Problem, Use};
use crate::mcf::round::{Flow, NOISE};

/// The restricted problem.
#[derive(Clone)]
pub(super) struct Pool {
    pub(super) problem: PathProblem,
    /// The plane of each path, or its number among given ones.
    place: Vec<u32>,
    /// For how many pricings each path has carried nothing.
    idle: Vec<u32>,
}

impl Pool {
    /// The problem over these paths, at least one for each demand.
    pub(super) fn new(capacity: &[f64], demand: &[f64], paths: &[Vec<Path>]) -> Result<Self, Error> {
        let none = PathProblem {
            capacity: capacity.to_vec(),
            demand: demand.to_vec(),
            pair_ptr: vec![0; demand.len() + 1],
            path_ptr: vec![0],
            link: vec![],
        };
        let mut pool = Pool { problem: none, place: vec![], idle: vec![] };
        pool.exchange(paths, &[]);
        let PathProblem { capacity, demand, pair_ptr, path_ptr, link } = pool.problem;
        pool.problem = PathProblem::new(capacity, demand, pair_ptr, path_ptr, link)?;
        Ok(pool)
    }

    /// Number of paths.
    pub(super) fn len(&self) -> usize {
        self.place.len()
    }

    /// The number of each path, where they are given.
    pub(super) fn numbers(&self) -> &[u32] {
        &self.place
    }

    /// Adds those of `paths` that are new, and drops those not `kept`; returns the old index of each path.
    pub(super) fn exchange(&mut self, paths: &[Vec<Path>], kept: &[bool]) -> Vec<u32> {
        let old = &self.problem;
        let (mut pair_ptr, mut path_ptr, mut link) = (vec![0], vec![0], vec![]);
        let (mut place, mut idle, mut from) = (vec![], vec![], vec![]);
        for (j, paths) in paths.iter().enumerate() {
            for n in (old.pair_ptr[j]..old.pair_ptr[j + 1]).filter(|n| kept[*n]) {
                link.extend_from_slice(old.path(n));
                path_ptr.push(link.len());
                place.push(self.place[n]);
                idle.push(self.idle[n]);
                from.push(n as u32);
            }
            let first = pair_ptr[j];
            for path in paths {
                let known = (first..place.len())
                    .any(|n| place[n] == path.place && link[path_ptr[n]..path_ptr[n + 1]] == path.links[..]);
                if !known {
                    link.extend_from_slice(&path.links);
                    path_ptr.push(link.len());
                    place.push(path.place);
                    idle.push(0);
                    from.push(NEW);
                }
            }
            pair_ptr.push(place.len());
        }
        (self.problem.pair_ptr, self.problem.path_ptr, self.problem.link) = (pair_ptr, path_ptr, link);
        (self.place, self.idle) = (place, idle);
        from
    }

    /// Records which paths carry traffic; returns whether each has done so at one of the last `patience` pricings.
    pub(super) fn keep(&mut self, patience: u32, used: impl Fn(usize) -> bool) -> Vec<bool> {
        let idle = self.idle.iter_mut().enumerate();
        idle.map(|(n, idle)| {
            *idle = if used(n) { 0 } else { *idle + 1 };
            *idle < patience
        })
        .collect()
    }

    /// The flow of a split, to be rounded.
    pub(super) fn flow<'a>(&'a self, problem: &'a Problem, links: &'a Links, weight: &'a [f64]) -> PathFlow<'a> {
        let mut share = vec![0.0; problem.planes.len() * problem.demands()];
        let rows = (problem.planes.iter().enumerate())
            .map(|(p, plane)| {
                let paths = (0..problem.demands()).flat_map(|j| {
                    let row = match plane.demands[j] {
                        Use::Core { row, .. } => Some(row),
                        Use::Never | Use::Local => None,
                    };
                    let own = self.problem.pair_ptr[j]..self.problem.pair_ptr[j + 1];
                    let carrying = own.filter(move |n| self.place[*n] as usize == p && weight[*n] > 0.0);
                    carrying.filter_map(move |n| Some((row?, (n as u32, j as u32))))
                });
                Csr::new(plane.targets.len(), paths)
            })
            .collect();
        for j in 0..problem.demands() {
            for n in self.problem.pair_ptr[j]..self.problem.pair_ptr[j + 1] {
                share[self.place[n] as usize * problem.demands() + j] += weight[n];
            }
        }
        PathFlow { problem, pool: self, links, weight, rows, share, exact: false }
    }
}

/// The flow of a split on arcs.
pub(super) struct PathFlow<'a> {
    problem: &'a Problem,
    pool: &'a Pool,
    links: &'a Links,
    weight: &'a [f64],
    /// The paths and demands of each row, by plane.
    rows: Vec<Csr<(u32, u32)>>,
    share: Vec<f64>,
    /// Whether small parts are no noise.
    pub(super) exact: bool,
}

impl Flow for PathFlow<'_> {
    fn row(&self, plane: usize, row: usize, flow: &mut [f64]) {
        flow.fill(0.0);
        for (n, j) in self.rows[plane].of(row) {
            let amount = self.pool.problem.demand[*j as usize] * self.weight[*n as usize];
            let of_plane = &self.problem.planes[plane];
            let Use::Core { source, .. } = of_plane.demands[*j as usize] else { continue };
            let path = self.pool.problem.path(*n as usize);
            self.links.for_each_arc(plane, of_plane, source, path, |arc| flow[arc] += amount);
        }
    }

    fn share(&self, plane: usize, demand: usize) -> f64 {
        self.share[plane * self.problem.demands() + demand]
    }

    fn noise(&self) -> f64 {
        if self.exact { 0.0 } else { NOISE }
    }
}

/// Targets from which hops are counted.
const SAMPLE: usize = 16;

/// Bytes of so many `paths` in each plane, and of the iterate over them.
pub(super) fn estimate_bytes(problem: &Problem, paths: usize) -> usize {
    // A detour is longer by a link or two, and there are access links at both ends.
    problem.planes.iter().map(|plane| bytes_of(paths * (farthest(plane) + 2 + 2), paths)).sum()
}

/// Bytes of `paths` with so many links in all, and of the iterate over them.
pub(super) fn bytes_of(links: usize, paths: usize) -> usize {
    // The links, a copy while paths are exchanged, and their transpose; the variables and the paths.
    3 * links * size_of::<u32>() + paths * (12 * size_of::<f64>() + 2 * size_of::<Path>())
}

/// Hops from the farthest switch to one of some targets.
fn farthest(plane: &Plane) -> usize {
    let mut reach = Reach::default();
    let every = (plane.targets.len() / SAMPLE).max(1);
    let hops = plane.targets.iter().step_by(every).take(SAMPLE).map(|target| {
        plane.graph.reach(*target, &mut reach);
        plane.graph.hops(&reach, |_| true).into_iter().filter(|hops| *hops != FAR).max().unwrap_or(0)
    });
    hops.max().unwrap_or(0) as usize
}
