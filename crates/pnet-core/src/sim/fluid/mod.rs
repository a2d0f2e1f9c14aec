//! The fluid simulator: flows that come and go share links max-min fairly at every moment.
//!
//! It stands between the linear program, which knows no time, and packets, which know queues and windows: there are none
//! here, and a flow has its fair rate at once.  Network, forwarding, sources and failures are those of the packet simulator;
//! a flow takes the same path in both.
//!
//! - [`sharing`] says what flows do with several paths; what takes part in the sharing is a *stream*;
//! - `levels` keeps the fair rates of streams, `filling` finds them from scratch; `split` keeps the best split of flows over
//!   their paths; `rates` is one or the other;
//! - `classes` hold flows on the same paths, and foresee which is complete when;
//! - `engine` lets all of it happen, `ledger` writes it down; [`correction`] adds what short flows take beside their share, `windows` what queues and
//!   marks do.
//!
//! A run depends on its scenario and seed alone.

mod classes;
pub mod correction;
mod engine;
mod filling;
mod ledger;
mod levels;
mod rates;
pub mod sharing;
mod split;
mod streams;
mod terms;
#[cfg(test)]
mod tests;
mod windows;

use std::sync::Arc;

use super::engine::{Limits, Progress};
use super::fabric::Fabric;
use super::failures::Failures;
use super::forwarding::{Ecmp, Forwarding};
use super::records::FluidOutcome;
use super::source::Source;
use super::time::NEVER;
use super::values::names;
use crate::error::{Error, invalid};
use crate::paths::Policy;
pub use correction::Correction;
use engine::Engine;
pub use sharing::Sharing;
pub use terms::PacketSizes;
pub use windows::Windows;

/// Asked now and then by what takes long; [`Error::Stopped`] where the run should end.
type Poll<'a> = dyn FnMut() -> Result<(), Error> + 'a;

/// How rates are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// What a change reaches is solved again.
    #[default]
    Incremental,
    /// Everything is, at every change; for comparison.
    FromScratch,
}

names!(Method, values: "incremental" => Method::Incremental, "from-scratch" => Method::FromScratch);

/// All that a run is made of.
pub struct FluidScenario {
    /// Hosts, switches and links.
    pub fabric: Fabric,
    /// Which paths flows are offered.
    pub forwarding: Arc<dyn Forwarding>,
    /// What they do with them.
    pub sharing: Sharing,
    /// What is added to the fluid's times.
    pub correction: Correction,
    /// How many bytes on the wire a flow is.
    pub sizes: PacketSizes,
    /// Who starts which flow when.
    pub source: Box<dyn Source>,
    /// Weights by the source's numbers for flows; none where all are equal.
    pub weights: Option<Vec<f64>>,
    /// All that is drawn is drawn from this.
    pub seed: u64,
    /// When to end.
    pub limits: Limits,
    /// What fails.
    pub failures: Failures,
    /// How rates are found.
    pub method: Method,
}

impl FluidScenario {
    /// Packets of 1,500 bytes on one shortest path each, without a correction, until all flows are complete.
    pub fn new(fabric: Fabric, source: impl Source + 'static) -> Self {
        FluidScenario {
            fabric,
            forwarding: Arc::new(Ecmp { policy: Policy::Any }),
            sharing: Sharing::Single,
            correction: Correction::default(),
            sizes: PacketSizes { packet: 1500, header: 0, ack: 40 },
            source: Box::new(source),
            weights: None,
            seed: 1,
            limits: Limits::default(),
            failures: Failures::default(),
            method: Method::Incremental,
        }
    }

    /// Runs it; `watch` is told of the progress now and then, and returns whether to go on.
    ///
    /// ```
    /// # use pnet_core::graph::{Graph, Planes};
    /// # use pnet_core::sim::*;
    /// # use pnet_core::sim::fluid::FluidScenario;
    /// // Three hosts at a switch, two of which send to the third: 10 Gb/s is 800 ps a byte.
    /// let planes = Planes::new(vec![Graph::new(1, vec![], vec![])?], vec![vec![Some(0); 3]])?;
    /// let fabric = Fabric::uniform(planes, Rate::new(10_000_000_000)?, MICROSECOND)?;
    /// let flows = FlowList::new([(0, 2, 1000, 0), (1, 2, 2000, 0)]);
    /// let outcome = FluidScenario::new(fabric, flows).run(&mut |_| true)?;
    /// assert_eq!(outcome.flows[0].end, Some(2 * 1000 * 800));
    /// assert_eq!(outcome.flows[1].end, Some(3 * 1000 * 800));
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn run(self, watch: &mut dyn FnMut(Progress) -> bool) -> Result<FluidOutcome, Error> {
        let limits = self.limits;
        if limits.time == NEVER {
            return invalid("limits", "a time limit is below 2^64 - 1 ps");
        }
        let mut engine = Engine::new(self)?;
        let end = engine.run(limits, watch)?;
        Ok(engine.finish(end, limits))
    }
}
