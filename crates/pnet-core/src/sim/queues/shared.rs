//! Switches whose ports share one buffer, by dynamic thresholds, and which may pause those that feed them.
//!
//! A queue may hold `alpha` times what is free of the buffer (Choudhury and Hahne, IEEE/ACM ToN 6 (1998)).  Without pauses
//! that is the queue of the port that sends: a packet above the threshold is lost.  With pauses (priority flow control,
//! IEEE 802.1Qbb) it is what has come by one link: the port at its other end is paused when a packet would be above the
//! threshold.  What comes until the pause has its effect goes to the headroom of the link, which is reserved, and is lost
//! where that is too small.  The port may go on when the headroom is empty, and so much less than the threshold is left.
//!
//! There are two priorities.  Data can be paused; what carries none goes first, is never paused, and takes nothing of the
//! buffer.  A packet is in the buffer until its first bit is sent.

use std::collections::VecDeque;

use super::super::fabric::{Fabric, NONE};
use super::super::packet::{Kind, Packet};
use super::super::port::Backlog;
use super::super::values::parameters;
use super::ecn::Ecn;
use super::{Discipline, Fifo, Limit, Queue, Scheduler, Touch, Verdict};
use crate::error::{Error, invalid, refused};

/// Bytes of a frame that asks for a pause.
pub(in crate::sim) const FRAME: u16 = 64;

/// Parameters.
#[derive(Debug, Clone)]
pub struct Shared {
    /// Bytes of a switch's buffer for each of its ports.
    pub buffer: u64,
    /// What a queue may hold of what is free.
    pub alpha: f64,
    /// Whether links are paused.
    pub pauses: bool,
    /// Bytes reserved for what comes by a link after it is paused; none for as much as can come.
    pub headroom: Option<u64>,
    /// Bytes below the threshold at which a paused link goes on.
    pub resume: u64,
    /// Bytes of a full packet.
    pub packet: u16,
    /// Packets in the queue of a port from which some data that comes is marked; none where none ever is.
    pub low: Option<u32>,
    /// From which all of it is, and the chance just below that.
    pub high: u32,
    /// See `high`.
    pub chance: f64,
}

parameters!(Shared: buffer, alpha, pauses, headroom, resume, packet, low, high, chance);

impl Shared {
    /// Headroom of the link behind a port: what is under way and being sent as the frame arrives, which may have waited for a
    /// full packet.
    fn headroom(&self, fabric: &Fabric, port: u32) -> u64 {
        self.headroom.unwrap_or_else(|| {
            let link = fabric.link(port);
            let back = fabric.back(port).map_or(link, |back| fabric.link(back));
            let frame = back.rate.serialisation(self.packet) + back.rate.serialisation(FRAME);
            let time = u128::from(frame + back.delay + link.delay);
            let bits = time * u128::from(link.rate.bits_per_second()) / 1_000_000_000_000;
            (bits / 8) as u64 + 3 * u64::from(self.packet)
        })
    }
}

impl Queue for Shared {
    fn limit(&self) -> Limit {
        Limit::Bytes(self.buffer)
    }

    fn marks(&self) -> bool {
        self.low.is_some()
    }

    fn pauses(&self) -> bool {
        self.pauses
    }

    fn build(&self, fabric: &Fabric, seed: u64) -> Result<Discipline, Error> {
        if !(self.alpha > 0.0 && self.alpha.is_finite()) {
            return refused("queue", "alpha is no part of a buffer", self.alpha, "above 0");
        }
        let ports = fabric.ports() as u32;
        let hosts = fabric.hosts() as u32;
        let connected = |port: u32| fabric.link(port).to != NONE;
        let node = |at: u32| at.checked_sub(hosts).map_or(NONE, |switch| switch);
        let mut switches: Vec<Switch> = vec![];
        let mut inputs = vec![Input::default(); ports as usize];
        let mut of_port = vec![NONE; ports as usize];
        for port in (0..ports).filter(|port| connected(*port)) {
            let (from, to) = (node(fabric.from(port)), node(fabric.link(port).to));
            let most = [from, to].into_iter().filter(|at| *at != NONE).max();
            switches.resize(switches.len().max(most.map_or(0, |at| at as usize + 1)), Switch::default());
            of_port[port as usize] = from;
            if from != NONE {
                switches[from as usize].size += self.buffer;
            }
            if to != NONE && self.pauses {
                let headroom = self.headroom(fabric, port);
                inputs[port as usize] = Input { headroom, ..Input::default() };
                switches[to as usize].reserved += headroom;
            }
        }
        for (i, switch) in switches.iter_mut().enumerate() {
            if switch.size <= switch.reserved && switch.reserved > 0 {
                let Switch { size, reserved, .. } = switch;
                let text =
                    format!("the buffer of switch {i} has {size} bytes, and the headroom of its links {reserved}");
                return invalid("queue", text);
            }
            switch.size -= switch.reserved;
        }
        let unlimited =
            |low| Ecn { low, high: self.high, chance: self.chance, ..Ecn::threshold(Limit::Packets(u32::MAX), low) };
        let marking = match self.low.map(|low| unlimited(low).build(fabric, seed)).transpose()? {
            Some(Discipline::Fifo(fifo)) => Some(fifo),
            _ => None,
        };
        Ok(Discipline::Scheduler(Box::new(Buffers {
            params: self.clone(),
            ports: (0..ports).map(|_| Output::default()).collect(),
            of_port,
            inputs,
            switches,
            marking,
            signals: VecDeque::new(),
            link: NONE,
        })))
    }
}

/// What waits to be sent by a port.
#[derive(Debug, Default)]
struct Output {
    /// Data, each packet with the link that it came by, and what carries none.
    data: VecDeque<(Packet, u32)>,
    bare: VecDeque<Packet>,
    /// Of all, and bytes of data.
    waiting: Backlog,
    bytes: u64,
    paused: bool,
}

/// What has come by a link.
#[derive(Debug, Clone, Default)]
struct Input {
    /// Bytes in the shared part of the buffer, and in the headroom.
    shared: u64,
    reserved: u64,
    headroom: u64,
    paused: bool,
}

/// A switch's buffer.
#[derive(Debug, Clone, Default)]
struct Switch {
    /// Bytes that are shared, those in use, and those kept for headroom.
    size: u64,
    used: u64,
    reserved: u64,
    /// Links that are paused.
    paused: Vec<u32>,
}

/// All switches; ports of hosts have no limit.
struct Buffers {
    params: Shared,
    ports: Vec<Output>,
    /// The switch of each port, none of a host.
    of_port: Vec<u32>,
    /// By link, numbered as the port at its other end.
    inputs: Vec<Input>,
    switches: Vec<Switch>,
    marking: Option<Box<dyn Fifo>>,
    signals: VecDeque<(u32, bool)>,
    /// The link that the next packet comes by.
    link: u32,
}

impl Buffers {
    /// What a queue of a switch may hold now.
    fn threshold(&self, switch: u32) -> u64 {
        let Switch { size, used, .. } = self.switches[switch as usize];
        (self.params.alpha * size.saturating_sub(used) as f64) as u64
    }

    /// Whether data finds room at a port.
    fn admits(&mut self, port: u32, size: u64) -> bool {
        let switch = self.of_port[port as usize];
        if switch == NONE {
            return true;
        }
        let threshold = self.threshold(switch);
        if !self.params.pauses {
            let Switch { size: all, used, .. } = &mut self.switches[switch as usize];
            let fits = self.ports[port as usize].bytes + size <= threshold && *used + size <= *all;
            *used += if fits { size } else { 0 };
            return fits;
        }
        let input = &mut self.inputs[self.link as usize];
        let Switch { size: all, used, paused, .. } = &mut self.switches[switch as usize];
        if !input.paused && input.shared + size <= threshold && *used + size <= *all {
            input.shared += size;
            *used += size;
            return true;
        }
        if !input.paused {
            input.paused = true;
            paused.push(self.link);
            self.signals.push_back((self.link, true));
        }
        let fits = input.reserved + size <= input.headroom;
        input.reserved += if fits { size } else { 0 };
        fits
    }

    /// Data that came by a link leaves the buffer by a port.
    fn leave(&mut self, port: u32, link: u32, size: u64) {
        let switch = self.of_port[port as usize];
        if switch == NONE {
            return;
        }
        if !self.params.pauses {
            self.switches[switch as usize].used -= size;
            return;
        }
        let input = &mut self.inputs[link as usize];
        let of_headroom = size.min(input.reserved);
        input.reserved -= of_headroom;
        input.shared -= size - of_headroom;
        self.switches[switch as usize].used -= size - of_headroom;
        if self.switches[switch as usize].paused.is_empty() {
            return;
        }
        let (most, inputs) = (self.threshold(switch), &mut self.inputs);
        let (resume, signals) = (self.params.resume, &mut self.signals);
        self.switches[switch as usize].paused.retain(|link| {
            let input = &mut inputs[*link as usize];
            input.paused = input.reserved > 0 || input.shared + resume > most && input.shared > 0;
            if !input.paused {
                signals.push_back((*link, false));
            }
            input.paused
        });
    }
}

impl Scheduler for Buffers {
    fn comes_by(&mut self, link: u32) {
        self.link = link;
    }

    fn enqueue(&mut self, port: u32, backlog: Backlog, mut packet: Packet, dropped: &mut Vec<Packet>) -> Touch {
        let size = u64::from(packet.size);
        let mut touch = Touch::Nothing;
        if packet.kind != Kind::Data {
            self.ports[port as usize].bare.push_back(packet);
        } else {
            if !self.admits(port, size) {
                dropped.push(packet);
                return Touch::Nothing;
            }
            let of_switch = self.of_port[port as usize] != NONE;
            if let Some(marking) = self.marking.as_mut().filter(|_| of_switch)
                && marking.admit(port, backlog, &packet) == Verdict::Mark
            {
                packet.marked = true;
                touch = Touch::Marked;
            }
            let output = &mut self.ports[port as usize];
            output.bytes += size;
            output.data.push_back((packet, self.link));
        }
        let waiting = &mut self.ports[port as usize].waiting;
        *waiting = *waiting + (&packet).into();
        touch
    }

    fn pass(&mut self, port: u32, packet: &Packet) -> bool {
        let (output, of_switch) = (&self.ports[port as usize], self.of_port[port as usize]);
        if packet.kind != Kind::Data || of_switch == NONE {
            return output.waiting.packets == 0 && !output.paused;
        }
        let Switch { size, used, ref paused, .. } = self.switches[of_switch as usize];
        let held = if self.params.pauses { self.inputs[self.link as usize].shared } else { 0 };
        let most = self.threshold(of_switch).saturating_sub(held).min(size - used);
        // What finds nothing before it may be marked even so; what leaves a buffer may let a link go on.
        let stays = output.waiting.packets > 0 || output.paused || !paused.is_empty() || self.params.low == Some(0);
        !stays && u64::from(packet.size) <= most
    }

    fn dequeue(&mut self, port: u32) -> Option<Packet> {
        let output = &mut self.ports[port as usize];
        let bare = output.bare.pop_front();
        let data = if bare.is_none() && !output.paused { output.data.pop_front() } else { None };
        let packet = bare.or(data.map(|(packet, _)| packet))?;
        output.waiting.packets -= 1;
        output.waiting.bytes -= u64::from(packet.size);
        if let Some((packet, link)) = data {
            output.bytes -= u64::from(packet.size);
            self.leave(port, link, u64::from(packet.size));
        }
        Some(packet)
    }

    fn backlog(&self, port: u32) -> Backlog {
        self.ports[port as usize].waiting
    }

    fn pause(&mut self, port: u32, paused: bool) {
        self.ports[port as usize].paused = paused;
    }

    fn shares_room(&self) -> bool {
        true
    }

    fn can_pause(&self) -> bool {
        true
    }

    fn signal(&mut self) -> Option<(u32, bool)> {
        self.signals.pop_front()
    }

    fn held(&self, port: u32) -> Box<dyn Iterator<Item = &Packet> + '_> {
        let output = &self.ports[port as usize];
        Box::new(output.bare.iter().chain(output.data.iter().map(|(packet, _)| packet)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Graph, Planes};
    use crate::sim::{MICROSECOND, Rate};

    /// A switch with three hosts: ports 0 to 2 are of hosts, 3 to 5 of the switch.
    fn fabric() -> Fabric {
        let planes = Planes::new(vec![Graph::new(1, vec![], vec![]).unwrap()], vec![vec![Some(0); 3]]);
        Fabric::uniform(planes.unwrap(), Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap()
    }

    fn shared(pauses: bool) -> Shared {
        Shared {
            buffer: 10_000,
            alpha: 1.0,
            pauses,
            headroom: Some(2000),
            resume: 1000,
            packet: 1000,
            low: None,
            high: 0,
            chance: 1.0,
        }
    }

    fn queues(params: &Shared) -> Box<dyn Scheduler> {
        let Discipline::Scheduler(queues) = params.build(&fabric(), 1).unwrap() else { unreachable!() };
        queues
    }

    /// Puts so many packets of 1,000 bytes that come by a link into the queue of a port; returns how many get in.
    fn put(queues: &mut dyn Scheduler, link: u32, port: u32, count: u32, kind: Kind) -> u32 {
        let mut dropped = vec![];
        for seq in 0..count {
            queues.comes_by(link);
            queues.enqueue(port, queues.backlog(port), Packet::new(kind, link, seq, 1000, 0), &mut dropped);
        }
        count - dropped.len() as u32
    }

    fn signals(queues: &mut dyn Scheduler) -> Vec<(u32, bool)> {
        std::iter::from_fn(|| queues.signal()).collect()
    }

    /// 30 kB: a queue takes half of it with alpha = 1, the next one half of what is left.
    #[test]
    fn a_queue_holds_alpha_of_what_is_free() {
        let mut queues = queues(&shared(false));
        assert_eq!(put(&mut *queues, 0, 3, 20, Kind::Data), 15);
        assert_eq!(put(&mut *queues, 0, 4, 20, Kind::Data), 8);
        // What carries no data takes nothing of it.
        assert_eq!(put(&mut *queues, 0, 4, 100, Kind::Ack), 100);
        assert_eq!(put(&mut *queues, 0, 5, 20, Kind::Data), 4);
        assert_eq!(signals(&mut *queues), []);
        // Ten leave: 13 kB are free.
        (0..10).for_each(|_| assert!(queues.dequeue(3).is_some()));
        assert_eq!(put(&mut *queues, 0, 5, 20, Kind::Data), 5);
    }

    /// 24 kB shared, 2 kB for each link: the thirteenth packet by a link pauses it and two find room still.  As 23 kB
    /// are free again and 1 kB is held, it goes on; but for the gap it would with 12 kB.
    #[test]
    fn a_link_is_paused_at_its_threshold() {
        let mut queues = queues(&shared(true));
        assert_eq!(put(&mut *queues, 0, 5, 12, Kind::Data), 12);
        assert_eq!(signals(&mut *queues), []);
        assert_eq!(put(&mut *queues, 0, 5, 1, Kind::Data), 1);
        assert_eq!(signals(&mut *queues), [(0, true)]);
        assert_eq!(put(&mut *queues, 0, 5, 5, Kind::Data), 1);
        // Another link has 12 kB left, and takes half.
        assert_eq!(put(&mut *queues, 1, 5, 6, Kind::Data), 6);
        assert_eq!(signals(&mut *queues), []);
        // The headroom empties first; then 12 and 6 kB are in use, and the threshold is 6 kB.
        for (left, resumed) in [(1, false), (0, false), (0, false), (0, false), (0, false)] {
            assert!(queues.dequeue(5).is_some(), "{left}");
            assert_eq!(!signals(&mut *queues).is_empty(), resumed);
        }
        // 9 and 6 kB are in use, 9 kB the threshold; with 8 and 6 it is 10 kB, a gap and 1 kB above.
        assert!(queues.dequeue(5).is_some());
        assert_eq!(signals(&mut *queues), [(0, false)]);
    }

    #[test]
    fn a_paused_port_sends_what_carries_no_data() {
        let mut queues = queues(&shared(true));
        put(&mut *queues, 0, 5, 2, Kind::Data);
        queues.pause(5, true);
        put(&mut *queues, 0, 5, 1, Kind::Ack);
        assert_eq!(queues.backlog(5), Backlog { packets: 3, bytes: 3000 });
        assert_eq!(queues.dequeue(5).map(|packet| packet.kind), Some(Kind::Ack));
        assert_eq!(queues.dequeue(5), None);
        queues.pause(5, false);
        assert_eq!(queues.dequeue(5).map(|packet| packet.kind), Some(Kind::Data));
    }

    /// 1 us each way, a frame behind a packet of 1,000 bytes, and three packets: 1250 + 1250 + 1000 + 64 + 3000 bytes.
    #[test]
    fn headroom_by_the_length_of_the_link() {
        assert_eq!(Shared { headroom: None, ..shared(true) }.headroom(&fabric(), 0), 6564);
        let small = Shared { buffer: 2000, ..shared(true) }.build(&fabric(), 1).err().unwrap().to_string();
        assert_eq!(small, "queue: the buffer of switch 0 has 6000 bytes, and the headroom of its links 6000");
    }
}
