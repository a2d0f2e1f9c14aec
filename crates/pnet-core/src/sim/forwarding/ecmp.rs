//! Equal-cost multi-path: every switch picks one of its shortest paths by a hash of the flow, salted with the switch.

use super::super::fabric::Fabric;
use super::super::values::parameters;
use super::per_flow::{Choice, PerFlow};
use super::tables::{Tables, by_part};
use super::{Forwarder, Forwarding, MOST, Pair};
use crate::error::Error;
use crate::paths::Policy;
use crate::random::SplitMix;

/// Its parameters.
#[derive(Debug, Clone)]
pub struct Ecmp {
    /// Which planes a flow may use; the nearest of them, or, with [`Policy::RoundRobin`], one after the other for its
    /// subflows.
    pub policy: Policy,
}

parameters!(Ecmp: policy);

impl Forwarding for Ecmp {
    fn build(&self, fabric: &Fabric, seed: u64) -> Result<Box<dyn Forwarder>, Error> {
        Ok(Box::new(self.hashed(fabric, seed)))
    }
}

impl Ecmp {
    pub(super) fn hashed(&self, fabric: &Fabric, seed: u64) -> PerFlow<Hashed> {
        PerFlow::new(Hashed { policy: self.policy, tables: Tables::new(fabric), seed })
    }
}

/// The hashes of all switches.
pub(super) struct Hashed {
    policy: Policy,
    pub(super) tables: Tables,
    seed: u64,
}

impl Choice for Hashed {
    fn choose(&mut self, pair: Pair, subflow: u32, fabric: &Fabric) -> Option<Vec<u32>> {
        let planes = self.tables.planes(fabric, self.policy, pair, self.seed);
        let key = u64::from(pair.key) << 32 | u64::from(subflow);
        let plane = match self.policy {
            _ if planes.is_empty() => return None,
            Policy::RoundRobin => {
                let first = SplitMix::of([self.seed, u64::from(pair.key), 1]).below(planes.len());
                planes[(first + subflow as usize) % planes.len()]
            }
            _ => planes[SplitMix::of([self.seed, key, 0]).below(planes.len())],
        };
        if fabric.is_joined() && matches!(self.policy, Policy::RoundRobin | Policy::Single) {
            // Planes are those that paths lead through.
            let listed = self.tables.paths(fabric, plane, pair, MOST).into_iter();
            let mut parts = by_part(listed, |path| fabric.part_of(path));
            let first = SplitMix::of([self.seed, u64::from(pair.key), 1]).below(parts.len());
            let turn = if self.policy == Policy::RoundRobin { subflow as usize } else { 0 };
            let place = (first + turn) % parts.len();
            let (_, mut paths) = parts.swap_remove(place);
            return Some(paths.swap_remove(SplitMix::of([self.seed, key, 0]).below(paths.len())));
        }
        self.tables.walk(fabric, plane, pair, |at, count| {
            SplitMix::of([self.seed, u64::from(fabric.switch(plane, at)), key]).below(count)
        })
    }

    fn forget(&mut self) {
        self.tables.clear();
    }
}
