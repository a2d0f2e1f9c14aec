//! What a unit of each demand puts on each arc, under a fixed split.

use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::endpoints::Endpoints;
use super::loads::{Block, Rule, Split, split_loads};
use crate::error::Error;
use crate::graph::{Graph, Planes, Reach};
use crate::rounding::Between;
use crate::stop::Stop;

/// The parts of demands on arcs: those of pair `j` are at `ptr[j]..ptr[j + 1]`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// Where the entries of each pair begin, and the end.
    pub ptr: Vec<usize>,
    /// Arcs, ascending, numbered through all planes.
    pub arc: Vec<u32>,
    /// The part of the demand there, rounded up.
    pub part: Vec<f64>,
}

/// Pairs to a task, whatever the number of threads.
const PAIRS: usize = 4_096;

/// What a unit of each demand puts on each arc: what [`split_loads`] gives for it alone.
///
/// Equal splits visit what lies between the ends of a pair, after one search for each destination; the other ones all of its
/// component.
///
/// ```
/// # use pnet_core::Stop;
/// # use pnet_core::graph::{Graph, Planes};
/// # use pnet_core::paths::{Policy, Rule, Split, split_usage};
/// let graph = Graph::new(3, vec![0, 0, 1], vec![1, 1, 2])?;
/// let planes = Planes::new(vec![graph], vec![vec![Some(0), Some(1), Some(2)]])?;
/// let rule = Rule { split: Split::Ecmp, policy: Policy::Any, seed: 0 };
/// let usage = split_usage(&planes, &[(1, 2), (0, 2)], &rule, &Stop::default())?;
/// assert_eq!((usage.ptr, usage.arc), (vec![0, 1, 4], vec![2, 0, 1, 2]));
/// assert_eq!(usage.part, [1.0, 0.5, 0.5, 1.0]);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn split_usage(planes: &Planes, pairs: &[(u32, u32)], rule: &Rule, stop: &Stop) -> Result<Usage, Error> {
    let endpoints = Endpoints::new(planes);
    let order = match rule.split {
        Split::Ecmp => endpoints.by_destination(pairs),
        Split::Vlb => (0..pairs.len() as u32).collect(),
    };
    let tasks: Vec<Task> = order
        .par_chunks(PAIRS)
        .map(|some| match rule.split {
            Split::Ecmp => Task::between(planes, &endpoints, pairs, some, rule, stop),
            Split::Vlb => Task::anywhere(planes, pairs, some, rule, stop),
        })
        .collect::<Result<_, Error>>()?;
    let mut ptr = vec![0; pairs.len() + 1];
    let counts = tasks.iter().flat_map(|task| &task.counts);
    order.iter().zip(counts).for_each(|(j, count)| ptr[*j as usize + 1] = *count);
    (1..ptr.len()).for_each(|j| ptr[j] += ptr[j - 1]);
    let mut usage = Usage { arc: vec![0; ptr[pairs.len()]], part: vec![0.0; ptr[pairs.len()]], ptr };
    for (task, some) in tasks.into_iter().zip(order.chunks(PAIRS)) {
        let mut entries = task.entries.into_iter();
        for j in some {
            for at in usage.ptr[*j as usize]..usage.ptr[*j as usize + 1] {
                (usage.arc[at], usage.part[at]) = entries.next().unwrap_or_default();
            }
        }
    }
    Ok(usage)
}

/// The entries of some pairs, one after the other.
#[derive(Default)]
struct Task {
    counts: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

impl Task {
    /// Equally over next hops.
    fn between(
        planes: &Planes,
        endpoints: &Endpoints,
        pairs: &[(u32, u32)],
        some: &[u32],
        rule: &Rule,
        stop: &Stop,
    ) -> Result<Self, Error> {
        let mut block = Block::new(&planes.graphs, &[], rule, endpoints);
        let first: Vec<u32> = planes
            .graphs
            .iter()
            .scan(0, |next, graph| Some(std::mem::replace(next, *next + graph.arcs() as u32)))
            .collect();
        let mut walks: Vec<Walk> = planes.graphs.iter().map(Walk::new).collect();
        let mut task = Task::default();
        for group in endpoints.groups(pairs, some) {
            stop.check()?;
            let targets = endpoints.switches(pairs[group[0] as usize].1);
            block.reach(targets);
            let towards = targets.iter().enumerate().filter(|(_, target)| target.is_some());
            towards.for_each(|(p, _)| walks[p].turn(&block.reach[p]));
            for j in group {
                let pair = pairs[*j as usize];
                let sources = endpoints.switches(pair.0);
                let parts = block.parts(sources, targets, pair);
                let total: f64 = parts.iter().map(|(_, weight)| weight).sum();
                let before = task.entries.len();
                for (p, weight) in parts {
                    let Some(source) = sources[p] else { continue };
                    let amount = Between::exactly(1.0).times(weight).over(total);
                    walks[p].sweep(&planes.graphs[p], &block.reach[p], source, amount);
                    let found = walks[p].found.drain(..).filter(|(_, part)| *part > 0.0);
                    task.entries.extend(found.map(|(arc, part)| (first[p] + arc, part)));
                }
                task.entries[before..].sort_unstable_by_key(|(arc, _)| *arc);
                task.counts.push(task.entries.len() - before);
            }
        }
        Ok(task)
    }

    /// In any other way.
    fn anywhere(planes: &Planes, pairs: &[(u32, u32)], some: &[u32], rule: &Rule, stop: &Stop) -> Result<Self, Error> {
        let mut task = Task::default();
        for j in some {
            let load = split_loads(planes, &[pairs[*j as usize]], &[1.0], rule, stop)?.load;
            let before = task.entries.len();
            task.entries.extend((0..).zip(load.into_iter().flatten()).filter(|(_, part)| *part > 0.0));
            task.counts.push(task.entries.len() - before);
        }
        Ok(task)
    }
}

/// What an amount puts on its shortest paths to the target of a search.
struct Walk {
    /// Place of each node in the order of the search.
    place: Vec<u32>,
    amount: Vec<Between>,
    /// Nodes with an amount, the farthest first.
    ahead: BinaryHeap<(u32, u32)>,
    found: Vec<(u32, f64)>,
}

impl Walk {
    fn new(graph: &Graph) -> Self {
        let nodes = graph.nodes();
        Walk { place: vec![0; nodes], amount: vec![Between::default(); nodes], ahead: BinaryHeap::new(), found: vec![] }
    }

    fn turn(&mut self, reach: &Reach) {
        reach.order.iter().zip(0..).for_each(|(u, place)| self.place[*u as usize] = place);
    }

    fn sweep(&mut self, graph: &Graph, reach: &Reach, source: u32, amount: Between) {
        self.amount[source as usize] = amount;
        self.ahead.push((self.place[source as usize], source));
        while let Some((_, u)) = self.ahead.pop() {
            let here = std::mem::take(&mut self.amount[u as usize]);
            let next = graph.next_hops(u, reach);
            let part = here.over(next.clone().count() as f64);
            for arc in next {
                self.found.push((arc, part.high));
                let v = graph.head(arc);
                if self.amount[v as usize].high == 0.0 {
                    self.ahead.push((self.place[v as usize], v));
                }
                self.amount[v as usize].add(part);
            }
        }
    }
}
