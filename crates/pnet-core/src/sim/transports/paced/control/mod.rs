//! Control of window and pace, one file each.
//!
//! A new one is a file here and a line in the list of [`kinds`].

mod dcqcn;
mod hpcc;
mod nscc;
mod rccc;
mod swift;

use std::fmt::Debug;
use std::sync::Arc;

use super::super::super::telemetry::Hop;
use super::super::super::time::Time;
use super::super::super::values::{Named, Parameter, Values, kinds};
use crate::error::Error;

/// A control and its parameters.
pub trait Pacing: Debug + Send + Sync {
    /// An error where its parameters contradict each other.
    fn check(&self) -> Result<(), Error>;

    /// Whether it reacts to marks of packets.
    fn reacts_to_marks(&self) -> bool {
        false
    }

    /// Whether it goes by what ports note on packets, which come in the order in which they were sent.
    fn reads_telemetry(&self) -> bool {
        false
    }

    /// The rate of the credits that receivers give, as a part of that of a link; none where they give none.
    fn credits(&self) -> Option<f64> {
        None
    }

    /// The control of all connections.
    fn build(&self) -> Box<dyn Control>;
}

kinds!(Pacing, "control":
    "swift" => swift::Swift,
    "dcqcn" => dcqcn::Dcqcn,
    "nscc" => nscc::Nscc,
    "hpcc" => hpcc::Hpcc,
    "rccc" => rccc::Rccc,
);

impl Parameter for Arc<dyn Pacing> {
    fn read(values: &mut Values, name: &'static str) -> Result<Self, Error> {
        let name: String = values.read(name)?;
        <dyn Pacing>::named(&name, values)
    }
}

/// What a flow finds on its paths while these are idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Idle {
    /// Time of a full packet and its answer, on the longest path.
    pub rtt: Time,
    /// Links of a path.
    pub links: u32,
    /// Bits a second that its host sends.
    pub bits: u64,
    /// Bytes of a full packet.
    pub size: u16,
}

impl Idle {
    /// Full packets that its host sends in a part of the round trip, at least one.
    pub(super) fn packets(&self, part: f64) -> u32 {
        (part * self.rtt as f64 / self.gap(self.bits as f64)).ceil().max(1.0) as u32
    }

    /// Picoseconds from one full packet to the next at so many bits a second.
    pub(super) fn gap(&self, bits: f64) -> f64 {
        f64::from(self.size) * 8e12 / bits
    }
}

/// What an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acked {
    /// Segments that have arrived, for the first time.
    pub segments: u32,
    /// Whether the packet that is answered was marked.
    pub marked: bool,
    /// From its first bit on to its answer.
    pub rtt: Time,
    /// The time.
    pub now: Time,
    /// First segment that has not arrived.
    pub unacked: u32,
    /// Segments that await their answer.
    pub under_way: u32,
}

/// Why a packet is taken for lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Others that were sent after it have arrived.
    Gap,
    /// It has come without its payload.
    Trimmed,
    /// Nothing was heard of it for too long.
    Timeout,
}

/// What may be sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Packets under way at most; less than 1 where packets are so far apart that none is, most of the time.
    pub window: f64,
    /// Least time from the start of one packet to that of the next.
    pub gap: Time,
    /// What the pace is in packets a round trip, where there is no window.
    pub in_a_round_trip: f64,
    /// When control wants to be woken.
    pub wakes: Time,
    /// Packets that may be sent now, under way or not; as many as there are where nobody counts them.
    pub credits: u32,
}

/// Sets the pace of all connections.
pub trait Control {
    /// A connection begins.
    fn open(&mut self, connection: u32, idle: &Idle);

    /// Where receivers give credits, those that a flow begins with, and packets that it may have away at most.
    fn initial(&self, _idle: &Idle) -> (u32, u32) {
        (0, 0)
    }

    /// The receiver has given so many credits in all.
    fn credited(&mut self, _connection: u32, _given: u32, _now: Time) {}

    /// So many packets are taken for lost of which the receiver cannot know; before [`Control::lost`].
    fn gone(&mut self, _connection: u32, _packets: u32) {}

    /// What a connection may send now.
    fn pace(&self, connection: u32) -> Pace;

    /// A packet of so many bytes is sent.
    fn sent(&mut self, _connection: u32, _size: u16) {}

    /// An answer has come.
    fn acked(&mut self, _connection: u32, _acked: Acked) {}

    /// An answer has come to a packet sent at a time, on which ports have noted this; before [`Control::acked`].
    fn passed(&mut self, _connection: u32, _hops: &[Hop], _sent: Time, _now: Time) {}

    /// A packet is taken for lost.
    fn lost(&mut self, _connection: u32, _loss: Loss, _now: Time) {}

    /// The receiver has notified the sender of a mark.
    fn notified(&mut self, _connection: u32, _now: Time) {}

    /// The time has come that [`Pace::wakes`] named.
    fn wake(&mut self, _connection: u32, _now: Time) {}
}

/// States by connection.
#[derive(Debug)]
pub(super) struct States<S>(Vec<S>);

impl<S> Default for States<S> {
    fn default() -> Self {
        States(vec![])
    }
}

impl<S: Clone + Default> States<S> {
    /// A connection begins in this state.
    pub(super) fn open(&mut self, connection: u32, state: S) {
        let place = connection as usize;
        self.0.resize(self.0.len().max(place + 1), S::default());
        self.0[place] = state;
    }

    #[inline]
    pub(super) fn of(&self, connection: u32) -> &S {
        &self.0[connection as usize]
    }

    #[inline]
    pub(super) fn of_mut(&mut self, connection: u32) -> &mut S {
        &mut self.0[connection as usize]
    }
}
