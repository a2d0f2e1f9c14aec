//! The ports of servers: hosts are nodes that pass packets on, and paths are sought on a graph of their own.
//!
//! Links of that graph are ports, the same port where a link is there more than once, or none where they only say what may
//! follow what: whether a host may pass on what it receives.

use std::ops::Range;

use super::fabric::NONE;
use crate::error::{Error, invalid};

/// How the links on which paths are sought belong to ports, and these to nodes.
#[derive(Debug, Clone, Default)]
pub struct Wiring {
    /// Hosts of the network, and of each server.
    pub hosts: u32,
    /// See `hosts`.
    pub size: u32,
    /// Parts that ports belong to: planes, and last the inside of servers.
    pub parts: u32,
    /// Of each arc of the graphs, then of each access link up, then down: its port, [`NONE`] for what is no link.
    pub port: Vec<u32>,
    /// Of each port the nodes that it leads from and to; the ports from hosts are last, host by host.
    pub from: Vec<u32>,
    /// See `from`.
    pub to: Vec<u32>,
    /// The port in the other direction of the same cable, [`NONE`] where there is none.
    pub back: Vec<u32>,
    /// The part that it belongs to.
    pub part: Vec<u32>,
}

/// The same, checked.
#[derive(Debug, Clone)]
pub(super) struct Wired {
    pub(super) by: Wiring,
    /// Of each host, where its ports begin; the end comes last.
    first: Vec<u32>,
    /// The ports into each host, and the place of each port among these.
    into: Vec<Vec<u32>>,
    slot: Vec<u32>,
}

impl Wired {
    /// Checks a wiring for graphs of so many links and endpoints.
    pub(super) fn new(by: Wiring, links: usize, endpoints: usize) -> Result<Self, Error> {
        let (ports, hosts) = (by.from.len(), by.hosts as usize);
        let lists = [by.to.len(), by.back.len(), by.part.len()];
        let below = |list: &[u32], most: usize| list.iter().all(|i| *i == NONE || (*i as usize) < most);
        if by.port.len() != links || lists.iter().any(|len| *len != ports) || endpoints < hosts || by.size == 0 {
            return invalid("wiring", format!("{} links, {ports} ports and {endpoints} endpoints", by.port.len()));
        }
        if !below(&by.port, ports) || !below(&by.back, ports) || by.part.iter().any(|part| *part >= by.parts) {
            return invalid("wiring", "a port or a part that is none");
        }
        let start = by.from.iter().position(|node| *node < by.hosts).unwrap_or(ports);
        let of_hosts = &by.from[start..];
        if !of_hosts.is_sorted() || of_hosts.iter().any(|node| *node >= by.hosts) {
            return invalid("wiring", "the ports from hosts are not last, host by host");
        }
        let place = |host: u32| (start + of_hosts.partition_point(|node| *node < host)) as u32;
        let first = (0..=by.hosts).map(place).collect();
        let (mut into, mut slot) = (vec![vec![]; hosts], vec![0; ports]);
        for (port, to) in (0..).zip(&by.to) {
            if let Some(list) = into.get_mut(*to as usize) {
                slot[port as usize] = list.len() as u32;
                list.push(port);
            }
        }
        Ok(Wired { by, first, into, slot })
    }

    /// The ports of all hosts.
    pub(super) fn of_hosts(&self) -> Range<u32> {
        self.first[0]..self.by.from.len() as u32
    }

    /// The ports from a host.
    pub(super) fn leaving(&self, host: u32) -> Range<u32> {
        self.first[host as usize]..self.first[host as usize + 1]
    }

    /// The ports into a host.
    pub(super) fn arriving(&self, host: u32) -> &[u32] {
        &self.into[host as usize]
    }

    /// The place of a port among those into the same host.
    pub(super) fn slot(&self, port: u32) -> u32 {
        self.slot[port as usize]
    }

    /// Whether two hosts are in one server.
    pub(super) fn together(&self, src: u32, dst: u32) -> bool {
        src / self.by.size == dst / self.by.size
    }

    /// Whether a link is inside a server, or none at all.
    pub(super) fn inside(&self, port: u32) -> bool {
        port == NONE || self.by.part[port as usize] + 1 == self.by.parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two hosts of one server with a link to each other, in a plane of which both are switches.
    fn two() -> Wiring {
        Wiring {
            hosts: 2,
            size: 2,
            parts: 2,
            port: vec![0, 1, NONE, NONE, NONE, NONE],
            from: vec![0, 1],
            to: vec![1, 0],
            back: vec![1, 0],
            part: vec![1, 1],
        }
    }

    #[test]
    fn ports_are_those_of_hosts() {
        let wired = Wired::new(two(), 6, 2).unwrap();
        assert_eq!((wired.of_hosts(), wired.leaving(1), wired.arriving(1)), (0..2, 1..2, &[0][..]));
        assert!(wired.together(0, 1) && wired.inside(0) && wired.inside(NONE));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let error = |wiring: Wiring| Wired::new(wiring, 6, 2).unwrap_err().to_string();
        assert_eq!(error(Wiring { port: vec![0], ..two() }), "wiring: 1 links, 2 ports and 2 endpoints");
        assert_eq!(error(Wiring { back: vec![1, 2], ..two() }), "wiring: a port or a part that is none");
        assert_eq!(error(Wiring { part: vec![1, 2], ..two() }), "wiring: a port or a part that is none");
        let order = Wiring { from: vec![1, 0], to: vec![0, 1], ..two() };
        assert_eq!(error(order), "wiring: the ports from hosts are not last, host by host");
    }
}
