//! Pauses in whole networks: nothing is lost where the headroom is right, and ports that wait for each other are found.

use std::sync::Arc;

use pnet_core::graph::{Graph, Planes};
use pnet_core::sim::*;

const SIZE: u16 = 1500;

/// A ring of switches with a host each; all links have 10 Gb/s and 1 us.
fn ring(switches: u32) -> Fabric {
    let (mut tail, mut head) = (vec![], vec![]);
    for v in 0..switches {
        tail.extend([v, v]);
        head.extend([(v + 1) % switches, (v + switches - 1) % switches]);
    }
    let graph = Graph::new(switches as usize, tail, head).unwrap();
    let planes = Planes::new(vec![graph], vec![(0..switches).map(Some).collect()]).unwrap();
    Fabric::uniform(planes, Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap()
}

/// One switch with so many hosts.
fn star(hosts: usize) -> Fabric {
    let planes = Planes::new(vec![Graph::new(1, vec![], vec![]).unwrap()], vec![vec![Some(0); hosts]]).unwrap();
    Fabric::uniform(planes, Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap()
}

/// Queues that pause, with a buffer of so many packets a port.
fn shared(packets: u64, headroom: Option<u64>) -> Shared {
    Shared {
        buffer: packets * u64::from(SIZE),
        alpha: 0.5,
        pauses: true,
        headroom,
        resume: 2 * u64::from(SIZE),
        packet: SIZE,
        low: None,
        high: 0,
        chance: 1.0,
    }
}

/// Cards that send at full rate, whatever is marked.
fn full_rate() -> Paced {
    let control = Dcqcn {
        gain: 1.0 / 256.0,
        estimate_timer: MICROSECOND,
        rate_timer: MICROSECOND,
        byte_counter: 1,
        recovery_steps: 5,
        additive: 1,
        hyper: 1,
        least: 1,
        reacts: false,
    };
    Paced {
        payload: SIZE,
        header: 0,
        ack: 64,
        recovery: Recovery::GoBack,
        duplicate_threshold: None,
        reorder: None,
        timeout: 50_000 * MICROSECOND,
        notify: None,
        control: Arc::new(control),
    }
}

fn run(fabric: Fabric, queue: Shared, flows: Vec<(u32, u32, u64)>) -> Outcome {
    let scenario = Scenario {
        queue: Arc::new(queue),
        host_queue: Some(Arc::new(Unbounded { small_queue: None })),
        transport: Arc::new(full_rate()),
        ..Scenario::new(
            fabric,
            FlowList::new(flows.into_iter().map(|(src, dst, packets)| (src, dst, u64::from(SIZE) * packets, 0))),
        )
    };
    scenario.run(&mut |_| true).unwrap()
}

fn dropped(outcome: &Outcome) -> u64 {
    outcome.ports.iter().map(|port| port.dropped).sum()
}

/// Ten to one at full rate: the hosts are paused, nothing is lost, and the last link is never idle.
#[test]
fn nothing_is_lost_with_the_headroom_of_the_link() {
    let incast = || (0..10).map(|host| (host, 10, 500)).collect();
    let found = run(star(11), shared(20, None), incast());
    assert_eq!((found.end, dropped(&found)), (End::Complete, 0));
    assert!(found.flows.iter().all(|flow| flow.counts.resent == 0));
    let least = 5000 * 1_200_000;
    assert!(found.time < least * 101 / 100, "{} {least}", found.time);
    // Ports 0 to 9 are of the hosts that send.
    assert!(found.pauses[..10].iter().all(|pause| pause.count > 0 && pause.time > found.time / 2));
    assert!(found.pauses[10..].iter().all(|pause| *pause == PauseRecord::default()));
    // Much is lost where only a packet is kept for what comes by a paused link, and it is sent again.
    let found = run(star(11), shared(20, Some(u64::from(SIZE))), incast());
    assert_eq!(found.end, End::Complete);
    assert!(dropped(&found) > 100, "{}", dropped(&found));
}

/// Five hosts send to 5, and one of them also to 6, which nobody else does: what is for 6 waits behind what is for 5.
#[test]
fn the_head_of_the_line_blocks() {
    let many: Vec<(u32, u32, u64)> = (0..5).map(|host| (host, 5, 1000)).chain([(0, 6, 1000)]).collect();
    let alone = run(star(7), shared(20, None), vec![many[5]]);
    let found = run(star(7), shared(20, None), many);
    let end = |outcome: &Outcome, flow: usize| outcome.flows[flow].end.unwrap();
    assert_eq!(dropped(&found), 0);
    // As much as for 5 is for 6, a fifth of a link, where half of the port of host 0 is free.
    assert!(end(&found, 5) > 4 * end(&alone, 0), "{} {}", end(&found, 5), end(&alone, 0));
}

/// Five hosts of a ring send two links ahead: every link waits for the next one, and the run ends.
#[test]
fn a_deadlock_on_a_ring_is_found() {
    let flows: Vec<(u32, u32, u64)> = (0..5).map(|host| (host, (host + 2) % 5, 100_000)).collect();
    let found = run(ring(5), shared(20, None), flows.clone());
    assert_eq!((found.end, dropped(&found)), (End::Deadlock, 0));
    assert!(found.time > 0 && found.time.is_multiple_of(100 * MICROSECOND), "{}", found.time);
    // One way round: the ports of arcs 0, 2, 4, 6 and 8, and the hosts behind them.
    for arc in [0, 2, 4, 6, 8] {
        assert!(found.stuck.contains(&arc), "{:?}", found.stuck);
    }
    assert!(found.flows.iter().all(|flow| flow.end.is_none()));
    // Neighbours alone wait for nobody.
    let flows = (0..5).map(|host| (host, (host + 1) % 5, 1000)).collect();
    let found = run(ring(5), shared(20, None), flows);
    assert_eq!((found.end, found.stuck.len()), (End::Complete, 0));
}

/// Queues of hosts that order packets cannot be paused.
#[test]
fn queues_of_hosts_have_to_be_pausable() {
    let scenario = Scenario {
        queue: Arc::new(shared(20, None)),
        host_queue: Some(Arc::new(Strict { limit: Limit::Packets(10), bounds: vec![10] })),
        transport: Arc::new(full_rate()),
        ..Scenario::new(star(3), FlowList::new([(0, 1, 1500, 0)]))
    };
    let error = scenario.run(&mut |_| true).unwrap_err().to_string();
    assert_eq!(error, "host_queue: switches pause hosts, and it cannot be paused");
}
