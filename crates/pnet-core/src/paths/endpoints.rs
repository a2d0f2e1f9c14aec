//! Classes of endpoints, and the random stream of a pair.

use std::collections::HashMap;

use crate::graph::Planes;
use crate::random::SplitMix;

/// Endpoints, classified by the switches that they attach to.
pub(super) struct Endpoints {
    /// The class of each endpoint: those of one attach to the same switch of every plane, and have the same paths.
    class: Vec<u32>,
    /// Switch of each class in each plane.
    switches: Vec<Vec<Option<u32>>>,
    /// Hash of each class's switches.
    key: Vec<u64>,
}

impl Endpoints {
    /// The endpoints of these planes.
    pub(super) fn new(planes: &Planes) -> Self {
        let mut known: HashMap<Vec<Option<u32>>, u32> = HashMap::new();
        let mut switches = vec![];
        let class = (0..planes.endpoints())
            .map(|e| {
                let column: Vec<Option<u32>> = planes.attach.iter().map(|row| row[e]).collect();
                *known.entry(column).or_insert_with_key(|column| {
                    switches.push(column.clone());
                    switches.len() as u32 - 1
                })
            })
            .collect();
        let words = |column: &Vec<Option<u32>>| {
            SplitMix::of(column.iter().map(|switch| switch.map_or(0, |v| u64::from(v) + 1))).word()
        };
        let key = switches.iter().map(words).collect();
        Endpoints { class, switches, key }
    }

    /// The switch of an endpoint in each plane.
    pub(super) fn switches(&self, endpoint: u32) -> &[Option<u32>] {
        &self.switches[self.class[endpoint as usize] as usize]
    }

    /// Whether two endpoints attach to the same switches.
    pub(super) fn equivalent(&self, one: u32, other: u32) -> bool {
        self.class[one as usize] == self.class[other as usize]
    }

    /// The indices of the pairs, sorted by the classes of destination and source.
    pub(super) fn by_destination(&self, pairs: &[(u32, u32)]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
        order.sort_unstable_by_key(|j| {
            let (from, to) = pairs[*j as usize];
            (self.class[to as usize], self.class[from as usize], *j)
        });
        order
    }

    /// The runs of `order` with equivalent destinations.
    pub(super) fn groups<'a>(&'a self, pairs: &'a [(u32, u32)], order: &'a [u32]) -> impl Iterator<Item = &'a [u32]> {
        order.chunk_by(|a, b| self.equivalent(pairs[*a as usize].1, pairs[*b as usize].1))
    }

    /// The stream that breaks a pair's ties.
    ///
    /// It does not depend on the other pairs, and where choices are not made per flow, it is the same for all pairs of
    /// equivalent endpoints.
    pub(super) fn stream(&self, seed: u64, per_flow: bool, (from, to): (u32, u32)) -> SplitMix {
        let key = |endpoint: u32| match per_flow {
            true => u64::from(endpoint),
            false => self.key[self.class[endpoint as usize] as usize],
        };
        SplitMix::of([seed, key(from), key(to)])
    }
}
