//! The packet-level simulator: what finite queues, transports and the choice of paths leave of a network's capacity.
//!
//! Five words carry it:
//!
//! - a **port** is a queue, a rate and a delay: one for each direction of every link (`fabric`, `port`);
//! - a **queue** discipline says what waits, what is dropped and what is marked ([`queues`]);
//! - a **transport** cuts flows into packets and says when they are sent ([`transports`]);
//! - a **forwarding** says by which ports they go ([`forwarding`]);
//! - a **source** starts flows ([`source`]).
//!
//! There is one object of each sort in a run, which holds the state of all ports or all flows.  `net` moves packets and
//! is what transports see; `events` holds what is to happen, `engine` lets it happen, [`records`] hold what has.
//!
//! Times are whole picoseconds.  Links that bring packets to a node at one time take turns (`turns`); a packet is at most
//! once at a place at a time.  So an outcome depends on the scenario and its seed alone.

mod alone;
mod engine;
mod events;
mod fabric;
pub mod failures;
mod flow_list;
mod flows;
pub mod fluid;
pub mod forwarding;
mod net;
mod network;
mod packet;
mod paths;
mod port;
pub mod queues;
pub mod records;
mod routes;
pub mod source;
mod steady;
mod telemetry;
mod time;
pub mod trace;
pub mod transports;
mod turns;
mod values;
mod wiring;

pub use engine::{Limits, Model, Progress, Scenario};
pub use fabric::{Fabric, Link, PathLink};
pub use failures::{Failures, Outage};
pub use flow_list::FlowList;
pub use forwarding::*;
pub use packet::{Kind, Packet};
pub use port::Backlog;
pub use queues::*;
pub use records::{End, FlowRecord, FluidOutcome, Outcome, PacketCounts, PauseRecord, PortRecord};
pub use routes::Routes;
pub use source::{Flow, Session, Source, Stage};
pub use telemetry::Hop;
pub use time::{MICROSECOND, NEVER, Rate, SECOND, Time};
pub use trace::{Traces, Watched};
pub use transports::paced::control::*;
pub use transports::paced::*;
pub use transports::tcp::*;
pub use transports::*;
pub use values::{Named, Value, Values, entry};
pub use wiring::Wiring;
