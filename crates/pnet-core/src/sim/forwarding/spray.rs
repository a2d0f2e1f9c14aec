//! Spraying from the source: the packets of a flow go over several paths, and the sending host chooses for each.
//!
//! With the order [`Order::RoundRobin`] over all shortest paths this is SOPA, with [`Order::Shuffled`] DRB (in a fat tree a
//! path is given by the switch where it turns; DRB's buffer at the receiver belongs to the transport), with [`Over::Planes`] it
//! is what multi-plane hosts do, with [`Order::Flowlets`] a path is kept while packets follow closely.

use super::super::fabric::Fabric;
use super::super::packet::{Kind, Packet};
use super::super::routes::Routes;
use super::super::time::Time;
use super::super::values::{names, parameters};
use super::entropies::Entropies;
use super::per_flow::{no_path, reverse};
use super::recycled::Recycled;
use super::tables::{Tables, by_part};
use super::{Forwarder, Forwarding, Ground, MOST, Pair, Shares};
use crate::error::{Error, invalid};
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
    /// Planes in turn; in each a path that a packet came through without a mark, else the next one.
    Recycled(Recycling),
    /// Numbered entropies in turn, less often where packets were marked, and none whose packets are lost.
    Entropies(Numbering),
    /// Any, drawn anew after the connection has sent nothing for this long in the same direction.
    Flowlets(Time),
}

/// How paths are recycled (`recycled`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recycling {
    /// Paths that are remembered.
    pub buffer: u16,
    /// How long no others are tried after a timeout.
    pub freeze: Time,
}

/// How many entropies a connection has (`entropies`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbering {
    /// In all planes together.
    pub count: u16,
    /// Time between two probes of one that is retired.
    pub probe: Time,
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
    "entropies" => Order::Entropies(Numbering { count: values.read("count")?, probe: values.read("probe")? }),
    "recycled" => Order::Recycled(Recycling { buffer: values.read("buffer")?, freeze: values.read("freeze")? }),
    "flowlets" => Order::Flowlets(values.read("gap")?),
);

impl Forwarding for Spray {
    fn spreads(&self) -> bool {
        true
    }

    fn lists_paths(&self) -> bool {
        self.over == Over::Paths
    }

    fn learns(&self) -> bool {
        self.is_numbered()
    }

    fn shares(&self) -> Shares {
        if self.changes_at_gaps() { Shares::Turns } else { Shares::Paths }
    }

    fn no_fluid(&self) -> Option<&'static str> {
        self.changes_at_gaps().then_some("a fluid has no gaps in which a flow could change its path")
    }

    fn build(&self, fabric: &Fabric, seed: u64) -> Result<Box<dyn Forwarder>, Error> {
        if let Order::Recycled(Recycling { buffer: 0, .. }) = self.order {
            return invalid("forwarding", "no path is remembered; at least 1 is needed");
        }
        if let Order::Entropies(Numbering { count, probe }) = self.order
            && (count == 0 || probe == 0)
        {
            return invalid("forwarding", "0; a connection has an entropy at least, and there is time between probes");
        }
        let (params, tables) = (self.clone(), Tables::new(fabric));
        Ok(Box::new(Sprayer { params, tables, connections: vec![], seed }))
    }
}

impl Spray {
    fn changes_at_gaps(&self) -> bool {
        matches!(self.order, Order::Flowlets(_))
    }

    /// Whether packets name their path by a number, of which there are so many, whatever the network.
    fn is_numbered(&self) -> bool {
        matches!(self.order, Order::Recycled(_) | Order::Entropies(_))
    }
}

/// The paths of a connection in one direction, and how far it has come with them.
#[derive(Debug, Clone, Default)]
struct Fan {
    /// Start and length of each route.
    routes: Vec<(u32, u32)>,
    next: usize,
    last: Time,
    /// Where paths are recycled, those of each plane.
    planes: Vec<Recycled>,
    /// And the plane of each path.
    plane_of: Vec<u32>,
    /// Where they have entropies, these.
    entropies: Option<Entropies>,
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
        let some_are_enough = self.params.is_numbered() || self.params.over == Over::Planes;
        let mut listed = vec![];
        for plane in planes {
            let mut paths = self.tables.paths(fabric, plane, pair, MOST + 1);
            if paths.len() > MOST && some_are_enough {
                // The first of them leave by some links only.
                let mut draw = || self.tables.walk(fabric, plane, pair, |_, count| random.below(count));
                paths = (0..MOST).filter_map(|_| draw()).collect();
            }
            listed.extend(paths);
        }
        let all = listed.len();
        let mut parts = by_part(listed.into_iter(), |path| fabric.part_of(path));
        if self.params.policy == Policy::Single && fabric.is_joined() && !parts.is_empty() {
            parts = vec![parts.swap_remove(SplitMix::of([self.seed, u64::from(pair.key), 1]).below(parts.len()))];
        }
        let mut found: Vec<(usize, usize, Vec<u32>)> = vec![];
        let most = if all > MOST { MOST / parts.len() } else { MOST };
        for (plane, mut of_plane) in parts {
            if self.params.over == Over::Planes {
                of_plane = vec![of_plane.swap_remove(random.below(of_plane.len()))];
            }
            if self.params.is_numbered() {
                shuffle(&mut of_plane, random);
                of_plane.truncate(most);
            }
            if let Order::Entropies(Numbering { count, .. }) = self.params.order {
                of_plane.truncate(usize::from(count));
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
            let planes = || by_part(0..paths.len() as u32, |path| fabric.part_of(&paths[*path as usize])).into_iter();
            if let Order::Recycled(Recycling { buffer, .. }) = self.params.order {
                let planes = planes();
                fans[0].plane_of = vec![0; paths.len()];
                for (plane, (_, numbers)) in planes.enumerate() {
                    numbers.iter().for_each(|path| fans[0].plane_of[*path as usize] = plane as u32);
                    fans[0].planes.push(Recycled::new(numbers, usize::from(buffer)));
                }
            }
            if let Order::Entropies(Numbering { count, probe }) = self.params.order {
                let start = random.below(usize::from(count));
                let planes: Vec<Vec<u32>> = planes().map(|(_, numbers)| numbers).collect();
                fans[0].entropies = Some(Entropies::new(&planes, count, start, probe));
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

    fn depart(&mut self, packet: &mut Packet, ground: &Ground) -> (u32, u32) {
        let (fans, random) = &mut self.connections[packet.connection as usize];
        if let Some(entropies) = &mut fans[0].entropies {
            // Probes have theirs, and answers take the path back of what they answer.
            if packet.kind == Kind::Data {
                packet.note[1] = entropies.next(packet.seq);
            }
            let path = entropies.path(packet.note[1]);
            let (start, _) = fans[usize::from(!packet.kind.forward())].routes[path as usize];
            return (ground.routes.port(start), start + 1);
        }
        let fan = &mut fans[usize::from(!packet.kind.forward())];
        let count = fan.routes.len();
        match self.params.order {
            Order::RoundRobin | Order::Shuffled | Order::Entropies(_) => fan.next = (fan.next + 1) % count,
            Order::Permuted => {
                fan.next = (fan.next + 1) % count;
                if fan.next == 0 {
                    shuffle(&mut fan.routes, random);
                }
            }
            Order::Recycled(_) if packet.kind == Kind::Data => {
                fan.next = (fan.next + 1) % fan.planes.len();
                let path = fan.planes[fan.next].next(ground.now);
                packet.note[1] = path;
                let (start, _) = fan.routes[path as usize];
                return (ground.routes.port(start), start + 1);
            }
            Order::Recycled(_) => fan.next = (fan.next + 1) % count,
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

    fn learn(&mut self, answer: &Packet) {
        let fan = &mut self.connections[answer.connection as usize].0[0];
        if let Some(entropies) = &mut fan.entropies {
            match answer.kind {
                Kind::Probed => return entropies.probed(answer.note[1]),
                Kind::Ack => entropies.came(answer.note[1], answer.marked),
                Kind::Nack => {}
                _ => return,
            }
            return entropies.came_below(answer.seq);
        }
        if answer.kind == Kind::Ack && !answer.marked {
            // An answer of before the paths were chosen anew may name one that is no more.
            let path = answer.note[1];
            if let Some(plane) = fan.plane_of.get(path as usize) {
                fan.planes[*plane as usize].came(path);
            }
        }
    }

    fn suspect(&mut self, connection: u32, now: Time) {
        if let Order::Recycled(Recycling { freeze, .. }) = self.params.order {
            let planes = &mut self.connections[connection as usize].0[0].planes;
            planes.iter_mut().for_each(|plane| plane.freeze(now.saturating_add(freeze)));
        }
    }

    fn lost(&mut self, connection: u32, segments: &[u32], now: Time) {
        if let Some(entropies) = &mut self.connections[connection as usize].0[0].entropies {
            segments.iter().for_each(|seq| entropies.lost(*seq, now));
        }
    }

    fn probe(&mut self, connection: u32, now: Time) -> Option<u32> {
        self.connections[connection as usize].0[0].entropies.as_mut()?.probe(now)
    }

    fn paths(&self, pair: Pair, ground: &Ground) -> Vec<Vec<u32>> {
        let routes = pair.connections().flat_map(|connection| &self.connections[connection as usize].0[0].routes);
        routes.map(|(start, length)| ground.routes.ports(*start, *length)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::time::Rate;
    use super::super::Empty;
    use super::*;
    use crate::graph::{Graph, Planes};

    /// As many planes, in each a row of five switches with 10 cables from each to the next: 10,000 paths, of 4 cables.
    fn rows(planes: usize) -> Fabric {
        let mut arcs: Vec<(u32, u32)> =
            (0..40).map(|cable| cable / 10).flat_map(|at| [(at, at + 1), (at + 1, at)]).collect();
        arcs.sort_unstable();
        let (tail, head) = arcs.into_iter().unzip();
        let graph = Graph::new(5, tail, head).unwrap();
        let planes = Planes::new(vec![graph; planes], vec![vec![Some(0), Some(4)]; planes]).unwrap();
        Fabric::uniform(planes, Rate::new(1_000_000_000).unwrap(), 0).unwrap()
    }

    fn paths_of(fabric: &Fabric, over: Over, order: Order, flow: u32) -> Result<Vec<Vec<u32>>, Error> {
        let (mut forwarder, mut routes) =
            (Spray { policy: Policy::RoundRobin, over, order }.build(fabric, 7)?, Routes::default());
        let pair = Pair { flow, key: flow, connection: 0, subflows: 1, src: 0, dst: 1 };
        forwarder.open(pair, fabric, &mut routes)?;
        Ok(forwarder.paths(pair, &Ground { fabric, routes: &routes, queues: &Empty, now: 0 }))
    }

    /// How often the port at this place of a path comes in each of ten, least first.
    fn used(paths: &[Vec<u32>], place: usize) -> Vec<usize> {
        let mut ports: Vec<u32> = paths.iter().map(|path| path[place]).collect();
        ports.sort_unstable();
        let mut counts: Vec<usize> = ports.chunk_by(|a, b| a == b).map(<[u32]>::len).collect();
        counts.sort_unstable();
        counts
    }

    /// Host, four cables, host: each of ten cables has a tenth of all paths, as far as draws do.
    #[test]
    fn of_too_many_paths_some_of_everywhere_are_taken() {
        let (fabric, probe, freeze) = (rows(1), 1, 1);
        let numbered = Order::Entropies(Numbering { count: 1000, probe });
        let recycled = Order::Recycled(Recycling { buffer: 8, freeze });
        for (order, count) in [(numbered, 1000), (recycled, MOST)] {
            let paths = paths_of(&fabric, Over::Paths, order, 0).unwrap();
            assert_eq!(paths.len(), count);
            for place in 1..5 {
                let used = used(&paths, place);
                assert!(used.len() == 10 && used[0] * 14 > count && used[9] * 7 < count, "{used:?}");
            }
        }
        let one = |flow| paths_of(&fabric, Over::Planes, Order::RoundRobin, flow).unwrap().remove(0);
        let drawn: Vec<Vec<u32>> = (0..60).map(one).collect();
        (1..5).for_each(|place| assert_eq!(used(&drawn, place).len(), 10));
    }

    /// Planes have as many each, and all have together what one has.
    #[test]
    fn planes_share_the_most_that_is_listed() {
        let recycled = Order::Recycled(Recycling { buffer: 8, freeze: 1 });
        let paths = paths_of(&rows(4), Over::Paths, recycled, 0).unwrap();
        assert_eq!((used(&paths, 0), paths.len()), (vec![MOST / 4; 4], MOST));
    }

    /// Not by a part of them.
    #[test]
    fn what_goes_over_all_paths_is_refused_where_these_are_too_many() {
        let found = paths_of(&rows(1), Over::Paths, Order::RoundRobin, 0);
        assert!(matches!(found, Err(Error::ManyPaths { src: 0, dst: 1, most: MOST })), "{found:?}");
    }
}
