//! What the network is made of: hosts, switches, and a port for each direction of every link.
//!
//! Ports are numbered: the arcs of all planes one after the other, then the ports from hosts into each plane, then those
//! from each plane to hosts.  Nodes are numbered: the hosts, then the switches of all planes.

use std::ops::Range;

use super::time::{Rate, Time};
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
        for (what, found) in [("rate", rate.len()), ("delay", delay.len())] {
            if found != to.len() {
                return invalid(what, format!("{found} entries for {} ports", to.len()));
            }
        }
        if let Some(long) = delay.iter().find(|delay| **delay >= Time::MAX / 4) {
            return refused("delay", "too long", long, "less than 2^62 ps");
        }
        let links = (0..to.len()).map(|i| Link { rate: rate[i], delay: delay[i], to: to[i] }).collect();
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
        Ok(Fabric { blocked: vec![0; to.len()], changed: 0, links, arc_base, switch_base, back, planes })
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
    pub fn hosts(&self) -> usize {
        self.planes.endpoints()
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

    /// The switch of a plane that a host attaches to, local to the plane.
    #[inline]
    pub fn attached(&self, plane: usize, host: u32) -> Option<u32> {
        self.planes.attach[plane][host as usize]
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

    /// The port of an arc.
    #[inline]
    pub fn arc(&self, plane: usize, arc: u32) -> u32 {
        self.arc_base[plane] + arc
    }

    /// The port from a host into a plane.
    #[inline]
    pub fn up(&self, plane: usize, host: u32) -> u32 {
        self.arc_base[self.planes.count()] + (plane * self.hosts()) as u32 + host
    }

    /// The port from a plane to a host.
    #[inline]
    pub fn down(&self, plane: usize, host: u32) -> u32 {
        self.up(plane, host) + (self.planes.count() * self.hosts()) as u32
    }

    /// The ports from hosts.
    pub(super) fn of_hosts(&self) -> Range<u32> {
        self.up(0, 0)..self.down(0, 0)
    }

    /// What each host can send and receive over all planes, in bits per second.
    pub(super) fn host_rates(&self) -> Vec<(f64, f64)> {
        let rate = |port: u32| self.link(port).rate.bits_per_second() as f64;
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
        let arcs = self.back.len() as u32;
        if port < arcs {
            let plane = self.plane(port);
            return self.switch(plane, self.planes.graphs()[plane].tail(port - self.arc_base[plane]));
        }
        self.links[self.back(port).expect("an access link goes both ways") as usize].to
    }

    /// The plane of a port.
    #[inline]
    pub fn plane(&self, port: u32) -> usize {
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
