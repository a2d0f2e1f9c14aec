//! What a scenario may not say, and how runs end early.

use std::sync::Arc;

use crate::common::graph_of;
use pnet_core::graph::Planes;
use pnet_core::paths::{PathKind, PathSet, Policy, Selection, enumerate};
use pnet_core::sim::*;

/// Three hosts at a row of three switches, of which the last is not joined to the others.
fn planes() -> Planes {
    Planes::new(vec![graph_of(3, vec![(0, 1), (1, 0)])], vec![vec![Some(0), Some(1), Some(2)]]).unwrap()
}

fn scenario() -> Scenario {
    Scenario::new(
        Fabric::uniform(planes(), Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap(),
        FlowList::new([(0, 1, 150_000, 0), (1, 0, 1500, SECOND)]),
    )
}

fn error(change: impl Fn(&mut Scenario)) -> String {
    let mut changed = scenario();
    change(&mut changed);
    changed.run(&mut |_| true).unwrap_err().to_string()
}

fn of_flow(src: u32, dst: u32, bytes: u64) -> String {
    error(|scenario| scenario.source = Box::new(FlowList::new([(src, dst, bytes, 0)])))
}

#[test]
fn flows_are_checked() {
    assert_eq!(of_flow(0, 3, 1), "flows: flow 0: unknown host, found 3; allowed: 0..3");
    assert_eq!(of_flow(1, 1, 1), "flows: flow 0: from host 1 to itself");
    assert_eq!(of_flow(0, 1, 0), "flows: flow 0: nothing to send, found 0; allowed: at least 1 byte");
    assert_eq!(of_flow(0, 2, 1), "flow 0: no path from host 0 to host 2");
    assert_eq!(
        of_flow(0, 1, 1 << 50),
        "flows: flow 0: too many packets, found 1125899906842624; allowed: up to 3221225470500 bytes"
    );
}

#[test]
fn queues_are_checked() {
    let queue = |queue: Arc<dyn Queue>| error(|scenario| scenario.queue = queue.clone());
    let none = Limit::Packets(0);
    assert_eq!(
        queue(Arc::new(DropTail { limit: none })),
        "queue: no room for a packet, found 0; allowed: at least 1 packet"
    );
    let small = Limit::Bytes(1499);
    assert_eq!(
        queue(Arc::new(Pfabric { limit: small })),
        "queue: no room for a packet, found 1499; allowed: at least 1500 bytes"
    );
    let limit = Limit::Packets(100);
    assert_eq!(
        queue(Arc::new(Ecn { low: 9, high: 8, chance: 0.1, ..Ecn::threshold(limit, 0) })),
        "queue: marks from 9 packets on, but always from 8"
    );
    assert_eq!(
        queue(Arc::new(Ecn { low: 8, high: 9, chance: 1.5, ..Ecn::threshold(limit, 0) })),
        "queue: not a probability, found 1.5; allowed: 0 to 1"
    );
    assert_eq!(
        queue(Arc::new(Strict { limit, bounds: vec![5, 5] })),
        "queue: the bounds [5, 5] of classes do not ascend"
    );
}

#[test]
fn transports_are_checked() {
    let tcp = |tcp: Tcp| error(|scenario| scenario.transport = Arc::new(tcp.clone()));
    let whole = Tcp::default();
    assert_eq!(
        tcp(Tcp { payload: 0, ..whole.clone() }),
        "payload: no size of a packet, found 0; allowed: at least 1 byte"
    );
    assert_eq!(
        tcp(Tcp { initial_window: 0, ..whole.clone() }),
        "initial_window: too small, found 0; allowed: at least 1"
    );
    assert_eq!(tcp(Tcp { subflows: 0, ..whole.clone() }), "subflows: too small, found 0; allowed: at least 1");
    assert_eq!(
        tcp(Tcp { payload: 65_535, header: 1, ..whole.clone() }),
        "payload: with the header more than 65535 bytes"
    );
    assert_eq!(
        tcp(Tcp { rto: Rto { most: 1, ..whole.rto }, ..whole }),
        "rto: timeouts are positive, and the least is not above the most"
    );
}

#[test]
fn fabrics_are_checked() {
    let rate = Rate::new(1_000_000_000).unwrap();
    let error = |rates: &[Rate], delays: &[Time]| Fabric::new(planes(), rates, delays).unwrap_err().to_string();
    assert_eq!(error(&[rate; 7], &[0; 8]), "rate: 7 entries for 8 ports");
    assert_eq!(error(&[rate; 8], &[0; 9]), "delay: 9 entries for 8 ports");
    assert_eq!(
        error(&[rate; 8], &[NEVER; 8]),
        "delay: too long, found 18446744073709551615; allowed: less than 2^62 ps"
    );
}

#[test]
fn given_paths_are_checked() {
    let selection = Selection { kind: PathKind::EqualCost, count: 1, policy: Policy::Any, per_flow: false, seed: 1 };
    let paths = enumerate(&planes(), &[(0, 1)], &selection, &pnet_core::Stop::default()).unwrap();
    let given = |pairs: &[(u32, u32)], paths: &PathSet| {
        let given = Given { pairs: pairs.to_vec(), paths: paths.clone(), since: vec![(0, 0)] };
        error(|scenario| scenario.forwarding = Arc::new(given.clone()))
    };
    assert_eq!(given(&[], &paths), "pair_ptr: 2 entries for 0 pairs in 1 lists");
    assert_eq!(given(&[(1, 0)], &paths), "paths: path 0 does not lead from host 1 to host 0");
    // The flow back has no paths.
    assert_eq!(given(&[(0, 1)], &paths), "flow 1: no path from host 1 to host 0");
    let twice = enumerate(&planes(), &[(0, 1), (0, 1)], &selection, &pnet_core::Stop::default()).unwrap();
    assert_eq!(given(&[(0, 1), (0, 1)], &twice), "pairs: the pair of hosts 0 and 1 stands there twice");
}

/// A run that ends early leaves records of every flow: what has arrived of those under way, and those yet to start.
#[test]
fn an_early_end_loses_nothing() {
    let early = |limits: Limits, stop: bool| {
        let mut scenario = scenario();
        scenario.limits = limits;
        scenario.run(&mut |progress| !stop || progress.events == 0).unwrap()
    };
    let unlimited = Limits::default();
    let found = early(Limits { time: 50 * MICROSECOND, ..unlimited }, false);
    assert_eq!((found.end, found.time, found.flows.len()), (End::TimeLimit, 50 * MICROSECOND, 2));
    assert!((1..150_000).contains(&found.flows[0].received));
    assert_eq!((found.flows[1].start, found.flows[1].counts.sent), (SECOND, 0));
    let found = early(Limits { events: 100, ..unlimited }, false);
    assert_eq!((found.end, found.events), (End::EventLimit, 100));
    assert!(found.flows[0].end.is_none());
    assert_eq!(early(unlimited, false).end, End::Complete);

    let (mut asked, mut arrived) = (0, 0);
    let mut watched = scenario();
    watched.source = Box::new(FlowList::new([(0, 1, 100_000_000, 0)]));
    let stopped = watched
        .run(&mut |progress| {
            asked += 1;
            arrived = progress.arrived;
            progress.events < 50_000
        })
        .unwrap();
    assert_eq!((stopped.end, asked), (End::Stopped, 5));
    assert!(stopped.flows[0].end.is_none());
    assert_eq!(arrived, stopped.flows[0].received);
}
