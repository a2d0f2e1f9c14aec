//! The bounds that a proof gives, independent of the solvers.
//!
//! The upper bound is linear-programming duality (any lengths bound K from above), the lower one is the flow that the
//! splitting fractions define, propagated from the sources and scaled until its bottleneck link is exactly full.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use super::distance::Distances;
use super::problem::{Plane, Problem, Use};
use super::proof::Proof;
use crate::csr::Csr;
use crate::error::{Error, invalid};
use crate::rounding::{Down, Nearest, Rounding, Sum, Up};

/// Tolerance on sums of fractions or shares that have to be 1.
const SUM_TOLERANCE: f64 = 1e-9;

/// Groups of rows per plane, whatever the number of threads, so that sums have one order.
const GROUPS: usize = 32;

/// The bounds, and the loads of the proof's flow at K = `lower`.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// A throughput that the flow attains.
    pub lower: f64,
    /// A throughput that no flow exceeds.
    pub upper: f64,
    /// Load of each arc, all planes after each other.
    pub load: Vec<f64>,
    /// Load of each access link into a plane, `[planes][endpoints]`.
    pub up_load: Vec<f64>,
    /// Load of each access link out of a plane, `[planes][endpoints]`.
    pub down_load: Vec<f64>,
    /// Arcs on the longest walk of the flow.
    pub hops: u32,
}

/// Checks a proof and returns its bounds, rounded outwards: they hold to the last bit.
///
/// Shares and fractions stand for themselves over their sum.
///
/// ```
#[doc = include_str!("two_cables.md")]
/// use pnet_core::mcf::{Proof, evaluate};
///
/// // Each plane carries its share, and all arcs have length 1.
/// let proof = Proof {
///     length: vec![1.0; 4],
///     up_length: vec![0.0; 4],
///     down_length: vec![0.0; 4],
///     share: vec![2.0 / 7.0, 5.0 / 7.0],
///     split_ptr: vec![0, 1, 2],
///     split_arc: vec![0, 0],
///     split_fraction: vec![1.0, 1.0],
/// };
/// let bounds = evaluate(&problem, &proof)?;
/// assert!((bounds.lower - 35.0).abs() < 1e-9);
/// // The arcs back have a length although they carry nothing: this proof has a gap.
/// assert!((bounds.upper - 70.0).abs() < 1e-9);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn evaluate(problem: &Problem, proof: &Proof) -> Result<Evaluation, Error> {
    evaluated::<Up>(problem, proof)
}

/// The bounds to the nearest double, for comparisons while a solver runs.
pub(super) fn estimate(problem: &Problem, proof: &Proof) -> Result<Evaluation, Error> {
    evaluated::<Nearest>(problem, proof)
}

fn evaluated<R: Rounding>(problem: &Problem, proof: &Proof) -> Result<Evaluation, Error> {
    let upper = upper_bound::<R>(problem, &proof.length, &proof.up_length, &proof.down_length)?;
    let (lower, [load, up_load, down_load], hops) = lower_bound::<R>(problem, proof)?;
    Ok(Evaluation { lower, upper, load, up_load, down_load, hops })
}

/// K is at most `sum c l / sum d dist`, distances minimised over planes, for any lengths.
pub(super) fn upper_bound<R: Rounding>(
    problem: &Problem,
    length: &[f64],
    up: &[f64],
    down: &[f64],
) -> Result<f64, Error> {
    let distances = distances::<R::Back>(problem, length, up, down)?;
    let length = &tied(problem, length)[..];
    let mut volume = Sum::<R>::new();
    let mut first = 0;
    for (p, plane) in problem.planes.iter().enumerate() {
        let (core, access) = ranges(problem, p, first);
        first = core.end;
        let links = [(&plane.capacity, &length[core]), (&plane.up, &up[access.clone()]), (&plane.down, &down[access])];
        for (capacity, length) in links.iter().flat_map(|(c, l)| c.iter().zip(l.iter())) {
            if *length > 0.0 {
                volume.add(R::mul(*capacity, *length));
            }
        }
    }
    let mut carried = Sum::<R::Back>::new();
    distances.iter().zip(&problem.demand).for_each(|(dist, d)| carried.add(R::Back::mul(*dist, *d)));
    let (volume, carried) = (volume.value(), carried.value());
    Ok(if carried > 0.0 { R::div(volume, carried) } else { f64::INFINITY })
}

/// The length of each demand's shortest path, access links included, over all planes, rounded down; infinite where there
/// is none.
///
/// ```
#[doc = include_str!("two_cables.md")]
/// let (arcs, up, down) = ([4.0, 1.0, 3.0, 1.0], [0.5; 4], [0.0; 4]);
/// assert_eq!(pnet_core::mcf::demand_distances(&problem, &arcs, &up, &down)?, [3.5]);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn demand_distances(problem: &Problem, length: &[f64], up: &[f64], down: &[f64]) -> Result<Vec<f64>, Error> {
    distances::<Down>(problem, length, up, down)
}

fn distances<R: Rounding>(problem: &Problem, length: &[f64], up: &[f64], down: &[f64]) -> Result<Vec<f64>, Error> {
    check_lengths("length", length, problem.arcs())?;
    check_lengths("up_length", up, problem.planes.len() * problem.endpoints)?;
    check_lengths("down_length", down, problem.planes.len() * problem.endpoints)?;
    let length = &tied(problem, length)[..];
    let mut best = vec![f64::INFINITY; problem.demands()];
    let mut first = 0;
    // Planes are often copies of the one before.
    let mut before: Option<(&Plane, &[f64], Distances)> = None;
    for (p, plane) in problem.planes.iter().enumerate() {
        let (core, access) = ranges(problem, p, first);
        first = core.end;
        let (length, up, down) = (&length[core], &up[access.clone()], &down[access]);
        let copied = before.take().filter(|(other, same, _)| *same == length && plane.is_like(other));
        let dist = copied.map_or_else(|| Distances::new::<R>(plane, length), |(.., dist)| dist);
        best.par_iter_mut().enumerate().for_each(|(j, best)| {
            let core = match plane.demands[j] {
                Use::Never => return,
                Use::Local => 0.0,
                Use::Core { source, row } => dist.get(row as usize, source as usize),
            };
            let through = R::add(R::add(core, up[problem.src[j] as usize]), down[problem.dst[j] as usize]);
            *best = best.min(through);
        });
        before = Some((plane, length, dist));
    }
    Ok(best)
}

/// The lengths of links: two arcs that are one have the same, however it is rounded.
fn tied<'a>(problem: &Problem, length: &'a [f64]) -> Cow<'a, [f64]> {
    if problem.planes.iter().all(|plane| plane.partner.is_empty()) {
        return Cow::Borrowed(length);
    }
    let (mut tied, mut first) = (length.to_vec(), 0);
    for plane in &problem.planes {
        plane.tie::<Nearest>(&mut tied[first..first + plane.arcs()]);
        first += plane.arcs();
    }
    Cow::Owned(tied)
}

/// The indices of plane `p`'s arcs, the first of which is `first`, and of its access links.
fn ranges(problem: &Problem, p: usize, first: usize) -> (Range<usize>, Range<usize>) {
    (first..first + problem.planes[p].arcs(), p * problem.endpoints..(p + 1) * problem.endpoints)
}

fn check_lengths(what: &'static str, values: &[f64], count: usize) -> Result<(), Error> {
    if values.len() != count {
        return invalid(what, format!("{} entries instead of {count}", values.len()));
    }
    match values.iter().find(|l| !(l.is_finite() && **l >= 0.0)) {
        Some(l) => invalid(what, format!("{l} is not finite and at least 0")),
        None => Ok(()),
    }
}

type Loads = (f64, [Vec<f64>; 3], u32);

/// The largest K at which the proof's flow fits, its loads then, and the arcs on its longest walk.
pub(super) fn lower_bound<R: Rounding>(problem: &Problem, proof: &Proof) -> Result<Loads, Error> {
    let shares = whole_shares::<R>(problem, &proof.share)?;
    if proof.split_ptr.len() != problem.rows() + 1
        || proof.split_ptr.windows(2).any(|pair| pair[0] > pair[1])
        || proof.split_ptr[0] != 0
        || proof.split_ptr[problem.rows()] != proof.split_arc.len()
        || proof.split_arc.len() != proof.split_fraction.len()
    {
        return invalid("split_ptr", "does not divide the entries into rows");
    }
    let access = problem.planes.len() * problem.endpoints;
    let (mut load, mut up, mut down) = (Vec::<f64>::new(), vec![0.0; access], vec![0.0; access]);
    let (mut first_row, mut hops) = (0, 0);
    for (p, plane) in problem.planes.iter().enumerate() {
        let share = &shares[p * problem.demands()..(p + 1) * problem.demands()];
        for (j, part) in share.iter().enumerate() {
            let amount = R::mul(*part, problem.demand[j]);
            for (sum, end) in [(&mut up, problem.src[j]), (&mut down, problem.dst[j])] {
                let sum = &mut sum[p * problem.endpoints + end as usize];
                *sum = R::add(*sum, amount);
            }
        }
        let rows = plane.targets.len();
        if p > 0 && carries_the_same(problem, proof, p, first_row) {
            load.extend_from_within(load.len() - plane.arcs()..);
            first_row += rows;
            continue;
        }
        let sources = injection::<R>(plane, share, &problem.demand);
        let group = rows.div_ceil(GROUPS).max(1);
        let loads: Vec<(Vec<f64>, u32)> = (0..rows.div_ceil(group))
            .into_par_iter()
            .map(|g| {
                let mut load = vec![0.0; plane.arcs()];
                let mut walk = Propagation::new(plane);
                for row in g * group..((g + 1) * group).min(rows) {
                    let entries = proof.split_ptr[first_row + row]..proof.split_ptr[first_row + row + 1];
                    let arcs = &proof.split_arc[entries.clone()];
                    walk.run::<R>(row, sources.of(row), arcs, &proof.split_fraction[entries], &mut load)?;
                }
                Ok((load, walk.farthest))
            })
            .collect::<Result<_, Error>>()?;
        let mut total = vec![0.0; plane.arcs()];
        for (part, farthest) in &loads {
            hops = hops.max(*farthest);
            total.iter_mut().zip(part).for_each(|(sum, x)| *sum = R::add(*sum, *x));
        }
        plane.tie::<R>(&mut total);
        load.extend(total);
        first_row += rows;
    }
    let capacities = problem.planes.iter().flat_map(|plane| &plane.capacity);
    let ups = problem.planes.iter().flat_map(|plane| &plane.up);
    let downs = problem.planes.iter().flat_map(|plane| &plane.down);
    let lower = (capacities.zip(&load))
        .chain(ups.zip(&up))
        .chain(downs.zip(&down))
        .filter(|(_, load)| **load > 0.0)
        .fold(f64::INFINITY, |best, (capacity, load)| best.min(R::Back::div(*capacity, *load)));
    for x in load.iter_mut().chain(&mut up).chain(&mut down) {
        *x = R::mul(*x, lower);
    }
    Ok((lower, [load, up, down], hops))
}

/// Whether plane `p`, whose rows begin at `first`, is a copy of the one before, with the same flow.
fn carries_the_same(problem: &Problem, proof: &Proof, p: usize, first: usize) -> bool {
    let (plane, other, demands) = (&problem.planes[p], &problem.planes[p - 1], problem.demands());
    if !plane.is_like(other) || plane.demands != other.demands {
        return false;
    }
    let share = |p: usize| &proof.share[p * demands..(p + 1) * demands];
    let rows = plane.targets.len();
    let splits = |first: usize| {
        let ptr = &proof.split_ptr[first..=first + rows];
        let entries = ptr[0]..ptr[rows];
        let ends = ptr.iter().map(|end| end - ptr[0]);
        (ends, &proof.split_arc[entries.clone()], &proof.split_fraction[entries])
    };
    let (own, others) = (splits(first), splits(first - rows));
    share(p) == share(p - 1) && own.0.eq(others.0) && (own.1, own.2) == (others.1, others.2)
}

/// Calls `visit(plane, row, loads)` with the loads of each row's flow at K = 1, `[arcs of the plane]`.
pub(super) fn for_each_row(
    problem: &Problem,
    proof: &Proof,
    mut visit: impl FnMut(usize, usize, &[f64]),
) -> Result<(), Error> {
    let mut first_row = 0;
    for (p, plane) in problem.planes.iter().enumerate() {
        let share = &proof.share[p * problem.demands()..(p + 1) * problem.demands()];
        let sources = injection::<Nearest>(plane, share, &problem.demand);
        let mut walk = Propagation::new(plane);
        let mut load = vec![0.0; plane.arcs()];
        for row in 0..plane.targets.len() {
            let entries = proof.split_ptr[first_row + row]..proof.split_ptr[first_row + row + 1];
            let arcs = &proof.split_arc[entries.clone()];
            load.fill(0.0);
            walk.run::<Nearest>(row, sources.of(row), arcs, &proof.split_fraction[entries], &mut load)?;
            visit(p, row, &load);
        }
        first_row += plane.targets.len();
    }
    Ok(())
}

/// The shares over their sums.
fn whole_shares<R: Rounding>(problem: &Problem, share: &[f64]) -> Result<Vec<f64>, Error> {
    let demands = problem.demands();
    if share.len() != problem.planes.len() * demands {
        return invalid("share", format!("{} entries instead of planes times demands", share.len()));
    }
    let mut whole = share.to_vec();
    for j in 0..demands {
        let mut sum = 0.0;
        for (p, plane) in problem.planes.iter().enumerate() {
            let part = share[p * demands + j];
            if !(part.is_finite() && part >= 0.0) || (part > 0.0 && plane.demands[j] == Use::Never) {
                return invalid("share", format!("demand {j} cannot have the share {part} on plane {p}"));
            }
            sum = R::Back::add(sum, part);
        }
        if (sum - 1.0).abs() > SUM_TOLERANCE {
            return invalid("share", format!("the shares of demand {j} sum to {sum}"));
        }
        (0..problem.planes.len()).for_each(|p| whole[p * demands + j] = R::share(share[p * demands + j], sum));
    }
    Ok(whole)
}

/// The traffic that enters a plane: (switch, amount) pairs by row, `share[j]` being the plane's share of demand `j`.
pub(crate) fn injection<R: Rounding>(plane: &Plane, share: &[f64], demand: &[f64]) -> Csr<(u32, f64)> {
    let core = plane.demands.iter().enumerate().filter_map(|(j, usage)| match usage {
        Use::Core { source, row } => Some((*row, (*source, R::mul(share[j], demand[j])))),
        Use::Never | Use::Local => None,
    });
    Csr::new(plane.targets.len(), core)
}

/// Kahn's topological walk over one row's splitting fractions.
struct Propagation<'a> {
    plane: &'a Plane,
    amount: Vec<f64>,
    pending: Vec<u32>,
    ptr: Vec<u32>,
    ready: Vec<u32>,
    /// Arcs of the longest walk to each switch, and of any of any row.
    hops: Vec<u32>,
    farthest: u32,
}

impl<'a> Propagation<'a> {
    fn new(plane: &'a Plane) -> Self {
        let n = plane.nodes();
        Propagation {
            plane,
            amount: vec![0.0; n],
            pending: vec![0; n],
            ptr: vec![0; n + 1],
            ready: vec![],
            hops: vec![0; n],
            farthest: 0,
        }
    }

    /// Adds the row's loads for K = 1 to `load`.
    fn run<R: Rounding>(
        &mut self,
        row: usize,
        sources: &[(u32, f64)],
        arcs: &[u32],
        fraction: &[f64],
        load: &mut [f64],
    ) -> Result<(), Error> {
        let plane = self.plane;
        let target = plane.targets[row] as usize;
        if arcs.iter().any(|a| *a as usize >= plane.arcs()) || arcs.windows(2).any(|pair| pair[0] >= pair[1]) {
            return invalid("split_arc", format!("row {row} has an unknown arc, or arcs out of order"));
        }
        if let Some(a) = arcs.iter().find(|a| !plane.leads(row, **a as usize)) {
            return invalid("split_arc", format!("row {row} has arc {a}, which is on none of its shortest paths"));
        }
        if fraction.iter().any(|f| !(f.is_finite() && *f >= 0.0)) {
            return invalid("split_fraction", format!("row {row} has a negative or infinite fraction"));
        }
        self.amount.fill(0.0);
        for (node, amount) in sources {
            self.amount[*node as usize] = R::add(self.amount[*node as usize], *amount);
        }
        self.pending.fill(0);
        self.hops.fill(0);
        for a in arcs {
            self.pending[plane.head(*a as usize)] += 1;
        }
        let mut next = 0;
        for u in 0..plane.nodes() {
            self.ptr[u] = next as u32;
            while next < arcs.len() && plane.graph.tail(arcs[next]) as usize == u {
                next += 1;
            }
        }
        self.ptr[plane.nodes()] = next as u32;
        self.ready.clear();
        self.ready.extend((0..plane.nodes() as u32).filter(|u| self.pending[*u as usize] == 0));
        let mut walked = 0;
        while let Some(u) = self.ready.pop() {
            let (u, amount) = (u as usize, self.amount[u as usize]);
            let range = self.ptr[u] as usize..self.ptr[u + 1] as usize;
            let sum = fraction[range.clone()].iter().fold(0.0, |sum, f| R::Back::add(sum, *f));
            if u == target && !range.is_empty() {
                return invalid("split_arc", format!("row {row} has an arc out of its target"));
            }
            if u != target && amount > 0.0 && (sum - 1.0).abs() > SUM_TOLERANCE {
                return invalid("split_fraction", format!("row {row}: the fractions at switch {u} sum to {sum}"));
            }
            for i in range {
                let arc = arcs[i] as usize;
                let v = plane.head(arc);
                if amount > 0.0 {
                    let moved = R::mul(R::share(fraction[i], sum), amount);
                    load[arc] = R::add(load[arc], moved);
                    self.amount[v] = R::add(self.amount[v], moved);
                    self.hops[v] = self.hops[v].max(self.hops[u] + 1);
                    self.farthest = self.farthest.max(self.hops[v]);
                }
                self.pending[v] -= 1;
                if self.pending[v] == 0 {
                    self.ready.push(v as u32);
                }
                walked += 1;
            }
        }
        if walked < arcs.len() {
            return invalid("split_arc", format!("row {row} has a cycle"));
        }
        Ok(())
    }
}
