//! One path for each connection, there and back along the same cables.

use std::collections::HashMap;

use super::super::fabric::Fabric;
use super::super::packet::Packet;
use super::super::routes::Routes;
use super::{Forwarder, Ground, Pair};
use crate::error::{Error, invalid};

/// Chooses the path of a connection.
pub(super) trait Choice {
    /// The ports of the path of a flow's `subflow`-th connection, from its source to its destination; none if there is
    /// no path.
    fn choose(&mut self, pair: Pair, subflow: u32, fabric: &Fabric) -> Option<Vec<u32>>;

    /// Something has failed or come back.
    fn forget(&mut self) {}
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
    /// Of connections whose path has changed, those that packets may follow still.
    left: HashMap<u32, Vec<Way>>,
}

impl<C: Choice> PerFlow<C> {
    pub(super) fn new(choice: C) -> Self {
        PerFlow { choice, ways: vec![], left: HashMap::new() }
    }

    /// What chooses.
    pub(super) fn choice(&mut self) -> &mut C {
        &mut self.choice
    }

    /// The first port of a connection's path.
    pub(super) fn first(&self, connection: u32, routes: &Routes) -> u32 {
        routes.port(self.ways[connection as usize].there)
    }

    /// Leads a connection along another path from now on, unless it has no way back or is the one that it takes.
    pub(super) fn reroute(
        &mut self,
        pair: Pair,
        connection: u32,
        path: &[u32],
        fabric: &Fabric,
        routes: &mut Routes,
    ) {
        let way = &mut self.ways[connection as usize];
        let Ok(back) = way_back(pair, path, fabric) else { return };
        if routes.ports(way.there, way.length) != path {
            self.left.entry(connection).or_default().push(*way);
            *way = Way { there: routes.add(path), back: routes.add(&back), length: path.len() as u32 };
        }
    }

    fn ways(&self, pair: Pair) -> &[Way] {
        &self.ways[pair.connection as usize..][..pair.subflows as usize]
    }
}

/// The error of a flow without a path.
pub(super) fn no_path<T>(pair: Pair) -> Result<T, Error> {
    let Pair { flow, src, dst, .. } = pair;
    Err(Error::NoPath { flow, src, dst })
}

/// The ports of a path's cables in the other direction.
pub(super) fn way_back(pair: Pair, path: &[u32], fabric: &Fabric) -> Result<Vec<u32>, Error> {
    match path.iter().rev().map(|port| fabric.back(*port)).collect() {
        Some(back) => Ok(back),
        None => invalid("flows", format!("flow {}: a link of its path has no way back", pair.flow)),
    }
}

impl<C: Choice> Forwarder for PerFlow<C> {
    fn open(&mut self, pair: Pair, fabric: &Fabric, routes: &mut Routes) -> Result<(), Error> {
        self.ways.resize(self.ways.len().max(pair.connections().end as usize), Way::default());
        for (subflow, connection) in pair.connections().enumerate() {
            let Some(there) = self.choice.choose(pair, subflow as u32, fabric) else { return no_path(pair) };
            let back = way_back(pair, &there, fabric)?;
            self.ways[connection as usize] =
                Way { there: routes.add(&there), back: routes.add(&back), length: there.len() as u32 };
        }
        Ok(())
    }

    fn adapt(&mut self, pairs: &[Pair], fabric: &Fabric, routes: &mut Routes) {
        self.choice.forget();
        for pair in pairs {
            for (subflow, connection) in pair.connections().enumerate() {
                // A path that may be used still is left too, where it was a detour.
                let Some(there) = self.choice.choose(*pair, subflow as u32, fabric) else { continue };
                self.reroute(*pair, connection, &there, fabric, routes);
            }
        }
    }

    fn close(&mut self, pair: Pair, routes: &mut Routes) {
        let left = pair.connections().filter_map(|connection| self.left.remove(&connection)).flatten();
        let left: Vec<Way> = left.collect();
        for way in self.ways(pair).iter().chain(&left) {
            routes.remove(way.there, way.length as usize);
            routes.remove(way.back, way.length as usize);
        }
    }

    #[inline]
    fn depart(&mut self, packet: &Packet, ground: &Ground) -> (u32, u32) {
        let way = &self.ways[packet.connection as usize];
        let start = if packet.kind.forward() { way.there } else { way.back };
        (ground.routes.port(start), start + 1)
    }

    fn paths(&self, pair: Pair, ground: &Ground) -> Vec<Vec<u32>> {
        self.ways(pair).iter().map(|way| ground.routes.ports(way.there, way.length)).collect()
    }
}
