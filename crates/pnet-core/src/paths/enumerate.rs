//! The paths of many pairs, searched destination by destination.

use std::ops::Range;

use rayon::prelude::*;

use super::endpoints::Endpoints;
use super::path_set::{PathSet, Paths};
use super::select::{Selector, Wanted};
use crate::graph::{Graph, Planes};

/// In how many parts the pairs are searched: while a part is put into order, its paths are held twice.
const PARTS: usize = 8;

/// Pairs of a part at least.
const LEAST: usize = 1 << 14;

/// The paths of every pair, the same on any number of threads.
///
/// A pair is a source and a destination endpoint; on one switch of a plane it has the empty path there.
///
/// ```
/// # use pnet_core::graph::{Graph, Planes};
/// # use pnet_core::paths::{PathKind, Policy, Wanted, enumerate};
/// // From 0 to 2 directly, or over 1.
/// let graph = Graph::new(3, vec![0, 0, 1], vec![1, 2, 2])?;
/// let planes = Planes::new(vec![graph], vec![vec![Some(0), Some(1), Some(2)]])?;
/// let wanted = Wanted { kind: PathKind::KShortest, count: 2, policy: Policy::Any, per_flow: false, seed: 1 };
/// let set = enumerate(&planes, &[(0, 2)], &wanted);
/// assert_eq!(set.pair_ptr, [0, 2]);
/// assert_eq!((set.paths.get(0), set.paths.get(1)), (&[1][..], &[0, 2][..]));
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn enumerate(planes: &Planes, pairs: &[(u32, u32)], wanted: &Wanted) -> PathSet {
    let endpoints = Endpoints::new(planes);
    let mut set = PathSet { pair_ptr: Vec::with_capacity(pairs.len() + 1), paths: Paths::default() };
    set.pair_ptr.push(0);
    for part in pairs.chunks(pairs.len().div_ceil(PARTS).max(LEAST)) {
        enumerate_part(&planes.graphs, &endpoints, part, wanted, &mut set);
    }
    set
}

fn enumerate_part(
    graphs: &[Graph],
    endpoints: &Endpoints,
    pairs: &[(u32, u32)],
    wanted: &Wanted,
    set: &mut PathSet,
) {
    let order = endpoints.by_destination(pairs);
    let groups: Vec<&[u32]> = endpoints.groups(pairs, &order).collect();
    // For each group its paths, and which of them belong to each of its pairs.
    let found: Vec<(Paths, Vec<Range<usize>>)> = groups
        .par_iter()
        .map_init(
            || Selector::new(graphs, wanted),
            |selector, group| {
                selector.aim(endpoints.switches(pairs[group[0] as usize].1));
                let mut paths = Paths::default();
                let mut spans: Vec<Range<usize>> = Vec::with_capacity(group.len());
                for (i, j) in group.iter().enumerate() {
                    let (from, to) = pairs[*j as usize];
                    let previous = i.checked_sub(1).map(|i| (pairs[group[i] as usize].0, spans[i].clone()));
                    let span = match previous {
                        Some((other, span)) if !wanted.per_flow && endpoints.alike(from, other) => span,
                        _ => {
                            let first = paths.len();
                            let stream = endpoints.stream(wanted.seed, wanted.per_flow, (from, to));
                            selector.select(endpoints.switches(from), stream, &mut paths);
                            first..paths.len()
                        }
                    };
                    spans.push(span);
                }
                (paths, spans)
            },
        )
        .collect();
    let mut place = vec![(0, 0); pairs.len()];
    for (g, group) in groups.iter().enumerate() {
        for (i, j) in group.iter().enumerate() {
            place[*j as usize] = (g as u32, i as u32);
        }
    }
    for (g, i) in place {
        let (paths, spans) = &found[g as usize];
        set.paths.extend(paths, spans[i as usize].clone());
        set.pair_ptr.push(set.paths.len());
    }
}
