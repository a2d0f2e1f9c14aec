//! All simple paths of one length.

use super::path_set::Paths;
use crate::error::Error;
use crate::graph::Graph;
use crate::stop::Stop;

/// Steps after which it is seen whether there is time for more.
const BETWEEN_CHECKS: usize = 1 << 20;

/// How the search of one length ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// All paths of the length were found.
    Complete,
    /// The search took more steps than it was given.
    OutOfSteps,
}

/// Scratch space for searches in one graph.
pub(super) struct LevelSearch {
    on_path: Vec<bool>,
    /// Nodes of the path, with the next arc to try at each.
    stack: Vec<(u32, u32)>,
    arcs: Vec<u32>,
    /// For each node, the range of its arcs among those into the target of the last search.
    last: Vec<(u32, u32)>,
    target: Option<u32>,
    /// Arcs visited by the last search.
    steps: usize,
}

impl LevelSearch {
    /// Scratch space for `graph`.
    pub(super) fn new(graph: &Graph) -> Self {
        let nodes = graph.nodes();
        LevelSearch {
            on_path: vec![false; nodes],
            stack: vec![],
            arcs: vec![],
            last: vec![(0, 0); nodes],
            target: None,
            steps: 0,
        }
    }

    /// Arcs visited by the last search.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    /// Indexes the arcs into `target`, so that the last step of a path needs no search.
    fn aim(&mut self, graph: &Graph, target: u32) {
        if self.target == Some(target) {
            return;
        }
        for arc in self.target.map_or(&[][..], |old| graph.incoming(old)) {
            self.last[graph.tail(*arc) as usize] = (0, 0);
        }
        for (i, arc) in graph.incoming(target).iter().enumerate() {
            let (first, end) = &mut self.last[graph.tail(*arc) as usize];
            if *first == *end {
                *first = i as u32;
            }
            *end = i as u32 + 1;
        }
        self.target = Some(target);
    }

    /// Adds to `found` every simple path of one length from `source` to `target`, parallel arcs counted separately.
    ///
    /// `distance` is that to `target`: an arc is taken only if the target can be reached within `length`, so for the
    /// shortest length every step belongs to a path.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn run(
        &mut self,
        graph: &Graph,
        distance: &[u32],
        ends: (u32, u32),
        length: u32,
        plane: u32,
        steps: usize,
        stop: &Stop,
        found: &mut Paths,
    ) -> Result<Ended, Error> {
        let (source, target) = ends;
        self.steps = 0;
        if distance[source as usize] > length {
            return Ok(Ended::Complete);
        }
        self.aim(graph, target);
        let into = graph.incoming(target);
        let (mut taken, mut left) = (0_usize, length);
        self.enter(graph, source);
        while let Some((u, next)) = self.stack.last_mut() {
            if *next == graph.out(*u).end {
                self.on_path[*u as usize] = false;
                self.stack.pop();
                left += self.arcs.pop().map_or(0, |arc| graph.metric(arc));
                continue;
            }
            let arc = *next;
            *next += 1;
            taken += 1;
            if taken.is_multiple_of(BETWEEN_CHECKS) {
                stop.check()?;
            }
            if taken > steps {
                for (u, _) in self.stack.drain(..) {
                    self.on_path[u as usize] = false;
                }
                self.arcs.clear();
                return Ok(Ended::OutOfSteps);
            }
            let v = graph.head(arc);
            let Some(remaining) = left.checked_sub(graph.metric(arc)) else { continue };
            if v == target {
                if remaining == 0 {
                    found.push(plane, self.arcs.iter().copied().chain([arc]))?;
                }
            } else if remaining == 1 && !graph.has_metric() {
                let (first, end) = self.last[v as usize];
                if !self.on_path[v as usize] {
                    for last in &into[first as usize..end as usize] {
                        found.push(plane, self.arcs.iter().copied().chain([arc, *last]))?;
                    }
                }
            } else if remaining > 0 && distance[v as usize] <= remaining && !self.on_path[v as usize] {
                left = remaining;
                self.arcs.push(arc);
                self.enter(graph, v);
            }
        }
        self.steps = taken;
        Ok(Ended::Complete)
    }

    fn enter(&mut self, graph: &Graph, node: u32) {
        self.on_path[node as usize] = true;
        self.stack.push((node, graph.out(node).start));
    }
}
