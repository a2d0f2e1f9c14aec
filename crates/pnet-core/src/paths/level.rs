//! All simple paths of one length.

use super::path_set::Paths;
use crate::error::Error;
use crate::graph::Graph;

/// How a search of one length ended.
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
    /// Nodes of the path and the next arc to try at each.
    stack: Vec<(u32, u32)>,
    arcs: Vec<u32>,
    /// Of each node, where its arcs to the target of the last search are among those into it.
    last: Vec<(u32, u32)>,
    target: Option<u32>,
    /// Of the last search.
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

    /// Arcs that the last search looked at.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    /// Looks up the arcs into `target`, so that the last step of a path need not be searched for.
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

    /// Adds to `found` every simple path of `length` arcs from `source` to `target`, parallel arcs counted each.
    ///
    /// `hops` are the distances to `target`: an arc is taken only if the target can still be reached in time, so with
    /// no detour to spare every step belongs to a path.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn run(
        &mut self,
        graph: &Graph,
        hops: &[u32],
        ends: (u32, u32),
        length: u32,
        plane: u32,
        steps: usize,
        found: &mut Paths,
    ) -> Result<Ended, Error> {
        let (source, target) = ends;
        self.steps = 0;
        if hops[source as usize] > length {
            return Ok(Ended::Complete);
        }
        self.aim(graph, target);
        let into = graph.incoming(target);
        let mut taken = 0;
        self.enter(graph, source);
        while let Some((u, next)) = self.stack.last_mut() {
            if *next == graph.out(*u).end {
                self.on_path[*u as usize] = false;
                self.stack.pop();
                self.arcs.pop();
                continue;
            }
            let arc = *next;
            *next += 1;
            taken += 1;
            if taken > steps {
                for (u, _) in self.stack.drain(..) {
                    self.on_path[u as usize] = false;
                }
                self.arcs.clear();
                return Ok(Ended::OutOfSteps);
            }
            let v = graph.head(arc);
            let left = length - self.stack.len() as u32;
            if v == target {
                if left == 0 {
                    found.push(plane, self.arcs.iter().copied().chain([arc]))?;
                }
            } else if left == 1 {
                let (first, end) = self.last[v as usize];
                if !self.on_path[v as usize] {
                    for last in &into[first as usize..end as usize] {
                        found.push(plane, self.arcs.iter().copied().chain([arc, *last]))?;
                    }
                }
            } else if left > 1 && hops[v as usize] <= left && !self.on_path[v as usize] {
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
