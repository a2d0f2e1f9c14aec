//! Trimming, as NDP has it (Handley et al., SIGCOMM 2017, section 3.1): where the queue of data is full a packet loses its
//! payload, and its header goes on ahead of data, so that the receiver learns of the loss at once.
//!
//! A port has a queue for data and one for all that carries none: headers, acknowledgements, pulls.  While both hold
//! something, so many go from the second to one from the first, which leaves data its share however many headers there are.
//! It is drawn whether the packet that comes is trimmed or the last of the queue, so that no flow always loses.  What finds
//! the queue of headers full is lost: it is not returned to its sender.
//!
//! A host trims and drops nothing: what its own ports cannot send yet waits in its memory.

use std::collections::VecDeque;

use super::super::fabric::Fabric;
use super::super::packet::{Kind, Packet};
use super::super::port::Backlog;
use super::super::values::parameters;
use super::{Discipline, Limit, Queue, Scheduler, Touch};
use crate::error::{Error, invalid};
use crate::random::SplitMix;

/// Parameters.
#[derive(Debug, Clone)]
pub struct Trim {
    /// How much data a queue takes, a packet of it that is being sent included.
    pub limit: Limit,
    /// Size of a packet that has lost its payload.
    pub header: u16,
    /// Bytes that the queue of what carries no data takes, the same way.
    pub headers: u64,
    /// How many packets without data go to one with, while both wait; none where they always go first.
    pub weight: Option<u32>,
    /// Data packets in the queue from which some data that comes is marked; none where none ever is.
    pub low: Option<u32>,
    /// From which all of it is.  The chance grows in a straight line between the two.
    pub high: u32,
}

parameters!(Trim: limit, header, headers, weight, low, high);

impl Queue for Trim {
    fn limit(&self) -> Limit {
        self.limit
    }

    fn trims(&self) -> bool {
        true
    }

    fn marks(&self) -> bool {
        match (self.low, self.limit) {
            (Some(low), Limit::Packets(most)) => low < most,
            (low, _) => low.is_some(),
        }
    }

    fn build(&self, fabric: &Fabric, seed: u64) -> Result<Discipline, Error> {
        if self.header == 0 || self.headers < u64::from(self.header) {
            let (header, headers) = (self.header, self.headers);
            return invalid("queue", format!("a header has {header} bytes, and {headers} of them are to fit"));
        }
        if self.low.is_some_and(|low| low > self.high) {
            return invalid("queue", format!("marks from {:?} packets on, but always from {}", self.low, self.high));
        }
        if self.weight == Some(0) {
            return invalid("queue", "0 packets without data to one with; at least 1 is needed");
        }
        let port = |port: u32| Sides {
            data: Lane::default(),
            bare: Lane::default(),
            turn: 0,
            limited: fabric.from(port) as usize >= fabric.hosts(),
            random: SplitMix::of([seed, 0x7472_696d, u64::from(port)]),
        };
        let ports = (0..fabric.ports() as u32).map(port).collect();
        Ok(Discipline::Scheduler(Box::new(Trimming { params: self.clone(), ports })))
    }
}

/// What waits in one of the two queues of a port.
#[derive(Debug, Default)]
struct Lane {
    held: VecDeque<Packet>,
    /// The same with the packet being sent, if it came from here.
    backlog: Backlog,
    /// Its bytes.
    sending: Option<u16>,
}

impl Lane {
    fn push(&mut self, packet: Packet) {
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(packet.size);
        self.held.push_back(packet);
    }

    fn take_last(&mut self) -> Option<Packet> {
        let last = self.held.pop_back()?;
        self.leave(last.size);
        Some(last)
    }

    fn send(&mut self) -> Option<Packet> {
        let first = self.held.pop_front()?;
        self.sending = Some(first.size);
        Some(first)
    }

    /// Sends a packet that finds nothing here.
    fn pass(&mut self, packet: &Packet) {
        self.backlog = packet.into();
        self.sending = Some(packet.size);
    }

    /// What was being sent is gone.
    fn sent(&mut self) {
        if let Some(size) = self.sending.take() {
            self.leave(size);
        }
    }

    fn leave(&mut self, size: u16) {
        self.backlog.packets -= 1;
        self.backlog.bytes -= u64::from(size);
    }

    fn waiting(&self) -> Backlog {
        let (packets, bytes) = self.sending.map_or((0, 0), |size| (1, u64::from(size)));
        Backlog { packets: self.backlog.packets - packets, bytes: self.backlog.bytes - bytes }
    }
}

/// The two queues of a port: two lines of the cache.
#[derive(Debug)]
#[repr(align(128))]
struct Sides {
    data: Lane,
    /// What carries no data.
    bare: Lane,
    /// How many without data have gone since one with, both waiting.
    turn: u32,
    /// Whether it belongs to a switch.
    limited: bool,
    random: SplitMix,
}

impl Sides {
    /// Whether data is marked that comes now.
    fn marks(&mut self, params: &Trim) -> bool {
        let Some(low) = params.low.filter(|low| *low <= self.data.backlog.packets) else { return false };
        let (over, range) = (self.data.backlog.packets - low, params.high - low);
        over >= range || (self.random.below(range as usize) as u32) < over
    }
}

/// The queues of all ports.
pub(super) struct Trimming {
    params: Trim,
    ports: Vec<Sides>,
}

impl Scheduler for Trimming {
    fn enqueue(&mut self, port: u32, _: Backlog, packet: Packet, dropped: &mut Vec<Packet>) -> Touch {
        let Trim { limit, header, headers, .. } = self.params;
        let sides = &mut self.ports[port as usize];
        let mut bare = packet;
        if packet.kind == Kind::Data {
            if !sides.limited || limit.fits(sides.data.backlog, &packet) {
                let marked = sides.limited && sides.marks(&self.params);
                sides.data.push(Packet { marked: packet.marked || marked, ..packet });
                return if marked { Touch::Marked } else { Touch::Nothing };
            }
            if sides.random.below(2) == 0
                && let Some(last) = sides.data.take_last()
            {
                let fits = limit.fits(sides.data.backlog, &packet);
                sides.data.push(if fits { packet } else { last });
                bare = if fits { last } else { packet };
            }
            bare.kind = Kind::Trimmed;
            bare.size = bare.size.min(header);
        }
        if sides.limited && sides.bare.backlog.bytes + u64::from(bare.size) > headers {
            dropped.push(bare);
            return Touch::Nothing;
        }
        sides.bare.push(bare);
        if packet.kind == Kind::Data { Touch::Trimmed } else { Touch::Nothing }
    }

    fn pass(&mut self, port: u32, packet: &Packet) -> bool {
        let sides = &mut self.ports[port as usize];
        let data = packet.kind == Kind::Data;
        // What finds nothing before it may be marked or too large even so.
        let stays = if data { self.params.low == Some(0) } else { u64::from(packet.size) > self.params.headers };
        if stays && sides.limited {
            return false;
        }
        let lane = if data { &mut sides.data } else { &mut sides.bare };
        lane.pass(packet);
        true
    }

    fn dequeue(&mut self, port: u32) -> Option<Packet> {
        let Sides { data, bare, turn, .. } = &mut self.ports[port as usize];
        data.sent();
        bare.sent();
        if data.held.is_empty() || bare.held.is_empty() {
            return bare.send().or_else(|| data.send());
        }
        if self.params.weight == Some(*turn) {
            *turn = 0;
            return data.send();
        }
        *turn += 1;
        bare.send()
    }

    fn backlog(&self, port: u32) -> Backlog {
        let sides = &self.ports[port as usize];
        sides.data.waiting() + sides.bare.waiting()
    }

    fn held(&self, port: u32) -> Box<dyn Iterator<Item = &Packet> + '_> {
        let sides = &self.ports[port as usize];
        Box::new(sides.data.held.iter().chain(&sides.bare.held))
    }
}

const _: () = assert!(size_of::<Sides>() == 128);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Graph, Planes};
    use crate::sim::{MICROSECOND, Rate};

    /// A switch with two hosts: ports 0 and 1 are of hosts, 2 and 3 of the switch.
    fn queues(weight: Option<u32>, headers: u64) -> Box<dyn Scheduler> {
        let planes = Planes::new(vec![Graph::new(1, vec![], vec![]).unwrap()], vec![vec![Some(0); 2]]);
        let fabric = Fabric::uniform(planes.unwrap(), Rate::new(1_000_000_000).unwrap(), MICROSECOND).unwrap();
        let trim = Trim { limit: Limit::Packets(3), header: 64, headers, weight, low: None, high: 0 };
        let Discipline::Scheduler(queues) = trim.build(&fabric, 1).unwrap() else { unreachable!() };
        queues
    }

    fn packet(seq: u32, kind: Kind) -> Packet {
        let size = if kind == Kind::Data { 1500 } else { 64 };
        Packet::new(kind, 0, seq, size, 0)
    }

    fn put(queues: &mut dyn Scheduler, port: u32, packet: Packet) -> (Touch, Vec<u32>) {
        let mut dropped = vec![];
        let touch = queues.enqueue(port, queues.backlog(port), packet, &mut dropped);
        (touch, dropped.iter().map(|packet| packet.seq).collect())
    }

    fn served(queues: &mut dyn Scheduler, port: u32) -> Vec<(u32, Kind)> {
        std::iter::from_fn(|| queues.dequeue(port)).map(|packet| (packet.seq, packet.kind)).collect()
    }

    /// Of four packets for three places the last loses its payload, or the one before it; headers go first.
    #[test]
    fn what_finds_no_room_is_trimmed() {
        let mut last = vec![];
        let mut queues = queues(None, 640);
        for _ in 0..20 {
            for seq in 0..3 {
                assert_eq!(put(&mut *queues, 2, packet(seq, Kind::Data)), (Touch::Nothing, vec![]));
            }
            assert_eq!(put(&mut *queues, 2, packet(3, Kind::Data)), (Touch::Trimmed, vec![]));
            assert_eq!(put(&mut *queues, 2, packet(4, Kind::Ack)), (Touch::Nothing, vec![]));
            assert_eq!(queues.backlog(2), Backlog { packets: 5, bytes: 3 * 1500 + 2 * 64 });
            let order = served(&mut *queues, 2);
            assert_eq!(order[1..4], [(4, Kind::Ack), (0, Kind::Data), (1, Kind::Data)]);
            assert_eq!((order[0].0 + order[4].0, order[0].1), (2 + 3, Kind::Trimmed));
            last.push(order[4].0);
        }
        assert!(last.contains(&2) && last.contains(&3));
        // The packet being sent has its place still.
        for seq in 0..3 {
            put(&mut *queues, 2, packet(seq, Kind::Data));
        }
        assert_eq!(queues.dequeue(2).unwrap().seq, 0);
        assert_eq!(put(&mut *queues, 2, packet(3, Kind::Data)).0, Touch::Trimmed);
    }

    /// Two without data to one with.
    #[test]
    fn headers_leave_data_its_share() {
        let mut queues = queues(Some(2), 6400);
        for seq in 0..3 {
            put(&mut *queues, 2, packet(seq, Kind::Data));
        }
        for seq in 10..16 {
            put(&mut *queues, 2, packet(seq, Kind::Pull));
        }
        let order: Vec<u32> = served(&mut *queues, 2).into_iter().map(|(seq, _)| seq).collect();
        assert_eq!(order, [10, 11, 0, 12, 13, 1, 14, 15, 2]);
    }

    /// From two packets on all are marked, but no headers; a host marks nothing.
    #[test]
    fn long_queues_are_marked() {
        let mut ports = vec![];
        for port in [0, 2] {
            let planes = Planes::new(vec![Graph::new(1, vec![], vec![]).unwrap()], vec![vec![Some(0); 2]]);
            let fabric = Fabric::uniform(planes.unwrap(), Rate::new(1_000_000_000).unwrap(), MICROSECOND).unwrap();
            let trim = Trim { limit: Limit::Packets(4), header: 64, headers: 640, weight: None, low: Some(2), high: 2 };
            assert!(trim.marks() && !Trim { low: Some(4), ..trim.clone() }.marks());
            let Discipline::Scheduler(mut queues) = trim.build(&fabric, 1).unwrap() else { unreachable!() };
            let touches: Vec<Touch> = (0..4).map(|seq| put(&mut *queues, port, packet(seq, Kind::Data)).0).collect();
            assert_eq!(put(&mut *queues, port, packet(9, Kind::Ack)).0, Touch::Nothing);
            let order = std::iter::from_fn(|| queues.dequeue(port)).filter(|packet| packet.marked);
            ports.push((touches, order.map(|packet| packet.seq).collect::<Vec<u32>>()));
        }
        assert_eq!(ports[0], (vec![Touch::Nothing; 4], vec![]));
        let marked = Touch::Marked;
        assert_eq!(ports[1], (vec![Touch::Nothing, Touch::Nothing, marked, marked], vec![2, 3]));
    }

    #[test]
    fn headers_without_room_are_lost_but_not_at_hosts() {
        let mut queues = queues(Some(10), 128);
        assert_eq!(put(&mut *queues, 2, packet(0, Kind::Ack)).1, []);
        assert_eq!(put(&mut *queues, 2, packet(1, Kind::Ack)).1, []);
        assert_eq!(put(&mut *queues, 2, packet(2, Kind::Ack)).1, [2]);
        for seq in 0..20 {
            assert_eq!(put(&mut *queues, 0, packet(seq, Kind::Data)), (Touch::Nothing, vec![]));
            assert_eq!(put(&mut *queues, 0, packet(seq, Kind::Ack)), (Touch::Nothing, vec![]));
        }
    }
}
