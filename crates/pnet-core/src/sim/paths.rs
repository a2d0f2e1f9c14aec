//! The paths of flows, on the network as far as they know of failures.

use super::fabric::{Fabric, PathLink};
use super::failures::{Down, Failures};
use super::forwarding::{Empty, Forwarder, Forwarding, Ground, MOST, Pair, Queues};
use super::packet::Packet;
use super::routes::Routes;
use super::time::Time;
use crate::error::Error;

/// The network, what fails in it, and who chooses paths.
pub(super) struct Paths {
    pub(super) fabric: Fabric,
    pub(super) routes: Routes,
    pub(super) forwarder: Box<dyn Forwarder>,
    pub(super) down: Down,
    /// Whether any link fails.
    pub(super) failing: bool,
    /// Whether answers are shown to the forwarder.
    pub(super) learns: bool,
}

impl Paths {
    /// Those that a forwarding chooses on `fabric`.
    pub(super) fn new(
        mut fabric: Fabric,
        forwarding: &dyn Forwarding,
        failures: &Failures,
        seed: u64,
    ) -> Result<Self, Error> {
        let down = failures.build(&mut fabric)?;
        let forwarder = forwarding.build(&fabric, seed)?;
        Ok(Paths {
            fabric,
            routes: Routes::default(),
            forwarder,
            failing: down.fails(),
            learns: forwarding.learns(),
            down,
        })
    }

    /// Finds the paths of a flow; returns false where a failure has left it none.
    pub(super) fn open(&mut self, pair: Pair) -> Result<bool, Error> {
        match self.forwarder.open(pair, &self.fabric, &mut self.routes) {
            Err(Error::NoPath { .. }) if self.failing => Ok(false),
            opened => opened.map(|()| true),
        }
    }

    /// The flow is over, and nothing of it is on its way.
    pub(super) fn close(&mut self, pair: Pair) {
        self.forwarder.close(pair, &mut self.routes);
    }

    /// The ports of the paths open to a flow.
    pub(super) fn ports(&self, pair: Pair, now: Time) -> Vec<Vec<u32>> {
        self.forwarder.paths(pair, &Ground { fabric: &self.fabric, routes: &self.routes, queues: &Empty, now })
    }

    /// Whether all paths that a flow may ever take cross links that have failed for good; of very many only some are known.
    pub(super) fn cut(&mut self, pair: Pair, now: Time) -> bool {
        let ground = Ground { fabric: &self.fabric, routes: &self.routes, queues: &Empty, now };
        let paths = self.forwarder.possible(pair, &ground);
        paths.len() < MOST && paths.iter().all(|path| path.iter().any(|port| self.down.for_good(*port)))
    }

    /// The port by which a packet leaves its host, and its route from there.
    #[inline]
    pub(super) fn depart(&mut self, packet: &mut Packet, queues: &dyn Queues, now: Time) -> (u32, u32) {
        let ground = Ground { fabric: &self.fabric, routes: &self.routes, queues, now };
        self.forwarder.depart(packet, &ground)
    }

    /// The same at a switch; none where no next hop is known.
    #[inline]
    pub(super) fn next(&mut self, packet: &Packet, switch: u32, queues: &dyn Queues, now: Time) -> Option<(u32, u32)> {
        let ground = Ground { fabric: &self.fabric, routes: &self.routes, queues, now };
        self.forwarder.next(packet, switch, &ground)
    }

    /// The links of paths.
    pub(super) fn links(&self, paths: &[Vec<u32>]) -> Vec<Vec<PathLink>> {
        let link = |port: &u32| {
            let link = *self.fabric.link(*port);
            let back = self.fabric.back(*port).map_or(link, |back| *self.fabric.link(back));
            PathLink { port: *port, link, back }
        };
        paths.iter().map(|path| path.iter().map(link).collect()).collect()
    }

    /// Lets paths learn of failures and their ends; those of the flows under way too, where these ever do.
    pub(super) fn change(&mut self, now: Time, under_way: impl Iterator<Item = Pair>) {
        self.down.apply(now, &mut self.fabric);
        let pairs: Vec<Pair> = under_way.filter(|_| self.down.adapts()).collect();
        self.forwarder.adapt(&pairs, &self.fabric, &mut self.routes);
    }
}
