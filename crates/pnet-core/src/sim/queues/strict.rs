//! Strict priorities: a class is served when those above it are empty, each in the order of arrival.
//!
//! What carries no data is in the first class.  Data is classed by what its flow has left, as packets say in their first
//! note, against ascending bounds: a coarse form of shortest remaining first, with as many queues as switches have.

use std::collections::VecDeque;

use super::super::fabric::Fabric;
use super::super::packet::{Kind, Packet};
use super::super::port::Backlog;
use super::super::values::parameters;
use super::{Discipline, Limit, Queue, Scheduler, Touch};
use crate::error::{Error, invalid};

/// Parameters.
#[derive(Debug, Clone)]
pub struct Strict {
    /// How much all classes of a port take together.
    pub limit: Limit,
    /// Segments that a flow has left at most in each class of data but the last, ascending.
    pub bounds: Vec<u32>,
}

parameters!(Strict: limit, bounds);

impl Queue for Strict {
    fn limit(&self) -> Limit {
        self.limit
    }

    fn build(&self, fabric: &Fabric, _: u64) -> Result<Discipline, Error> {
        if !self.bounds.is_sorted_by(|a, b| a < b) {
            return invalid("queue", format!("the bounds {:?} of classes do not ascend", self.bounds));
        }
        let classes = self.bounds.len() + 2;
        let port = (vec![VecDeque::new(); classes], Backlog::default());
        Ok(Discipline::Scheduler(Box::new(Classes { params: self.clone(), ports: vec![port; fabric.ports()] })))
    }
}

/// The queues of all ports, by class.
pub(super) struct Classes {
    params: Strict,
    ports: Vec<(Vec<VecDeque<Packet>>, Backlog)>,
}

impl Scheduler for Classes {
    fn enqueue(&mut self, port: u32, backlog: Backlog, packet: Packet, dropped: &mut Vec<Packet>) -> Touch {
        if !self.params.limit.fits(backlog, &packet) {
            dropped.push(packet);
            return Touch::Nothing;
        }
        let class = match packet.kind {
            Kind::Data => 1 + self.params.bounds.partition_point(|most| *most < packet.note[0]),
            _ => 0,
        };
        let (classes, held) = &mut self.ports[port as usize];
        classes[class].push_back(packet);
        held.packets += 1;
        held.bytes += u64::from(packet.size);
        Touch::Nothing
    }

    fn dequeue(&mut self, port: u32) -> Option<Packet> {
        let (classes, held) = &mut self.ports[port as usize];
        let packet = classes.iter_mut().find_map(VecDeque::pop_front)?;
        held.packets -= 1;
        held.bytes -= u64::from(packet.size);
        Some(packet)
    }

    fn backlog(&self, port: u32) -> Backlog {
        self.ports[port as usize].1
    }

    fn held(&self, port: u32) -> Box<dyn Iterator<Item = &Packet> + '_> {
        Box::new(self.ports[port as usize].0.iter().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_served_in_their_order() {
        let params = Strict { limit: Limit::Packets(4), bounds: vec![10] };
        let mut queue = Classes { params, ports: vec![(vec![VecDeque::new(); 3], Backlog::default())] };
        let mut dropped = vec![];
        for (seq, left, kind) in
            [(0, 11, Kind::Data), (1, 10, Kind::Data), (2, 1, Kind::Data), (3, 99, Kind::Ack), (4, 1, Kind::Data)]
        {
            let packet = Packet { note: [left, 0], ..Packet::new(kind, 0, seq, 1500, 0) };
            queue.enqueue(0, queue.backlog(0), packet, &mut dropped);
        }
        let order: Vec<u32> = std::iter::from_fn(|| queue.dequeue(0)).map(|packet| packet.seq).collect();
        assert_eq!(order, [3, 1, 2, 0]);
        assert_eq!(dropped.iter().map(|packet| packet.seq).collect::<Vec<_>>(), [4]);
    }
}
