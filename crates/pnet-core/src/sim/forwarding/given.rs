//! Given paths: those that a routing allows to a pair of hosts.

use super::super::fabric::Fabric;
use super::super::time::Time;
use super::super::values::{Parameter, Values};
use super::per_flow::{Choice, PerFlow};
use super::{Forwarder, Forwarding, Pair};
use crate::error::{Error, invalid};
use crate::paths::{PathSet, Paths};
use crate::random::SplitMix;

/// Its parameters.
#[derive(Debug, Clone)]
pub struct Given {
    /// Pairs of hosts, each once.
    pub pairs: Vec<(u32, u32)>,
    /// Times from which on paths are as in a list, each with the list's number: from 0 on they are those of the whole
    /// network, and later those of what paths then take for the network.
    pub since: Vec<(Time, u32)>,
    /// The paths of each pair, list by list.  A flow's subflows take them one after the other from one drawn for the flow;
    /// if there are as many subflows as paths, each path has one.
    pub paths: PathSet,
}

/// Arrays of hosts, and the arrays of each list of paths.
impl Parameter for Given {
    fn read(values: &mut Values, _: &'static str) -> Result<Self, Error> {
        let (src, dst) = (values.read::<Vec<u32>>("src")?, values.read::<Vec<u32>>("dst")?);
        let pairs = src.into_iter().zip(dst).collect();
        let (since, list) = (values.read::<Vec<Time>>("since")?, values.read::<Vec<u32>>("list")?);
        Ok(Given { pairs, since: since.into_iter().zip(list).collect(), paths: values.read("paths")? })
    }
}

impl Parameter for PathSet {
    fn read(values: &mut Values, name: &'static str) -> Result<Self, Error> {
        let mut arrays: Values = values.read(name)?;
        let pair_ptr: Vec<usize> = arrays.read("pair_ptr")?;
        let (plane, ptr) = (arrays.read::<Vec<u32>>("plane")?, arrays.read::<Vec<usize>>("path_ptr")?);
        let arcs: Vec<u32> = arrays.read("path_arc")?;
        for (name, ptr, end) in [("pair_ptr", &pair_ptr, plane.len()), ("path_ptr", &ptr, arcs.len())] {
            let covers = ptr.first() == Some(&0) && ptr.last() == Some(&end);
            if !covers || !ptr.is_sorted() {
                return invalid(name, format!("not ranges of {end} entries"));
            }
        }
        if ptr.len() != plane.len() + 1 {
            return invalid("path_ptr", format!("{} entries for {} paths", ptr.len(), plane.len()));
        }
        Ok(PathSet { pair_ptr, paths: Paths { plane, ptr, arcs } })
    }
}

impl Forwarding for Given {
    fn makes_tables(&self) -> bool {
        false
    }

    /// Paths of the pair that has most.
    fn most_paths(&self) -> u32 {
        let ends = self.paths.pair_ptr.windows(2);
        ends.map(|ends| ends[1].saturating_sub(ends[0])).max().unwrap_or(0).max(1) as u32
    }

    fn build(&self, fabric: &Fabric, seed: u64) -> Result<Box<dyn Forwarder>, Error> {
        let found = self.paths.pair_ptr.len();
        let lists = self.since.iter().map(|(_, list)| *list as usize + 1).max().unwrap_or(0);
        if self.since.first().is_none_or(|(time, _)| *time > 0) || !self.since.is_sorted_by_key(|(time, _)| *time) {
            return invalid("since", "lists of paths are in the order of their times, the first from 0 on");
        }
        if found != lists * self.pairs.len() + 1 {
            return invalid("pair_ptr", format!("{found} entries for {} pairs in {lists} lists", self.pairs.len()));
        }
        let mut order: Vec<u32> = (0..self.pairs.len() as u32).collect();
        order.sort_unstable_by_key(|j| self.pairs[*j as usize]);
        let mut twice = order.windows(2).filter(|w| self.pairs[w[0] as usize] == self.pairs[w[1] as usize]);
        if let Some(w) = twice.next() {
            let (src, dst) = self.pairs[w[0] as usize];
            return invalid("pairs", format!("the pair of hosts {src} and {dst} stands there twice"));
        }
        for (ends, pair) in self.paths.pair_ptr.windows(2).zip(self.pairs.iter().cycle()) {
            if let Some(i) = (ends[0]..ends[1]).find(|i| !leads(&self.paths.paths, fabric, *pair, *i)) {
                let (src, dst) = pair;
                return invalid("paths", format!("path {i} does not lead from host {src} to host {dst}"));
            }
        }
        Ok(Box::new(PerFlow::new(Listed { given: self.clone(), order, seed })))
    }
}

/// Whether the `i`-th path joins the switches of these hosts.
fn leads(paths: &Paths, fabric: &Fabric, (src, dst): (u32, u32), i: usize) -> bool {
    let plane = paths.plane[i] as usize;
    let hosts = fabric.hosts() as u32;
    if plane >= fabric.planes().count() || src >= hosts || dst >= hosts {
        return false;
    }
    let graph = &fabric.planes().graphs()[plane];
    let (Some(mut at), Some(to)) = (fabric.attached(plane, src), fabric.reached(plane, dst)) else {
        return false;
    };
    for arc in paths.get(i) {
        if *arc as usize >= graph.arcs() || graph.tail(*arc) != at {
            return false;
        }
        at = graph.head(*arc);
    }
    at == to
}

/// The paths of all pairs.
pub(super) struct Listed {
    given: Given,
    /// Indices of the pairs, sorted by source and destination.
    order: Vec<u32>,
    seed: u64,
}

impl Choice for Listed {
    fn choose(&mut self, pair: Pair, subflow: u32, fabric: &Fabric) -> Option<Vec<u32>> {
        let ends = (pair.src, pair.dst);
        let place = self.order.binary_search_by_key(&ends, |j| self.given.pairs[*j as usize]).ok()?;
        let Given { pairs, since, paths: listed } = &self.given;
        // Without an outage that paths learn of, there is one list.
        let (_, list) = since[since.partition_point(|(time, _)| *time <= fabric.changed()) - 1];
        let j = list as usize * pairs.len() + self.order[place] as usize;
        let (first, end) = (listed.pair_ptr[j], listed.pair_ptr[j + 1]);
        if first == end {
            return None;
        }
        let paths = &listed.paths;
        let drawn = SplitMix::of([self.seed, u64::from(pair.key)]).below(end - first) + subflow as usize;
        // The next one where a link of it may not be used.
        (drawn..drawn + end - first).map(|turn| first + turn % (end - first)).find_map(|i| {
            let plane = paths.plane[i] as usize;
            let ports = fabric.path(plane, ends, paths.get(i).iter().copied());
            ports.iter().all(|port| fabric.usable(*port)).then_some(ports)
        })
    }
}
