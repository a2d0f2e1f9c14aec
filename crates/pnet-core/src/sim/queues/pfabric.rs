//! pFabric (SIGCOMM 2013, section 4.1): the flow with the least left goes first, the packet with the most left goes out.
//!
//! What a flow has left is what its packets say in their first note; what carries no data has nothing left.  Of the flow
//! that goes first, the packet that came earliest is sent, so that it is not kept waiting by its own later packets.

use super::super::fabric::Fabric;
use super::super::packet::{Kind, Packet};
use super::super::port::Backlog;
use super::super::values::parameters;
use super::{Discipline, Limit, Queue, Scheduler, Touch};
use crate::error::Error;

/// Parameters.
#[derive(Debug, Clone)]
pub struct Pfabric {
    /// How much a queue takes: little, about two bandwidth-delay products.
    pub limit: Limit,
}

parameters!(Pfabric: limit);

impl Queue for Pfabric {
    fn limit(&self) -> Limit {
        self.limit
    }

    fn build(&self, fabric: &Fabric, _: u64) -> Result<Discipline, Error> {
        let (held, bytes) = (vec![vec![]; fabric.ports()], vec![0; fabric.ports()]);
        Ok(Discipline::Scheduler(Box::new(Sorted { limit: self.limit, held, bytes })))
    }
}

/// The queues of all ports, each in the order of arrival: they are short enough to be searched.
pub(super) struct Sorted {
    limit: Limit,
    held: Vec<Vec<Packet>>,
    bytes: Vec<u64>,
}

/// What a packet's flow has left.
fn left(packet: &Packet) -> u32 {
    if packet.kind == Kind::Data { packet.note[0] } else { 0 }
}

impl Scheduler for Sorted {
    fn enqueue(&mut self, port: u32, mut backlog: Backlog, packet: Packet, dropped: &mut Vec<Packet>) -> Touch {
        let port = port as usize;
        let held = &mut self.held[port];
        held.push(packet);
        self.bytes[port] += u64::from(packet.size);
        // The new packet is in the queue and in the backlog that must fit; what is being sent cannot go out.
        while !self.limit.fits(backlog, &packet) {
            // The last of those with the most left: of one flow's packets the latest.
            let Some((i, _)) = held.iter().enumerate().max_by_key(|(i, packet)| (left(packet), *i)) else {
                break;
            };
            let gone = held.remove(i);
            self.bytes[port] -= u64::from(gone.size);
            dropped.push(gone);
            if i == held.len() {
                break;
            }
            backlog.packets -= 1;
            backlog.bytes -= u64::from(gone.size);
        }
        Touch::Nothing
    }

    fn dequeue(&mut self, port: u32) -> Option<Packet> {
        let held = &mut self.held[port as usize];
        let (_, first) = held.iter().enumerate().min_by_key(|(i, packet)| (left(packet), *i))?;
        let (connection, data) = (first.connection, first.kind == Kind::Data);
        let earliest =
            held.iter().position(|packet| packet.connection == connection && (packet.kind == Kind::Data) == data)?;
        let packet = held.remove(earliest);
        self.bytes[port as usize] -= u64::from(packet.size);
        Some(packet)
    }

    fn backlog(&self, port: u32) -> Backlog {
        Backlog { packets: self.held[port as usize].len() as u32, bytes: self.bytes[port as usize] }
    }

    fn held(&self, port: u32) -> Box<dyn Iterator<Item = &Packet> + '_> {
        Box::new(self.held[port as usize].iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(connection: u32, seq: u32, left: u32) -> Packet {
        Packet { note: [left, 0], ..Packet::new(Kind::Data, connection, seq, 1500, 0) }
    }

    /// Queues of three: flow 1 has much left, flow 2 little, and less with every packet.
    #[test]
    fn least_left_goes_first_and_most_left_goes_out() {
        let mut queue = Sorted { limit: Limit::Packets(3), held: vec![vec![]], bytes: vec![0] };
        let mut dropped = vec![];
        let mut put = |queue: &mut Sorted, packet: Packet| {
            dropped.clear();
            queue.enqueue(0, queue.backlog(0), packet, &mut dropped);
            dropped.iter().map(|gone| (gone.connection, gone.seq)).collect::<Vec<_>>()
        };
        assert_eq!(put(&mut queue, packet(1, 0, 90)), []);
        assert_eq!(put(&mut queue, packet(2, 0, 3)), []);
        assert_eq!(put(&mut queue, packet(2, 1, 2)), []);
        // Full: the new packet has more left than any, so it does not get in; then one with less pushes out flow 1.
        assert_eq!(put(&mut queue, packet(3, 0, 95)), [(3, 0)]);
        assert_eq!(put(&mut queue, packet(4, 0, 50)), [(1, 0)]);
        let order: Vec<_> = std::iter::from_fn(|| queue.dequeue(0)).map(|p| (p.connection, p.seq)).collect();
        // Packet 1 of flow 2 has the least left, but its packet 0 came earlier.
        assert_eq!(order, [(2, 0), (2, 1), (4, 0)]);
        assert_eq!(queue.backlog(0), Backlog::default());
    }
}
