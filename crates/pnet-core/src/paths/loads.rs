//! Link loads of a routing with a fixed split, without listing its paths.
//!
//! The traffic to one switch is summed at its sources and swept towards it, farthest nodes first, each node dividing it
//! equally over its next hops.  One sweep costs as much as one search, however many paths there are.

use rayon::prelude::*;

use super::endpoints::Endpoints;
use super::policy::{Policy, nearest};
use crate::error::{Error, invalid};
use crate::graph::{Components, FAR, Graph, Planes, Reach};
use crate::rounding::Between;
use crate::stop::Stop;

/// How a demand is split inside a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// Equally over next hops on shortest paths.
    Ecmp,
    /// Equally over all intermediate switches of the component, with [`Split::Ecmp`] to and from them (Valiant, STOC 1981).
    Vlb,
}

/// How demands are split.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Inside a plane.
    pub split: Split,
    /// Over planes.
    pub policy: Policy,
    /// Seed for the plane of [`Policy::Single`].
    pub seed: u64,
}

/// The loads of demands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loads {
    /// Load of each arc of each plane, rounded up.
    pub load: Vec<Vec<f64>>,
    /// The same, rounded down.
    pub least: Vec<Vec<f64>>,
    /// Share of each demand in each plane, 0 in all for a pair without a path.
    pub share: Vec<Vec<f64>>,
}

/// Number of partial sums, whatever the number of threads.
const BLOCKS: usize = 32;

/// The loads of demands between pairs of endpoints; arguments as for [`super::enumerate()`].
///
/// ```
/// # use pnet_core::Stop;
/// # use pnet_core::graph::{Graph, Planes};
/// # use pnet_core::paths::{Policy, Rule, Split, split_loads};
/// // Two parallel arcs carry half each.
/// let graph = Graph::new(2, vec![0, 0], vec![1, 1])?;
/// let planes = Planes::new(vec![graph], vec![vec![Some(0), Some(1)]])?;
/// let rule = Rule { split: Split::Ecmp, policy: Policy::Any, seed: 0 };
/// assert_eq!(split_loads(&planes, &[(0, 1)], &[3.0], &rule, &Stop::default())?.load, [[1.5, 1.5]]);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn split_loads(
    planes: &Planes,
    pairs: &[(u32, u32)],
    demand: &[f64],
    rule: &Rule,
    stop: &Stop,
) -> Result<Loads, Error> {
    if demand.len() != pairs.len() {
        return invalid("demand", format!("{} entries for {} pairs", demand.len(), pairs.len()));
    }
    let (endpoints, graphs) = (Endpoints::new(planes), &planes.graphs[..]);
    let order = endpoints.by_destination(pairs);
    let groups: Vec<&[u32]> = endpoints.groups(pairs, &order).collect();
    let components = match rule.split {
        Split::Ecmp => vec![],
        Split::Vlb => graphs.iter().map(Components::new).collect(),
    };
    let blocks: Vec<Block> = groups
        .par_chunks(groups.len().div_ceil(BLOCKS).max(1))
        .map(|groups| {
            let mut block = Block::new(graphs, &components, rule, &endpoints);
            for group in groups {
                stop.check()?;
                block.add(group, pairs, demand);
            }
            Ok(block)
        })
        .collect::<Result<_, Error>>()?;
    let mut share = vec![vec![0.0; pairs.len()]; graphs.len()];
    let mut load = per_arc(graphs);
    let mut outward = per_node(graphs);
    for block in &blocks {
        add(&mut load, &block.load);
        add(&mut outward, &block.outward);
        for (j, p, part) in &block.share {
            share[*p as usize][*j as usize] = *part;
        }
    }
    for (p, components) in components.iter().enumerate() {
        spread(&graphs[p], components, &outward[p], &mut load[p], stop)?;
    }
    let each = |end: fn(&Between) -> f64| load.iter().map(|of_plane| of_plane.iter().map(end).collect()).collect();
    Ok(Loads { load: each(|load| load.high), least: each(|load| load.low), share })
}

fn per_arc(graphs: &[Graph]) -> Vec<Vec<Between>> {
    graphs.iter().map(|graph| vec![Between::default(); graph.arcs()]).collect()
}

fn per_node(graphs: &[Graph]) -> Vec<Vec<Between>> {
    graphs.iter().map(|graph| vec![Between::default(); graph.nodes()]).collect()
}

fn add(sums: &mut [Vec<Between>], values: &[Vec<Between>]) {
    for (sums, values) in sums.iter_mut().zip(values) {
        sums.iter_mut().zip(values).for_each(|(sum, value)| sum.add(*value));
    }
}

/// The loads of some destinations.
pub(super) struct Block<'a> {
    graphs: &'a [Graph],
    components: &'a [Components],
    rule: &'a Rule,
    endpoints: &'a Endpoints,
    pub(super) reach: Vec<Reach>,
    /// Traffic still to be swept, by node.
    amount: Vec<Vec<Between>>,
    load: Vec<Vec<Between>>,
    /// Traffic from each node to each intermediate switch of its component.
    outward: Vec<Vec<Between>>,
    /// Pair, plane, share.
    share: Vec<(u32, u32, f64)>,
}

impl<'a> Block<'a> {
    pub(super) fn new(
        graphs: &'a [Graph],
        components: &'a [Components],
        rule: &'a Rule,
        endpoints: &'a Endpoints,
    ) -> Self {
        Block {
            graphs,
            components,
            rule,
            endpoints,
            reach: vec![Reach::default(); graphs.len()],
            amount: per_node(graphs),
            load: per_arc(graphs),
            outward: per_node(graphs),
            share: vec![],
        }
    }

    /// Searches each plane for the shortest paths to a destination.
    pub(super) fn reach(&mut self, targets: &[Option<u32>]) {
        for (p, target) in targets.iter().enumerate() {
            if let Some(target) = target {
                self.graphs[p].reach(*target, &mut self.reach[p]);
            }
        }
    }

    /// Adds the demands of these pairs, which have equivalent destinations.
    fn add(&mut self, group: &[u32], pairs: &[(u32, u32)], demand: &[f64]) {
        let endpoints = self.endpoints;
        let targets = endpoints.switches(pairs[group[0] as usize].1);
        self.reach(targets);
        let mut towards = vec![Between::default(); self.graphs.len()];
        for j in group {
            let sources = endpoints.switches(pairs[*j as usize].0);
            let parts = self.parts(sources, targets, pairs[*j as usize]);
            let total: f64 = parts.iter().map(|(_, weight)| weight).sum();
            for (p, weight) in parts {
                self.share.push((*j, p as u32, weight / total));
                let amount = Between::exactly(demand[*j as usize]).times(weight).over(total);
                let Some(source) = sources[p] else { continue };
                match self.rule.split {
                    Split::Ecmp => self.amount[p][source as usize].add(amount),
                    // Traffic of a pair on one switch stays there.
                    Split::Vlb if sources[p] == targets[p] => {}
                    Split::Vlb => {
                        let each = amount.over(self.components[p].around(source).len() as f64);
                        towards[p].add(each);
                        self.outward[p][source as usize].add(each);
                    }
                }
            }
        }
        for (p, target) in targets.iter().enumerate() {
            let Some(target) = target else { continue };
            if towards[p].high > 0.0 {
                let components = &self.components[p];
                for w in components.around(*target) {
                    self.amount[p][*w as usize] = towards[p];
                }
            }
            sweep(&self.graphs[p], &self.reach[p], &mut self.amount[p], &mut self.load[p]);
        }
    }

    /// The planes that a pair uses, each with a small whole number in proportion to its share of the demand there.
    pub(super) fn parts(
        &self,
        sources: &[Option<u32>],
        targets: &[Option<u32>],
        pair: (u32, u32),
    ) -> Vec<(usize, f64)> {
        let connected = |p: usize| {
            let (source, target) = (sources[p]?, targets[p]?);
            let hops = self.reach[p].distance[source as usize];
            let joined = match self.rule.split {
                Split::Ecmp => hops != FAR,
                Split::Vlb => self.components[p].of[source as usize] == self.components[p].of[target as usize],
            };
            joined.then_some((p, hops))
        };
        let near: Vec<(usize, u32)> = (0..self.graphs.len()).filter_map(connected).collect();
        let mut random = self.endpoints.stream(self.rule.seed, self.rule.policy == Policy::Single, pair);
        let allowed = self.rule.policy.allowed(&near, &mut random);
        match (self.rule.split, self.rule.policy) {
            (Split::Vlb, _) | (Split::Ecmp, Policy::RoundRobin) => allowed.into_iter().map(|(p, _)| (p, 1.0)).collect(),
            (Split::Ecmp, _) => {
                nearest(&allowed).into_iter().map(|(p, _)| (p, self.next_hops(p, sources[p]))).collect()
            }
        }
    }

    /// Number of next hops of a pair's source; on the destination's switch 1, for its access link.
    fn next_hops(&self, p: usize, source: Option<u32>) -> f64 {
        source.map_or(0, |s| self.graphs[p].next_hops(s, &self.reach[p]).count()).max(1) as f64
    }
}

/// Moves every amount to the target of `reach`, and clears it there.
fn sweep(graph: &Graph, reach: &Reach, amount: &mut [Between], load: &mut [Between]) {
    for u in reach.order.iter().rev() {
        let here = std::mem::take(&mut amount[*u as usize]);
        if here.high == 0.0 {
            continue;
        }
        let next = graph.next_hops(*u, reach);
        let part = here.over(next.clone().count() as f64);
        for arc in next {
            load[arc as usize].add(part);
            amount[graph.head(arc) as usize].add(part);
        }
    }
}

/// Adds the loads of `outward` from each node to every switch of its component.
fn spread(
    graph: &Graph,
    components: &Components,
    outward: &[Between],
    load: &mut [Between],
    stop: &Stop,
) -> Result<(), Error> {
    let busy: Vec<bool> =
        (components.members.iter()).map(|members| members.iter().any(|u| outward[*u as usize].high > 0.0)).collect();
    let targets: Vec<u32> = (0..graph.nodes() as u32).filter(|w| busy[components.of[*w as usize] as usize]).collect();
    let blocks: Vec<Vec<Between>> = targets
        .par_chunks(targets.len().div_ceil(BLOCKS).max(1))
        .map(|targets| {
            let mut reach = Reach::default();
            let mut amount = vec![Between::default(); graph.nodes()];
            let mut load = vec![Between::default(); graph.arcs()];
            for w in targets {
                stop.check()?;
                graph.reach(*w, &mut reach);
                for u in components.around(*w) {
                    amount[*u as usize] = outward[*u as usize];
                }
                sweep(graph, &reach, &mut amount, &mut load);
            }
            Ok(load)
        })
        .collect::<Result<_, Error>>()?;
    for block in blocks {
        load.iter_mut().zip(block).for_each(|(sum, value)| sum.add(value));
    }
    Ok(())
}
