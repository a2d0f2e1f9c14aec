//! What the network is made of: hosts, switches, and a port for each direction of every link.
//!
//! Ports are numbered: the arcs of all planes one after the other, then the ports from hosts into each plane, then those
//! from each plane to hosts.  Nodes are numbered: the hosts, then the switches of all planes.  Where hosts are in servers a
//! [`Wiring`] says instead which ports and nodes there are.

use std::borrow::Cow;
use std::ops::Range;

use super::time::{Rate, Time};
use super::wiring::{Wired, Wiring};
use crate::error::{Error, invalid, refused};
use crate::graph::Planes;

/// No port or node.
pub(super) const NONE: u32 = u32::MAX;

/// One direction of a link.
#[derive(Debug, Clone, Copy)]
pub struct Link {
    /// How fast it sends.
    pub rate: Rate,
    /// How long a bit travels.
    pub delay: Time,
    /// Node that it leads to; [`NONE`] where a host is not attached.
    pub to: u32,
}

/// A link of a path, and the port that it is behind.
#[derive(Debug, Clone, Copy)]
pub struct PathLink {
    /// The port.
    pub port: u32,
    /// Its link.
    pub link: Link,
    /// The link in the other direction of the cable.
    pub back: Link,
}

/// Hosts and the switches of several planes, joined by links.
#[derive(Debug, Clone)]
pub struct Fabric {
    planes: Planes,
    links: Vec<Link>,
    arc_base: Vec<u32>,
    switch_base: Vec<u32>,
    /// Of each arc, the one back along the same cable.
    back: Vec<u32>,
    /// Where hosts are in servers, the ports.
    wired: Option<Box<Wired>>,
    /// How many reasons there are not to lead paths over a port.
    blocked: Vec<u16>,
    /// When that changed last.
    changed: Time,
}

impl Fabric {
    /// A fabric over `planes`, whose endpoints are the hosts, with a rate and a delay for each port.
    pub fn new(planes: Planes, rate: &[Rate], delay: &[Time]) -> Result<Self, Error> {
        let hosts = planes.endpoints();
        let (mut arc_base, mut switch_base) = (vec![0_u32], vec![hosts as u32]);
        let mut to = vec![];
        for graph in planes.graphs() {
            let switches = switch_base[switch_base.len() - 1];
            to.extend((0..graph.arcs() as u32).map(|arc| switches + graph.head(arc)));
            arc_base.push(to.len() as u32);
            switch_base.push(switches + graph.nodes() as u32);
        }
        let attached = |(p, row): (usize, &Vec<Option<u32>>)| {
            let base = switch_base[p];
            row.iter().map(|at| at.map_or(NONE, |v| base + v)).collect::<Vec<u32>>()
        };
        let up: Vec<u32> = planes.attach.iter().enumerate().flat_map(attached).collect();
        let down = up.iter().enumerate().map(|(i, at)| if *at == NONE { NONE } else { (i % hosts) as u32 });
        to.extend(up.iter().copied().chain(down));
        if to.len() >= (u32::MAX / 4) as usize {
            return invalid("planes", format!("{} ports are too many", to.len()));
        }
        let links = joined(&to, rate, delay)?;
        let back = planes.graphs().iter().zip(&arc_base).flat_map(|(graph, base)| {
            let mut taken = std::collections::HashMap::new();
            (0..graph.arcs() as u32).map(move |arc| {
                let (u, v) = (graph.tail(arc), graph.head(arc));
                let turn: &mut usize = taken.entry((u, v)).or_insert(0);
                *turn += 1;
                let found = graph.out(v).filter(|other| graph.head(*other) == u).nth(*turn - 1);
                found.map_or(NONE, |other| base + other)
            })
        });
        let back = back.collect();
        Ok(Fabric { blocked: vec![0; to.len()], changed: 0, links, arc_base, switch_base, back, wired: None, planes })
    }

    /// The same with these ports in place of those that the planes have; senders are the first of their endpoints, receivers
    /// the last, one of each for a host.
    pub fn wired(planes: Planes, wiring: Wiring, rate: &[Rate], delay: &[Time]) -> Result<Self, Error> {
        let count = |bases: &mut Vec<u32>, more: usize| bases.push(bases[bases.len() - 1] + more as u32);
        let (mut arc_base, mut switch_base) = (vec![0], vec![wiring.hosts]);
        for graph in planes.graphs() {
            count(&mut arc_base, graph.arcs());
            count(&mut switch_base, graph.nodes());
        }
        let ends = planes.count() * planes.endpoints();
        let wired = Wired::new(wiring, arc_base[planes.count()] as usize + 2 * ends, planes.endpoints())?;
        let links = joined(&wired.by.to, rate, delay)?;
        let blocked = vec![0; links.len()];
        let wired = Some(Box::new(wired));
        Ok(Fabric { blocked, changed: 0, links, arc_base, switch_base, back: vec![], wired, planes })
    }

    /// A fabric in which all links are equal.
    ///
    /// ```
    /// # use pnet_core::graph::{Graph, Planes};
    /// # use pnet_core::sim::{Fabric, MICROSECOND, Rate};
    /// // Two switches with a host at each: two arcs, two ports up, two down.
    /// let cable = Graph::new(2, vec![0, 1], vec![1, 0])?;
    /// let planes = Planes::new(vec![cable], vec![vec![Some(0), Some(1)]])?;
    /// let fabric = Fabric::uniform(planes, Rate::new(10_000_000_000)?, MICROSECOND)?;
    /// assert_eq!((fabric.hosts(), fabric.ports()), (2, 6));
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn uniform(planes: Planes, rate: Rate, delay: Time) -> Result<Self, Error> {
        let arcs: usize = planes.graphs().iter().map(crate::graph::Graph::arcs).sum();
        let ports = arcs + 2 * planes.count() * planes.endpoints();
        Self::new(planes, &vec![rate; ports], &vec![delay; ports])
    }

    /// Number of hosts.
    #[inline]
    pub fn hosts(&self) -> usize {
        self.wired.as_ref().map_or_else(|| self.planes.endpoints(), |wired| wired.by.hosts as usize)
    }

    /// Whether hosts pass packets on.
    pub(super) fn relays(&self) -> bool {
        self.wired.is_some()
    }

    /// Whether the planes are one graph, as hosts pass packets on from one to another.
    pub(super) fn is_joined(&self) -> bool {
        self.parts() > self.planes.count()
    }

    /// Parts that ports belong to: the planes, and where there are servers what is inside these.
    #[inline]
    pub fn parts(&self) -> usize {
        self.wired.as_ref().map_or_else(|| self.planes.count(), |wired| wired.by.parts as usize)
    }

    /// Number of ports.
    pub fn ports(&self) -> usize {
        self.links.len()
    }

    /// The graphs of the planes, and where the hosts attach.
    pub fn planes(&self) -> &Planes {
        &self.planes
    }

    /// The link behind a port.
    #[inline]
    pub fn link(&self, port: u32) -> &Link {
        &self.links[port as usize]
    }

    /// The switch of a plane that a host attaches to, local to the plane; that from which its paths begin.
    #[inline]
    pub fn attached(&self, plane: usize, host: u32) -> Option<u32> {
        self.planes.attach[plane][host as usize]
    }

    /// The same where paths to the host end.
    #[inline]
    pub fn reached(&self, plane: usize, host: u32) -> Option<u32> {
        let row = &self.planes.attach[plane];
        row[row.len() - self.hosts() + host as usize]
    }

    /// Number of the node that is switch `v` of a plane.
    #[inline]
    pub fn switch(&self, plane: usize, v: u32) -> u32 {
        self.switch_base[plane] + v
    }

    /// The plane of a node that is a switch, and its number there.
    #[inline]
    pub fn place(&self, node: u32) -> (usize, u32) {
        let plane = match self.planes.count() {
            1 => 0,
            _ => self.switch_base.partition_point(|base| *base <= node) - 1,
        };
        (plane, node - self.switch_base[plane])
    }

    /// The port of a link of the graphs; [`NONE`] where it is none.
    #[inline]
    fn port(&self, link: u32) -> u32 {
        self.wired.as_ref().map_or(link, |wired| wired.by.port[link as usize])
    }

    /// The port of an arc; with servers [`NONE`] where that is no link.
    #[inline]
    pub fn arc(&self, plane: usize, arc: u32) -> u32 {
        self.port(self.arc_base[plane] + arc)
    }

    /// Where access links up, or down, of a plane begin.
    #[inline]
    fn access(&self, plane: usize) -> u32 {
        self.arc_base[self.planes.count()] + (plane * self.planes.endpoints()) as u32
    }

    /// The port from a host into a plane; with servers [`NONE`] where it is that of an arc.
    #[inline]
    pub fn up(&self, plane: usize, host: u32) -> u32 {
        self.port(self.access(plane) + host)
    }

    /// The port from a plane to a host; with servers [`NONE`] where it is that of an arc.
    #[inline]
    pub fn down(&self, plane: usize, host: u32) -> u32 {
        let ends = self.planes.endpoints();
        self.port(self.access(plane + self.planes.count()) + (ends - self.hosts()) as u32 + host)
    }

    /// Whether paths may lead over a port, or there is none to lead over.
    pub(super) fn open(&self, port: u32) -> bool {
        port == NONE || self.usable(port)
    }

    /// The ports of a path from one host to another over these arcs of a plane; it ends where it first comes to the other.
    pub(super) fn path(&self, plane: usize, (src, dst): (u32, u32), arcs: impl Iterator<Item = u32>) -> Vec<u32> {
        let arcs = arcs.map(|arc| self.arc(plane, arc));
        let all = [self.up(plane, src)].into_iter().chain(arcs).chain([self.down(plane, dst)]);
        let mut ports: Vec<u32> = all.filter(|port| *port != NONE).collect();
        if let Some(end) = ports.iter().position(|port| self.link(*port).to == dst) {
            ports.truncate(end + 1);
        }
        ports
    }

    /// Those of the next arcs of a flow over which it goes: inside the server that both of its ends are in, where some are.
    pub(super) fn kept<'a>(&self, plane: usize, (src, dst): (u32, u32), arcs: &'a [u32]) -> Cow<'a, [u32]> {
        if let Some(wired) = self.wired.as_ref().filter(|wired| wired.together(src, dst)) {
            let inside = |arc: &u32| wired.inside(self.arc(plane, *arc));
            if arcs.iter().any(inside) {
                return arcs.iter().copied().filter(inside).collect();
            }
        }
        Cow::Borrowed(arcs)
    }

    /// The plane that is the inside of the server that both hosts are in, where servers are a plane of their own.
    pub(super) fn common_server(&self, src: u32, dst: u32) -> Option<usize> {
        let wired = self.wired.as_ref().filter(|wired| wired.together(src, dst))?;
        (!self.is_joined()).then_some(wired.by.parts as usize - 1)
    }

    /// Access links of a path in a plane, where these are not among its arcs and planes differ in that.
    pub(super) fn ends(&self, plane: usize, (src, dst): (u32, u32)) -> u32 {
        match self.wired {
            None => 0,
            Some(_) => [self.up(plane, src), self.down(plane, dst)].iter().filter(|port| **port != NONE).count() as u32,
        }
    }

    /// The part that a path leads through: the first that is not the inside of a server, where there is one.
    pub(super) fn part_of(&self, path: &[u32]) -> usize {
        match &self.wired {
            None => self.plane(path[0]),
            Some(wired) => {
                let outside = path.iter().find(|port| !wired.inside(**port));
                self.plane(*outside.unwrap_or(&path[0]))
            }
        }
    }

    /// The ports from hosts.
    pub(super) fn of_hosts(&self) -> Range<u32> {
        self.wired.as_ref().map_or_else(|| self.up(0, 0)..self.down(0, 0), |wired| wired.of_hosts())
    }

    /// The ports from a host, one for each plane or, in servers, for each link.
    pub(super) fn ports_of(&self, host: u32) -> Vec<u32> {
        match &self.wired {
            None => (0..self.planes.count()).map(|plane| self.up(plane, host)).collect(),
            Some(wired) => wired.leaving(host).collect(),
        }
    }

    /// The ports into a host, in the same way.
    pub(super) fn ports_into(&self, host: u32) -> Vec<u32> {
        match &self.wired {
            None => (0..self.planes.count()).map(|plane| self.down(plane, host)).collect(),
            Some(wired) => wired.arriving(host).to_vec(),
        }
    }

    /// The place of a port among those into the same host, below [`Fabric::slots`].
    #[inline]
    pub(super) fn slot(&self, port: u32) -> usize {
        self.wired.as_ref().map_or_else(|| self.plane(port), |wired| wired.slot(port) as usize)
    }

    /// Ports from a host at most, and into one.
    pub(super) fn slots(&self) -> usize {
        let most = |wired: &Wired| {
            let of = |host: u32| wired.leaving(host).len().max(wired.arriving(host).len());
            (0..wired.by.hosts).map(of).max().unwrap_or(0)
        };
        self.wired.as_ref().map_or_else(|| self.planes.count(), |wired| most(wired))
    }

    /// The part into which a port leads from a host, if it is one of the host's.
    pub(super) fn leaves(&self, host: u32, port: u32) -> Option<usize> {
        (self.of_hosts().contains(&port) && self.from(port) == host).then(|| self.plane(port))
    }

    /// What each host can send and receive over all planes, in bits per second.
    pub(super) fn host_rates(&self) -> Vec<(f64, f64)> {
        let rate = |port: u32| self.link(port).rate.bits_per_second() as f64;
        if self.relays() {
            let all = |ports: Vec<u32>| ports.into_iter().map(rate).sum();
            return (0..self.hosts() as u32).map(|i| (all(self.ports_of(i)), all(self.ports_into(i)))).collect();
        }
        let of = |host: u32| {
            let planes = (0..self.planes.count()).filter(|plane| self.attached(*plane, host).is_some());
            planes.fold((0.0, 0.0), |(up, down), plane| {
                (up + rate(self.up(plane, host)), down + rate(self.down(plane, host)))
            })
        };
        (0..self.hosts() as u32).map(of).collect()
    }

    /// The port in the other direction of the same cable; parallel cables are paired in their order.
    #[inline]
    pub fn back(&self, port: u32) -> Option<u32> {
        if let Some(wired) = &self.wired {
            return Some(wired.by.back[port as usize]).filter(|back| *back != NONE);
        }
        let arcs = self.back.len() as u32;
        let access = (self.planes.count() * self.hosts()) as u32;
        match port {
            port if port < arcs => Some(self.back[port as usize]).filter(|back| *back != NONE),
            port if port < arcs + access => Some(port + access),
            port => Some(port - access),
        }
    }

    /// Whether paths may lead over a port: they avoid a cable of which either direction is down, as answers come back
    /// along it.
    #[inline]
    pub fn usable(&self, port: u32) -> bool {
        self.blocked[port as usize] == 0
    }

    /// When it last changed over which ports paths may lead.
    pub(super) fn changed(&self) -> Time {
        self.changed
    }

    /// Adds a reason not to use the cable of a port, or takes one away.
    pub(super) fn set_usable(&mut self, port: u32, usable: bool, now: Time) {
        self.changed = now;
        for port in [Some(port), self.back(port)].into_iter().flatten() {
            let blocked = &mut self.blocked[port as usize];
            *blocked = if usable { *blocked - 1 } else { *blocked + 1 };
        }
    }

    /// The node that a port belongs to.
    pub fn from(&self, port: u32) -> u32 {
        if let Some(wired) = &self.wired {
            return wired.by.from[port as usize];
        }
        let arcs = self.back.len() as u32;
        if port < arcs {
            let plane = self.plane(port);
            return self.switch(plane, self.planes.graphs()[plane].tail(port - self.arc_base[plane]));
        }
        self.links[self.back(port).expect("an access link goes both ways") as usize].to
    }

    /// The plane of a port, or the part of servers.
    #[inline]
    pub fn plane(&self, port: u32) -> usize {
        if let Some(wired) = &self.wired {
            return wired.by.part[port as usize] as usize;
        }
        if self.planes.count() == 1 {
            return 0;
        }
        let arcs = self.back.len() as u32;
        if port < arcs {
            return self.arc_base.partition_point(|base| *base <= port) - 1;
        }
        (port - arcs) as usize / self.hosts() % self.planes.count()
    }
}

/// Links that lead to these nodes.
fn joined(to: &[u32], rate: &[Rate], delay: &[Time]) -> Result<Vec<Link>, Error> {
    for (what, found) in [("rate", rate.len()), ("delay", delay.len())] {
        if found != to.len() {
            return invalid(what, format!("{found} entries for {} ports", to.len()));
        }
    }
    if let Some(long) = delay.iter().find(|delay| **delay >= Time::MAX / 4) {
        return refused("delay", "too long", long, "less than 2^62 ps");
    }
    Ok((0..to.len()).map(|i| Link { rate: rate[i], delay: delay[i], to: to[i] }).collect())
}
