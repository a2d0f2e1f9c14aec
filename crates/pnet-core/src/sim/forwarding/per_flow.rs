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
struct RoutePair {
    there: u32,
    back: u32,
    length: u32,
}

/// Forwarding along the paths that `C` chooses.
pub(super) struct PerFlow<C> {
    choice: C,
    chosen: Vec<RoutePair>,
    /// Of connections whose path has changed, those that packets may follow still.
    left: HashMap<u32, Vec<RoutePair>>,
}

impl<C: Choice> PerFlow<C> {
    pub(super) fn new(choice: C) -> Self {
        PerFlow { choice, chosen: vec![], left: HashMap::new() }
    }

    /// What chooses.
    pub(super) fn choice(&mut self) -> &mut C {
        &mut self.choice
    }

    /// The first port of a connection's path.
    pub(super) fn first(&self, connection: u32, routes: &Routes) -> u32 {
        routes.port(self.chosen[connection as usize].there)
    }

    /// Leads a connection along another path from now on, unless it has no reverse or is the one that it takes.
    pub(super) fn reroute(&mut self, pair: Pair, connection: u32, path: &[u32], fabric: &Fabric, routes: &mut Routes) {
        let route = &mut self.chosen[connection as usize];
        let Ok(back) = reverse(pair, path, fabric) else { return };
        if routes.ports(route.there, route.length) != path {
            self.left.entry(connection).or_default().push(*route);
            *route = RoutePair { there: routes.add(path), back: routes.add(&back), length: path.len() as u32 };
        }
    }

    fn chosen(&self, pair: Pair) -> &[RoutePair] {
        &self.chosen[pair.connection as usize..][..pair.subflows as usize]
    }
}

/// The error of a flow without a path.
pub(super) fn no_path<T>(pair: Pair) -> Result<T, Error> {
    let Pair { flow, src, dst, .. } = pair;
    Err(Error::NoPath { flow, src, dst })
}

/// The ports of a path's cables in the other direction.
pub(super) fn reverse(pair: Pair, path: &[u32], fabric: &Fabric) -> Result<Vec<u32>, Error> {
    match path.iter().rev().map(|port| fabric.back(*port)).collect() {
        Some(back) => Ok(back),
        None => invalid("flows", format!("flow {}: a link of its path has no reverse", pair.flow)),
    }
}

impl<C: Choice> Forwarder for PerFlow<C> {
    fn open(&mut self, pair: Pair, fabric: &Fabric, routes: &mut Routes) -> Result<(), Error> {
        self.chosen.resize(self.chosen.len().max(pair.connections().end as usize), RoutePair::default());
        for (subflow, connection) in pair.connections().enumerate() {
            let Some(there) = self.choice.choose(pair, subflow as u32, fabric) else { return no_path(pair) };
            let back = reverse(pair, &there, fabric)?;
            self.chosen[connection as usize] =
                RoutePair { there: routes.add(&there), back: routes.add(&back), length: there.len() as u32 };
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
        let left: Vec<RoutePair> = left.collect();
        for route in self.chosen(pair).iter().chain(&left) {
            routes.remove(route.there, route.length as usize);
            routes.remove(route.back, route.length as usize);
        }
    }

    #[inline]
    fn depart(&mut self, packet: &mut Packet, ground: &Ground) -> (u32, u32) {
        let route = &self.chosen[packet.connection as usize];
        let start = if packet.kind.forward() { route.there } else { route.back };
        (ground.routes.port(start), start + 1)
    }

    fn paths(&self, pair: Pair, ground: &Ground) -> Vec<Vec<u32>> {
        self.chosen(pair).iter().map(|route| ground.routes.ports(route.there, route.length)).collect()
    }
}
