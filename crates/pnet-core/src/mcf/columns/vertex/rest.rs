//! What demands that do not rise leave to those that do.

use std::borrow::Cow;

use super::basis::{Basis, put};
use crate::mcf::columns::price::{Limits, NO_PATH, Path, Priced};
use crate::mcf::columns::search::Search;
use crate::mcf::columns::source::Source;
use crate::mcf::columns::{FIRST_PATHS, first_of};

/// Part of a link's capacity that counts as none.
const NOTHING: f64 = 1e-9;
/// How much longer a full link is than all others together: first paths may be several times as long as the shortest.
const LONGER: f64 = 1e3;
/// What a demand that does not rise asks, of what the smallest one does: it has a path without a link.
const UNASKED: f64 = 1e-9;

/// The links, with what is left of them, and the demands that rise.
///
/// A full link is longer than all others together, and has no limit: no path is to use it.
pub(super) struct Rest<'a, S> {
    source: &'a S,
    rises: Vec<bool>,
    demand: Vec<f64>,
    capacity: Vec<f64>,
    full: Vec<bool>,
}

impl<'a, S: Source> Rest<'a, S> {
    /// None where all demands rise.
    pub(super) fn new(source: &'a S, basis: &Basis) -> Option<Self> {
        let rises: Vec<bool> = basis.slope.iter().map(|slope| *slope > 0.0).collect();
        if rises.iter().all(|rises| *rises) {
            return None;
        }
        let mut load = vec![0.0; basis.per.len()];
        for j in (0..rises.len()).filter(|j| !rises[*j]) {
            basis.split(j).for_each(|(n, x)| put(&mut load, &basis.per, basis.paths.links(n), x));
        }
        let full: Vec<bool> = load.iter().map(|load| 1.0 - load < NOTHING).collect();
        let left = |l: usize| if full[l] { f64::INFINITY } else { source.capacity()[l] * (1.0 - load[l]) };
        let asked = source.demand().iter().zip(&rises).filter(|(_, rises)| **rises).map(|(d, _)| *d);
        let unasked = UNASKED * asked.fold(f64::INFINITY, f64::min);
        Some(Rest {
            source,
            demand: source.demand().iter().zip(&rises).map(|(d, rises)| if *rises { *d } else { unasked }).collect(),
            capacity: (0..load.len()).map(left).collect(),
            full,
            rises,
        })
    }

    /// The search for the largest K of those that rise; None where one of them has no path.
    pub(super) fn search(&self) -> Option<Search<'_, Self>> {
        let hops = self.bound(vec![1.0; self.capacity.len()]);
        let around = |j: usize| hops.shortest[j] < self.beyond(&hops.length);
        (0..self.rises.len())
            .all(around)
            .then(|| Search::new(self, first_of(self.demand.len(), FIRST_PATHS), hops.upper, hops.length).ok())
            .flatten()
    }

    /// Replaces values of demands that do not rise.
    fn replace<T: Clone>(&self, values: &mut [T], by: &T) {
        values.iter_mut().zip(&self.rises).filter(|(_, rises)| !**rises).for_each(|(value, _)| value.clone_from(by));
    }

    /// What paths that avoid full links are shorter than.
    fn beyond(&self, length: &[f64]) -> f64 {
        let open = length.iter().zip(&self.full).filter(|(_, full)| !**full).map(|(l, _)| l);
        LONGER * open.sum::<f64>()
    }
}

impl<S: Source> Source for Rest<'_, S> {
    fn capacity(&self) -> &[f64] {
        &self.capacity
    }

    fn demand(&self) -> &[f64] {
        &self.demand
    }

    fn under(&self, mut length: Vec<f64>) -> Priced {
        let beyond = self.beyond(&length);
        length.iter_mut().zip(&self.full).filter(|(_, full)| **full).for_each(|(l, _)| *l = beyond);
        let mut priced = self.source.under(length);
        self.replace(&mut priced.shortest, &0.0);
        priced
    }

    fn paths(&self, priced: &Priced, mut limits: Limits) -> Vec<Vec<Path>> {
        self.replace(&mut limits.length, &NO_PATH);
        let mut paths = self.source.paths(priced, limits);
        self.replace(&mut paths, &vec![Path { place: 0, links: vec![] }]);
        paths
    }

    fn plane(&self) -> Cow<'_, [u32]> {
        self.source.plane()
    }

    fn outside(&self, length: Vec<f64>) -> Vec<f64> {
        self.source.outside(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcf::columns::vertex::FIRST;
    use crate::mcf::path_form::PathProblem;
    use crate::mcf::run::{Unwatched, Watch};

    /// Links of 1 and 4, a demand of 1 over the first, and one of 2 over these.
    fn shared(of_second: &[u32]) -> (PathProblem, Basis) {
        let link = [&[0], of_second].concat();
        let ends = (0..=link.len()).collect();
        let problem =
            PathProblem::new(vec![1.0, 4.0], vec![1.0, 2.0], vec![0, 1, link.len()], ends, link.clone()).unwrap();
        let path = |(n, l): (u32, &u32)| (Path { place: n, links: vec![*l] }, 0.1);
        let mut paths = (0..).zip(&link).map(path);
        let first = paths.by_ref().take(1).collect();
        let basis = Basis::new(vec![1.0, 0.25], vec![1.0, 2.0], 0.1, vec![first, paths.collect()]);
        (problem, basis)
    }

    #[test]
    fn what_rises_goes_around_full_links() {
        let (problem, mut basis) = shared(&[0, 1]);
        assert!(Rest::new(&problem, &basis).is_none());
        basis.rise(vec![1.0, 0.0], vec![0.0, 2.0]);
        let rest = Rest::new(&problem, &basis).unwrap();
        let search = rest.search().unwrap();
        let first = FIRST.take(search, &mut Watch::new(f64::INFINITY), &mut Unwatched);
        let (t, paths) = first.flows(1.0, &basis.slope);
        assert!((t - 2.0).abs() < 1e-9, "{t}");
        let [(path, flow)] = &paths[1][..] else { panic!("{:?}", paths[1]) };
        assert!(path.links == [1] && (flow - 4.0).abs() < 1e-9);
    }

    #[test]
    fn half_a_link_is_left() {
        let (problem, mut basis) = shared(&[0, 1]);
        basis.rise(vec![0.5, 0.0], vec![0.0, 2.0]);
        let rest = Rest::new(&problem, &basis).unwrap();
        let first = FIRST.take(rest.search().unwrap(), &mut Watch::new(f64::INFINITY), &mut Unwatched);
        assert!((first.flows(1.0, &basis.slope).0 - 2.25).abs() < 1e-4);
    }

    #[test]
    fn there_may_be_no_way_around() {
        let (problem, mut basis) = shared(&[0]);
        basis.rise(vec![1.0, 0.0], vec![0.0, 2.0]);
        assert!(Rest::new(&problem, &basis).unwrap().search().is_none());
    }
}
