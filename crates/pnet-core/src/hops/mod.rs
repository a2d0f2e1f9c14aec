//! Hop counts between all sites of several planes, in many trials of failures.
//!
//! A site is a set of endpoints that share their switch in every plane; its hops to another site are the fewest over
//! the planes.  A trial copies no plane: [`Down`] is a mask for the search.  The caller draws the failures.

mod search;

use rayon::prelude::*;

use crate::error::{Error, invalid};
use crate::graph::Planes;
use crate::stop::Stop;
pub use search::Down;
use search::{Row, SOURCES, Search};

/// Hops of a pair without a path.
pub const NONE: i32 = -1;

/// For each trial the number of ordered pairs of distinct endpoints by hops, without trailing zeros but for the first.
///
/// The endpoints of `planes` are the sites, `size[s]` the endpoints there.  Those of one site are 0 hops apart, if the
/// site is attached anywhere.  The result does not depend on the number of threads: it is a sum of integers.
///
/// ```
/// # use pnet_core::Stop;
/// # use pnet_core::graph::{Graph, Planes};
/// # use pnet_core::hops::{Down, count};
/// // A cable with two endpoints at one end and one at the other, whole and with one direction down.
/// let cable = Graph::new(2, vec![0, 1], vec![1, 0])?;
/// let planes = Planes::new(vec![cable], vec![vec![Some(0), Some(1)]])?;
/// let trials = [Down::default(), Down { arcs: &[true, false], sites: &[] }];
/// assert_eq!(count(&planes, &[2, 1], &trials, &Stop::default())?, [[2, 4], [2, 2]]);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn count(planes: &Planes, size: &[i32], trials: &[Down], stop: &Stop) -> Result<Vec<Vec<u64>>, Error> {
    if size.len() != planes.endpoints() {
        return invalid("size", format!("{} entries for {} sites", size.len(), planes.endpoints()));
    }
    if let Some(none) = size.iter().find(|n| **n < 1) {
        return invalid("size", format!("{none} is not at least 1"));
    }
    let size: Vec<u64> = size.iter().map(|n| *n as u64).collect();
    let sites: Vec<u32> = (0..size.len() as u32).collect();
    let blocks: Vec<&[u32]> = sites.chunks(SOURCES).collect();
    let tasks: Vec<(usize, &[u32])> =
        (0..trials.len()).flat_map(|trial| blocks.iter().map(move |block| (trial, *block))).collect();
    let parts: Vec<Vec<u64>> = tasks
        .par_iter()
        .map_init(
            || Search::new(planes),
            |search, (trial, block)| {
                stop.check()?;
                let mut found = vec![0];
                search.run(block, trials[*trial], |hops, site, new| {
                    let pairs: u64 = bits(new)
                        .map(|i| {
                            let source = block[i] as usize;
                            size[source] * (size[site] - u64::from(source == site))
                        })
                        .sum();
                    if pairs > 0 {
                        found.resize(found.len().max(hops + 1), 0);
                        found[hops] += pairs;
                    }
                });
                Ok(found)
            },
        )
        .collect::<Result<_, Error>>()?;
    let mut total = vec![vec![0]; trials.len()];
    for ((trial, _), part) in tasks.iter().zip(parts) {
        let sum: &mut Vec<u64> = &mut total[*trial];
        sum.resize(sum.len().max(part.len()), 0);
        for (hops, pairs) in part.into_iter().enumerate() {
            sum[hops] += pairs;
        }
    }
    Ok(total)
}

/// For each trial the hops of each pair of sites, [`NONE`] where it has no path; a site is 0 hops from itself where it
/// is attached.
///
/// ```
/// # use pnet_core::Stop;
/// # use pnet_core::graph::{Graph, Planes};
/// # use pnet_core::hops::{Down, NONE, between};
/// let path = Graph::new(3, vec![0, 1], vec![1, 2])?;
/// let planes = Planes::new(vec![path], vec![vec![Some(0), Some(2)]])?;
/// assert_eq!(between(&planes, &[(0, 1), (1, 0)], &[Down::default()], &Stop::default())?, [[2, NONE]]);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn between(planes: &Planes, pairs: &[(u32, u32)], trials: &[Down], stop: &Stop) -> Result<Vec<Vec<i32>>, Error> {
    let mut sources: Vec<u32> = pairs.iter().map(|(source, _)| *source).collect();
    sources.sort_unstable();
    sources.dedup();
    // For each destination its pairs, each with the index of its source.
    let mut requested: Vec<Vec<(usize, usize)>> = vec![vec![]; planes.endpoints()];
    for (j, (source, site)) in pairs.iter().enumerate() {
        requested[*site as usize].push((sources.partition_point(|s| s < source), j));
    }
    trials
        .par_iter()
        .map_init(
            || Search::new(planes),
            |search, down| {
                let mut found = vec![NONE; pairs.len()];
                for (b, block) in sources.chunks(SOURCES).enumerate() {
                    stop.check()?;
                    search.run(block, *down, |hops, site, new| {
                        for (index, j) in &requested[site] {
                            let i = index.wrapping_sub(b * SOURCES);
                            if i < block.len() && new[i / 64] >> (i % 64) & 1 == 1 {
                                found[*j] = hops as i32;
                            }
                        }
                    });
                }
                Ok(found)
            },
        )
        .collect()
}

/// The positions of the ones in a row.
fn bits(row: &Row) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(word, bits)| {
        let mut rest = *bits;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let index = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                64 * word + index
            })
        })
    })
}
