//! What windows and marks do to flows beside their share of links: queues, and senders that have yet to find their share.
//!
//! Every flow keeps a window of packets in the network.  With `W` for the window, `x` for the flow's rate and `RTT` for the
//! time that a packet and its acknowledgement take through empty queues, `x RTT` of it is on its way and the rest, `W - x
//! RTT`, waits before the link that sets its rate (J. Mo, J. Walrand, "Fair end-to-end window-based congestion control",
//! IEEE/ACM Transactions on Networking 8 (2000)).  A link that is full thus holds the sum of that over the flows that it
//! stops; where senders heed marks, no more than about the length from which on packets are marked.
//!
//! - *Queueing*: a flow finds these queues, on its way and on that of its acknowledgements.  A link serves packets in the
//!   order in which they come, and not, as the fluid has it, all flows at the same time: of a flow that fits into one
//!   window, all packets wait behind what was there, and a part `S / W` of that is in the fluid's time already.  A flow of
//!   more than a window waits for its acknowledgements in any event, and the fluid's time is right but for the way back.
//! - *Convergence*: where the windows of all flows do not fit into network and queue, DCTCP shrinks them: once in a round
//!   trip by half of `a`, an estimate of the marked part `p` of packets that follows it by `g`, from 1 when a flow starts;
//!   else they grow by one packet (RFC 8257, section 3.3).  On average a window is `2 / (a p)` packets (M. Alizadeh,
//!   A. Javanmard, B. Prabhakar, "Analysis of DCTCP", SIGMETRICS 2011, equations 1 and 2), so that the fair window
//!   `w` tells the marks, `p = sqrt(2 / w)`.  Where several links mark packets, `p` is what all of them do together, and
//!   `w` that of the link that marks most.  A flow that is new thus shrinks its window too far, and has less than its share
//!   until its estimate is that of others; one that several links mark, for ever.

use super::super::fabric::{Fabric, PathLink};
use super::super::time::Time;
use super::classes::Classes;
use super::correction::{PacketSizes, Terms};
use super::levels::Levels;

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
    /// Whether flows wait in queues.
    pub queueing: bool,
    /// Whether they have to find their share where packets are marked.
    pub convergence: bool,
}

/// The window of a flow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// How many packets it may have at most, and how many bytes.
    packets: f64,
    largest: f64,
    /// How many the flow, which may be smaller, keeps in the network.
    pub(super) held: f64,
    /// What it found when it entered the network.
    pub(super) found: Found,
}

/// A link as a flow finds it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Queue {
    /// Bytes a picosecond.
    capacity: f64,
    /// Bytes that wait.
    bytes: f64,
    /// Flows on it.
    flows: usize,
    /// Whether it is full.
    full: bool,
}

impl Queue {
    /// Whether the link is up.
    fn works(&self) -> bool {
        self.capacity > 0.0
    }

    /// What waits before a port: what the flows whose rates it sets, before any other link of theirs, keep in the network
    /// beyond what is on its way.
    pub(super) fn at(port: u32, levels: &Levels, classes: &Classes) -> Self {
        let streams = &levels.streams;
        let full = levels.full_at(port).is_finite();
        let mut queue = Queue { capacity: streams.capacity[port as usize], bytes: 0.0, flows: 0, full };
        for member in &streams.members[port as usize] {
            let (class, level) = (classes.of(member.stream), levels.level(member.stream));
            queue.flows += class.count();
            let mut hops = streams.hops[member.stream as usize].iter();
            let first = hops.find(|hop| level >= levels.full_at(hop.link) * (1.0 - SAME));
            if first.is_some_and(|hop| hop.link == port) {
                queue.bytes += (class.held - class.weight * level * class.round_trip as f64).max(0.0);
            }
        }
        queue
    }
}

/// What a flow has found at one time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    /// How long its packets wait, and its acknowledgements, in picoseconds.
    ahead: f64,
    back: f64,
    /// None where no packets are marked.
    marked: Option<Marked>,
}

/// Marks on a flow's way.
#[derive(Debug, Clone, Copy)]
struct Marked {
    /// The largest part of packets that a link marks.
    largest: f64,
    /// The part that all links mark.
    all: f64,
    /// Of that link, in picoseconds.
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
        Window { packets, largest, held: largest.min(wire), found: Found::default() }
    }

    /// What a flow that keeps so many bytes in the network finds on its path and on the way back.
    pub(super) fn find(
        &self,
        path: &[u32],
        fabric: &Fabric,
        queue: impl Fn(u32) -> Queue,
        held: f64,
        terms: &Terms,
        sizes: PacketSizes,
    ) -> Found {
        let packet = f64::from(sizes.packet);
        let threshold = f64::from(self.threshold) * packet;
        let wait = |queue: &Queue| queue.bytes.min(HELD * threshold) / queue.capacity;
        let mut found = Found::default();
        let (mut largest, mut unmarked, mut round_trip) = (0.0, 1.0, 0.0);
        for queue in path.iter().map(|port| queue(*port)).filter(Queue::works) {
            found.ahead += wait(&queue);
            if !queue.full || queue.bytes + held < threshold {
                continue;
            }
            let pipe = queue.capacity * terms.round_trip as f64 + packet;
            let fair = (pipe + HELD * threshold) / packet / (queue.flows + 1) as f64;
            let part = (2.0 / fair).sqrt().min(1.0);
            unmarked *= 1.0 - part;
            if part > largest {
                largest = part;
                round_trip = (pipe + HELD * threshold) / queue.capacity;
            }
        }
        if largest > 0.0 {
            found.marked = Some(Marked { largest, all: 1.0 - unmarked, round_trip });
        }
        let back = path.iter().filter_map(|port| fabric.back(*port)).map(queue);
        found.back = back.filter(Queue::works).map(|queue| wait(&queue)).sum();
        found
    }

    /// What is added until a flow's last byte arrives, and from there to its acknowledgement.
    ///
    /// `sharing` is how long the flow of `wire` bytes took in the fluid, in picoseconds; what it found when it entered and
    /// `last`, when it ended, stands for half of that time each.
    pub(super) fn added(&self, window: Window, last: Found, wire: f64, sharing: f64) -> (Time, Time) {
        let Window { packets, largest, found: first, .. } = window;
        let (mut ahead, mut back) = (0.0, 0.0);
        if self.queueing {
            ahead += first.ahead * (1.0 - wire / largest).max(0.0);
            back += first.back;
        }
        if self.convergence && wire > largest {
            let beyond = sharing * (1.0 - largest / wire);
            let marked = [first, last].into_iter().filter_map(|found| found.marked);
            ahead += marked.map(|marked| marked.lost(beyond, packets)).sum::<f64>() / 2.0;
        }
        (ahead.round() as Time, back.round() as Time)
    }
}

impl Marked {
    /// How much longer than `fair` what takes that long at a fair share takes a flow whose window is so many packets at
    /// first, the largest that it may be.
    fn lost(&self, fair: f64, first: f64) -> f64 {
        let Marked { largest, all, round_trip } = *self;
        let share = 2.0 / (largest * largest);
        let (mut window, mut estimate, mut left, mut taken) = (first, 1.0, fair, 0.0);
        for _ in 0..SETTLED {
            let done = window / share * round_trip;
            if done >= left {
                break;
            }
            left -= done;
            taken += round_trip;
            let mean = 2.0 / (estimate * all);
            window = if window > mean {
                mean.max(window * (1.0 - estimate / 2.0))
            } else {
                mean.min(window + 1.0)
            };
            window = window.min(first);
            estimate += GAIN * (all - estimate);
        }
        (taken + left * share / window - fair).max(0.0)
    }
}
