//! Equal-cost multi-path: every switch picks one of its shortest ways by a hash of the flow, salted with the switch.

use super::super::fabric::Fabric;
use super::Pair;
use super::per_flow::{Choice, PerFlow};
use super::tables::Tables;
use crate::paths::Policy;
use crate::random::SplitMix;

/// Its parameters.
#[derive(Debug, Clone)]
pub struct Ecmp {
    /// Which planes a flow may use; the nearest of them, or, with [`Policy::RoundRobin`], one after the other for its
    /// subflows.
    pub policy: Policy,
}

impl Ecmp {
    pub(super) fn build(&self, fabric: &Fabric, seed: u64) -> PerFlow<Hashed> {
        PerFlow::new(Hashed { policy: self.policy, tables: Tables::new(fabric), seed })
    }
}

/// The hashes of all switches.
pub(super) struct Hashed {
    policy: Policy,
    tables: Tables,
    seed: u64,
}

impl Choice for Hashed {
    fn choose(&mut self, pair: Pair, subflow: u32, fabric: &Fabric) -> Option<Vec<u32>> {
        let flow = u64::from(pair.flow) << 32;
        // A flow has one plane under a policy that draws one, whatever the subflow.
        let mut random = SplitMix::of([self.seed, flow]);
        let near = self.tables.near(fabric, pair.src, pair.dst);
        let allowed = self.policy.allowed(&near, &mut random);
        let plane = if self.policy == Policy::RoundRobin && !allowed.is_empty() {
            let first = random.below(allowed.len());
            allowed[(first + subflow as usize) % allowed.len()].0
        } else {
            let least = allowed.iter().map(|(_, hops)| *hops).min()?;
            let nearest: Vec<usize> =
                allowed.iter().filter(|(_, hops)| *hops == least).map(|(plane, _)| *plane).collect();
            let mut random = SplitMix::of([self.seed, flow | u64::from(subflow), 0]);
            nearest[random.below(nearest.len())]
        };
        let (graph, to) = (&fabric.planes().graphs()[plane], fabric.attached(plane, pair.dst)?);
        let mut at = fabric.attached(plane, pair.src)?;
        let table = self.tables.toward(fabric, plane, to);
        let mut ports = vec![fabric.up(plane, pair.src)];
        while at != to {
            let next = table.next(at);
            let switch = u64::from(fabric.switch(plane, at));
            let mut hash = SplitMix::of([self.seed, switch, flow | u64::from(subflow)]);
            let arc = next[hash.below(next.len())];
            ports.push(fabric.arc(plane, arc));
            at = graph.head(arc);
        }
        ports.push(fabric.down(plane, pair.dst));
        Some(ports)
    }
}
