//! Several planes, and where endpoints attach to them.

use super::adjacency::Graph;
use crate::error::{Error, indices, invalid};

/// The graphs of several planes, and the switch of each endpoint in each of them.
///
/// ```
/// # use pnet_core::graph::{Graph, Planes};
/// let cable = Graph::new(2, vec![0, 1], vec![1, 0])?;
/// let planes = Planes::new(vec![cable], vec![vec![Some(0), Some(1), None]])?;
/// assert_eq!(planes.endpoints(), 3);
/// # Ok::<(), pnet_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Planes {
    pub(crate) graphs: Vec<Graph>,
    pub(crate) attach: Vec<Vec<Option<u32>>>,
}

impl Planes {
    /// Planes in which endpoint `e` attaches to the switch `attach[p][e]` of plane `p`, or not at all.
    pub fn new(graphs: Vec<Graph>, attach: Vec<Vec<Option<u32>>>) -> Result<Self, Error> {
        if graphs.len() != attach.len() {
            return invalid("attach", format!("{} rows for {} planes", attach.len(), graphs.len()));
        }
        for (graph, row) in graphs.iter().zip(&attach) {
            if row.len() != attach[0].len() {
                return invalid("attach", "the planes have different numbers of endpoints");
            }
            if let Some(v) = row.iter().flatten().find(|v| **v as usize >= graph.nodes()) {
                return invalid("attach", format!("{v} is not in -1..{}", graph.nodes()));
            }
        }
        Ok(Planes { graphs, attach })
    }

    /// For each plane, the first with the same graph and the same switch for each endpoint.
    pub(crate) fn originals(&self) -> Vec<usize> {
        let same = |p: usize, q: usize| self.graphs[p] == self.graphs[q] && self.attach[p] == self.attach[q];
        (0..self.graphs.len()).map(|p| (0..p).find(|q| same(p, *q)).unwrap_or(p)).collect()
    }

    /// Planes from flat arrays: the arcs of plane `p` are `arc_ptr[p]..arc_ptr[p + 1]`, their ends local to it;
    /// `attach` holds -1 for an endpoint that is not attached; without `metric`, that of each arc is 1.
    ///
    /// ```
    /// # use pnet_core::graph::Planes;
    /// let planes = Planes::from_arrays(&[2, 3], &[0, 1, 3], &[0, 0, 1], &[1, 1, 2], &[0, 1, 2, -1], None)?;
    /// assert_eq!(planes.endpoints(), 2);
    /// assert_eq!(planes.graphs()[1].arcs(), 2);
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn from_arrays(
        node_count: &[i32],
        arc_ptr: &[i32],
        tail: &[i32],
        head: &[i32],
        attach: &[i32],
        metric: Option<&[i32]>,
    ) -> Result<Self, Error> {
        let planes = node_count.len();
        if planes == 0 || arc_ptr.len() != planes + 1 {
            return invalid("arc_ptr", format!("{} entries for {planes} planes", arc_ptr.len()));
        }
        if !attach.len().is_multiple_of(planes) {
            return invalid("attach", format!("{} entries for {planes} planes", attach.len()));
        }
        if head.len() != tail.len() {
            return invalid("head", "its length is not that of tail");
        }
        if metric.is_some_and(|metric| metric.len() != tail.len()) {
            return invalid("metric", "its length is not that of tail");
        }
        let mut graphs = vec![];
        for (ends, nodes) in arc_ptr.windows(2).zip(node_count) {
            let arcs = match (usize::try_from(ends[0]), usize::try_from(ends[1])) {
                (Ok(begin), Ok(end)) if begin <= end && end <= tail.len() => begin..end,
                _ => return invalid("arc_ptr", format!("{}..{} is not a range of arcs", ends[0], ends[1])),
            };
            let nodes = match usize::try_from(*nodes) {
                Ok(nodes) if nodes > 0 => nodes,
                _ => return invalid("node_count", "a plane needs at least one switch"),
            };
            let ends = indices("tail", &tail[arcs.clone()], nodes)?;
            let graph = Graph::new(nodes, ends, indices("head", &head[arcs.clone()], nodes)?)?;
            graphs.push(match metric {
                None => graph,
                Some(metric) => graph.with_metric(indices("metric", &metric[arcs], i32::MAX as usize)?)?,
            });
        }
        let endpoints = attach.len() / planes;
        if let Some(v) = attach.iter().find(|v| **v < -1) {
            return invalid("attach", format!("{v} is neither a switch nor -1"));
        }
        let attach = (0..planes).map(|p| &attach[p * endpoints..(p + 1) * endpoints]);
        Planes::new(graphs, attach.map(|row| row.iter().map(|v| u32::try_from(*v).ok()).collect()).collect())
    }

    /// Source and destination endpoint of each pair.
    ///
    /// ```
    /// # use pnet_core::graph::Planes;
    /// let planes = Planes::from_arrays(&[2], &[0, 1], &[0], &[1], &[0, 1], None)?;
    /// assert_eq!(planes.pairs(&[0, 1], &[1, 0])?, [(0, 1), (1, 0)]);
    /// assert_eq!(planes.pairs(&[0], &[2]).unwrap_err().to_string(), "dst: 2 is not in 0..2");
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn pairs(&self, src: &[i32], dst: &[i32]) -> Result<Vec<(u32, u32)>, Error> {
        if src.len() != dst.len() {
            return invalid("dst", "its length is not that of src");
        }
        let (src, dst) = (indices("src", src, self.endpoints())?, indices("dst", dst, self.endpoints())?);
        Ok(src.into_iter().zip(dst).collect())
    }

    /// The graph of each plane.
    pub fn graphs(&self) -> &[Graph] {
        &self.graphs
    }

    /// Number of planes.
    pub fn count(&self) -> usize {
        self.graphs.len()
    }

    /// Number of endpoints.
    #[inline]
    pub fn endpoints(&self) -> usize {
        self.attach.first().map_or(0, Vec::len)
    }
}
