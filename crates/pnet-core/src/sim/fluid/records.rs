//! What a run leaves behind.

use super::super::records::End;
use super::super::time::Time;

/// What became of a flow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FlowRecord {
    /// The source's number for it.
    pub id: u32,
    /// Host that sends.
    pub src: u32,
    /// Host that receives.
    pub dst: u32,
    /// Payload in bytes.
    pub bytes: u64,
    /// When it started, or was to start.
    pub start: Time,
    /// When all had arrived; none if the run ended before.
    pub arrived: Option<Time>,
    /// When its source knew; none if the run ended before.
    pub end: Option<Time>,
    /// The least time it can take from start to end, alone in the network on the paths open to it when it starts, without
    /// slow start; 0 where it had none or did not start.
    pub ideal: Time,
    /// Payload bytes that have arrived.
    pub received: u64,
    /// Links of its first path; 0 where it had none or did not start.
    pub hops: u32,
}

/// A finished run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
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
