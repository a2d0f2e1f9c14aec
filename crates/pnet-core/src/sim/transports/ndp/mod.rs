//! NDP (Handley et al., SIGCOMM 2017): the receiver asks for what is sent.
//!
//! A flow begins at once with a window of packets.  For each that comes, whole or without its payload, the receiver answers
//! with an acknowledgement or its opposite, and asks for one more; what it asks for it asks for at the rate of the link
//! that the answer to it comes by, over all its flows, in turn (section 3.2).  Packets go over many paths if the forwarding
//! spreads them.
//!
//! - `sender`: what is sent next, and what is taken for lost (section 3.2);
//! - `pacer`: the requests of a host's port, and when they go (section 3.2).
//!
//! Deviations: a header that a queue cannot take is lost and not returned to its sender, so that a timeout
//! repairs it; senders keep no score of paths; a receiver asks for no more than its sender has left, where
//! the paper takes superfluous requests back when a flow ends; a request that finds nothing to send is kept for what is
//! sent again later.

mod pacer;
mod sender;
#[cfg(test)]
mod tests;

use super::super::alone::leaving;
use super::super::fabric::PathLink;
use super::super::forwarding::Shares;
use super::super::net::Net;
use super::super::network::{Network, Shape};
use super::super::packet::{Kind, Packet};
use super::super::source::Flow;
use super::super::time::{SECOND, Time};
use super::super::values::parameters;
use super::arrived::{Arrived, Comes};
use super::{Transport, TransportKind, ideal};
use crate::error::{Error, invalid, refused};
use pacer::Pacers;
use sender::Sender;

/// Parameters of NDP.
#[derive(Debug, Clone)]
pub struct Ndp {
    /// Payload of a full packet, in bytes.
    pub payload: u16,
    /// What a packet with payload has beside it.
    pub header: u16,
    /// Size of whatever has no payload and was sent so: acknowledgements and requests.
    pub ack: u16,
    /// Packets that a flow begins with; none for twice what its host's links carry in a round trip of the idle network, as
    /// packets wait in queues on their way too.
    pub window: Option<u32>,
    /// After which time without an answer a packet is taken for lost, doubled while no answer comes.
    pub timeout: Time,
}

impl Default for Ndp {
    /// 1,500 bytes a packet, 64 for what has no payload, and timeouts of 5 ms.
    fn default() -> Self {
        Ndp { payload: 1500, header: 0, ack: 64, window: None, timeout: SECOND / 200 }
    }
}

parameters!(Ndp: payload, header, ack, window, timeout);

impl TransportKind for Ndp {
    fn shape(&self) -> Result<Shape, Error> {
        if self.ack == 0 {
            return refused("ack", "no size of a packet", 0, "at least 1 byte");
        }
        if self.window == Some(0) || self.timeout == 0 {
            return invalid("ndp", "0; a window has a packet, and a timeout lasts");
        }
        let shape = Shape::of(self.payload, self.header)?;
        Ok(Shape { largest: shape.largest.max(self.ack), pulls: true, ..shape })
    }

    fn takes_trimmed(&self) -> bool {
        true
    }

    fn skips(&self) -> bool {
        true
    }

    fn build(&self, _: Shares) -> Box<dyn Transport<Net>> {
        let (params, pacers) = (self.clone(), Pacers::default());
        Box::new(Connections { params, senders: vec![], receivers: vec![], pacers })
    }
}

impl Ndp {
    /// Packets that leave a host, over these paths, while the first makes its round trip twice.
    fn two_round_trips(&self, paths: &[Vec<PathLink>]) -> u32 {
        let size = self.payload + self.header;
        let time = |path: &Vec<PathLink>| {
            let there = ideal::one_way(path.iter().map(|hop| &hop.link), size);
            there + ideal::one_way(path.iter().map(|hop| &hop.back), self.ack)
        };
        let longest = paths.iter().map(time).max().unwrap_or(0);
        let packets: u64 =
            leaving(paths).iter().map(|(_, rate)| (2 * longest).div_ceil(rate.serialisation(size))).sum();
        packets.clamp(1, u64::from(u32::MAX / 2)) as u32
    }
}

/// The receiving end of a connection.
#[derive(Debug, Default)]
struct Receiver {
    arrived: Arrived,
    /// Requests that its sender can use and that are not made yet, those for packets known to be lost included.
    due: u32,
    /// Requests made.
    made: u32,
}

/// All connections.
pub(super) struct Connections {
    params: Ndp,
    senders: Vec<Sender>,
    receivers: Vec<Receiver>,
    pacers: Pacers,
}

impl Connections {
    fn packet(connection: u32, kind: Kind, seq: u32, size: u16, net: &impl Network) -> Packet {
        Packet::new(kind, connection, seq, size, net.now())
    }

    /// Sends what has been asked for and is there to be sent.
    fn transmit(&mut self, connection: u32, net: &mut impl Network) {
        while let Some((seq, again)) = self.senders[connection as usize].next(net.now()) {
            self.send(connection, seq, again, net);
        }
        self.await_answer(connection, net);
    }

    fn send(&mut self, connection: u32, seq: u32, again: bool, net: &mut impl Network) {
        let flight = &self.senders[connection as usize].flight;
        let size = flight.payload(seq, self.params.payload) + self.params.header;
        let mut packet = Self::packet(connection, Kind::Data, seq, size, net);
        packet.note[0] = flight.unacked;
        net.record(connection).counts.resent += u64::from(again);
        net.send(packet);
    }

    /// Lets the timer of a connection fire when the next packet is to be taken for lost.
    fn await_answer(&mut self, connection: u32, net: &mut impl Network) {
        let sender = &mut self.senders[connection as usize];
        let deadline = sender.deadline(self.params.timeout).max(net.now());
        net.trace_window(connection, f64::from(sender.flight.under_way));
        net.arm(connection, 0, deadline);
    }

    /// A packet has come, with or without its payload.
    fn on_data(&mut self, packet: &Packet, port: u32, net: &mut impl Network) {
        let Packet { connection, seq, kind, .. } = *packet;
        let receiver = &mut self.receivers[connection as usize];
        let record = net.record(connection);
        let answer = if kind == Kind::Data {
            let comes = receiver.arrived.take(seq);
            record.received += if comes.is_new() { u64::from(packet.size - self.params.header) } else { 0 };
            record.counts.out_of_order += u64::from(comes == Comes::Early);
            record.counts.marked += u64::from(packet.marked);
            Kind::Ack
        } else {
            record.counts.trimmed += 1;
            Kind::Nack
        };
        let complete = record.received == record.bytes;
        let mut reply = Self::packet(connection, answer, seq, self.params.ack, net);
        reply.stamp = packet.stamp;
        net.send(reply);
        let receiver = &mut self.receivers[connection as usize];
        if complete {
            receiver.due = 0;
            return self.pacers.forget(connection, net.fabric().link(port).to, net);
        }
        receiver.due += u32::from(answer == Kind::Nack);
        if receiver.due > 0 {
            receiver.due -= 1;
            self.pacers.add(connection, port, net);
            self.pull(port, net);
        }
    }
}

impl<N: Network> Transport<N> for Connections {
    fn start(&mut self, connection: u32, bytes: u64, paths: &[Vec<PathLink>], net: &mut N) {
        let segments = bytes.div_ceil(u64::from(self.params.payload)) as u32;
        let window = self.params.window.unwrap_or_else(|| self.params.two_round_trips(paths)).min(segments);
        let place = connection as usize;
        if place >= self.senders.len() {
            self.senders.resize_with(place + 1, Sender::default);
            self.receivers.resize_with(place + 1, Receiver::default);
        }
        self.senders[place].reset(bytes, self.params.payload, window, net.now());
        let receiver = &mut self.receivers[place];
        receiver.arrived.reset();
        (receiver.due, receiver.made) = (segments - window, 0);
        self.transmit(connection, net);
    }

    fn receive(&mut self, packet: Packet, port: u32, net: &mut N) {
        let connection = packet.connection;
        if matches!(packet.kind, Kind::Data | Kind::Trimmed) {
            return self.on_data(&packet, port, net);
        }
        let sender = &mut self.senders[connection as usize];
        if sender.flight.unacked == 0 {
            return;
        }
        sender.hear(net.now());
        match packet.kind {
            Kind::Ack => _ = sender.flight.acknowledge(packet.seq),
            Kind::Nack => _ = sender.flight.resend(packet.seq),
            Kind::Pull => sender.pull(packet.seq),
            kind => unreachable!("NDP sends no {kind:?}"),
        }
        if sender.flight.unacked == 0 {
            net.disarm(connection, 0);
            return net.complete(connection);
        }
        self.transmit(connection, net);
    }

    fn timer(&mut self, connection: u32, _: u32, net: &mut N) {
        let (now, timeout) = (net.now(), self.params.timeout);
        net.record(connection).counts.timeouts += 1;
        self.senders[connection as usize].give_up(now, timeout);
        self.transmit(connection, net);
    }

    fn pull(&mut self, port: u32, net: &mut N) {
        let size = self.params.payload + self.params.header;
        while let Some(connection) = self.pacers.next(port, size, net) {
            let receiver = &mut self.receivers[connection as usize];
            receiver.made += 1;
            let seq = receiver.made;
            net.send(Self::packet(connection, Kind::Pull, seq, self.params.ack, net));
        }
    }

    fn unsent(&self, connection: u32) -> u32 {
        let (sender, receiver) = (&self.senders[connection as usize], &self.receivers[connection as usize]);
        sender.flight.unsent().min(receiver.due)
    }

    fn skip(&mut self, connection: u32, segments: u32) {
        self.senders[connection as usize].flight.skip(segments);
        self.receivers[connection as usize].due -= segments;
    }

    fn ideal(&self, flow: &Flow, paths: &[Vec<PathLink>]) -> Time {
        let Ndp { payload, header, ack, .. } = self.params;
        let answer = |path: &Vec<PathLink>| ideal::one_way(path.iter().map(|hop| &hop.back), ack);
        ideal::pipelines(paths, flow.bytes, payload, header) + paths.iter().map(answer).min().unwrap_or(0)
    }
}
