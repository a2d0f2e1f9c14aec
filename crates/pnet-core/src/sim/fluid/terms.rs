//! Bytes of a flow on the wire, and the times that its path and size give.

use super::super::fabric::PathLink;
use super::super::time::Time;
use super::super::transports::ideal;
use super::super::values::parameters;

/// Bits to a byte, picoseconds to a second.
pub(super) const BITS: f64 = 8e12;

/// Bytes on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketSizes {
    /// A full packet, header included.
    pub packet: u16,
    /// What a packet with payload has beside it.
    pub header: u16,
    /// An acknowledgement, and each packet of a handshake.
    pub ack: u16,
}

parameters!(group PacketSizes: packet, header, ack);

impl PacketSizes {
    /// Packets of a flow.
    pub(super) fn packets(self, bytes: u64) -> u64 {
        bytes.div_ceil(u64::from(self.packet - self.header))
    }

    /// Bytes of a flow on the wire.
    pub(super) fn on_the_wire(self, bytes: u64) -> f64 {
        bytes as f64 + self.packets(bytes) as f64 * f64::from(self.header)
    }

    /// How long its packets take over an idle path, from the first bit to the last.
    pub(super) fn pipeline(self, path: &[PathLink], bytes: u64) -> Time {
        let (full, size, last) = ideal::packets(bytes, self.packet - self.header, self.header);
        ideal::pipeline(path, full, size, last)
    }

    /// The largest packet of a flow.
    pub(super) fn largest(self, bytes: u64) -> u16 {
        u64::from(self.packet).min(bytes + u64::from(self.header)) as u16
    }
}

/// The times that a flow's path and size give, in picoseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Terms {
    /// From its start until it enters the network.
    pub(super) opening: Time,
    /// From the fluid's end to the arrival of the last bit, and from there to that of its acknowledgement.
    pub(super) arriving: Time,
    pub(super) returning: Time,
    /// From a packet's first bit to its acknowledgement, less what it takes on the slowest link.
    pub(super) round_trip: Time,
}
