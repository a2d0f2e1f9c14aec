//! The instance: planes, endpoints and demands.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::csr::Csr;
use crate::error::{Error, indices, invalid};
use crate::graph::{Components, FAR, Graph, Planes, Reach};
use crate::rounding::Rounding;

/// One plane: a directed, capacitated graph on its own switches, and where the endpoints attach.
#[derive(Debug, Clone)]
pub struct Plane {
    /// Switches and arcs.
    pub graph: Graph,
    /// Capacity of each arc, positive.
    pub capacity: Vec<f64>,
    /// Switch of each endpoint; `None` where it has no link into the plane.
    pub attach: Vec<Option<u32>>,
    /// Capacity of each endpoint's link into the plane.
    pub up: Vec<f64>,
    /// Capacity of each endpoint's link out of the plane.
    pub down: Vec<f64>,
    /// Distinct switches that receive traffic from another switch, ascending.
    pub targets: Vec<u32>,
    /// How this plane can carry each demand.
    pub demands: Vec<Use>,
    /// The arc that is one link with each, itself where there is none; empty where all arcs are links of their own.
    /// Both have half of the link's capacity, the same length, and half of what both carry as their load.
    pub partner: Vec<u32>,
    /// Where only shortest paths count: how far each switch is from each target, by links or by metric, and in their order
    /// those on the way of a demand.
    pub(crate) near: Option<Arc<Vec<Reach>>>,
}

/// The graph with `usize` indices, for the kernels.
impl Plane {
    /// Number of switches.
    #[inline]
    pub(crate) fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    /// Number of arcs.
    #[inline]
    pub fn arcs(&self) -> usize {
        self.graph.arcs()
    }

    /// Head of an arc.
    #[inline]
    pub(crate) fn head(&self, arc: usize) -> usize {
        self.graph.heads()[arc] as usize
    }

    /// Replaces values of two arcs that are one link by the mean of both.
    pub(crate) fn tie<R: Rounding>(&self, values: &mut [f64]) {
        for (a, b) in self.partner.iter().enumerate().filter(|(a, b)| *a < **b as usize) {
            let mean = 0.5 * R::add(values[a], values[*b as usize]);
            (values[a], values[*b as usize]) = (mean, mean);
        }
    }

    /// Whether another plane has the same links, destinations and paths, however wide the links are.
    pub(crate) fn is_like(&self, other: &Plane) -> bool {
        self.graph == other.graph
            && self.targets == other.targets
            && self.partner == other.partner
            && self.near == other.near
    }

    /// Whether only shortest paths count.
    pub fn is_restricted(&self) -> bool {
        self.near.is_some()
    }

    /// Whether paths to the `row`-th target may use an arc.
    #[inline]
    pub fn leads(&self, row: usize, arc: usize) -> bool {
        self.near.as_ref().is_none_or(|near| {
            let from = near[row].distance[self.graph.tail(arc as u32) as usize];
            self.graph.is_next(arc as u32, from, &near[row])
        })
    }

    /// How far a demand has to go by links, or by metric, where only shortest paths count.
    fn distance(&self, demand: usize) -> u32 {
        match (self.demands[demand], &self.near) {
            (Use::Core { source, row }, Some(near)) => near[row as usize].distance[source as usize],
            (Use::Local, _) => 0,
            (Use::Never | Use::Core { .. }, _) => FAR,
        }
    }

    /// Leaves out targets that no demand has.
    fn retain_targets(&mut self) {
        let mut used = vec![false; self.targets.len()];
        for usage in &self.demands {
            if let Use::Core { row, .. } = usage {
                used[*row as usize] = true;
            }
        }
        let kept: Vec<usize> = (0..used.len()).filter(|row| used[*row]).collect();
        let mut number = vec![0; used.len()];
        kept.iter().zip(0..).for_each(|(row, new)| number[*row] = new);
        for usage in &mut self.demands {
            if let Use::Core { row, .. } = usage {
                *row = number[*row as usize];
            }
        }
        self.targets = kept.iter().map(|row| self.targets[*row]).collect();
        let Some(near) = self.near.take() else { return };
        let mut all = Arc::unwrap_or_clone(near);
        let mut near: Vec<Reach> = kept.iter().map(|row| std::mem::take(&mut all[*row])).collect();
        let starts = self.demands.iter().filter_map(|usage| match usage {
            Use::Core { source, row } => Some((*row, *source)),
            Use::Never | Use::Local => None,
        });
        let starts = Csr::new(near.len(), starts);
        near.par_iter_mut().enumerate().for_each(|(row, near)| self.graph.keep_between(starts.of(row), near));
        self.near = Some(Arc::new(near));
    }

    /// Arcs out of `node`.
    #[inline]
    pub(crate) fn out(&self, node: usize) -> Range<usize> {
        let arcs = self.graph.out(node as u32);
        arcs.start as usize..arcs.end as usize
    }
}

/// How a plane can carry a demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Not at all: an endpoint is not attached, or there is no path.
    Never,
    /// Both endpoints are on one switch: only access links are used.
    Local,
    /// From switch `source` to the plane's `row`-th target.
    Core {
        /// The source switch.
        source: u32,
        /// Index into [`Plane::targets`].
        row: u32,
    },
}

/// Maximum concurrent flow: the largest K such that K times every demand is carried at once.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The planes.
    pub planes: Vec<Plane>,
    /// Number of endpoints.
    pub endpoints: usize,
    /// Source endpoint of each demand.
    pub src: Vec<u32>,
    /// Destination endpoint of each demand.
    pub dst: Vec<u32>,
    /// Size of each demand, positive.
    pub demand: Vec<f64>,
}

/// The arrays of an instance; shapes as in `pnet_lp.throughput.problems.FlowProblem`.
#[allow(missing_docs)]
pub struct Arrays<'a> {
    pub node_count: &'a [i32],
    pub arc_ptr: &'a [i32],
    pub tail: &'a [i32],
    pub head: &'a [i32],
    pub capacity: &'a [f64],
    pub attach: &'a [i32],
    pub access_up: &'a [f64],
    pub access_down: &'a [f64],
    pub src: &'a [i32],
    pub dst: &'a [i32],
    pub demand: &'a [f64],
}

impl Problem {
    /// Checks the arrays and derives rows and reachability.
    ///
    /// ```
    #[doc = include_str!("two_cables.md")]
    /// assert_eq!((problem.arcs(), problem.rows(), problem.demands()), (4, 2, 1));
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn new(arrays: &Arrays) -> Result<Self, Error> {
        let Arrays { node_count, arc_ptr, tail, head, capacity, attach, .. } = arrays;
        let planes = Planes::from_arrays(node_count, arc_ptr, tail, head, attach, None)?;
        let endpoints = planes.endpoints();
        if arrays.access_up.len() != attach.len() || arrays.access_down.len() != attach.len() {
            return invalid("access", "its length is not that of attach");
        }
        if capacity.len() != tail.len() {
            return invalid("capacity", "its length is not that of tail");
        }
        let src = indices("src", arrays.src, endpoints)?;
        let dst = indices("dst", arrays.dst, endpoints)?;
        if src.len() != dst.len() || src.len() != arrays.demand.len() || src.is_empty() {
            return invalid("demand", "src, dst and demand need equal lengths, at least 1");
        }
        if let Some(d) = arrays.demand.iter().find(|d| !(d.is_finite() && **d > 0.0)) {
            return invalid("demand", format!("{d} is not positive and finite"));
        }
        if capacity.iter().any(|c| !(c.is_finite() && *c > 0.0)) {
            return invalid("capacity", "not positive and finite");
        }
        let access = arrays.access_up.iter().chain(arrays.access_down);
        if access.into_iter().any(|c| c.is_nan() || *c < 0.0) {
            return invalid("access", "a negative or NaN capacity");
        }
        let built = planes.graphs.into_iter().zip(planes.attach).enumerate().map(|(p, (graph, attach))| {
            let arcs = arc_ptr[p] as usize..arc_ptr[p + 1] as usize;
            let access = p * endpoints..(p + 1) * endpoints;
            let mut plane = Plane {
                graph,
                capacity: capacity[arcs].to_vec(),
                attach,
                up: arrays.access_up[access.clone()].to_vec(),
                down: arrays.access_down[access].to_vec(),
                targets: vec![],
                demands: vec![],
                partner: vec![],
                near: None,
            };
            place_demands(&mut plane, &src, &dst);
            plane
        });
        Ok(Problem { planes: built.collect(), endpoints, src, dst, demand: arrays.demand.to_vec() })
    }

    /// The problem in which arcs are in pairs one link, each with half of its capacity.
    ///
    /// `partner` has for each arc of all planes the other one, of its plane, or the arc itself.
    pub fn with_partners(mut self, partner: &[i32]) -> Result<Self, Error> {
        let count = self.arcs();
        let partner = indices("partner", partner, count)?;
        if partner.len() != count || partner.iter().enumerate().any(|(a, b)| partner[*b as usize] as usize != a) {
            return invalid("partner", "not an arc for each arc, in pairs");
        }
        let mut first = 0;
        for plane in &mut self.planes {
            let own = first..first + plane.arcs();
            first = own.end;
            if partner[own.clone()].iter().any(|b| !own.contains(&(*b as usize))) {
                return invalid("partner", "an arc of another plane");
            }
            plane.partner = partner[own.clone()].iter().map(|b| b - own.start as u32).collect();
            if plane.partner.iter().enumerate().any(|(a, b)| plane.capacity[a] != plane.capacity[*b as usize]) {
                return invalid("partner", "arcs of one link have different capacities");
            }
        }
        Ok(self)
    }

    /// The problem in which demands take shortest paths only, by links or by the `metric` of each arc.
    ///
    /// They are the shortest of all planes together, or of `each_plane` by itself.  An endpoint is in a plane if its links into
    /// it and out of it both carry something, as for all lists of paths.
    ///
    /// ```
    #[doc = include_str!("two_cables.md")]
    /// assert!(problem.clone().over_shortest(Some(&[1, 1]), false).is_err());
    /// // The cable of 10 is nearer than that of 25.
    /// let nearest = problem.clone().over_shortest(Some(&[1, 1, 2, 2]), false)?;
    /// assert_eq!((nearest.rows(), pnet_core::mcf::even_entries(&nearest)), (1, 1));
    /// assert_eq!(problem.over_shortest(Some(&[1, 1, 2, 2]), true)?.rows(), 2);
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn over_shortest(mut self, metric: Option<&[i32]>, each_plane: bool) -> Result<Self, Error> {
        if metric.is_some_and(|metric| metric.len() != self.arcs()) {
            return invalid("metric", "not one for each arc");
        }
        let mut first = 0;
        for plane in &mut self.planes {
            let own = first..first + plane.arcs();
            first = own.end;
            if let Some(metric) = metric {
                let metric = indices("metric", &metric[own], i32::MAX as usize)?;
                plane.graph = plane.graph.clone().with_metric(metric)?;
            }
            let attached = |e: u32| plane.up[e as usize] > 0.0 && plane.down[e as usize] > 0.0;
            for (usage, (s, d)) in plane.demands.iter_mut().zip(self.src.iter().zip(&self.dst)) {
                if !(attached(*s) && attached(*d)) {
                    *usage = Use::Never;
                }
            }
            let graph = &plane.graph;
            let reach = |target: &u32| {
                let mut found = Reach::default();
                graph.reach(*target, &mut found);
                found
            };
            plane.near = Some(Arc::new(plane.targets.par_iter().map(reach).collect()));
        }
        for j in (0..self.demands()).filter(|_| !each_plane) {
            let least = self.planes.iter().map(|plane| plane.distance(j)).min();
            for plane in self.planes.iter_mut().filter(|plane| Some(plane.distance(j)) > least) {
                plane.demands[j] = Use::Never;
            }
        }
        self.planes.iter_mut().for_each(Plane::retain_targets);
        Ok(self)
    }

    /// Number of demands.
    pub fn demands(&self) -> usize {
        self.demand.len()
    }

    /// Number of arcs in all planes.
    pub fn arcs(&self) -> usize {
        self.planes.iter().map(Plane::arcs).sum()
    }

    /// Number of (plane, target) rows.
    pub fn rows(&self) -> usize {
        self.planes.iter().map(|plane| plane.targets.len()).sum()
    }
}

/// Determines how the plane can carry each demand, and its targets.
fn place_demands(plane: &mut Plane, src: &[u32], dst: &[u32]) {
    let ends = |j: usize| {
        let (s, d) = (src[j] as usize, dst[j] as usize);
        let usable = plane.up[s] > 0.0 && plane.down[d] > 0.0;
        usable.then(|| plane.attach[s].zip(plane.attach[d])).flatten()
    };
    let mut demands = vec![Use::Never; src.len()];
    let mut targets = vec![];
    let core = (0..src.len()).filter_map(|j| ends(j).map(|(s, t)| (t, (s, j as u32))));
    let by_target = Csr::new(plane.nodes(), core);
    let components = Components::new(&plane.graph);
    let mut reach = Reach::default();
    for t in 0..plane.nodes() as u32 {
        let demands_to = by_target.of(t as usize);
        if !components.closed && !demands_to.is_empty() {
            plane.graph.reach(t, &mut reach);
        }
        let reaches = |s: u32| match components.closed {
            true => components.of[s as usize] == components.of[t as usize],
            false => reach.distance[s as usize] != FAR,
        };
        let row = targets.len() as u32;
        for (source, j) in demands_to.iter().copied().filter(|(s, _)| reaches(*s)) {
            demands[j as usize] = if source == t { Use::Local } else { Use::Core { source, row } };
        }
        if demands_to.iter().any(|(s, _)| *s != t && reaches(*s)) {
            targets.push(t);
        }
    }
    (plane.demands, plane.targets) = (demands, targets);
}
