//! What the receiving end does: it answers every packet, and tells of marks.

use super::super::super::network::Network;
use super::super::super::packet::{Kind, Packet};
use super::super::super::time::Time;
use super::super::arrived::{Arrived, Comes};
use super::Recovery;

/// The receiving end of a connection.
#[derive(Debug, Default)]
pub(super) struct Receiver {
    arrived: Arrived,
    /// The missing segment that its sender has been told of, and one.
    told: u32,
    /// When its sender was last notified of a mark.
    notified: Option<Time>,
}

impl Receiver {
    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.arrived.reset();
        (self.told, self.notified) = (0, None);
    }

    /// Takes a segment, where those before their turn are dropped: returns how it comes, and whether it is kept.
    fn take_in_order(&mut self, seq: u32) -> (Comes, bool) {
        if seq > self.arrived.expected {
            return (Comes::Early, false);
        }
        let comes = self.arrived.take(seq);
        (comes, comes.is_new())
    }
}

/// How packets are answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answers {
    pub(super) header: u16,
    pub(super) ack: u16,
    pub(super) recovery: Recovery,
    pub(super) notify: Option<Time>,
}

impl Answers {
    /// Answers a packet, which may have lost its payload: the answer says what is missing first, and which packet it answers.
    #[inline]
    pub(super) fn answer(&self, receiver: &mut Receiver, packet: &Packet, net: &mut impl Network) {
        let Packet { connection, seq, kind, marked, .. } = *packet;
        let now = net.now();
        let record = net.record(connection);
        let (comes, kept) = match (kind, self.recovery) {
            (Kind::Trimmed, _) => {
                record.counts.trimmed += 1;
                (Comes::Again, false)
            }
            (_, Recovery::GoBack) => receiver.take_in_order(seq),
            (_, Recovery::Selective) => {
                let comes = receiver.arrived.take(seq);
                (comes, comes.is_new())
            }
        };
        record.received += if kept { u64::from(packet.size - self.header) } else { 0 };
        record.counts.out_of_order += u64::from(comes == Comes::Early);
        record.counts.marked += u64::from(marked && kind == Kind::Data);
        let dropped = comes == Comes::Early && !kept;
        if dropped && receiver.told == receiver.arrived.expected + 1 {
            // The sender knows; it is told of a missing segment once.
            return self.notify(receiver, packet, now, net);
        }
        if dropped {
            receiver.told = receiver.arrived.expected + 1;
        }
        let negative = dropped || kind == Kind::Trimmed;
        let kind = if negative { Kind::Nack } else { Kind::Ack };
        let mut answer = Packet::new(kind, connection, receiver.arrived.expected, self.ack, packet.stamp);
        answer.marked = marked;
        answer.note = [seq, packet.note[1]];
        net.send(answer);
        self.notify(receiver, packet, now, net);
    }

    /// Tells the sender of a mark, unless it was told a short time ago.
    #[inline]
    fn notify(&self, receiver: &mut Receiver, packet: &Packet, now: Time, net: &mut impl Network) {
        let Some(least) = self.notify.filter(|_| packet.marked) else { return };
        if receiver.notified.is_none_or(|time| now - time >= least) {
            receiver.notified = Some(now);
            let mut notification = Packet::new(Kind::Notification, packet.connection, packet.seq, self.ack, now);
            notification.note[1] = packet.note[1];
            net.send(notification);
        }
    }
}
