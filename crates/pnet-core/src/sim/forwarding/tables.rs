//! What every switch knows of the shortest paths, toward each switch that packets are sent to.

use super::super::fabric::Fabric;
use super::Pair;
use crate::csr::Csr;
use crate::graph::{FAR, Reach};
use crate::paths::Policy;
use crate::random::SplitMix;

/// Things by a part of each, in the order in which parts come first.
pub(super) fn by_part<T>(things: impl Iterator<Item = T>, part: impl Fn(&T) -> usize) -> Vec<(usize, Vec<T>)> {
    let mut found: Vec<(usize, Vec<T>)> = vec![];
    for thing in things {
        let of = part(&thing);
        match found.iter_mut().find(|(other, _)| *other == of) {
            Some((_, things)) => things.push(thing),
            None => found.push((of, vec![thing])),
        }
    }
    found
}

/// The shortest paths of a plane to one of its switches.
#[derive(Debug)]
pub(super) struct Table {
    /// Length of the shortest path from each switch, [`FAR`] where there is none.
    pub(super) distance: Vec<u32>,
    next: Csr<u32>,
}

impl Table {
    /// The arcs by which a switch forwards.
    #[inline]
    pub(super) fn next(&self, switch: u32) -> &[u32] {
        self.next.of(switch as usize)
    }
}

/// The tables of all planes, made when they are first asked for.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// By plane and switch.
    tables: Vec<Vec<Option<Box<Table>>>>,
}

impl Tables {
    /// No tables yet.
    pub(super) fn new(fabric: &Fabric) -> Self {
        let empty = |nodes: usize| (0..nodes).map(|_| None).collect();
        let tables = fabric.planes().graphs().iter().map(|graph| empty(graph.nodes())).collect();
        Tables { tables }
    }

    /// The table toward a switch of a plane, over the arcs that may be used.
    pub(super) fn toward(&mut self, fabric: &Fabric, plane: usize, switch: u32) -> &Table {
        self.tables[plane][switch as usize].get_or_insert_with(|| {
            let graph = &fabric.planes().graphs()[plane];
            let usable = |arc: u32| fabric.open(fabric.arc(plane, arc));
            let mut reach = Reach::default();
            graph.reach_over(switch, usable, &mut reach);
            let arcs = (0..graph.nodes() as u32)
                .flat_map(|from| graph.next_hops(from, &reach).filter(|arc| usable(*arc)).map(move |arc| (from, arc)));
            Box::new(Table { next: Csr::new(graph.nodes(), arcs), distance: reach.distance })
        })
    }

    /// Forgets all tables.
    pub(super) fn clear(&mut self) {
        self.tables.iter_mut().flatten().for_each(|table| *table = None);
    }

    /// Makes all tables anew.
    pub(super) fn renew(&mut self, fabric: &Fabric) {
        for plane in 0..self.tables.len() {
            for switch in 0..self.tables[plane].len() {
                if self.tables[plane][switch].take().is_some() {
                    self.toward(fabric, plane, switch as u32);
                }
            }
        }
    }

    /// The same, where it has been asked for before.
    #[inline]
    pub(super) fn known(&self, plane: usize, switch: u32) -> Option<&Table> {
        self.tables[plane][switch as usize].as_deref()
    }

    /// The planes that a flow may use: all that a policy allows, and unless it goes round them the nearest of these.
    pub(super) fn planes(&mut self, fabric: &Fabric, policy: Policy, pair: Pair, seed: u64) -> Vec<usize> {
        let near = self.near(fabric, pair.src, pair.dst);
        let mut allowed = policy.allowed(&near, &mut SplitMix::of([seed, u64::from(pair.key) << 32]));
        if policy != Policy::RoundRobin {
            let least = allowed.iter().map(|(_, hops)| *hops).min();
            allowed.retain(|(_, hops)| Some(*hops) == least);
        }
        let server = fabric.common_server(pair.src, pair.dst);
        if allowed.iter().any(|(plane, _)| Some(*plane) == server) {
            allowed.retain(|(plane, _)| Some(*plane) == server);
        }
        allowed.into_iter().map(|(plane, _)| plane).collect()
    }

    /// The ports of the shortest paths between two hosts in one of their planes, up to `most` of them.
    ///
    /// They are in the order of reversed digits: paths next to each other part as early as they can, so that packets that
    /// take them in turn are spread over the first links as evenly as over the last.
    pub(super) fn paths(&self, fabric: &Fabric, plane: usize, pair: Pair, most: usize) -> Vec<Vec<u32>> {
        let (Some(from), Some(to)) = (fabric.attached(plane, pair.src), fabric.reached(plane, pair.dst)) else {
            return vec![];
        };
        let Some(table) = self.known(plane, to) else { return vec![] };
        let graph = &fabric.planes().graphs()[plane];
        // Each path with the choice made at each switch, the last first.
        let mut found: Vec<(Vec<u32>, Vec<u32>)> = vec![];
        // Switches to go on from, each with the choices and arcs that lead to it; the last is taken first.
        let mut open = vec![(from, vec![], vec![])];
        while let Some((at, mut choices, arcs)) = open.pop() {
            if at == to {
                choices.reverse();
                found.push((choices, fabric.path(plane, (pair.src, pair.dst), arcs.into_iter())));
                if found.len() == most {
                    break;
                }
                continue;
            }
            for (choice, arc) in (0_u32..).zip(fabric.kept(plane, (pair.src, pair.dst), table.next(at)).iter()) {
                let chosen = choices.iter().copied().chain([choice]).collect();
                let longer = arcs.iter().copied().chain([*arc]).collect();
                open.push((graph.head(*arc), chosen, longer));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, ports)| ports).collect()
    }

    /// The ports of a shortest path between two hosts in one of their planes.  The next of so many arcs from a switch is
    /// chosen by `choose`.
    pub(super) fn walk(
        &self,
        fabric: &Fabric,
        plane: usize,
        pair: Pair,
        mut choose: impl FnMut(u32, usize) -> usize,
    ) -> Option<Vec<u32>> {
        let (mut at, to) = (fabric.attached(plane, pair.src)?, fabric.reached(plane, pair.dst)?);
        let (table, graph) = (self.known(plane, to)?, &fabric.planes().graphs()[plane]);
        let (ends, mut arcs) = ((pair.src, pair.dst), vec![]);
        while at != to {
            let next = fabric.kept(plane, ends, table.next(at));
            let arc = next[choose(at, next.len())];
            arcs.push(arc);
            at = graph.head(arc);
        }
        Some(fabric.path(plane, ends, arcs.into_iter()))
    }

    /// The planes that join two hosts, with the distance between their switches.
    fn near(&mut self, fabric: &Fabric, src: u32, dst: u32) -> Vec<(usize, u32)> {
        (0..fabric.planes().count())
            .filter_map(|plane| {
                let (from, to) = (fabric.attached(plane, src)?, fabric.reached(plane, dst)?);
                if !fabric.open(fabric.up(plane, src)) || !fabric.open(fabric.down(plane, dst)) {
                    return None;
                }
                let distance = self.toward(fabric, plane, to).distance[from as usize];
                (distance != FAR).then_some((plane, distance + fabric.ends(plane, (src, dst))))
            })
            .collect()
    }
}
