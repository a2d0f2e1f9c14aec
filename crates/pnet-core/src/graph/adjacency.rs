//! The arcs of one plane, by tail and by head.

use std::ops::Range;

use crate::csr::Csr;
use crate::error::{Error, check_room, invalid};

/// What a node takes in the arrays of a graph and while they are made.
const BYTES_PER_NODE: usize = 64;

/// Above the length of a path times the number of arcs: what fits into 63 bits beside random bits that break ties.
const LARGEST: u64 = 1 << 46;

/// A directed multigraph with its arcs sorted by tail.
///
/// Nodes and arcs are numbered from 0.
///
/// ```
/// # use pnet_core::graph::Graph;
/// // A cable between 0 and 1, and one arc from 1 to 2.
/// let graph = Graph::new(3, vec![0, 1, 1], vec![1, 0, 2])?;
/// assert_eq!((graph.nodes(), graph.arcs()), (3, 3));
/// assert_eq!(graph.out(1), 1..3);
/// assert_eq!(graph.incoming(1), [0]);
/// # Ok::<(), pnet_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    tail: Vec<u32>,
    head: Vec<u32>,
    out_ptr: Vec<u32>,
    incoming: Csr<u32>,
    /// Tails of the arcs into each node, for backward searches.
    before: Csr<u32>,
    /// Metric of each arc; none where each is 1.
    metric: Option<Vec<u32>>,
}

impl Graph {
    /// The graph with these arcs.
    ///
    /// ```
    /// # use pnet_core::graph::Graph;
    /// let error = Graph::new(2, vec![1, 0], vec![0, 1]).unwrap_err();
    /// assert_eq!(error.to_string(), "tail: arcs are not sorted by tail");
    /// ```
    pub fn new(nodes: usize, tail: Vec<u32>, head: Vec<u32>) -> Result<Self, Error> {
        if tail.len() != head.len() {
            return invalid("head", "its length is not that of tail");
        }
        if nodes.max(tail.len()) >= u32::MAX as usize {
            return invalid("tail", format!("{nodes} nodes and {} arcs are too many", tail.len()));
        }
        for (what, ends) in [("tail", &tail), ("head", &head)] {
            if let Some(unknown) = ends.iter().find(|v| **v as usize >= nodes) {
                return invalid(what, format!("{unknown} is not in 0..{nodes}"));
            }
        }
        if !tail.is_sorted() {
            return invalid("tail", "arcs are not sorted by tail");
        }
        check_room("switches", nodes, BYTES_PER_NODE)?;
        let out_ptr = (0..=nodes).map(|u| tail.partition_point(|t| (*t as usize) < u) as u32).collect();
        let incoming = Csr::new(nodes, head.iter().copied().zip(0..));
        let before = Csr::new(nodes, head.iter().copied().zip(tail.iter().copied()));
        Ok(Graph { tail, head, out_ptr, incoming, before, metric: None })
    }

    /// The same graph, whose paths are as long as the sum of their arcs' metrics, each at least 1.
    ///
    /// ```
    /// # use pnet_core::graph::Graph;
    /// // From 0 to 2 directly, or over 1.
    /// let graph = Graph::new(3, vec![0, 0, 1], vec![1, 2, 2])?.with_metric(vec![1, 3, 1])?;
    /// assert_eq!(graph.distances_to(2), [2, 1, 0]);
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn with_metric(self, metric: Vec<u32>) -> Result<Self, Error> {
        if metric.len() != self.arcs() {
            return invalid("metric", format!("{} entries for {} arcs", metric.len(), self.arcs()));
        }
        if metric.contains(&0) {
            return invalid("metric", "0 is not at least 1");
        }
        let most = |node| self.out(node).map(|arc| u64::from(metric[arc as usize])).max().unwrap_or(0);
        let longest: u64 = (0..self.nodes() as u32).map(most).sum();
        if longest >= u64::from(u32::MAX / 2).min(LARGEST / (self.arcs() as u64 + 1)) {
            return invalid("metric", format!("a path of length {longest} is too long"));
        }
        Ok(Graph { metric: Some(metric), ..self })
    }

    /// Whether lengths are metrics, not hops.
    #[inline]
    pub(crate) fn has_metric(&self) -> bool {
        self.metric.is_some()
    }

    /// Metric of an arc.
    #[inline]
    pub fn metric(&self, arc: u32) -> u32 {
        self.metric.as_ref().map_or(1, |metric| metric[arc as usize])
    }

    /// Length of a path.
    pub(crate) fn length(&self, path: &[u32]) -> u32 {
        match &self.metric {
            None => path.len() as u32,
            Some(metric) => path.iter().map(|arc| metric[*arc as usize]).sum(),
        }
    }

    /// Number of nodes.
    #[inline]
    pub fn nodes(&self) -> usize {
        self.out_ptr.len() - 1
    }

    /// Number of arcs.
    #[inline]
    pub fn arcs(&self) -> usize {
        self.head.len()
    }

    /// Tail of each arc.
    #[inline]
    pub(crate) fn tails(&self) -> &[u32] {
        &self.tail
    }

    /// Head of each arc.
    #[inline]
    pub(crate) fn heads(&self) -> &[u32] {
        &self.head
    }

    /// Tail of an arc.
    #[inline]
    pub fn tail(&self, arc: u32) -> u32 {
        self.tail[arc as usize]
    }

    /// Head of an arc.
    #[inline]
    pub fn head(&self, arc: u32) -> u32 {
        self.head[arc as usize]
    }

    /// Arcs out of `node`.
    #[inline]
    pub fn out(&self, node: u32) -> Range<u32> {
        self.out_ptr[node as usize]..self.out_ptr[node as usize + 1]
    }

    /// Arcs into `node`, in their order.
    #[inline]
    pub fn incoming(&self, node: u32) -> &[u32] {
        self.incoming.of(node as usize)
    }

    /// Tails of the arcs into `node`.
    #[inline]
    pub(crate) fn before(&self, node: u32) -> &[u32] {
        self.before.of(node as usize)
    }
}
