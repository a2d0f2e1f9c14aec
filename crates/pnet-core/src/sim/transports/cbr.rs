//! A constant bit rate: packets leave at even intervals, and nobody answers.
//!
//! A flow is complete when all its bytes have arrived, at the moment when the last of them does.  What is lost is not sent
//! again, so a flow that loses a packet is never complete: its record says what arrived and how many packets were dropped.

use super::super::alone::{Crossed, leaving};
use super::super::fabric::PathLink;
use super::super::forwarding::Shares;
use super::super::net::Net;
use super::super::network::{Network, Shape};
use super::super::packet::{Kind, Packet};
use super::super::source::Flow;
use super::super::time::{Rate, SECOND, Time};
use super::super::values::parameters;
use super::arrived::{Arrived, Comes};
use super::{Transport, TransportKind, ideal};
use crate::error::Error;

/// Parameters of a constant bit rate.
#[derive(Debug, Clone)]
pub struct Cbr {
    /// Payload of a full packet, in bytes.
    pub payload: u16,
    /// What it has beside it.
    pub header: u16,
    /// Bits on the wire a second; none for as much as the ports of the host carry in the shares that packets take them.
    pub rate: Option<Rate>,
}

parameters!(Cbr: payload, header, rate);

impl TransportKind for Cbr {
    fn shape(&self) -> Result<Shape, Error> {
        Shape::of(self.payload, self.header)
    }

    fn build(&self, shares: Shares) -> Box<dyn Transport<Net>> {
        Box::new(Streams { params: self.clone(), shares, streams: vec![] })
    }
}

impl Cbr {
    /// Size of a packet of a flow with so many bytes.
    fn size(&self, bytes: u64, seq: u32) -> u16 {
        let left = bytes - u64::from(seq) * u64::from(self.payload);
        self.header + left.min(u64::from(self.payload)) as u16
    }
}

/// How long so many bytes take, rounded up.
fn lasts(bytes: u64, bits_per_second: u64) -> Time {
    let time = (u128::from(bytes) * 8 * u128::from(SECOND)).div_ceil(u128::from(bits_per_second));
    Time::try_from(time).unwrap_or(Time::MAX)
}

/// A flow.
#[derive(Debug, Default)]
struct Stream {
    bytes: u64,
    bits: u64,
    start: Time,
    /// Next segment to be sent.
    next: u32,
    arrived: Arrived,
}

/// All flows.
pub(super) struct Streams {
    params: Cbr,
    shares: Shares,
    streams: Vec<Stream>,
}

impl Streams {
    /// Bits a second of a flow with these paths: no port gets more than it can send.
    fn bits(&self, paths: &[Vec<PathLink>]) -> u64 {
        if let Some(rate) = self.params.rate {
            return rate.bits_per_second();
        }
        let ports = leaving(paths);
        let carries = |(port, rate): &Crossed| {
            let by = paths.iter().filter(|path| path[0].port == *port).count();
            let (of, by) = match self.shares {
                Shares::Paths => (paths.len(), by),
                Shares::Ports => (ports.len(), 1),
                Shares::Turns => (1, 1),
            };
            rate.bits_per_second() * of as u64 / by as u64
        };
        ports.iter().map(carries).min().unwrap_or(1)
    }

    /// Sends the next packet, and lets the one after it wait until this one would have left at the flow's rate.
    fn send(&mut self, connection: u32, net: &mut impl Network) {
        let Cbr { payload, header, .. } = self.params;
        let stream = &mut self.streams[connection as usize];
        let seq = stream.next;
        let size = self.params.size(stream.bytes, seq);
        let left = stream.bytes.div_ceil(u64::from(payload)) as u32 - seq;
        stream.next += 1;
        if left > 1 {
            let sent = u64::from(stream.next) * u64::from(payload + header);
            net.arm(connection, 0, stream.start.saturating_add(lasts(sent, stream.bits)));
        }
        let packet = Packet::new(Kind::Data, connection, seq, size, net.now());
        net.send(Packet { note: [left, 0], ..packet });
    }
}

impl<N: Network> Transport<N> for Streams {
    fn start(&mut self, connection: u32, bytes: u64, paths: &[Vec<PathLink>], net: &mut N) {
        let place = connection as usize;
        if place >= self.streams.len() {
            self.streams.resize_with(place + 1, Stream::default);
        }
        let bits = self.bits(paths);
        let stream = &mut self.streams[place];
        stream.arrived.reset();
        (stream.bytes, stream.bits, stream.start, stream.next) = (bytes, bits, net.now(), 0);
        self.send(connection, net);
    }

    fn receive(&mut self, packet: Packet, _: u32, net: &mut N) {
        let Packet { connection, seq, size, marked, .. } = packet;
        let comes = self.streams[connection as usize].arrived.take(seq);
        let record = net.record(connection);
        record.received += u64::from(size - self.params.header);
        record.counts.out_of_order += u64::from(comes == Comes::Early);
        record.counts.marked += u64::from(marked);
        if record.received == record.bytes {
            net.complete(connection);
        }
    }

    fn timer(&mut self, connection: u32, _: u32, net: &mut N) {
        self.send(connection, net);
    }

    /// No packet can arrive before it has been sent, nor sooner after the one before than the slowest link lets it.
    fn ideal(&self, flow: &Flow, paths: &[Vec<PathLink>]) -> Time {
        let Cbr { payload, header, .. } = self.params;
        let before = flow.bytes.div_ceil(u64::from(payload)) - 1;
        let sent = lasts(before * u64::from(payload + header), self.bits(paths));
        let (_, full, last) = ideal::packets(flow.bytes, payload, header);
        let size = if last == 0 { full } else { last };
        let there = |path: &Vec<PathLink>| ideal::one_way(path.iter().map(|hop| &hop.link), size);
        let quickest = paths.iter().map(there).min().unwrap_or(0);
        ideal::pipelines(paths, flow.bytes, payload, header).max(sent + quickest)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::graph::{Graph, Planes};
    use crate::paths::Policy;
    use crate::sim::queues::{DropTail, Limit};
    use crate::sim::{
        End, Fabric, FlowList, Forwarding, MICROSECOND, Order, Outcome, Over, PerHop, Scenario, Spray, Watched,
    };

    /// Hosts at a switch, links of 10 Gb/s and 1 us, and flows to the last host.
    fn run(rate: Option<u64>, packets: u32, flows: &[(u32, u64)]) -> Outcome {
        let graph = Graph::new(1, vec![], vec![]).unwrap();
        let planes = Planes::new(vec![graph], vec![vec![Some(0); 3]]).unwrap();
        let scenario = Scenario {
            queue: Arc::new(DropTail { limit: Limit::Packets(packets) }),
            transport: Arc::new(Cbr { payload: 1460, header: 40, rate: rate.map(|bits| Rate::new(bits).unwrap()) }),
            watched: Watched { flows: vec![0], rows: 100, ports: vec![] },
            ..Scenario::new(
                Fabric::uniform(planes, Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap(),
                FlowList::new(flows.iter().map(|(src, bytes)| (*src, 2, *bytes, 0))),
            )
        };
        scenario.run(&mut |_| true).unwrap()
    }

    /// At 3 Gb/s a packet of 1,500 bytes leaves every 4 us, and takes 4.4 us; the last has 240 bytes and takes 2.384 us.
    #[test]
    fn packets_leave_at_even_intervals() {
        let found = run(Some(3_000_000_000), 100, &[(0, 3 * 1460 + 200)]);
        let times: Vec<Time> = found.traces.arrivals.iter().map(|row| row.time).collect();
        assert_eq!(times, [4_400_000, 8_400_000, 12_400_000, 14_384_000]);
        let flow = &found.flows[0];
        assert_eq!((flow.end, flow.ideal, flow.received), (Some(14_384_000), 14_384_000, 4580));
        // A rate that divides nothing: the third packet leaves after 2 * 12,000 bits at 7 Gb/s, rounded up.
        let found = run(Some(7_000_000_000), 100, &[(0, 3 * 1460)]);
        assert_eq!(found.flows[0].end, Some(3_428_572 + 4_400_000));
    }

    #[test]
    fn the_rate_of_the_link_is_the_default() {
        let found = run(None, 1, &[(0, 100 * 1460)]);
        assert_eq!(found.flows[0].end, Some(99 * 1_200_000 + 4_400_000));
        assert_eq!(found.flows[0].end, Some(found.flows[0].ideal));
    }

    /// Over planes of 10 and 2.5 Gb/s a port gets no more than it sends: 5 Gb/s in all for packets that take them in turn or
    /// by lot, 2.5 for those that keep to one, which nobody chooses by its rate.
    #[test]
    fn no_port_of_the_host_is_overrun() {
        let graph = || Graph::new(1, vec![], vec![]).unwrap();
        let planes = Planes::new(vec![graph(), graph()], vec![vec![Some(0); 2]; 2]).unwrap();
        let rate = |bits| vec![Rate::new(bits).unwrap(); 2];
        let (fast, slow) = (rate(10_000_000_000), rate(2_500_000_000));
        let rates = [fast.clone(), slow.clone(), fast, slow].concat();
        let policy = Policy::RoundRobin;
        let spray = |order| -> Arc<dyn Forwarding> { Arc::new(Spray { policy, over: Over::Planes, order }) };
        for (forwarding, gap) in [
            (spray(Order::RoundRobin), 2_400_000),
            (Arc::new(PerHop { policy, drawn: Some(1) }), 2_400_000),
            (spray(Order::Flowlets(MICROSECOND * 100)), 4_800_000),
        ] {
            let turns = forwarding.shares() == Shares::Paths;
            let scenario = Scenario {
                // Those that take turns never wait for each other.
                queue: Arc::new(DropTail { limit: Limit::Packets(if turns { 1 } else { 200 }) }),
                forwarding,
                transport: Arc::new(Cbr { payload: 1460, header: 40, rate: None }),
                ..Scenario::new(
                    Fabric::new(planes.clone(), &rates, &[MICROSECOND; 8]).unwrap(),
                    FlowList::new([(0, 1, 1000 * 1460, 0)]),
                )
            };
            let flow = &scenario.run(&mut |_| true).unwrap().flows[0];
            assert_eq!((flow.counts.dropped, flow.received), (0, flow.bytes));
            assert!(flow.end.unwrap() >= 999 * gap && flow.end.unwrap() < 1200 * gap, "{flow:?}");
        }
    }

    /// Two at line rate to one host: half of it is lost in the end, and neither is complete, but nothing goes on.
    #[test]
    fn what_is_lost_stays_lost() {
        let found = run(None, 5, &[(0, 100 * 1460), (1, 100 * 1460)]);
        assert_eq!(found.end, End::Idle);
        for flow in &found.flows {
            assert_eq!((flow.end, flow.counts.sent, flow.counts.resent), (None, 100, 0));
            assert_eq!(flow.received, 1460 * flow.counts.delivered);
            assert_eq!(flow.counts.dropped, 100 - flow.counts.delivered);
        }
        // What arrives is what one link carries in that time, and the queue.
        assert_eq!(found.flows.iter().map(|flow| flow.counts.delivered).sum::<u64>(), 100 + 5 - 1);
    }
}
