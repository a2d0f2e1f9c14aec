//! Decomposition of a proof's flow into paths, demand by demand.
//!
//! The fractions of a row split the traffic at a switch whatever its source.  They define an acyclic flow for each demand,
//! which is decomposed along the arc of largest flow at every switch.  Each path empties an arc, so a demand has at most
//! as many paths as its row has arcs.

use std::ops::Range;

use super::evaluate::lower_bound;
use super::problem::{Plane, Problem, Use};
use super::proof::Proof;
use crate::csr::Csr;
use crate::error::Error;
use crate::rounding::Nearest;

/// A decomposition is complete when no more than this part of the demand remains: the rest is rounding.
const ROUNDING: f64 = 1e-9;

/// Paths in the order of their demands, within each plane the largest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FlowPaths {
    /// Demand of each path.
    pub demand: Vec<u32>,
    /// Its plane.
    pub plane: Vec<u32>,
    /// The share of its demand; the shares of a demand sum to 1.
    pub part: Vec<f64>,
    /// Offsets into `arc` by path.
    pub ptr: Vec<usize>,
    /// Arcs, local to the path's plane; none between endpoints on one switch.
    pub arc: Vec<u32>,
}

/// Decomposes a proof's flow into paths.
///
/// ```
#[doc = include_str!("two_cables.md")]
/// # use pnet_core::mcf::{Proof, decompose};
/// # let proof = Proof {
/// #     length: vec![1.0; 4],
/// #     up_length: vec![0.0; 4],
/// #     down_length: vec![0.0; 4],
/// #     share: vec![2.0 / 7.0, 5.0 / 7.0],
/// #     split_ptr: vec![0, 1, 2],
/// #     split_arc: vec![0, 0],
/// #     split_fraction: vec![1.0, 1.0],
/// # };
/// let paths = decompose(&problem, &proof)?;
/// assert_eq!((paths.plane, paths.part), (vec![0, 1], vec![2.0 / 7.0, 5.0 / 7.0]));
/// # Ok::<(), pnet_core::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`evaluate`](super::evaluate), whose checks of the flow come first.
pub fn decompose(problem: &Problem, proof: &Proof) -> Result<FlowPaths, Error> {
    lower_bound::<Nearest>(problem, proof)?;
    let mut parts: Vec<FlowPaths> = Vec::with_capacity(problem.planes.len());
    let mut first_row = 0;
    for (p, plane) in problem.planes.iter().enumerate() {
        let share = &proof.share[p * problem.demands()..(p + 1) * problem.demands()];
        parts.push(of_plane(plane, p as u32, share, &proof.split_ptr[first_row..], proof));
        first_row += plane.targets.len();
    }
    Ok(by_demand(problem.demands(), &parts))
}

/// The paths in one plane, row by row; `ptr` is that of the plane's rows.
fn of_plane(plane: &Plane, p: u32, share: &[f64], ptr: &[usize], proof: &Proof) -> FlowPaths {
    let mut found = FlowPaths { ptr: vec![0], ..FlowPaths::default() };
    let used = plane.demands.iter().enumerate().filter(|(j, _)| share[*j] > 0.0);
    for (j, _) in used.clone().filter(|(_, usage)| **usage == Use::Local) {
        found.add(j as u32, p, share[j], &[]);
    }
    let rows = Csr::new(
        plane.targets.len(),
        used.filter_map(|(j, usage)| match usage {
            Use::Core { source, row } => Some((*row, (j as u32, *source))),
            Use::Never | Use::Local => None,
        }),
    );
    let mut row_flow = Decomposition::new(plane);
    for (row, target) in plane.targets.iter().enumerate() {
        let entries = ptr[row]..ptr[row + 1];
        row_flow.set_row(&proof.split_arc[entries.clone()], &proof.split_fraction[entries]);
        for (j, source) in rows.of(row) {
            row_flow.run(*source, *target, |part, arcs| found.add(*j, p, part * share[*j as usize], arcs));
        }
    }
    found
}

impl FlowPaths {
    fn add(&mut self, demand: u32, plane: u32, part: f64, arcs: &[u32]) {
        self.demand.push(demand);
        self.plane.push(plane);
        self.part.push(part);
        self.arc.extend(arcs);
        self.ptr.push(self.arc.len());
    }
}

/// The paths of all planes, demand by demand.
fn by_demand(demands: usize, parts: &[FlowPaths]) -> FlowPaths {
    let positions = parts
        .iter()
        .enumerate()
        .flat_map(|(part, paths)| paths.demand.iter().enumerate().map(move |(i, j)| (*j, (part as u32, i as u32))));
    let positions = Csr::new(demands, positions);
    let mut all = FlowPaths { ptr: vec![0], ..FlowPaths::default() };
    for j in 0..demands {
        for (part, i) in positions.of(j) {
            let (paths, i) = (&parts[*part as usize], *i as usize);
            all.add(j as u32, paths.plane[i], paths.part[i], &paths.arc[paths.ptr[i]..paths.ptr[i + 1]]);
        }
    }
    all
}

/// Decomposes the flow of one source after the other, in one row.
struct Decomposition<'a> {
    plane: &'a Plane,
    arcs: Vec<u32>,
    fraction: Vec<f64>,
    /// Offsets of the entries by switch.
    offset: Vec<usize>,
    /// Switches, tails before heads.
    order: Vec<u32>,
    amount: Vec<f64>,
    flow: Vec<f64>,
    path: Vec<usize>,
}

impl<'a> Decomposition<'a> {
    fn new(plane: &'a Plane) -> Self {
        Decomposition {
            plane,
            arcs: vec![],
            fraction: vec![],
            offset: vec![],
            order: vec![],
            amount: vec![0.0; plane.nodes()],
            flow: vec![],
            path: vec![],
        }
    }

    fn of(&self, node: usize) -> Range<usize> {
        self.offset[node]..self.offset[node + 1]
    }

    /// Sets the fractions of a row, which are acyclic.
    fn set_row(&mut self, arcs: &[u32], fraction: &[f64]) {
        let nodes = self.plane.nodes();
        (self.arcs, self.fraction) = (arcs.to_vec(), fraction.to_vec());
        self.offset = (0..=nodes).map(|u| arcs.partition_point(|a| (self.plane.graph.tail(*a) as usize) < u)).collect();
        let mut pending = vec![0_u32; nodes];
        for a in arcs {
            pending[self.plane.head(*a as usize)] += 1;
        }
        self.order.clear();
        self.order.extend((0..nodes as u32).filter(|u| pending[*u as usize] == 0));
        let mut next = 0;
        while let Some(u) = self.order.get(next).copied() {
            next += 1;
            for i in self.of(u as usize) {
                let v = self.plane.head(self.arcs[i] as usize);
                pending[v] -= 1;
                if pending[v] == 0 {
                    self.order.push(v as u32);
                }
            }
        }
    }

    /// Calls `add(part, arcs)` for each path from `source`; the parts sum to 1.
    fn run(&mut self, source: u32, target: u32, mut add: impl FnMut(f64, &[u32])) {
        self.spread(source);
        let mut found: Vec<(f64, Vec<u32>)> = vec![];
        let mut rest = 1.0;
        while rest > ROUNDING {
            let part = self.follow(source as usize, target as usize).min(rest);
            if part <= 0.0 {
                break;
            }
            for i in &self.path {
                self.flow[*i] = (self.flow[*i] - part).max(0.0);
            }
            rest -= part;
            found.push((part, self.path.iter().map(|i| self.arcs[*i]).collect()));
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let total: f64 = found.iter().map(|(part, _)| part).sum();
        for (part, arcs) in found {
            add(part / total, &arcs);
        }
    }

    /// Sets the flow of each entry where one unit enters at `source`.
    fn spread(&mut self, source: u32) {
        self.amount.fill(0.0);
        self.amount[source as usize] = 1.0;
        self.flow.clear();
        self.flow.resize(self.arcs.len(), 0.0);
        for u in &self.order {
            let amount = self.amount[*u as usize];
            if amount == 0.0 {
                continue;
            }
            for i in self.offset[*u as usize]..self.offset[*u as usize + 1] {
                self.flow[i] = amount * self.fraction[i];
                self.amount[self.plane.head(self.arcs[i] as usize)] += self.flow[i];
            }
        }
    }

    /// Follows the arc of largest flow at every switch; returns the flow of the whole path, 0 at a dead end.
    fn follow(&mut self, source: usize, target: usize) -> f64 {
        self.path.clear();
        let (mut at, mut least) = (source, f64::INFINITY);
        while at != target {
            let Some(largest) = self.of(at).max_by(|a, b| self.flow[*a].total_cmp(&self.flow[*b])) else {
                return 0.0;
            };
            least = least.min(self.flow[largest]);
            self.path.push(largest);
            at = self.plane.head(self.arcs[largest] as usize);
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcf::Arrays;

    /// A square 0 - 1 - 3, 0 - 2 - 3 with a cable 1 - 2 across, and a demand from corner to corner.
    fn square() -> Problem {
        Problem::new(&Arrays {
            node_count: &[4],
            arc_ptr: &[0, 10],
            tail: &[0, 0, 1, 1, 1, 2, 2, 2, 3, 3],
            head: &[1, 2, 0, 2, 3, 0, 1, 3, 1, 2],
            capacity: &[1.0; 10],
            attach: &[0, 3, 0],
            access_up: &[f64::INFINITY; 3],
            access_down: &[f64::INFINITY; 3],
            src: &[0, 0],
            dst: &[1, 2],
            demand: &[1.0, 1.0],
        })
        .unwrap()
    }

    fn proof() -> Proof {
        Proof {
            length: vec![1.0; 10],
            up_length: vec![0.0; 3],
            down_length: vec![0.0; 3],
            share: vec![1.0; 2],
            split_ptr: vec![0, 5],
            split_arc: vec![0, 1, 3, 4, 7],
            split_fraction: vec![0.75, 0.25, 1.0 / 3.0, 2.0 / 3.0, 1.0],
        }
    }

    #[test]
    fn largest_paths_come_first_and_add_up_to_the_flow() {
        let paths = decompose(&square(), &proof()).unwrap();
        assert_eq!(paths.demand, [0, 0, 0, 1]);
        assert_eq!(paths.ptr, [0, 2, 4, 7, 7]);
        assert_eq!(paths.arc, [0, 4, 1, 7, 0, 3, 7]);
        for (part, expected) in paths.part.iter().zip([0.5, 0.25, 0.25, 1.0]) {
            assert!((part - expected).abs() < 1e-12, "{:?}", paths.part);
        }
    }

    #[test]
    fn an_invalid_flow_is_refused() {
        let broken = Proof { split_fraction: vec![0.75, 0.25, 0.5, 0.25, 1.0], ..proof() };
        let error = decompose(&square(), &broken).unwrap_err();
        assert!(error.to_string().contains("fractions at switch 1 sum to 0.75"), "{error}");
    }
}
