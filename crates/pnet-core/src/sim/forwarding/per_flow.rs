//! One path for each connection, there and back along the same cables.

use super::super::fabric::Fabric;
use super::super::packet::Packet;
use super::super::routes::Routes;
use super::{Forwarder, Pair};
use crate::error::{Error, invalid};

/// Chooses the path of a connection.
pub(super) trait Choice {
    /// The ports of the path of a flow's `subflow`-th connection, from its source to its destination; none if there is
    /// no path.
    fn choose(&mut self, pair: Pair, subflow: u32, fabric: &Fabric) -> Option<Vec<u32>>;
}

/// The route of a connection in each direction.
#[derive(Debug, Clone, Copy, Default)]
struct Way {
    there: u32,
    back: u32,
    length: u32,
}

/// Forwarding along the paths that `C` chooses.
pub(super) struct PerFlow<C> {
    choice: C,
    ways: Vec<Way>,
}

impl<C: Choice> PerFlow<C> {
    pub(super) fn new(choice: C) -> Self {
        PerFlow { choice, ways: vec![] }
    }

    fn connections(pair: Pair) -> std::ops::Range<usize> {
        pair.connection as usize..(pair.connection + pair.subflows) as usize
    }
}

impl<C: Choice> Forwarder for PerFlow<C> {
    fn open(&mut self, pair: Pair, fabric: &Fabric, routes: &mut Routes) -> Result<(), Error> {
        let connections = Self::connections(pair);
        self.ways.resize(self.ways.len().max(connections.end), Way::default());
        for (subflow, connection) in connections.enumerate() {
            let Some(there) = self.choice.choose(pair, subflow as u32, fabric) else {
                let (flow, src, dst) = (pair.flow, pair.src, pair.dst);
                return invalid("flows", format!("flow {flow}: no path from host {src} to host {dst}"));
            };
            let Some(back) = there.iter().rev().map(|port| fabric.back(*port)).collect::<Option<Vec<u32>>>()
            else {
                return invalid("flows", format!("flow {}: a link of its path has no way back", pair.flow));
            };
            self.ways[connection] =
                Way { there: routes.add(&there), back: routes.add(&back), length: there.len() as u32 };
        }
        Ok(())
    }

    fn close(&mut self, pair: Pair, routes: &mut Routes) {
        for way in &self.ways[Self::connections(pair)] {
            routes.remove(way.there, way.length as usize);
            routes.remove(way.back, way.length as usize);
        }
    }

    #[inline]
    fn depart(&mut self, packet: &Packet, routes: &Routes) -> (u32, u32) {
        let way = &self.ways[packet.connection as usize];
        let start = if packet.kind.forward() { way.there } else { way.back };
        (routes.port(start), start + 1)
    }

    fn paths(&self, pair: Pair, routes: &Routes) -> Vec<Vec<u32>> {
        let ports = |way: &Way| (way.there..way.there + way.length).map(|at| routes.port(at)).collect();
        self.ways[Self::connections(pair)].iter().map(ports).collect()
    }
}
