//! Congestion control, one file each: how large the window is, apart from what recovers losses.
//!
//! A new one is a file here and a line in the list of [`kinds`].

mod coupled;
mod dctcp;
mod reno;

pub use coupled::Coupling;

use std::fmt::Debug;
use std::sync::Arc;

use super::super::super::values::{Named, Parameter, Values, kinds};
use super::sender::Sender;
use crate::error::Error;

/// A congestion control and its parameters.
pub trait Congestion: Debug + Send + Sync {
    /// Whether it reacts to marks of packets.
    fn reacts_to_marks(&self) -> bool {
        false
    }

    /// The control of all connections.
    fn build(&self) -> Box<dyn Control>;
}

kinds!(Congestion, "congestion":
    "reno" => reno::Reno,
    "dctcp" => dctcp::Dctcp,
    "coupled" => coupled::Coupled,
);

impl Parameter for Arc<dyn Congestion> {
    fn read(values: &mut Values, name: &'static str) -> Result<Self, Error> {
        let name: String = values.read(name)?;
        <dyn Congestion>::named(&name, values)
    }
}

/// What an acknowledgement of new data says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acked {
    /// Segments that it acknowledges.
    pub segments: u32,
    /// Whether the data was marked.
    pub marked: bool,
}

/// Sets the windows of all connections.
pub trait Control {
    /// A connection begins.
    fn open(&mut self, _connection: u32) {}

    /// What it has learnt of a connection, for a flow that follows.
    fn learnt(&self, _connection: u32) -> f64 {
        0.0
    }

    /// A flow takes over what has been learnt.
    fn resume(&mut self, _connection: u32, _learnt: f64) {}

    /// An acknowledgement has come for the `at`-th subflow of a flow, of new data or not; it is not yet taken.
    fn heard(&mut self, _connection: u32, _flow: &mut [Sender], _at: usize, _marked: bool) {}

    /// New data of the `at`-th subflow of a flow is acknowledged; `recovering` while a loss is being repaired, when the
    /// window is not to grow.
    fn acked(&mut self, connection: u32, flow: &mut [Sender], at: usize, acked: Acked, recovering: bool);

    /// The slow-start threshold after a loss, where `flight` segments were on their way (RFC 5681, equation 4).
    fn lost(&mut self, _connection: u32, _flow: &[Sender], _at: usize, flight: u32) -> f64 {
        halved(f64::from(flight))
    }
}

/// Half of a number of segments, two at least (RFC 5681, equation 4).
fn halved(segments: f64) -> f64 {
    (segments / 2.0).max(2.0)
}
