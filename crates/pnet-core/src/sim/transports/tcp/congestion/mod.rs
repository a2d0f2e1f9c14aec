//! Congestion control, one file each: how large the window is, apart from what recovers losses.

mod coupled;
mod dctcp;
mod reno;

pub use coupled::Coupling;
pub use dctcp::Dctcp;
pub(crate) use reno::Reno;

use super::sender::Sender;

/// A way to set the window, and its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Congestion {
    /// Slow start and congestion avoidance.
    #[default]
    Reno,
    /// By the part of packets that are marked.
    Dctcp(Dctcp),
    /// For the subflows of a flow together.
    Coupled(Coupling),
}

impl Congestion {
    pub(crate) fn build(self) -> Box<dyn Control> {
        match self {
            Congestion::Reno => Box::new(Reno),
            Congestion::Dctcp(params) => Box::new(params.build()),
            Congestion::Coupled(coupling) => Box::new(coupling),
        }
    }
}

/// What an acknowledgement of new data says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Acked {
    /// Segments that it acknowledges.
    pub(crate) segments: u32,
    /// Whether the data was marked.
    pub(crate) marked: bool,
}

/// Sets the windows of all connections.
pub(crate) trait Control {
    /// A connection begins.
    fn open(&mut self, _connection: u32) {}

    /// What it has learnt of a connection, for a flow that follows; and that flow takes it over.
    fn learnt(&self, _connection: u32) -> f64 {
        0.0
    }
    fn resume(&mut self, _connection: u32, _learnt: f64) {}

    /// New data of the `at`-th subflow of a flow is acknowledged; `recovering` while a loss is being repaired, when the
    /// window is not to grow.
    fn acked(&mut self, connection: u32, flow: &mut [Sender], at: usize, acked: Acked, recovering: bool);

    /// The slow-start threshold after a loss, where `flight` segments were on their way (RFC 5681, equation 4).
    fn lost(&mut self, _connection: u32, _flow: &[Sender], _at: usize, flight: u32) -> f64 {
        (f64::from(flight) / 2.0).max(2.0)
    }
}
