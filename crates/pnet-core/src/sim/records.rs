//! What a run leaves behind.

use super::time::Time;
use super::trace::Traces;

/// What became of a flow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FlowRecord<C = ()> {
    /// The source's number for it.
    pub id: u32,
    /// Host that sends.
    pub src: u32,
    /// Host that receives.
    pub dst: u32,
    /// Links of its first path; 0 where it had none or did not start.
    pub hops: u32,
    /// Payload in bytes.
    pub bytes: u64,
    /// When it started, or was to start.
    pub start: Time,
    /// When all its bytes were at the destination; none if the run ended before.
    pub arrived: Option<Time>,
    /// When its source knew that all had arrived; none if the run ended before.
    pub end: Option<Time>,
    /// The least time it can take from start to end, alone in the network on the paths open to it when it starts; of a
    /// fluid without slow start.
    pub ideal: Time,
    /// Payload bytes received, each once.
    pub received: u64,
    /// What only one model counts.
    pub counts: C,
}

/// The packets of a flow in both directions, handshakes and acknowledgements included, where nothing else is said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PacketCounts {
    /// Packets sent.
    pub sent: u64,
    /// Packets received.
    pub delivered: u64,
    /// Packets dropped by queues, or lost on links that are down.
    pub dropped: u64,
    /// Data packets sent, those sent again included.
    pub data_packets: u64,
    /// Their bytes on the wire.
    pub data_bytes: u64,
    /// Data packets sent again.
    pub resent: u64,
    /// Losses recognised by duplicate acknowledgements.
    pub fast_retransmits: u64,
    /// Losses recognised by a timer.
    pub timeouts: u64,
    /// Data packets that arrived before an earlier one.
    pub out_of_order: u64,
    /// Data packets that arrived marked.
    pub marked: u64,
    /// Data packets that arrived without their payload.
    pub trimmed: u64,
}

/// What became of a port's packets, up to the end of the run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PortRecord {
    /// Packets sent.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets dropped.
    pub dropped: u64,
    /// Packets lost on the link while it was down, or at its end where no next hop is known.
    pub lost: u64,
    /// Packets marked.
    pub marked: u64,
    /// Packets that lost their payload, and went on.
    pub trimmed: u64,
    /// Time that all its packets together spent in the queue, being sent included; over the length of the run this is
    /// the mean number of packets in it.
    pub spent: Time,
    /// Most packets in the queue at once, the one being sent included.
    pub longest_packets: u32,
    /// Most bytes.
    pub longest_bytes: u64,
}

/// What a port was asked by switches that pause what feeds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PauseRecord {
    /// How often it was paused.
    pub count: u64,
    /// For how long in all.
    pub time: Time,
}

impl PacketCounts {
    /// What a rule makes of each count of both.
    pub(super) fn with(&self, other: &Self, rule: impl Fn(u64, u64) -> u64) -> Self {
        PacketCounts {
            sent: rule(self.sent, other.sent),
            delivered: rule(self.delivered, other.delivered),
            dropped: rule(self.dropped, other.dropped),
            data_packets: rule(self.data_packets, other.data_packets),
            data_bytes: rule(self.data_bytes, other.data_bytes),
            resent: rule(self.resent, other.resent),
            fast_retransmits: rule(self.fast_retransmits, other.fast_retransmits),
            timeouts: rule(self.timeouts, other.timeouts),
            out_of_order: rule(self.out_of_order, other.out_of_order),
            marked: rule(self.marked, other.marked),
            trimmed: rule(self.trimmed, other.trimmed),
        }
    }
}

impl PortRecord {
    /// What a rule makes of each sum of both; the longest queue is that of this one.
    pub(super) fn with(&self, other: &Self, rule: impl Fn(u64, u64) -> u64) -> Self {
        PortRecord {
            packets: rule(self.packets, other.packets),
            bytes: rule(self.bytes, other.bytes),
            dropped: rule(self.dropped, other.dropped),
            lost: rule(self.lost, other.lost),
            marked: rule(self.marked, other.marked),
            trimmed: rule(self.trimmed, other.trimmed),
            spent: rule(self.spent, other.spent),
            ..*self
        }
    }
}

impl PauseRecord {
    /// What a rule makes of each sum of both.
    pub(super) fn with(&self, other: &Self, rule: impl Fn(u64, u64) -> u64) -> Self {
        PauseRecord { count: rule(self.count, other.count), time: rule(self.time, other.time) }
    }
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Every flow is complete.
    Complete,
    /// No event is left, and flows are not complete.
    Idle,
    /// The time limit.
    TimeLimit,
    /// The limit of events.
    EventLimit,
    /// Whoever watches stopped it.
    Stopped,
    /// Ports are paused that wait for each other.
    Deadlock,
    /// Every path of the flows that are not complete crosses a link that has failed for good.
    CutOff,
}

impl End {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            End::Complete => "complete",
            End::Idle => "no events left",
            End::TimeLimit => "time limit",
            End::EventLimit => "event limit",
            End::Stopped => "interrupted",
            End::Deadlock => "deadlock",
            End::CutOff => "cut off",
        }
    }
}

/// A finished run of packets.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Why it ended.
    pub end: End,
    /// Simulated time at its end.
    pub time: Time,
    /// Events.
    pub events: u64,
    /// Packets times the links they crossed.
    pub packet_hops: u64,
    /// Every flow, in the order of starts; those that were yet to start last.
    pub flows: Vec<FlowRecord<PacketCounts>>,
    /// Every port of the fabric.
    pub ports: Vec<PortRecord>,
    /// Of every port its pauses, where switches pause what feeds them; else none.
    pub pauses: Vec<PauseRecord>,
    /// Ports that wait for each other, paused.
    pub stuck: Vec<u32>,
    /// Bytes of data sent into each plane, flow by flow.
    pub plane_bytes: Vec<u64>,
    /// Bytes of data sent by each subflow, flow by flow.
    pub subflow_bytes: Vec<u64>,
    /// What was traced.
    pub traces: Traces,
}

/// A finished run of a fluid.
#[derive(Debug, Clone, PartialEq)]
pub struct FluidOutcome {
    /// Why it ended.
    pub end: End,
    /// Simulated time at its end.
    pub time: Time,
    /// Flows that started or were complete, and changes of links and paths.
    pub events: u64,
    /// How often levels were settled: events at one time count once.
    pub settled: u64,
    /// Every flow, in the order of starts; those that were yet to start last.
    pub flows: Vec<FlowRecord>,
    /// Bytes that each port of the fabric has carried.
    pub ports: Vec<u64>,
    /// Bytes on the wire that were sent into each plane, flow by flow.
    pub plane_bytes: Vec<u64>,
    /// Bytes on the wire that each subflow sent, flow by flow.
    pub subflow_bytes: Vec<u64>,
}
