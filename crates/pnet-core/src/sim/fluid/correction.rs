//! What a short flow takes beside its share of links: a fluid moves at once and at full rate, packets do not.

use super::super::fabric::{Link, PathLink};
use super::super::time::Time;
use super::super::values::parameters;
use super::terms::{BITS, PacketSizes, Terms};
use super::windows::Windows;

/// Which times are added to those of the fluid; those of queues and marks are described in [`super::windows`].
///
/// With `s` for the bytes of a packet, `r` for the rates of the links of a flow's path and `d` for their delays:
///
/// - *handshake*: a flow that opens a connection enters the network a round trip of two small packets after its start (RFC
///   9293, section 3.5);
/// - *propagation*: its last bit, and the acknowledgement of it, travel the sum of all `d`;
/// - *store and forward*: each link takes `s / r` anew, of which the fluid knows the slowest alone, and a shorter last packet
///   catches up behind it; an acknowledgement takes it on every link (D. Bertsekas, R. Gallager, "Data Networks", 2nd ed.
///   1992, section 2.8: pipelining of packets);
/// - *slow start*: a sender whose window doubles with each round trip waits after each window that is sent before its first
///   acknowledgement has come back.  With `R` for the rate that the flow gets and a first window of `w`, it waits
///   `s / R + RTT - 2^i w s / R` after the i-th window, as long as that is positive and something is left to send
///   A flow that follows another on its connection goes on with that one's window, and is taken not to wait
///   (J. Heidemann, K. Obraczka, J. Touch, "Modeling the performance of HTTP over several transport protocols", IEEE/ACM
///   Transactions on Networking 5 (1997); J. Kurose, K. Ross, "Computer Networking", section 3.7 of the first editions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Correction {
    /// See above.
    pub handshake: bool,
    /// See above.
    pub propagation: bool,
    /// See above.
    pub store_and_forward: bool,
    /// The first window in packets; none where the term is left out.
    pub slow_start: Option<u32>,
    /// None where flows wait in no queues and find their share at once.
    pub windows: Option<Windows>,
}

parameters!(group Correction: handshake, propagation, store_and_forward, slow_start, windows);

impl Correction {
    /// The terms of a flow on the quickest of its paths.
    pub(super) fn terms(&self, bytes: u64, opens: bool, paths: &[Vec<PathLink>], sizes: PacketSizes) -> Terms {
        paths
            .iter()
            .map(|path| self.on(path, bytes, opens, sizes))
            .min_by_key(|terms| terms.round_trip)
            .unwrap_or_default()
    }

    fn on(&self, path: &[PathLink], bytes: u64, opens: bool, sizes: PacketSizes) -> Terms {
        let there = || path.iter().map(|hop| &hop.link);
        let back = || path.iter().map(|hop| &hop.back);
        let takes = |link: &Link| link.rate.serialisation(sizes.largest(bytes));
        let slowest = there().map(takes).max().unwrap_or(0);
        let (ahead, behind) = (delays(there()), delays(back()));
        let (stored, answer) = (there().map(takes).sum::<Time>() - slowest, small(back(), sizes));
        // What the fluid takes without any of this.
        let rates = there().map(|link| link.rate.bits_per_second()).min().unwrap_or(1);
        let flat = (sizes.on_the_wire(bytes) / (rates as f64 / BITS)).ceil() as Time;
        let waits = sizes.pipeline(path, bytes).saturating_sub(flat + ahead);
        let chosen = |included: bool, time: Time| if included { time } else { 0 };
        let both = |travel, stored| chosen(self.propagation, travel) + chosen(self.store_and_forward, stored);
        Terms {
            opening: chosen(self.handshake && opens, ahead + small(there(), sizes) + behind + answer),
            arriving: both(ahead, waits),
            returning: both(behind, answer),
            round_trip: ahead + behind + stored + answer,
        }
    }

    /// How long a flow waits in slow start, where it got `rate` bytes a picosecond while it sent.
    pub(super) fn stalls(&self, terms: &Terms, bytes: u64, rate: f64, sizes: PacketSizes) -> Time {
        let Some(first) = self.slow_start else { return 0 };
        let packets = sizes.packets(bytes) as f64;
        let each = f64::from(sizes.largest(bytes)) / rate;
        let (mut window, mut sent, mut waited) = (f64::from(first), f64::from(first), 0.0);
        while sent < packets {
            let stall = each + terms.round_trip as f64 - window * each;
            if stall <= 0.0 {
                break;
            }
            waited += stall;
            window *= 2.0;
            sent += window;
        }
        waited.round() as Time
    }
}

fn delays<'a>(links: impl Iterator<Item = &'a Link>) -> Time {
    links.map(|link| link.delay).sum()
}

/// What links take to send a small packet.
fn small<'a>(links: impl Iterator<Item = &'a Link>, sizes: PacketSizes) -> Time {
    links.map(|link| link.rate.serialisation(sizes.ack)).sum()
}
