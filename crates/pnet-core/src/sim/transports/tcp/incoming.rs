//! What the receiving end does: it acknowledges what has come, now or later.

use super::super::super::network::Network;
use super::super::super::packet::{Kind, Packet};
use super::super::super::time::Time;
use super::receiver::Reply;
use super::{ACKNOWLEDGE, Family, RESEQUENCE};

impl Family {
    /// Acknowledges what a connection has received; the time stamp of `echo` goes back.
    pub(super) fn acknowledge(&mut self, connection: u32, echo: Time, net: &mut impl Network) {
        let receiver = &mut self.receivers[connection as usize];
        let mut packet = Self::packet(connection, Kind::Ack, receiver.arrived.expected, self.params.ack, net);
        packet.stamp = echo;
        packet.marked = receiver.marked;
        packet.note = receiver.blocks();
        receiver.waiting = 0;
        net.disarm(connection, ACKNOWLEDGE);
        net.send(packet);
    }

    #[inline]
    pub(super) fn on_data(&mut self, packet: Packet, net: &mut impl Network) {
        let connection = packet.connection;
        let receiver = &self.receivers[connection as usize];
        if receiver.waiting > 0 && receiver.marked != packet.marked {
            // What waits for its acknowledgement differs in marks: it is told apart (RFC 8257, section 3.2).
            self.acknowledge(connection, receiver.stamp, net);
        }
        let receiver = &mut self.receivers[connection as usize];
        receiver.marked = packet.marked;
        let arrival = receiver.take(packet.seq, &self.params.acks);
        if receiver.waiting <= 1 {
            receiver.stamp = packet.stamp;
        }
        let stamp = if receiver.waiting > 0 { receiver.stamp } else { packet.stamp };
        // Beyond a connection's share it repeats what others have to deliver.
        let own = !self.params.shares || packet.seq < self.shares[connection as usize];
        let record = net.record(connection);
        record.received += if arrival.new && own { u64::from(packet.size - self.params.header) } else { 0 };
        record.counts.out_of_order += u64::from(arrival.early);
        record.counts.marked += u64::from(packet.marked);
        let complete = record.received == record.bytes;
        match arrival.reply {
            Reply::Later if complete => self.acknowledge(connection, stamp, net),
            Reply::Now if arrival.early && self.params.resequence.is_some() => self.hold_back(connection, net),
            Reply::Now => {
                self.release(connection, net);
                self.acknowledge(connection, stamp, net);
            }
            Reply::Later => {
                if !net.armed(connection, ACKNOWLEDGE) {
                    net.arm(connection, ACKNOWLEDGE, net.now().saturating_add(self.params.acks.delay));
                }
            }
        }
        if complete && self.subflows > 1 {
            self.acknowledge_all(connection, net);
        }
    }

    /// Acknowledges what waits for its acknowledgement on any subflow of a flow.
    fn acknowledge_all(&mut self, connection: u32, net: &mut impl Network) {
        for other in self.flow(connection).0 {
            let receiver = &self.receivers[other];
            if receiver.waiting > 0 {
                self.acknowledge(other as u32, receiver.stamp, net);
            }
        }
    }

    /// Holds an early packet back.
    fn hold_back(&mut self, connection: u32, net: &mut impl Network) {
        self.receivers[connection as usize].held_back += 1;
        if let (Some(wait), false) = (self.params.resequence, net.armed(connection, RESEQUENCE)) {
            net.arm(connection, RESEQUENCE, net.now().saturating_add(wait));
        }
    }

    /// A packet has come that is not early: nothing is held back any more if no packet is missing.
    fn release(&mut self, connection: u32, net: &mut impl Network) {
        let receiver = &mut self.receivers[connection as usize];
        if receiver.held_back > 0 && receiver.arrived.complete() {
            receiver.held_back = 0;
            net.disarm(connection, RESEQUENCE);
        }
    }

    /// Packets are held back no longer: each is acknowledged as the early packet that it is.
    pub(super) fn give_up(&mut self, connection: u32, net: &mut impl Network) {
        let early = std::mem::take(&mut self.receivers[connection as usize].held_back);
        for _ in 0..early {
            self.acknowledge(connection, net.now(), net);
        }
    }
}
