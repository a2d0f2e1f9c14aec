//! The credits that receivers give: one whenever a full packet could have come by a port since the last, to the flows in turn
//! that packets come of by it and that have something left.
//!
//! A receiver knows how long a flow is.  It gives as many credits as the flow has packets beyond those of its own, and one
//! more for each that came without its payload.  A flow of which `outstanding` packets are on their way or yet to be sent
//! gets none until some come, so that a source that has others to send to does not save credits that it cannot use.

use std::collections::VecDeque;

use super::super::super::network::Network;
use super::super::super::packet::{Kind, Packet};
use super::super::super::time::Time;

/// What the receiving end of a connection has to give.
#[derive(Debug, Clone, Copy, Default)]
struct Grants {
    /// Packets still to be given credits for.
    due: u32,
    /// Credits given, and packets that may come, of the flow's own or for a credit, and have not.
    given: u32,
    away: u32,
    most_away: u32,
    /// What the last packet noted of its path: credits go back by it.
    path: u32,
}

/// Flows that get credits for what comes by a port.
#[derive(Debug, Default)]
struct Turns {
    connections: VecDeque<u32>,
    /// When the next may be given.
    free: Time,
}

/// Those of all connections and ports.
#[derive(Debug)]
pub(super) struct Credits {
    /// Bytes of a full packet, and of a credit.
    pub(super) size: u16,
    pub(super) ack: u16,
    /// Rate of credits, as a part of that of a link.
    pub(super) share: f64,
    grants: Vec<Grants>,
    ports: Vec<Turns>,
    /// Whether a connection is in the turns of a port of its host.
    waits: Vec<bool>,
}

impl Credits {
    pub(super) fn new(size: u16, ack: u16, share: f64) -> Self {
        Credits { size, ack, share, grants: vec![], ports: vec![], waits: vec![] }
    }

    /// A flow of so many packets begins with credits of its own, and has so many packets away at most.
    pub(super) fn open(&mut self, connection: u32, packets: u32, (own, most_away): (u32, u32)) {
        let place = connection as usize;
        self.grants.resize(self.grants.len().max(place + 1), Grants::default());
        let own = own.min(packets);
        self.grants[place] = Grants { due: packets - own, given: 0, away: own, most_away, path: 0 };
    }

    /// Packets that credits are still to be given for.
    pub(super) fn due(&self, connection: u32) -> u32 {
        self.grants[connection as usize].due
    }

    /// A flow has so many packets less to get credits for.
    pub(super) fn skip(&mut self, connection: u32, packets: u32) {
        self.grants[connection as usize].due -= packets;
    }

    /// A packet has come by a port, whole or without its payload; `complete` where nothing is missing of its flow.
    pub(super) fn came(&mut self, packet: &Packet, port: u32, complete: bool, net: &mut impl Network) {
        let connection = packet.connection;
        let grants = &mut self.grants[connection as usize];
        grants.away = grants.away.saturating_sub(1);
        grants.path = packet.note[1];
        grants.due += u32::from(packet.kind == Kind::Trimmed);
        if complete {
            grants.due = 0;
            return self.forget(connection, net.fabric().link(port).to, net);
        }
        self.wait(connection, port, net);
        self.give(port, net);
    }

    fn place(connection: u32, port: u32, net: &impl Network) -> usize {
        connection as usize * net.fabric().slots() + net.fabric().slot(port)
    }

    /// Puts a connection behind others that get credits for a port, if it may have any.
    fn wait(&mut self, connection: u32, port: u32, net: &impl Network) {
        let Grants { due, away, most_away, .. } = self.grants[connection as usize];
        let place = Self::place(connection, port, net);
        self.waits.resize(self.waits.len().max(place + 1), false);
        if due == 0 || away >= most_away || self.waits[place] {
            return;
        }
        self.waits[place] = true;
        if self.ports.is_empty() {
            self.ports.resize_with(net.fabric().ports(), Turns::default);
        }
        self.ports[port as usize].connections.push_back(connection);
    }

    /// Takes a connection to a host out of all turns.
    fn forget(&mut self, connection: u32, host: u32, net: &impl Network) {
        for port in net.fabric().ports_into(host) {
            let waits = self.waits.get_mut(Self::place(connection, port, net));
            if waits.is_some_and(std::mem::take) {
                self.ports[port as usize].connections.retain(|other| *other != connection);
            }
        }
    }

    /// Gives what credits a port has to give by now.
    pub(super) fn give(&mut self, port: u32, net: &mut impl Network) {
        let now = net.now();
        loop {
            let Some(turns) = self.ports.get_mut(port as usize) else { return };
            let Some(connection) = turns.connections.front().copied() else { return };
            if turns.free > now {
                return net.await_pull(port, turns.free);
            }
            turns.connections.pop_front();
            self.waits[Self::place(connection, port, net)] = false;
            let grants = &mut self.grants[connection as usize];
            if grants.due == 0 || grants.away >= grants.most_away {
                continue;
            }
            let each = net.fabric().link(port).rate.serialisation(self.size);
            turns.free = now + (each as f64 / self.share) as Time;
            grants.due -= 1;
            grants.given += 1;
            grants.away += 1;
            let mut credit = Packet::new(Kind::Pull, connection, grants.given, self.ack, now);
            credit.note[1] = grants.path;
            net.send(credit);
            self.wait(connection, port, net);
        }
    }
}
