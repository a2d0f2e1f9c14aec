//! Parameters of TCP and its family.

use std::sync::Arc;

use super::super::super::forwarding::Shares;
use super::super::super::net::Net;
use super::super::super::network::Shape;
use super::super::super::time::{MICROSECOND, SECOND, Time};
use super::super::super::values::parameters;
use super::super::{Transport, TransportKind};
use super::{Acks, Congestion, Family, Reno, Rto, Sessions, TIMERS};
use crate::error::{Error, invalid, refused};

/// Parameters of TCP.
#[derive(Debug, Clone)]
pub struct Tcp {
    /// Payload of a full packet, in bytes.
    pub payload: u16,
    /// What a packet with payload has beside it.
    pub header: u16,
    /// Size of an acknowledgement.
    pub ack: u16,
    /// Size of the packet that opens a connection; none where data is sent at once.
    pub syn: Option<u16>,
    /// First window, in segments.
    pub initial_window: u32,
    /// First slow-start threshold, in segments; none for no bound.
    pub initial_threshold: Option<u32>,
    /// What the receiver lets be under way, in segments; none for no bound.
    pub receive_window: Option<u32>,
    /// Duplicate acknowledgements that show a loss; none where only timers do.
    pub duplicate_threshold: Option<u32>,
    /// Whether acknowledgements say what has come beyond the first segment missing, and losses are repaired by that.
    pub sack: bool,
    /// When data is acknowledged.
    pub acks: Acks,
    /// How long the receiver holds early packets back, so that it does not acknowledge twice what only came in another order
    /// (the buffer of DRB, CoNEXT 2013); none where it holds nothing back.
    pub resequence: Option<Time>,
    /// Bounds on the retransmission timeout.
    pub rto: Rto,
    /// How the window is set.
    pub congestion: Arc<dyn Congestion>,
    /// Connections of a flow, which start together and take what it has to send as their windows allow.  The flow is
    /// complete when all its bytes are acknowledged, whichever carried them.
    pub subflows: u32,
    /// Whether each of them has a share of its own to deliver instead, all as equal as whole packets are, and sends on, up to
    /// the whole flow, until all have.  There are no more than paths, and than packets.
    pub shares: bool,
    /// Timeouts in a row after which a sender only asks, with packets without payload, whether a path is open
    /// (pFabric, section 4.2); none where it goes on sending data.
    pub probe_after: Option<u32>,
}

impl Default for Tcp {
    /// 1,500 bytes a packet, a handshake, a first window of 10, every packet acknowledged, timeouts of 1 to 10 ms.
    fn default() -> Self {
        let millisecond = 1000 * MICROSECOND;
        Tcp {
            payload: 1500,
            header: 0,
            ack: 40,
            syn: Some(1),
            initial_window: 10,
            initial_threshold: None,
            receive_window: None,
            duplicate_threshold: Some(3),
            sack: false,
            acks: Acks { every: 1, delay: 0 },
            resequence: None,
            rto: Rto {
                initial: 10 * millisecond,
                least: millisecond,
                most: 60 * SECOND,
                granularity: 10 * millisecond,
            },
            congestion: Arc::new(Reno),
            subflows: 1,
            shares: false,
            probe_after: None,
        }
    }
}

parameters!(Tcp:
    payload, header, ack, syn, initial_window, initial_threshold, receive_window, duplicate_threshold,
    sack, acks, resequence, rto, congestion, subflows, shares, probe_after,
);

impl TransportKind for Tcp {
    fn shape(&self) -> Result<Shape, Error> {
        let sizes = [("payload", self.payload), ("ack", self.ack), ("syn", self.syn.unwrap_or(1))];
        if let Some((what, _)) = sizes.into_iter().find(|(_, size)| *size == 0) {
            return refused(what, "no size of a packet", 0, "at least 1 byte");
        }
        let counts = [
            ("initial_window", self.initial_window),
            ("initial_threshold", self.initial_threshold.unwrap_or(1)),
            ("receive_window", self.receive_window.unwrap_or(1)),
            ("duplicate_threshold", self.duplicate_threshold.unwrap_or(1)),
            ("subflows", self.subflows),
            ("probe_after", self.probe_after.unwrap_or(1)),
            ("acks", self.acks.every),
        ];
        if let Some((what, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return refused(what, "too small", 0, "at least 1");
        }
        if self.rto.initial == 0 || self.rto.least == 0 || self.rto.least > self.rto.most {
            return invalid("rto", "timeouts are positive, and the least is not above the most");
        }
        if self.sack && self.duplicate_threshold.is_none() {
            return invalid("sack", "without duplicates that show a loss nothing would use it");
        }
        let shape = Shape::of(self.payload, self.header)?;
        let largest = shape.largest.max(self.ack).max(self.syn.unwrap_or(0));
        Ok(Shape { subflows: self.subflows, timers: TIMERS, largest, ..shape })
    }

    fn reacts_to_marks(&self) -> bool {
        self.congestion.reacts_to_marks()
    }

    fn skips(&self) -> bool {
        !self.shares
    }

    fn waits_for_room(&self) -> bool {
        true
    }

    fn build(&self, _: Shares) -> Box<dyn Transport<Net>> {
        Box::new(Family {
            params: self.clone(),
            control: self.congestion.build(),
            senders: vec![],
            receivers: vec![],
            boards: vec![],
            supplies: vec![],
            shares: vec![],
            sessions: Sessions::default(),
            subflows: self.subflows,
        })
    }
}
