//! The instance: planes, endpoints and demands.

use std::ops::Range;

use thiserror::Error;

use super::reach::Reach;

/// What can be wrong with an instance or a proof.
#[derive(Debug, Error, Clone, PartialEq)]
pub enum Error {
    /// An array has the wrong length, or an entry that is out of range.
    #[error("{what}: {why}")]
    Invalid {
        /// The array.
        what: &'static str,
        /// The fault.
        why: String,
    },
}

pub(crate) fn invalid<T>(what: &'static str, why: impl Into<String>) -> Result<T, Error> {
    Err(Error::Invalid { what, why: why.into() })
}

/// One plane: a directed, capacitated graph on its own switches, and where the endpoints attach.
#[derive(Debug, Clone)]
pub struct Plane {
    /// Number of switches.
    pub nodes: usize,
    /// Tail of each arc; arcs are sorted by tail.
    pub tail: Vec<u32>,
    /// Head of each arc.
    pub head: Vec<u32>,
    /// Capacity of each arc, positive.
    pub capacity: Vec<f64>,
    /// Arcs out of node `u` are `out_ptr[u]..out_ptr[u + 1]`.
    pub out_ptr: Vec<usize>,
    /// Switch of each endpoint; `None` where it has no link into the plane.
    pub attach: Vec<Option<u32>>,
    /// Capacity of each endpoint's link into the plane.
    pub up: Vec<f64>,
    /// Capacity of each endpoint's link out of the plane.
    pub down: Vec<f64>,
    /// Distinct switches that receive traffic from another switch, ascending.
    pub targets: Vec<u32>,
    /// Where the demands meet this plane, one entry a demand.
    pub demands: Vec<Use>,
}

impl Plane {
    /// Arcs out of `node`.
    #[inline]
    pub fn out(&self, node: usize) -> Range<usize> {
        self.out_ptr[node]..self.out_ptr[node + 1]
    }

    /// Number of arcs.
    pub fn arcs(&self) -> usize {
        self.head.len()
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
        /// The switch where the demand enters.
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

/// The arrays an instance is built from; shapes as in `pnet_lp.throughput.problem.FlowProblem`.
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
    pub fn new(arrays: &Arrays) -> Result<Self, Error> {
        let planes = arrays.node_count.len();
        if planes == 0 || arrays.arc_ptr.len() != planes + 1 {
            return invalid("arc_ptr", format!("{} entries for {planes} planes", arrays.arc_ptr.len()));
        }
        if arrays.attach.is_empty() || !arrays.attach.len().is_multiple_of(planes) {
            return invalid("attach", format!("{} entries for {planes} planes", arrays.attach.len()));
        }
        let endpoints = arrays.attach.len() / planes;
        if arrays.access_up.len() != arrays.attach.len() || arrays.access_down.len() != arrays.attach.len() {
            return invalid("access", "another length than attach");
        }
        let src = indices("src", arrays.src, endpoints)?;
        let dst = indices("dst", arrays.dst, endpoints)?;
        if src.len() != dst.len() || src.len() != arrays.demand.len() || src.is_empty() {
            return invalid("demand", "src, dst and demand need one length, at least 1");
        }
        if let Some(d) = arrays.demand.iter().find(|d| !(d.is_finite() && **d > 0.0)) {
            return invalid("demand", format!("{d} is not positive and finite"));
        }
        let mut built = Vec::with_capacity(planes);
        for p in 0..planes {
            let access = p * endpoints..(p + 1) * endpoints;
            let mut plane = graph(arrays, p)?;
            plane.attach = attachments(&arrays.attach[access.clone()], plane.nodes)?;
            plane.up = arrays.access_up[access.clone()].to_vec();
            plane.down = arrays.access_down[access].to_vec();
            if plane.up.iter().chain(&plane.down).any(|c| c.is_nan() || *c < 0.0) {
                return invalid("access", "a negative or NaN capacity");
            }
            place_demands(&mut plane, &src, &dst);
            built.push(plane);
        }
        Ok(Problem { planes: built, endpoints, src, dst, demand: arrays.demand.to_vec() })
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

fn indices(what: &'static str, values: &[i32], bound: usize) -> Result<Vec<u32>, Error> {
    match values.iter().find(|v| **v < 0 || **v as usize >= bound) {
        Some(v) => invalid(what, format!("{v} is not in 0..{bound}")),
        None => Ok(values.iter().map(|v| *v as u32).collect()),
    }
}

fn graph(arrays: &Arrays, p: usize) -> Result<Plane, Error> {
    let (begin, end) = (arrays.arc_ptr[p], arrays.arc_ptr[p + 1]);
    if begin < 0 || end < begin || end as usize > arrays.tail.len() {
        return invalid("arc_ptr", format!("{begin}..{end} is not a range of arcs"));
    }
    let range = begin as usize..end as usize;
    if arrays.head.len() != arrays.tail.len() || arrays.capacity.len() != arrays.tail.len() {
        return invalid("head", "tail, head and capacity need one length");
    }
    let nodes = match usize::try_from(arrays.node_count[p]) {
        Ok(nodes) if nodes > 0 => nodes,
        _ => return invalid("node_count", "a plane needs at least one switch"),
    };
    let tail = indices("tail", &arrays.tail[range.clone()], nodes)?;
    let head = indices("head", &arrays.head[range.clone()], nodes)?;
    if tail.windows(2).any(|pair| pair[0] > pair[1]) {
        return invalid("tail", "arcs are not sorted by tail");
    }
    let capacity = arrays.capacity[range].to_vec();
    if capacity.iter().any(|c| !(c.is_finite() && *c > 0.0)) {
        return invalid("capacity", "not positive and finite");
    }
    let out_ptr = (0..=nodes).map(|u| tail.partition_point(|t| (*t as usize) < u)).collect();
    Ok(Plane {
        nodes,
        tail,
        head,
        capacity,
        out_ptr,
        attach: vec![],
        up: vec![],
        down: vec![],
        targets: vec![],
        demands: vec![],
    })
}

fn attachments(attach: &[i32], nodes: usize) -> Result<Vec<Option<u32>>, Error> {
    match attach.iter().find(|v| **v < -1 || **v >= nodes as i32) {
        Some(v) => invalid("attach", format!("{v} is not in -1..{nodes}")),
        None => Ok(attach.iter().map(|v| u32::try_from(*v).ok()).collect()),
    }
}

/// Decides for every demand how the plane can carry it, and lists the plane's targets.
fn place_demands(plane: &mut Plane, src: &[u32], dst: &[u32]) {
    let reach = Reach::new(plane);
    let ends: Vec<Option<(u32, u32)>> = src
        .iter()
        .zip(dst)
        .map(|(s, d)| {
            let (s, d) = (*s as usize, *d as usize);
            let usable = plane.up[s] > 0.0 && plane.down[d] > 0.0;
            usable.then(|| plane.attach[s].zip(plane.attach[d])).flatten()
        })
        .collect();
    let mut sources_of = vec![vec![]; plane.nodes];
    for (s, t) in ends.iter().flatten().filter(|(s, t)| s != t) {
        sources_of[*t as usize].push(*s);
    }
    // row_of[t] is set for the switches that some demand reaches.
    let mut row_of = vec![u32::MAX; plane.nodes];
    let mut reaches = vec![];
    for (t, sources) in sources_of.iter().enumerate() {
        if sources.is_empty() {
            continue;
        }
        let set = reach.to(t);
        if sources.iter().any(|s| set.contains(*s)) {
            row_of[t] = plane.targets.len() as u32;
            plane.targets.push(t as u32);
            reaches.push(set);
        }
    }
    plane.demands = ends
        .iter()
        .map(|end| match *end {
            None => Use::Never,
            Some((s, t)) if s == t => Use::Local,
            Some((s, t)) => {
                let row = row_of[t as usize];
                if row != u32::MAX && reaches[row as usize].contains(s) {
                    Use::Core { source: s, row }
                } else {
                    Use::Never
                }
            }
        })
        .collect();
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A plane of `nodes` switches with the given arcs, sorted by tail, of capacity 1.
    pub(crate) fn plane(nodes: usize, arcs: &[(u32, u32)]) -> Plane {
        let tail: Vec<i32> = arcs.iter().map(|arc| arc.0 as i32).collect();
        let head: Vec<i32> = arcs.iter().map(|arc| arc.1 as i32).collect();
        let arrays = Arrays {
            node_count: &[nodes as i32],
            arc_ptr: &[0, arcs.len() as i32],
            tail: &tail,
            head: &head,
            capacity: &vec![1.0; arcs.len()],
            attach: &[0],
            access_up: &[1.0],
            access_down: &[1.0],
            src: &[],
            dst: &[],
            demand: &[],
        };
        graph(&arrays, 0).unwrap()
    }
}
