//! What windows and marks do to flows beside their share of links: queues, and senders that have yet to find their share.
//!
//! Every flow keeps a window of packets in the network.  With `W` for the window, `x` for the flow's rate and `RTT` for the
//! time that a packet and its acknowledgement take, what they wait elsewhere included, `x RTT` of it is on its way and the
//! rest, `W - x RTT`, waits before the link that sets its rate (J. Mo, J. Walrand, "Fair end-to-end window-based congestion
//! control", IEEE/ACM Transactions on Networking 8 (2000)).  A link that is full thus holds the sum of that over the flows
//! that it stops; where senders heed marks, no more than about the length from which on packets are marked.  What waits
//! elsewhere is what the last flow there has found that came or went.
//!
//! - *Queueing*: a flow finds these queues, on its way and on that of its acknowledgements; so does its handshake.  A link serves packets in the
//!   order in which they come, and not, as the fluid has it, all flows at the same time: of a flow that fits into one
//!   window, all packets wait behind what was there, and a part `S / W` of what they wait before the link that sets the rate
//!   is in the fluid's time already, of a larger one all of it.  A larger flow sends a window in each round trip, and all
//!   others of these queues are in each: where that is longer than a window takes at the flow's rate, every window after the
//!   first is so much later.
//! - *Convergence*: where the windows of all flows do not fit into network and queue, DCTCP shrinks them: once in a round
//!   trip by half of `a`, an estimate of the marked part `p` of packets that follows it by `g`, from 1 when a flow starts;
//!   by the part of packets that are not marked they grow by one (RFC 8257, section 3.3).  A window is settled where both
//!   are the same, at `2 (1 - p) / (a p)` packets, so that the fair window `w` tells the marks, `w p^2 = 2 (1 - p)`.  A flow
//!   that is new sends its first window at once, which may be more than its share, then shrinks it too far, and has less
//!   until its estimate is that of others.  Where several links mark packets, `p` is what all of them do together, and `w`
//!   that of the link that marks most: such a flow has less for ever.

use super::super::fabric::{Fabric, PathLink};
use super::super::time::Time;
use super::super::values::parameters;
use super::classes::Classes;
use super::levels::Levels;
use super::terms::{PacketSizes, Terms};

/// What of the marking threshold a queue holds on average.  DCTCP's queue swings below it: with a threshold of 30 packets,
/// 24 to 25 waited where windows would leave 40 to 120 (`experiments/fluid-error`).
const HELD: f64 = 0.8;

/// DCTCP's `g`: RFC 8257, section 4.2.
const GAIN: f64 = 1.0 / 16.0;

/// Levels that differ by a smaller part are one.
const SAME: f64 = 1e-9;

/// Round trips after which a window is what it stays.
const SETTLED: u32 = 128;

/// Windows, and the queues that they make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    /// The largest window in packets; none for what fills the flow's path: its slowest link's rate times `RTT`.
    pub packets: Option<u32>,
    /// Packets in a queue from which on others are marked.
    pub threshold: u32,
    /// The first window in packets, where windows grow from there up to `packets`; none where flows have all of it at once.
    pub first: Option<u32>,
    /// Whether ports of hosts hold all that windows leave to them: there nothing is marked or lost.
    pub hosts_hold: bool,
    /// Whether flows wait in queues.
    pub queueing: bool,
    /// Whether they have to find their share where packets are marked.
    pub convergence: bool,
}

parameters!(group Windows: packets, threshold, first, hosts_hold, queueing, convergence);

/// The window of a flow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// How many packets it may have at most, and how many bytes.
    packets: f64,
    largest: f64,
    /// How many the flow, which may be smaller, keeps in the network.
    pub(super) held: f64,
    /// From a packet's first bit to its acknowledgement through empty queues, in picoseconds.
    round_trip: f64,
    /// What it found when it entered the network.
    pub(super) found: Found,
}

/// A link as a flow finds it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Queue {
    /// Bytes a picosecond; none where the link is down.
    capacity: f64,
    /// Bytes that windows leave to it.
    bytes: f64,
    /// How long they make a packet wait, in picoseconds.
    pub(super) wait: f64,
    /// Flows on it.
    flows: usize,
    /// The level at which it is full; infinite where it is not.
    level: f64,
}

/// What a flow has found at one time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    /// How long its packets wait before the link that sets its rate, and before others, in picoseconds.
    own: f64,
    elsewhere: f64,
    /// How long its acknowledgements wait.
    back: f64,
    /// None where no packets are marked.
    marked: Option<Marked>,
}

/// Marks on a flow's path.
#[derive(Debug, Clone, Copy)]
struct Marked {
    /// The smallest fair window of a link that marks packets, in packets.
    fair: f64,
    /// The part of packets that are marked.
    part: f64,
    /// The round trip through that link, in picoseconds.
    round_trip: f64,
}

impl Windows {
    /// The window of a flow of so many bytes on the wire.
    pub(super) fn of(&self, path: &[PathLink], wire: f64, terms: &Terms, sizes: PacketSizes) -> Window {
        let takes = |hop: &PathLink| hop.link.rate.serialisation(sizes.packet);
        let slowest = path.iter().map(takes).max().unwrap_or(1).max(1) as f64;
        let packets = match self.packets {
            Some(packets) => f64::from(packets),
            None => terms.round_trip as f64 / slowest + 1.0,
        };
        let largest = packets * f64::from(sizes.packet);
        let round_trip = terms.round_trip as f64 + slowest;
        let held = match self.first {
            Some(first) => grown(f64::from(first) * f64::from(sizes.packet), largest, wire),
            None => largest.min(wire),
        };
        Window { packets, largest, held, round_trip, found: Found::default() }
    }

    /// Bytes that wait before a link on average where packets are marked.
    fn most(&self, sizes: PacketSizes) -> f64 {
        HELD * f64::from(self.threshold) * f64::from(sizes.packet)
    }

    /// What waits before a port: what the flows whose rates it sets, before any other link of theirs, keep in the network
    /// beyond what is on its way or waits before others, as long as `waits` says.
    pub(super) fn queue(
        &self,
        port: u32,
        (levels, classes): (&Levels, &Classes),
        fabric: &Fabric,
        waits: &[f64],
        sizes: PacketSizes,
    ) -> Queue {
        let streams = &levels.streams;
        let (capacity, level) = (streams.capacity[port as usize], levels.full_at(port));
        let mut queue = Queue { capacity, bytes: 0.0, wait: 0.0, flows: 0, level };
        if capacity <= 0.0 {
            return queue;
        }
        for member in &streams.members[port as usize] {
            let (class, level) = (classes.of(member.stream), levels.level(member.stream));
            queue.flows += class.count();
            let links = || streams.hops[member.stream as usize].iter().map(|hop| hop.link);
            let first = links().find(|link| level >= levels.full_at(*link) * (1.0 - SAME));
            if first == Some(port) {
                let ahead = links().filter(|link| *link != port);
                let others = ahead.chain(links().filter_map(|link| fabric.back(link)));
                let waiting: f64 = others.map(|link| waits[link as usize]).sum();
                let on_its_way = class.weight() * level * (class.round_trip as f64 + waiting);
                queue.bytes += (class.held - on_its_way).max(0.0);
            }
        }
        let most = if self.hosts_hold && fabric.of_hosts().contains(&port) { f64::INFINITY } else { self.most(sizes) };
        queue.wait = queue.bytes.min(most) / capacity;
        queue
    }

    /// What a flow that keeps so many bytes in the network finds on its path and on the reverse path.
    pub(super) fn find(
        &self,
        path: &[u32],
        fabric: &Fabric,
        mut queue: impl FnMut(u32) -> Queue,
        held: f64,
        terms: &Terms,
        sizes: PacketSizes,
    ) -> Found {
        let packet = f64::from(sizes.packet);
        let threshold = f64::from(self.threshold) * packet;
        let ahead: Vec<Queue> = path.iter().map(|port| queue(*port)).filter(|queue| queue.capacity > 0.0).collect();
        let back = path.iter().filter_map(|port| fabric.back(*port)).map(|port| queue(port).wait).sum();
        let full = ahead.iter().filter(|queue| queue.level.is_finite());
        let own = full.clone().min_by(|a, b| a.level.total_cmp(&b.level)).map_or(0.0, |queue| queue.wait);
        let elsewhere = ahead.iter().map(|queue| queue.wait).sum::<f64>() - own;
        let marks = full.filter(|queue| queue.bytes + held >= threshold).map(|queue| {
            let round_trip = terms.round_trip as f64 + (packet + self.most(sizes)) / queue.capacity;
            let fair = queue.capacity * round_trip / packet / (queue.flows + 1) as f64;
            Marked { fair, part: ((1.0 + 2.0 * fair).sqrt() - 1.0) / fair, round_trip }
        });
        // Each link marks packets for itself.
        let part = 1.0 - marks.clone().map(|link| 1.0 - link.part).product::<f64>();
        let most = marks.min_by(|a, b| a.fair.total_cmp(&b.fair));
        Found { own, elsewhere, back, marked: most.map(|link| Marked { part, ..link }) }
    }

    /// How long the two packets of a handshake wait on a path and back.
    pub(super) fn around(&self, found: Found) -> Time {
        if self.queueing { (found.own + found.elsewhere + found.back).round() as Time } else { 0 }
    }

    /// What is added until a flow's last byte arrives, and from there to its acknowledgement.
    ///
    /// `sharing` is how long the flow of `wire` bytes took in the fluid, in picoseconds; what it found when it entered and
    /// `last`, when it ended, stands for half of that time each.
    pub(super) fn added(&self, window: Window, last: Found, wire: f64, sharing: f64) -> (Time, Time) {
        let Window { packets, largest, round_trip, found: first, .. } = window;
        let windows = wire / largest;
        let (mut ahead, mut back) = (0.0, 0.0);
        if self.queueing {
            ahead += first.own * (1.0 - windows).max(0.0) + first.elsewhere;
            back += first.back;
        }
        if windows > 1.0 {
            let later = |found: Found| {
                let round_trips = (windows - 1.0) * (round_trip + found.elsewhere + found.back);
                let waits = if self.queueing { round_trips - sharing * (1.0 - 1.0 / windows) } else { 0.0 };
                let marked = found.marked.filter(|_| self.convergence);
                // Both are about the same packets.
                waits.max(marked.map_or(0.0, |marked| marked.lost(sharing, packets))).max(0.0)
            };
            ahead += (later(first) + later(last)) / 2.0;
        }
        (ahead.round() as Time, back.round() as Time)
    }
}

/// How many bytes of a flow a window keeps in the network that grows from `first` by what is acknowledged, up to `most` and
/// to what the flow has left: the mean over all that it sends.
fn grown(first: f64, most: f64, bytes: f64) -> f64 {
    let first = first.min(most);
    if bytes <= first {
        return bytes / 2.0;
    }
    let peak = most.min((first + bytes) / 2.0);
    peak - ((peak - first).powi(2) + peak.powi(2)) / (2.0 * bytes)
}

impl Marked {
    /// How much longer than `sharing`, its time at a fair share, a flow takes whose window is so many packets at first, the
    /// largest that it may be.
    fn lost(&self, sharing: f64, first: f64) -> f64 {
        let Marked { fair, part, round_trip } = *self;
        let (mut window, mut estimate, mut left, mut taken) = (first, 1.0, sharing, 0.0);
        for _ in 0..SETTLED {
            let done = window / fair * round_trip;
            if done >= left {
                break;
            }
            left -= done;
            taken += round_trip;
            let settled = 2.0 * (1.0 - part) / (estimate * part);
            window =
                if window > settled { settled.max(window * (1.0 - estimate / 2.0)) } else { settled.min(window + 1.0) };
            // A sender keeps at least a packet in the network.
            window = window.min(first).max(1.0);
            estimate += GAIN * (part - estimate);
        }
        (taken + left * fair / window - sharing).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Byte by byte: a window that grows by what is acknowledged, up to the largest and to what is left.
    #[test]
    fn the_mean_of_a_growing_window() {
        for (first, most, bytes) in
            [(10, 100, 5), (10, 100, 12), (10, 100, 60), (10, 100, 189), (10, 100, 1000), (50, 20, 90)]
        {
            let first = first.min(most);
            let held = |sent: u32| f64::from((first + sent).min(most).min(bytes - sent));
            let mean = (0..bytes).map(held).sum::<f64>() / f64::from(bytes);
            let found = grown(f64::from(first), f64::from(most), f64::from(bytes));
            assert!((found - mean).abs() <= 0.5 + 1e-9, "{first} {most} {bytes}: {found} for {mean}");
        }
    }
}
