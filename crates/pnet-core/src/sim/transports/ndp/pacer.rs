//! The requests of hosts, by the port that what is asked for comes by: each port makes one whenever a full packet could have
//! come since the last.

use std::collections::VecDeque;

use super::super::super::network::Network;
use super::super::super::time::Time;

/// Requests to be made for one port into a host.
#[derive(Debug, Default)]
struct Pacer {
    /// Connections that are to be asked, in turn.
    turns: VecDeque<u32>,
    /// When the next may be.
    free: Time,
}

/// Those of all ports.
#[derive(Debug, Default)]
pub(super) struct Pacers {
    ports: Vec<Pacer>,
    /// How often each connection is to be asked, by connection and port of its host.
    requests: Vec<u32>,
}

impl Pacers {
    fn place(connection: u32, port: u32, net: &impl Network) -> usize {
        connection as usize * net.fabric().slots() + net.fabric().slot(port)
    }

    /// A connection is to be asked for one more packet.
    pub(super) fn add(&mut self, connection: u32, port: u32, net: &impl Network) {
        let place = Self::place(connection, port, net);
        if place >= self.requests.len() {
            self.requests.resize(place + 1, 0);
        }
        self.requests[place] += 1;
        if self.requests[place] == 1 {
            if self.ports.is_empty() {
                self.ports.resize_with(net.fabric().ports(), Pacer::default);
            }
            self.ports[port as usize].turns.push_back(connection);
        }
    }

    /// Takes back what a connection to a host is still to be asked for.
    pub(super) fn forget(&mut self, connection: u32, host: u32, net: &impl Network) {
        for port in net.fabric().ports_into(host) {
            let requests = self.requests.get_mut(Self::place(connection, port, net));
            if requests.is_some_and(|requests| std::mem::take(requests) > 0) {
                self.ports[port as usize].turns.retain(|waiting| *waiting != connection);
            }
        }
    }

    /// Whom to ask now for a packet of `size` bytes that is to come by a port; where it is not time yet, it is asked again.
    pub(super) fn next(&mut self, port: u32, size: u16, net: &mut impl Network) -> Option<u32> {
        let pacer = self.ports.get_mut(port as usize)?;
        let connection = *pacer.turns.front()?;
        if pacer.free > net.now() {
            net.await_pull(port, pacer.free);
            return None;
        }
        pacer.free = net.now() + net.fabric().link(port).rate.serialisation(size);
        pacer.turns.pop_front();
        let requests = &mut self.requests[Self::place(connection, port, net)];
        *requests -= 1;
        if *requests > 0 {
            pacer.turns.push_back(connection);
        }
        Some(connection)
    }
}
