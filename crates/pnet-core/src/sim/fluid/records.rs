//! What a run leaves behind.

use super::super::records::{End, FlowRecord};
use super::super::time::Time;

/// A finished run.
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
