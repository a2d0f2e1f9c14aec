//! Packets that come to a node: at their end, into a queue, or nowhere.

use super::Net;
use super::ports::Site;
use crate::sim::packet::Packet;

impl Net {
    /// A packet is lost on a link, or at its end.
    pub(super) fn lose(&mut self, port: u32, packet: &Packet) {
        self.ports.lose(port);
        self.drop(packet);
    }

    /// Whether a packet that comes to a node has come to its end: other hosts pass it on.
    #[inline]
    pub(super) fn is_home(&self, packet: &Packet, node: u32) -> bool {
        if (node as usize) >= self.paths.fabric.hosts() {
            return false;
        }
        if !self.relays {
            return true;
        }
        let pair = self.active.of(packet.connection).pair;
        node == if packet.kind.forward() { pair.dst } else { pair.src }
    }

    /// Puts a packet into the queue of a port of such a site, with its route from there; returns whether that was full.
    #[inline]
    pub(super) fn enqueue(&mut self, site: Site, port: u32, packet: &Packet, route: u32) -> bool {
        let full = self.ports.enqueue(site, port, packet, route, &mut self.clock, &mut self.recorder);
        if full {
            while let Some(gone) = self.ports.dropped.pop() {
                self.drop(&gone);
            }
        }
        full
    }

    fn drop(&mut self, packet: &Packet) {
        if let Some(telemetry) = self.ports.notes(packet.connection) {
            telemetry.lose(packet);
        }
        let connection = packet.connection;
        self.active.of_mut(connection).in_flight -= 1;
        self.active.record(connection).counts.dropped += 1;
        self.settle(connection);
    }
}
