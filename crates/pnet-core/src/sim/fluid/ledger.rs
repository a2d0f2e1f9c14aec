//! What links have carried, and planes and subflows of each flow.

use super::super::flows::Flows;
use super::classes::Class;

/// Bytes by link, of the flows that send no more.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) carried: Vec<f64>,
}

impl Ledger {
    /// Writes down what a flow of so much weight has sent in a class that it joined when the clocks of its streams were
    /// `since`; `into` tells the plane that a link leads into from its source.
    pub(super) fn count(
        &mut self,
        flows: &mut Flows<()>,
        record: u32,
        class: &Class,
        since: &[f64],
        weight: f64,
        into: impl Fn(u32) -> Option<usize>,
    ) {
        let (of_planes, of_subflows) = flows.sent(record);
        let last = of_subflows.len() - 1;
        for (place, (stream, (clock, since))) in class.streams.iter().zip(class.clocks().zip(since)).enumerate() {
            let sent = ((clock - since) * weight).max(0.0);
            of_subflows[place.min(last)] += sent.round() as u64;
            for (link, part) in &stream.links {
                self.carried[*link as usize] += part * sent;
                if let Some(plane) = into(*link) {
                    of_planes[plane] += (part * sent).round() as u64;
                }
            }
        }
    }
}
