//! Which planes carry a demand: those in which it is nearest.

use rayon::prelude::*;

use super::row::Row;
use crate::csr::Csr;
use crate::graph::{FAR, Reach};
use crate::mcf::problem::{Plane, Problem, Use};

/// The planes that carry each demand, and its shortest paths there.
pub(super) struct ShortestPaths {
    /// Whether a plane carries a demand, `[demands][planes]`.
    pub carries: Vec<bool>,
    /// The rows of each plane.
    pub rows: Vec<Vec<Row>>,
    /// Source switch and index of the demands of each row, by plane.
    pub entering: Vec<Csr<(u32, u32)>>,
    /// The largest number of hops of a path.
    pub most_hops: u32,
}

impl ShortestPaths {
    /// The shortest paths; None where it is plain that some demand cannot send `k` times its size over them: it has
    /// no path, or only direct cables that are too slow.
    pub(super) fn new(problem: &Problem, k: f64) -> Option<Self> {
        let planes = problem.planes.len();
        let hops = hops(problem);
        let mut carries = vec![false; hops.len()];
        for (j, (carries, hops)) in carries.chunks_mut(planes).zip(hops.chunks(planes)).enumerate() {
            let least = hops.iter().copied().fold(FAR, u32::min);
            carries.iter_mut().zip(hops).for_each(|(carries, hops)| *carries = *hops == least);
            let cables = |(plane, carries): (&Plane, &bool)| if *carries { cables(plane, j) } else { 0.0 };
            let fits = match least {
                0 => true,
                1 => problem.planes.iter().zip(&*carries).map(cables).sum::<f64>() >= k * problem.demand[j],
                _ => least < FAR,
            };
            if !fits {
                return None;
            }
        }
        let entering: Vec<Csr<(u32, u32)>> =
            (0..planes).map(|p| entering(&problem.planes[p], |j| carries[j * planes + p])).collect();
        let rows = problem.planes.iter().zip(&entering).map(|(plane, entering)| {
            let rows = plane.targets.par_iter().enumerate();
            let rows = rows.map_init(Reach::default, |reach, (row, target)| {
                plane.graph.reach(*target, reach);
                Row::new(plane, *target, entering.of(row).iter().map(|entry| entry.0), reach)
            });
            rows.collect()
        });
        let rows: Vec<Vec<Row>> = rows.collect();
        let most_hops = rows.iter().flatten().map(Row::hops).fold(0, u32::max);
        Some(ShortestPaths { rows, carries, entering, most_hops })
    }
}

/// Hops of each demand in each plane, or its distance by metric, `[demands][planes]`; [`FAR`] where it has no path.
fn hops(problem: &Problem) -> Vec<u32> {
    let planes = problem.planes.len();
    let mut hops = vec![FAR; problem.demands() * planes];
    for (p, plane) in problem.planes.iter().enumerate() {
        let entering = entering(plane, |_| true);
        let rows = plane.targets.par_iter().enumerate();
        let found: Vec<Vec<u32>> = rows
            .map_init(Reach::default, |reach, (row, target)| {
                plane.graph.reach(*target, reach);
                entering.of(row).iter().map(|(source, _)| reach.distance[*source as usize]).collect()
            })
            .collect();
        for (row, found) in found.iter().enumerate() {
            for ((_, demand), found) in entering.of(row).iter().zip(found) {
                hops[*demand as usize * planes + p] = *found;
            }
        }
        for (j, _) in plane.demands.iter().enumerate().filter(|(_, usage)| **usage == Use::Local) {
            hops[j * planes + p] = 0;
        }
    }
    hops
}

/// Capacity of the direct cables between the switches of demand `j`.
fn cables(plane: &Plane, j: usize) -> f64 {
    let Use::Core { source, row } = plane.demands[j] else { return 0.0 };
    let target = plane.targets[row as usize] as usize;
    plane.out(source as usize).filter(|a| plane.head(*a) == target).map(|a| plane.capacity[a]).sum()
}

/// Source switch and index of the demands of each row.
fn entering(plane: &Plane, carries: impl Fn(usize) -> bool) -> Csr<(u32, u32)> {
    let core = plane.demands.iter().enumerate().filter_map(|(j, usage)| match usage {
        Use::Core { source, row } if carries(j) => Some((*row, (*source, j as u32))),
        _ => None,
    });
    Csr::new(plane.targets.len(), core)
}
