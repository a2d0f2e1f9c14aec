//! Random packet spraying (Dixit et al., INFOCOM 2013): every switch draws one of its shortest paths for every packet.

use super::super::fabric::Fabric;
use super::super::packet::Packet;
use super::super::routes::Routes;
use super::super::values::parameters;
use super::per_flow::no_path;
use super::tables::Tables;
use super::{Forwarder, Forwarding, Ground, MOST, PER_HOP, Pair, Shares};
use crate::error::{Error, invalid};
use crate::paths::Policy;
use crate::random::SplitMix;

/// Its parameters.
#[derive(Debug, Clone)]
pub struct PerHop {
    /// Which planes a flow may use; the host draws one for every packet.  With [`Policy::RoundRobin`] all that connect the
    /// flow, otherwise the nearest of those allowed.
    pub policy: Policy,
}

parameters!(PerHop: policy);

impl Forwarding for PerHop {
    fn spreads(&self) -> bool {
        true
    }

    fn shares(&self) -> Shares {
        Shares::Ports
    }

    fn loads(&self, paths: &[Vec<u32>]) -> Vec<(u32, f64)> {
        let mut sorted: Vec<&[u32]> = paths.iter().map(Vec::as_slice).collect();
        sorted.sort_unstable();
        let mut loads = vec![];
        split(&sorted, 0, 1.0, &mut loads);
        loads
    }

    fn build(&self, fabric: &Fabric, seed: u64) -> Result<Box<dyn Forwarder>, Error> {
        if fabric.relays() {
            return invalid(
                "forwarding",
                "switches that choose for every packet do not know which accelerators forward; allowed: paths that the source chooses, such as ecmp or sopa",
            );
        }
        let random = SplitMix::of([seed, 0x0073_7072_6179]);
        let (policy, tables) = (self.policy, Tables::new(fabric));
        Ok(Box::new(Random { policy, tables, ends: vec![], seed, random }))
    }
}

/// Adds what `part` of a flow puts on the ports of these paths, sorted and identical before `depth`, with equal parts over
/// those that come next.
fn split(paths: &[&[u32]], depth: usize, part: f64, loads: &mut Vec<(u32, f64)>) {
    let next = || paths.chunk_by(|a, b| a[depth] == b[depth]);
    let each = part / next().count() as f64;
    for group in next() {
        loads.push((group[0][depth], each));
        if group[0].len() > depth + 1 {
            split(group, depth + 1, each, loads);
        }
    }
}

/// Where a connection leads, and the planes it may use.
#[derive(Debug, Clone, Default)]
struct Ends {
    src: u32,
    dst: u32,
    planes: Vec<usize>,
}

/// All switches and connections.
pub(super) struct Random {
    policy: Policy,
    tables: Tables,
    ends: Vec<Ends>,
    seed: u64,
    random: SplitMix,
}

impl Forwarder for Random {
    fn open(&mut self, pair: Pair, fabric: &Fabric, _: &mut Routes) -> Result<(), Error> {
        let Pair { src, dst, .. } = pair;
        let planes = self.tables.planes(fabric, self.policy, pair, self.seed);
        if planes.is_empty() {
            return no_path(pair);
        }
        for plane in &planes {
            // Answers need the tables toward the source.
            if let Some(switch) = fabric.attached(*plane, src) {
                self.tables.toward(fabric, *plane, switch);
            }
        }
        for connection in pair.connections() {
            self.ends.resize(self.ends.len().max(connection as usize + 1), Ends::default());
            self.ends[connection as usize] = Ends { src, dst, planes: planes.clone() };
        }
        Ok(())
    }

    fn adapt(&mut self, pairs: &[Pair], fabric: &Fabric, routes: &mut Routes) {
        // Switches forward what is under way by the new tables, too.
        self.tables.renew(fabric);
        for pair in pairs {
            // Without a path its packets stay where they are sent from, or are lost on the way.
            let _ = self.open(*pair, fabric, routes);
        }
    }

    fn close(&mut self, _: Pair, _: &mut Routes) {}

    fn depart(&mut self, packet: &mut Packet, ground: &Ground) -> (u32, u32) {
        let ends = &self.ends[packet.connection as usize];
        let (from, to) = if packet.kind.forward() { (ends.src, ends.dst) } else { (ends.dst, ends.src) };
        let plane = match ends.planes[..] {
            [plane] => plane,
            ref planes => planes[self.random.below(planes.len())],
        };
        (ground.fabric.up(plane, from), PER_HOP | to)
    }

    fn next(&mut self, packet: &Packet, node: u32, ground: &Ground) -> Option<(u32, u32)> {
        let (plane, switch) = ground.fabric.place(node);
        let host = packet.route & !PER_HOP;
        let fabric = ground.fabric;
        let port = match fabric.attached(plane, host) {
            Some(to) if to != switch => {
                let next = self.tables.known(plane, to)?.next(switch);
                if next.is_empty() {
                    return None;
                }
                fabric.arc(plane, next[self.random.below(next.len())])
            }
            _ => fabric.down(plane, host),
        };
        Some((port, packet.route))
    }

    fn paths(&self, pair: Pair, ground: &Ground) -> Vec<Vec<u32>> {
        let planes = &self.ends[pair.connection as usize].planes;
        planes.iter().flat_map(|plane| self.tables.paths(ground.fabric, *plane, pair, MOST)).collect()
    }
}
