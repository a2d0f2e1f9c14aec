//! Spraying from the source: the packets of a flow go over several paths, and the sending host chooses for each.
//!
//! With the order [`Order::RoundRobin`] over all shortest paths this is SOPA, with [`Order::Shuffled`] DRB (in a fat tree a
//! path is given by the switch where it turns; DRB's buffer at the receiver belongs to the transport), with [`Over::Planes`] it
//! is what multi-plane hosts do, with [`Order::Flowlets`] a path is kept while packets follow closely.

use super::super::fabric::Fabric;
use super::super::packet::Packet;
use super::super::routes::Routes;
use super::super::time::Time;
use super::super::values::{names, parameters};
use super::per_flow::{no_path, reverse};
use super::tables::Tables;
use super::{Forwarder, Forwarding, Ground, MOST, Pair, Shares};
use crate::error::Error;
use crate::paths::Policy;
use crate::random::SplitMix;

/// Which paths a flow's packets take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// All shortest paths of the planes.
    Paths,
    /// One shortest path in each plane, drawn for each connection.
    Planes,
}

/// Which of them comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// One after the other, plane by plane in turn, from one drawn for the connection.
    RoundRobin,
    /// One after the other, in an order drawn for the connection.
    Shuffled,
    /// The same in an order drawn anew whenever all have been taken (NDP, SIGCOMM 2017, section 3).
    Permuted,
    /// Any, drawn for each packet.
    Random,
    /// Any, drawn anew after the connection has sent nothing for this long in the same direction.
    Flowlets(Time),
}

/// Its parameters.
#[derive(Debug, Clone)]
pub struct Spray {
    /// Which planes a flow may use: with [`Policy::RoundRobin`] all that connect it, otherwise the nearest of those allowed.
    pub policy: Policy,
    /// Which paths.
    pub over: Over,
    /// Which comes next.
    pub order: Order,
}

parameters!(Spray: policy, over, order);

names!(Over, values: "paths" => Over::Paths, "planes" => Over::Planes);

names!(Order, values:
    "round-robin" => Order::RoundRobin,
    "shuffled" => Order::Shuffled,
    "permuted" => Order::Permuted,
    "random" => Order::Random,
    "flowlets" => Order::Flowlets(values.read("gap")?),
);

impl Forwarding for Spray {
    fn spreads(&self) -> bool {
        true
    }

    fn lists_paths(&self) -> bool {
        self.over == Over::Paths
    }

    fn shares(&self) -> Shares {
        if self.changes_at_gaps() { Shares::Turns } else { Shares::Paths }
    }

    fn no_fluid(&self) -> Option<&'static str> {
        self.changes_at_gaps().then_some("a fluid has no gaps in which a flow could change its path")
    }

    fn build(&self, fabric: &Fabric, seed: u64) -> Result<Box<dyn Forwarder>, Error> {
        let (params, tables) = (self.clone(), Tables::new(fabric));
        Ok(Box::new(Sprayer { params, tables, connections: vec![], seed }))
    }
}

impl Spray {
    fn changes_at_gaps(&self) -> bool {
        matches!(self.order, Order::Flowlets(_))
    }
}

/// The paths of a connection in one direction, and how far it has come with them.
#[derive(Debug, Clone, Default)]
struct Fan {
    /// Start and length of each route.
    routes: Vec<(u32, u32)>,
    next: usize,
    last: Time,
}

/// All connections, in both directions.
pub(super) struct Sprayer {
    params: Spray,
    tables: Tables,
    connections: Vec<([Fan; 2], SplitMix)>,
    seed: u64,
}

impl Sprayer {
    /// The paths of a connection, in the order in which they are gone through.
    fn choose(&mut self, pair: Pair, fabric: &Fabric, random: &mut SplitMix) -> Result<Vec<Vec<u32>>, Error> {
        let planes = self.tables.planes(fabric, self.params.policy, pair, self.seed);
        let mut found: Vec<(usize, usize, Vec<u32>)> = vec![];
        for plane in planes {
            let mut of_plane = self.tables.paths(fabric, plane, pair, MOST + 1);
            if self.params.over == Over::Planes {
                of_plane = vec![of_plane.swap_remove(random.below(of_plane.len()))];
            }
            found.extend(of_plane.into_iter().enumerate().map(|(i, path)| (i, plane, path)));
        }
        if found.len() > MOST {
            return Err(Error::ManyPaths { src: pair.src, dst: pair.dst, most: MOST });
        }
        found.sort_unstable();
        let mut paths: Vec<Vec<u32>> = found.into_iter().map(|(.., path)| path).collect();
        if matches!(self.params.order, Order::Shuffled | Order::Permuted) {
            shuffle(&mut paths, random);
        }
        Ok(paths)
    }
}

/// Puts things into an order that is drawn.
fn shuffle<T>(things: &mut [T], random: &mut SplitMix) {
    for i in 1..things.len() {
        things.swap(i, random.below(i + 1));
    }
}

impl Forwarder for Sprayer {
    fn open(&mut self, pair: Pair, fabric: &Fabric, routes: &mut Routes) -> Result<(), Error> {
        for connection in pair.connections() {
            let mut random = SplitMix::of([self.seed, u64::from(pair.key), (connection - pair.connection) as u64]);
            let paths = self.choose(pair, fabric, &mut random)?;
            if paths.is_empty() {
                return no_path(pair);
            }
            let mut fans = <[Fan; 2]>::default();
            for path in &paths {
                let back = reverse(pair, path, fabric)?;
                for (fan, ports) in fans.iter_mut().zip([path, &back]) {
                    fan.routes.push((routes.add(ports), ports.len() as u32));
                }
            }
            for fan in &mut fans {
                fan.next = random.below(paths.len());
            }
            let connection = connection as usize;
            if connection >= self.connections.len() {
                self.connections.resize(connection + 1, (<[Fan; 2]>::default(), random));
            }
            self.connections[connection] = (fans, random);
        }
        Ok(())
    }

    fn adapt(&mut self, pairs: &[Pair], fabric: &Fabric, routes: &mut Routes) {
        self.tables.clear();
        for pair in pairs {
            // Without a path it is left as it is.
            let _ = self.open(*pair, fabric, routes);
        }
    }

    fn close(&mut self, pair: Pair, routes: &mut Routes) {
        for connection in pair.connections() {
            let (fans, _) = &mut self.connections[connection as usize];
            for (start, length) in fans.iter_mut().flat_map(|fan| fan.routes.drain(..)) {
                routes.remove(start, length as usize);
            }
        }
    }

    fn depart(&mut self, packet: &Packet, ground: &Ground) -> (u32, u32) {
        let (fans, random) = &mut self.connections[packet.connection as usize];
        let fan = &mut fans[usize::from(!packet.kind.forward())];
        let count = fan.routes.len();
        match self.params.order {
            Order::RoundRobin | Order::Shuffled => fan.next = (fan.next + 1) % count,
            Order::Permuted => {
                fan.next = (fan.next + 1) % count;
                if fan.next == 0 {
                    shuffle(&mut fan.routes, random);
                }
            }
            Order::Random => fan.next = random.below(count),
            Order::Flowlets(gap) => {
                if ground.now - fan.last > gap {
                    fan.next = random.below(count);
                }
                fan.last = ground.now;
            }
        }
        let (start, _) = fan.routes[fan.next];
        (ground.routes.port(start), start + 1)
    }

    fn paths(&self, pair: Pair, ground: &Ground) -> Vec<Vec<u32>> {
        let routes = pair.connections().flat_map(|connection| &self.connections[connection as usize].0[0].routes);
        routes.map(|(start, length)| ground.routes.ports(*start, *length)).collect()
    }
}
