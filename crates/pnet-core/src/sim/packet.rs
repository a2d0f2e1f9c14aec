//! What travels.

use super::time::Time;

/// What a packet is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Opens a connection.
    Syn,
    /// Answers a [`Kind::Syn`].
    SynAck,
    /// Carries payload.
    Data,
    /// Acknowledges it.
    Ack,
    /// Asks for an acknowledgement.
    Probe,
    /// [`Kind::Data`] whose payload a queue has cut off.
    Trimmed,
    /// Says that such a one has come.
    Nack,
    /// Asks for the next packet.
    Pull,
    /// Tells the source of a mark.
    Notification,
    /// Says that a [`Kind::Probe`] of a path has come.
    Probed,
}

impl Kind {
    /// Whether it goes from the flow's source to its destination.
    #[inline]
    pub fn forward(self) -> bool {
        matches!(self, Kind::Syn | Kind::Data | Kind::Probe | Kind::Trimmed)
    }
}

/// A packet: 32 bytes, moved by value from the wire of one port to that of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    /// When it was sent; of an answer, when that was sent which it answers.
    pub stamp: Time,
    /// Whose it is.
    pub connection: u32,
    /// How it finds its way; belongs to the forwarding.
    pub route: u32,
    /// Number of the segment, within its connection; of an acknowledgement, the first one not received.
    pub seq: u32,
    /// What the transport adds: of data the segments its flow has left, of an acknowledgement ranges received, or the segment
    /// that it answers.
    pub note: [u32; 2],
    /// Bytes on the wire.
    pub size: u16,
    /// What it is for.
    pub kind: Kind,
    /// Whether a queue has marked it as having met congestion; of an acknowledgement, whether what it answers was.
    pub marked: bool,
}

impl Packet {
    /// One that has met nothing yet, sent at `stamp`.
    #[inline]
    pub(super) fn new(kind: Kind, connection: u32, seq: u32, size: u16, stamp: Time) -> Self {
        Packet { stamp, connection, route: 0, seq, note: [0; 2], size, kind, marked: false }
    }

    /// Marks it if it carries payload, and returns whether it does.
    #[inline]
    pub(super) fn mark(&mut self) -> bool {
        let data = self.kind == Kind::Data;
        self.marked |= data;
        data
    }
}

const _: () = assert!(size_of::<Packet>() == 32);
