//! Numbers of shortest paths, without listing them.

use rayon::prelude::*;

use super::endpoints::Endpoints;
use super::policy::{Policy, nearest};
use crate::error::Error;
use crate::graph::{FAR, Graph, Planes, Reach};
use crate::stop::Stop;

/// The largest count, so that sums stay finite.
pub(super) const MOST: f64 = 1e300;

/// Number of shortest paths from every node to the target of `reach`, parallel arcs counted separately.
///
/// Exact up to 2^53, rounded above.
pub(super) fn count_from_all(graph: &Graph, reach: &Reach) -> Vec<f64> {
    let mut count = vec![0.0; graph.nodes()];
    for (i, u) in reach.order.iter().enumerate() {
        let over: f64 = graph.next_hops(*u, reach).map(|arc| count[graph.head(arc) as usize]).sum();
        count[*u as usize] = if i == 0 { 1.0 } else { over.min(MOST) };
    }
    count
}

/// Numbers of shortest paths of pairs, by plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// Hops of each plane's paths of each pair, the fewest where they differ by metric, pair by pair; [`FAR`] where the pair has none there.
    pub hops: Vec<u32>,
    /// Number of these paths, parallel arcs counted separately: exact up to 2^53, rounded above, at most 1e300.
    pub count: Vec<f64>,
}

/// Number of paths that [`super::enumerate()`] lists for each pair in each plane, where all of equal cost are requested.
///
/// ```
/// # use pnet_core::Stop;
/// # use pnet_core::graph::{Graph, Planes};
/// # use pnet_core::paths::{Policy, count_shortest};
/// // Two parallel arcs.
/// let graph = Graph::new(2, vec![0, 0], vec![1, 1])?;
/// let planes = Planes::new(vec![graph], vec![vec![Some(0), Some(1)]])?;
/// let counts = count_shortest(&planes, &[(0, 1)], Policy::Any, 0, &Stop::default())?;
/// assert_eq!((counts.hops, counts.count), (vec![1], vec![2.0]));
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn count_shortest(
    planes: &Planes,
    pairs: &[(u32, u32)],
    policy: Policy,
    seed: u64,
    stop: &Stop,
) -> Result<Counts, Error> {
    let (endpoints, graphs, original) = (Endpoints::new(planes), &planes.graphs, planes.originals());
    let planes = graphs.len();
    let order = endpoints.by_destination(pairs);
    let groups: Vec<&[u32]> = endpoints.groups(pairs, &order).collect();
    let found: Vec<Vec<(usize, u32, f64)>> = groups
        .par_iter()
        .map_init(
            || vec![Reach::default(); planes],
            |reach, group| {
                stop.check()?;
                let targets = endpoints.switches(pairs[group[0] as usize].1);
                let counts: Vec<(Vec<f64>, Vec<u32>)> = (0..planes)
                    .map(|p| match targets[p].filter(|_| original[p] == p) {
                        Some(target) => {
                            graphs[p].reach(target, &mut reach[p]);
                            (count_from_all(&graphs[p], &reach[p]), graphs[p].hops(&reach[p], |_| true))
                        }
                        None => (vec![], vec![]),
                    })
                    .collect();
                let mut found = vec![];
                for j in group.iter() {
                    let pair = pairs[*j as usize];
                    let sources = endpoints.switches(pair.0);
                    let distance =
                        |p: usize| targets[p].and_then(|_| Some(reach[original[p]].distance[sources[p]? as usize]));
                    let near: Vec<(usize, u32)> =
                        (0..planes).filter_map(|p| Some((p, distance(p).filter(|far| *far != FAR)?))).collect();
                    let mut random = endpoints.stream(seed, policy == Policy::Single, pair);
                    let mut allowed = policy.allowed(&near, &mut random);
                    if policy != Policy::RoundRobin {
                        allowed = nearest(&allowed);
                    }
                    for (p, _) in allowed {
                        let source = sources[p].unwrap_or_default() as usize;
                        let (count, hops) = &counts[original[p]];
                        found.push((*j as usize * planes + p, hops[source], count[source]));
                    }
                }
                Ok(found)
            },
        )
        .collect::<Result<_, Error>>()?;
    let mut counts = Counts { hops: vec![FAR; pairs.len() * planes], count: vec![0.0; pairs.len() * planes] };
    for (index, hops, count) in found.into_iter().flatten() {
        counts.hops[index] = hops;
        counts.count[index] = count;
    }
    Ok(counts)
}
