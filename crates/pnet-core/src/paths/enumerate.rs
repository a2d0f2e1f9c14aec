//! The paths of many pairs, searched destination by destination.

use std::ops::Range;

use rayon::prelude::*;

use super::endpoints::Endpoints;
use super::path_set::{PathSet, Paths};
use super::select::{PathKind, Selection, Selector};
use crate::error::{Error, room_for};
use crate::graph::{Blocks, Graph, Planes};
use crate::stop::Stop;

/// The number of parts in which pairs are searched: while a part is sorted, its paths are in memory twice.
const PARTS: usize = 8;

/// Pairs of a part, at least.
const LEAST: usize = 1 << 14;

/// The paths of every pair, the same on any number of threads.
///
/// # Errors
/// Where `stop` is requested, or out of memory.
///
/// A pair is a source and a destination endpoint; on one switch of a plane it has the empty path there.
///
/// ```
/// # use pnet_core::Stop;
/// # use pnet_core::graph::{Graph, Planes};
/// # use pnet_core::paths::{PathKind, Policy, Selection, enumerate};
/// // From 0 to 2 directly, or over 1.
/// let graph = Graph::new(3, vec![0, 0, 1], vec![1, 2, 2])?;
/// let planes = Planes::new(vec![graph], vec![vec![Some(0), Some(1), Some(2)]])?;
/// let selection = Selection { kind: PathKind::KShortest, count: 2, policy: Policy::Any, per_flow: false, seed: 1 };
/// let set = enumerate(&planes, &[(0, 2)], &selection, &Stop::default())?;
/// assert_eq!(set.pair_ptr, [0, 2]);
/// assert_eq!((set.paths.get(0), set.paths.get(1)), (&[1][..], &[0, 2][..]));
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn enumerate(planes: &Planes, pairs: &[(u32, u32)], selection: &Selection, stop: &Stop) -> Result<PathSet, Error> {
    let endpoints = Endpoints::new(planes);
    // Needed where paths may be searched one by one.
    let blocks = match (selection.kind, selection.count) {
        (PathKind::EdgeDisjoint, _) | (PathKind::EqualCost, 1) => vec![],
        _ => planes.graphs.iter().map(Blocks::new).collect(),
    };
    let search = Search { graphs: &planes.graphs, original: planes.originals(), blocks, endpoints, selection, stop };
    let mut set = PathSet::default();
    room_for("offsets of pairs", &mut set.pair_ptr, pairs.len() + 1)?;
    set.pair_ptr.push(0);
    for part in pairs.chunks(pairs.len().div_ceil(PARTS).max(LEAST)) {
        search.part(part, &mut set)?;
    }
    Ok(set)
}

/// The graphs, and the selection of paths.
struct Search<'a> {
    graphs: &'a [Graph],
    original: Vec<usize>,
    blocks: Vec<Blocks>,
    endpoints: Endpoints,
    selection: &'a Selection,
    stop: &'a Stop,
}

/// The paths of a group, and the range of each of its pairs.
type Found = (Paths, Vec<Range<usize>>);

impl Search<'_> {
    /// Adds the paths of these pairs.
    fn part(&self, pairs: &[(u32, u32)], set: &mut PathSet) -> Result<(), Error> {
        let endpoints = &self.endpoints;
        let order = endpoints.by_destination(pairs);
        let groups: Vec<&[u32]> = endpoints.groups(pairs, &order).collect();
        let found: Vec<Found> = groups
            .par_iter()
            .map_init(
                || Selector::new(self.graphs, &self.original, &self.blocks, self.selection, self.stop),
                |selector, group| self.group(selector, pairs, group),
            )
            .collect::<Result<_, Error>>()?;
        let mut position = vec![(0, 0); pairs.len()];
        let (mut paths, mut arcs) = (0, 0);
        for (g, (group, (found, spans))) in groups.iter().zip(&found).enumerate() {
            for (i, (j, span)) in group.iter().zip(spans).enumerate() {
                position[*j as usize] = (g as u32, i as u32);
                paths += span.len();
                arcs += found.ptr[span.end] - found.ptr[span.start];
            }
        }
        set.paths.reserve(paths, arcs)?;
        for (g, i) in position {
            let (paths, spans) = &found[g as usize];
            set.paths.extend(paths, spans[i as usize].clone());
            set.pair_ptr.push(set.paths.len());
        }
        Ok(())
    }

    /// The paths of pairs with equivalent destinations.
    fn group(&self, selector: &mut Selector, pairs: &[(u32, u32)], group: &[u32]) -> Result<Found, Error> {
        let (endpoints, selection) = (&self.endpoints, self.selection);
        selector.aim(endpoints.switches(pairs[group[0] as usize].1));
        let mut paths = Paths::default();
        let mut spans: Vec<Range<usize>> = Vec::with_capacity(group.len());
        for (i, j) in group.iter().enumerate() {
            let (from, to) = pairs[*j as usize];
            let previous = i.checked_sub(1).map(|i| (pairs[group[i] as usize].0, spans[i].clone()));
            let span = match previous {
                Some((other, span)) if !selection.per_flow && endpoints.equivalent(from, other) => span,
                _ => {
                    let first = paths.len();
                    let stream = endpoints.stream(selection.seed, selection.per_flow, (from, to));
                    selector.select(endpoints.switches(from), stream, &mut paths)?;
                    first..paths.len()
                }
            };
            spans.push(span);
        }
        Ok((paths, spans))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PathKind, Policy};
    use super::*;

    /// The cube of `dimensions`, as many times as `planes`, with an endpoint at each node.
    fn cubes(dimensions: u32, planes: usize) -> Planes {
        let nodes = 1 << dimensions;
        let ends = (0..nodes).flat_map(|u| (0..dimensions).map(move |i| (u, u ^ (1 << i))));
        let (tail, mut head): (Vec<u32>, Vec<u32>) = ends.unzip();
        head.chunks_mut(dimensions as usize).for_each(<[u32]>::sort_unstable);
        let graph = Graph::new(nodes as usize, tail, head).unwrap();
        Planes::new(vec![graph; planes], vec![(0..nodes).map(Some).collect(); planes]).unwrap()
    }

    #[test]
    fn planes_that_are_copies_have_the_paths_of_others() {
        let planes = cubes(4, 3);
        assert_eq!(planes.originals(), [0, 0, 0]);
        let pairs: Vec<(u32, u32)> = (0..16).flat_map(|u| [(u, 15 - u), (u, u ^ 1)]).collect();
        for kind in [PathKind::EqualCost, PathKind::KShortest, PathKind::EdgeDisjoint] {
            for (count, policy) in [(1, Policy::Any), (7, Policy::Any), (40, Policy::Single), (200, Policy::RoundRobin)]
            {
                let selection = Selection { kind, count, policy, per_flow: false, seed: 3 };
                let found = enumerate(&planes, &pairs, &selection, &Stop::default()).unwrap();
                let search = Search {
                    graphs: &planes.graphs,
                    original: vec![0, 1, 2],
                    blocks: planes.graphs.iter().map(Blocks::new).collect(),
                    endpoints: Endpoints::new(&planes),
                    selection: &selection,
                    stop: &Stop::default(),
                };
                let mut each = PathSet { pair_ptr: vec![0], ..PathSet::default() };
                search.part(&pairs, &mut each).unwrap();
                assert_eq!(found, each);
            }
        }
    }

    #[test]
    fn all_of_very_many_shortest_paths_are_found_at_once() {
        let selection =
            Selection { kind: PathKind::EqualCost, count: usize::MAX, policy: Policy::Any, per_flow: false, seed: 1 };
        let set = enumerate(&cubes(9, 1), &[(0, 511)], &selection, &Stop::default()).unwrap();
        assert_eq!((set.paths.len(), set.paths.get(0).len()), (362_880, 9));
    }
}
