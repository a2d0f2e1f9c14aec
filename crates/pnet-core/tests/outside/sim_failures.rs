//! Links that fail, by hand.

use std::sync::Arc;

use crate::common::graph_of;
use pnet_core::graph::Planes;
use pnet_core::paths::Policy;
use pnet_core::sim::*;

/// Two hosts at switches 0 and 3, joined by way of 1 and by way of 2.
fn diamond() -> Fabric {
    let cables = [(0, 1), (0, 2), (1, 3), (2, 3)];
    let arcs = cables.into_iter().flat_map(|(u, v)| [(u, v), (v, u)]).collect();
    let planes = Planes::new(vec![graph_of(4, arcs)], vec![vec![Some(0), Some(3)]]).unwrap();
    Fabric::uniform(planes, Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap()
}

fn run(forwarding: Arc<dyn Forwarding>, failures: Failures, bytes: u64) -> Result<Outcome, pnet_core::Error> {
    scenario(forwarding, failures, bytes).run(&mut |_| true)
}

fn scenario(forwarding: Arc<dyn Forwarding>, failures: Failures, bytes: u64) -> Scenario {
    Scenario {
        forwarding,
        transport: Arc::new(Tcp { receive_window: Some(40), ..Tcp::default() }),
        limits: Limits { time: SECOND, events: u64::MAX },
        failures,
        ..Scenario::new(diamond(), FlowList::new([(0, 1, bytes, 0)]))
    }
}

fn ecmp() -> Arc<dyn Forwarding> {
    Arc::new(Ecmp { policy: Policy::Any })
}

/// Arcs in their order: 0->1, 0->2, 1->0, 1->3, 2->0, 2->3, 3->1, 3->2.  The flow's own path is what it uses when all is up.
fn arcs_used(found: &Outcome) -> Vec<u32> {
    (0..8).filter(|arc| found.ports[*arc as usize].packets > 0).collect()
}

#[test]
fn what_is_down_from_the_start_is_avoided() {
    let cut = |port| Failures { outages: vec![Outage { port, from: 0, until: NEVER }], repair: None };
    // Either direction of a cable keeps paths off both.
    for port in [0, 2, 3, 6] {
        assert_eq!(arcs_used(&run(ecmp(), cut(port), 15_000).unwrap()), [1, 4, 5, 7]);
    }
    let found = run(Arc::new(PerHop { policy: Policy::Any, drawn: Some(1) }), cut(5), 150_000).unwrap();
    assert_eq!(arcs_used(&found), [0, 2, 3, 6]);
}

#[test]
fn a_flow_finds_another_path_after_the_repair_time() {
    let whole = run(ecmp(), Failures::default(), 10_000_000).unwrap();
    let first = arcs_used(&whole)[0];
    let (from, until, repair) = (SECOND / 1000, NEVER, Some(SECOND / 2000));
    let failed = Failures { outages: vec![Outage { port: first, from, until }], repair };
    let found = run(ecmp(), failed.clone(), 10_000_000).unwrap();
    let flow = &found.flows[0];
    assert!(flow.counts.timeouts > 0 && flow.end.is_some());
    assert_eq!(arcs_used(&found).len(), 8);
    // All that was on the link, or came to it until paths changed, is lost, and nothing else.
    assert_eq!(found.ports[first as usize].lost, flow.counts.dropped);
    let carried = found.ports[first as usize].packets - found.ports[first as usize].lost;
    assert!(u128::from(carried) * 1_200_000 <= u128::from(from));
    // Where paths never learn, the flow is cut off, and the run ends.
    let found = run(ecmp(), Failures { repair: None, ..failed }, 10_000_000).unwrap();
    assert_eq!((found.end, found.flows[0].end), (End::CutOff, None));
    assert!(found.flows[0].received > 0);
}

/// One packet of 1,500 bytes leaves its host from 6.164 us on (after the handshake) and takes 1.2 and 1 us for each link.
#[test]
fn a_packet_is_lost_while_its_link_is_down_and_only_then() {
    // The first link of the path; the handshake takes 4 links of 1 us and 41 bytes there and back.
    let up = diamond().up(0, 0);
    let sent = 8 * MICROSECOND + 4 * 41 * 800;
    let arrived = sent + 1_200_000 + MICROSECOND;
    for (from, until, lost) in
        [(sent - 10, sent, 0), (sent - 10, sent + 1, 1), (arrived, arrived + 1, 1), (arrived + 1, arrived + 2, 0)]
    {
        let outages = vec![Outage { port: up, from, until }];
        let found = run(ecmp(), Failures { outages, repair: None }, 1500).unwrap();
        assert_eq!((found.ports[up as usize].lost, found.flows[0].counts.resent), (lost, lost), "{from} {until}");
    }
}

#[test]
fn a_cut_network_leaves_flows_unfinished() {
    let down = |port| Outage { port, from: 0, until: NEVER };
    let found = run(ecmp(), Failures { outages: vec![down(0), down(1)], repair: None }, 1500).unwrap();
    assert_eq!((found.end, found.flows.len()), (End::Idle, 1));
    assert_eq!((found.flows[0].end, found.flows[0].hops, found.flows[0].counts.sent), (None, 0, 0));
}

/// A flow of 1 MB at `start` over one cable between two switches, which fails so; with what it takes when nothing does.
fn over_a_cable(start: Time, failures: Failures, forwarding: Arc<dyn Forwarding>) -> (Outcome, Time) {
    let both = [failures, Failures::default()].map(|failures| {
        let cable = Planes::new(vec![graph_of(2, vec![(0, 1), (1, 0)])], vec![vec![Some(0), Some(1)]]);
        let made = Scenario {
            fabric: Fabric::uniform(cable.unwrap(), Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap(),
            source: Box::new(FlowList::new([(0, 1, 1_000_000, start)])),
            ..scenario(forwarding.clone(), failures, 0)
        };
        made.run(&mut |_| true).unwrap()
    });
    let [found, whole] = both;
    (found, whole.flows[0].end.unwrap() - start)
}

/// A flow that finds no path when it is to start begins when it learns of one, and not before; its time counts from when it
/// was to start.
#[test]
fn a_flow_without_a_path_waits_for_the_repair() {
    const MS: Time = SECOND / 1000;
    let spray = || Spray { policy: Policy::Any, over: Over::Paths, order: Order::RoundRobin };
    for forwarding in [ecmp(), Arc::new(PerHop { policy: Policy::Any, drawn: Some(1) }), Arc::new(spray())] {
        for (start, from, until, repair, begins) in [
            (0, 0, 3 * MS, Some(0), 3 * MS),
            (MS, 0, 3 * MS, Some(MS / 4), 3 * MS + MS / 4),
            (7 * MS / 2, 3 * MS, 4 * MS, Some(MS / 100), 4 * MS + MS / 100),
            // Without a time of repair those that start after it see the link, and those that wait begin with it.
            (10 * MS, 0, 3 * MS, None, 10 * MS),
            (MS, 0, 3 * MS, None, 3 * MS),
        ] {
            let failures = Failures { outages: vec![Outage { port: 0, from, until }], repair };
            let (found, alone) = over_a_cable(start, failures, forwarding.clone());
            let flow = &found.flows[0];
            assert_eq!((flow.start, flow.end), (start, Some(begins + alone)), "{forwarding:?} {begins}");
            assert_eq!((found.end, flow.counts.timeouts, flow.counts.dropped), (End::Complete, 0, 0));
        }
    }
}

/// What has taken a detour leaves it when paths learn that the link is back.
#[test]
fn a_flow_returns_after_the_repair() {
    let whole = run(ecmp(), Failures::default(), 10_000_000).unwrap();
    let first = arcs_used(&whole)[0];
    let (from, until) = (SECOND / 1000, SECOND / 500);
    let outages = vec![Outage { port: first, from, until }];
    let found = run(ecmp(), Failures { outages, repair: Some(0) }, 10_000_000).unwrap();
    let detour = arcs_used(&found).into_iter().find(|arc| !arcs_used(&whole).contains(arc)).unwrap();
    // A millisecond at 10 Gb/s is 833 packets of 1,500 bytes; the flow takes 8 of them.
    assert!((100..=834).contains(&found.ports[detour as usize].packets), "{:?}", found.ports[detour as usize]);
    assert!(found.flows[0].end.unwrap() > 4 * until);
}

#[test]
fn outages_are_checked() {
    let error = |outage: Outage| {
        let failures = Failures { outages: vec![outage], repair: None };
        run(ecmp(), failures, 1500).unwrap_err().to_string()
    };
    assert_eq!(error(Outage { port: 12, from: 0, until: 1 }), "failures: unknown port, found 12; allowed: 0..12");
    assert_eq!(error(Outage { port: 0, from: 5, until: 5 }), "failures: port 0 is down from 5 ps to 5 ps");
}
