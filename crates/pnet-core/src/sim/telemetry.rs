//! In-band telemetry: what each port of a switch notes on the data that it sends (HPCC, SIGCOMM 2019, section 3.1).
//!
//! A packet is as small as ever.  Notes lie in a table, which only runs have whose transport reads them; the second note of a
//! packet of data, and of its answer, says where.

use super::packet::{Kind, Packet};
use super::time::{Rate, Time};

/// What a port notes as the first bit of a packet leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    /// The port.
    pub port: u32,
    /// Bytes that wait in it behind the packet.
    pub queue: u64,
    /// Bytes that it has sent before the packet.
    pub sent: u64,
    /// The time.
    pub time: Time,
    /// Its rate.
    pub rate: Rate,
}

/// The notes of all packets under way.
#[derive(Debug, Default)]
pub(super) struct Telemetry {
    notes: Vec<Vec<Hop>>,
    free: Vec<u32>,
}

impl Telemetry {
    /// A packet of data is sent, with nothing noted on it.
    pub(super) fn open(&mut self, packet: &mut Packet) {
        let place = self.free.pop().unwrap_or(self.notes.len() as u32);
        if place as usize == self.notes.len() {
            self.notes.push(vec![]);
        }
        self.notes[place as usize].clear();
        packet.note[1] = place;
    }

    /// A port notes something on a packet of data.
    pub(super) fn note(&mut self, packet: &Packet, hop: Hop) {
        self.notes[packet.note[1] as usize].push(hop);
    }

    /// An answer has come: puts what was noted on the data that it answers into `hops`, the first port first.
    pub(super) fn read(&mut self, answer: &Packet, hops: &mut Vec<Hop>) {
        std::mem::swap(hops, &mut self.notes[answer.note[1] as usize]);
        self.free.push(answer.note[1]);
    }

    /// A packet is lost, and its notes with it.
    pub(super) fn lose(&mut self, packet: &Packet) {
        if matches!(packet.kind, Kind::Data | Kind::Trimmed | Kind::Ack | Kind::Nack) {
            self.free.push(packet.note[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two packets under way have notes of their own; what a lost packet had is used again, empty.
    #[test]
    fn notes_follow_packets_and_their_answers() {
        let rate = Rate::new(8_000_000_000_000).unwrap();
        let hop = |port| Hop { port, queue: 0, sent: 0, time: 0, rate };
        let mut telemetry = Telemetry::default();
        let mut packets: Vec<Packet> = (0..2).map(|seq| Packet::new(Kind::Data, 0, seq, 100, 0)).collect();
        packets.iter_mut().for_each(|packet| telemetry.open(packet));
        for port in [3, 4] {
            packets.iter().for_each(|packet| telemetry.note(packet, hop(port + 10 * packet.seq)));
        }
        telemetry.lose(&packets[1]);
        telemetry.open(&mut packets[1]);
        let mut hops = vec![];
        for (packet, expected) in packets.iter().zip([vec![3, 4], vec![]]) {
            let answer = Packet { kind: Kind::Ack, ..*packet };
            telemetry.read(&answer, &mut hops);
            assert_eq!(hops.iter().map(|hop| hop.port).collect::<Vec<u32>>(), expected);
        }
        assert_eq!((telemetry.notes.len(), telemetry.free.len()), (2, 2));
    }
}
