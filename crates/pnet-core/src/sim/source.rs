//! Who starts which flow when.

use super::fabric::Fabric;
use super::time::Time;
use crate::error::{Error, invalid, refused};

/// A flow to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    /// The source's own number for it.
    pub id: u32,
    /// Host that sends.
    pub src: u32,
    /// Host that receives.
    pub dst: u32,
    /// Payload in bytes.
    pub bytes: u64,
    /// When it starts.
    pub start: Time,
    /// How it comes to a connection.
    pub session: Session,
}

/// The connection that a flow is sent over, which others may have used before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Session {
    /// Number of the first flow on the connection; hashes are keyed on it, so that a connection keeps its path.
    pub connection: u32,
    /// Whether the flow begins with a handshake, where its transport has one.
    pub opens: bool,
    /// The flow before it on the connection, in the same direction: it leaves its window to this one.
    pub follows: Option<u32>,
    /// Whether another flow takes over from this one.
    pub followed: bool,
}

/// How far a flow has come, as its ends know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// All its bytes are at the destination.
    Arrived,
    /// The source knows that they are: it is complete.
    Acknowledged,
}

impl Flow {
    /// A flow on a connection of its own.
    pub fn new(id: u32, src: u32, dst: u32, bytes: u64, start: Time) -> Self {
        let session = Session { connection: id, opens: true, follows: None, followed: false };
        Flow { id, src, dst, bytes, start, session }
    }

    /// An error if this cannot be sent over `fabric`.
    ///
    /// Segments of `payload` bytes are counted in 31 bits.
    pub(super) fn check(&self, fabric: &Fabric, payload: u16) -> Result<(), Error> {
        let Flow { id, src, dst, bytes, .. } = *self;
        if let Some(unknown) = [src, dst].into_iter().find(|host| *host as usize >= fabric.hosts()) {
            return refused("flows", format!("flow {id}: unknown host"), unknown, format!("0..{}", fabric.hosts()));
        }
        if src == dst {
            return invalid("flows", format!("flow {id}: from host {src} to itself"));
        }
        if bytes == 0 {
            return refused("flows", format!("flow {id}: nothing to send"), 0, "at least 1 byte");
        }
        if bytes.div_ceil(u64::from(payload)) > u64::from(u32::MAX / 2) {
            let most = u64::from(payload) * u64::from(u32::MAX / 2);
            return refused("flows", format!("flow {id}: too many packets"), bytes, format!("up to {most} bytes"));
        }
        Ok(())
    }
}

/// Starts flows.  It is asked at the times that it names, and told of every flow that arrives or completes; flows that
/// depend on others, and hosts that always have one under way, are sources that name a new time when told.
pub trait Source: Send {
    /// When it starts flows next; [`super::NEVER`] while it waits for completions, or is done.
    fn next(&self) -> Time;

    /// The flows that start at `now`, which is the time it named.
    fn start(&mut self, now: Time, flows: &mut Vec<Flow>);

    /// A flow has come to a stage; each comes to both, one after the other.
    fn reached(&mut self, _id: u32, _stage: Stage, _now: Time) {}

    /// The flows known to start, had the run gone on.
    fn unstarted(&self) -> Vec<Flow> {
        vec![]
    }

    /// How many flows it will start in all, if it knows.
    fn total(&self) -> Option<usize> {
        None
    }
}
