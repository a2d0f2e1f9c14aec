//! Rates against a solution from scratch at every event, and what is true of max-min fair rates at any.

use std::sync::Arc;

use super::super::failures::Outage;
use super::super::records::End;
use super::super::time::{MICROSECOND, Rate, Time};
use super::engine::Engine;
use super::filling;
use super::rates::Rates;
use super::streams::Streams;
use super::*;
use crate::graph::{Graph, Planes};
use crate::paths::Policy;
use crate::random::SplitMix;
use crate::sim::{Ecmp, FlowList, Order, Over, PerHop, Spray};

/// A ring of switches with chords in each of some planes, one to three hosts at each switch, and rates of a few sizes, so
/// that many links are full at equal levels.
fn network(random: &mut SplitMix) -> Fabric {
    let switches = 3 + random.below(5);
    let hosts: Vec<Option<u32>> = (0..switches as u32).flat_map(|v| vec![Some(v); 1 + random.below(3)]).collect();
    let planes = 1 + random.below(2);
    let graphs = (0..planes).map(|_| {
        let mut arcs: Vec<(u32, u32)> = (0..switches).map(|v| (v as u32, ((v + 1) % switches) as u32)).collect();
        for _ in 0..random.below(4) {
            let (u, v) = (random.below(switches), random.below(switches));
            if u != v {
                arcs.push((u as u32, v as u32));
            }
        }
        let mut both: Vec<(u32, u32)> = arcs.iter().flat_map(|(u, v)| [(*u, *v), (*v, *u)]).collect();
        both.sort_unstable();
        let (tail, head) = both.into_iter().unzip();
        Graph::new(switches, tail, head).unwrap()
    });
    let graphs: Vec<Graph> = graphs.collect();
    let planes = Planes::new(graphs.clone(), vec![hosts.clone(); graphs.len()]).unwrap();
    let ports = graphs.iter().map(Graph::arcs).sum::<usize>() + 2 * graphs.len() * hosts.len();
    let kinds: [u64; 4] = [10, 10, 20, 7];
    let rates: Vec<Rate> = (0..ports).map(|_| Rate::new(kinds[random.below(4)] * 1_000_000_000).unwrap()).collect();
    Fabric::new(planes, &rates, &vec![MICROSECOND; ports]).unwrap()
}

fn scenario(random: &mut SplitMix, sharing: Sharing, forwarding: Arc<dyn Forwarding>) -> FluidScenario {
    let fabric = network(random);
    let count = 5 + random.below(40);
    let flows: Vec<(u32, u32, u64, Time)> = (0..count)
        .map(|_| {
            let src = random.below(fabric.hosts());
            let dst = (src + 1 + random.below(fabric.hosts() - 1)) % fabric.hosts();
            let start = MICROSECOND * random.below(20) as Time;
            (src as u32, dst as u32, 1 + random.below(200_000) as u64, start)
        })
        .collect();
    let outages = (0..random.below(3)).map(|_| {
        let (port, from) = (random.below(fabric.ports()) as u32, MICROSECOND * random.below(50) as Time);
        Outage { port, from, until: from + MICROSECOND * (1 + random.below(40)) as Time }
    });
    let failures = Failures { outages: outages.collect(), repair: Some(MICROSECOND) };
    let weights = (random.below(2) == 0).then(|| (0..count).map(|_| [1.0, 0.3, 2.5][random.below(3)]).collect());
    FluidScenario {
        forwarding,
        sharing,
        correction: Correction { handshake: random.below(2) == 0, ..Correction::default() },
        sizes: PacketSizes { packet: 1500, header: 40, ack: 40 },
        weights,
        seed: random.word(),
        failures,
        ..FluidScenario::new(fabric, FlowList::new(flows))
    }
}

/// No link carries more than it can, and every stream has a full link on which none has a higher level.
fn check_fair(streams: &Streams, level: &[f64]) {
    let carried = |link| streams.loads_on(link).map(|(stream, load)| load * level[stream as usize]).sum();
    let carried: Vec<f64> = (0..streams.capacity.len()).map(carried).collect();
    for (load, capacity) in carried.iter().zip(&streams.capacity) {
        assert!(*load <= capacity * (1.0 + 1e-9), "{load} on a link of {capacity}");
    }
    for stream in (0..level.len()).filter(|i| streams.weight[*i] > 0.0) {
        let held = streams.hops[stream].iter().any(|hop| {
            let link = hop.link as usize;
            let highest = streams.members[link].iter().map(|m| level[m.stream as usize]).fold(0.0, f64::max);
            carried[link] >= streams.capacity[link] * (1.0 - 1e-9) && level[stream] >= highest * (1.0 - 1e-9)
        });
        assert!(held, "nothing keeps stream {stream} at {}", level[stream]);
    }
}

fn compare(kind: u64, runs: u64, sharing: Sharing, forwarding: impl Fn() -> Arc<dyn Forwarding>) {
    let (mut compared, mut moved) = (0, 0);
    for run in 0..runs {
        let mut random = SplitMix::of([kind, run]);
        let made = scenario(&mut random, sharing, forwarding());
        // A flow whose path fails may find a better one.
        let whole = made.failures.outages.is_empty();
        let mut engine = Engine::new(made).unwrap();
        while engine.next() != NEVER {
            engine.step(engine.next(), &mut || Ok(())).unwrap();
            let Rates::Levels(levels) = &engine.rates else { panic!("{sharing:?} has levels") };
            let streams = &levels.streams;
            let scratch = filling::levels(streams);
            let found: Vec<f64> = (0..scratch.len() as u32).map(|i| levels.level(i)).collect();
            for i in (0..scratch.len()).filter(|i| streams.weight[*i] > 0.0) {
                let (a, b) = (found[i], scratch[i]);
                assert!((a - b).abs() <= 1e-9 * b, "run {run}: stream {i} has {a}, from scratch {b}");
                compared += 1;
            }
            check_fair(streams, &found);
            moved += 1;
        }
        let outcome = engine.finish(End::Complete, Limits::default());
        for flow in outcome.flows.iter().filter(|flow| flow.end.is_some()) {
            assert!(!whole || flow.end.unwrap() + 1 >= flow.start + flow.ideal, "{flow:?}");
            assert_eq!(flow.received, flow.bytes);
        }
    }
    assert!(compared > 20 * runs && moved > 10 * runs, "{compared} {moved}");
}

#[test]
fn one_path_at_every_event() {
    compare(1, 200, Sharing::Single, || Arc::new(Ecmp { policy: Policy::Any }));
}

#[test]
fn fixed_splits_at_every_event() {
    let (policy, order) = (Policy::RoundRobin, Order::RoundRobin);
    compare(2, 100, Sharing::Even, || Arc::new(Spray { policy, over: Over::Paths, order }));
    compare(3, 100, Sharing::Even, || Arc::new(PerHop { policy, drawn: Some(1) }));
}

#[test]
fn subflows_at_every_event() {
    compare(4, 200, Sharing::Subflows(4), || Arc::new(Ecmp { policy: Policy::RoundRobin }));
}

/// Both methods end every flow at the same time, but for rounding.
fn compare_methods(kind: u64, sharing: Sharing, forwarding: impl Fn() -> Arc<dyn Forwarding>) {
    for run in 0..20 {
        let [one, other] = [Method::Incremental, Method::FromScratch].map(|method| {
            let made = scenario(&mut SplitMix::of([kind, run]), sharing, forwarding());
            FluidScenario { method, ..made }.run(&mut |_| true).unwrap()
        });
        for (a, b) in one.flows.iter().zip(&other.flows) {
            assert!(a.end.unwrap_or(0).abs_diff(b.end.unwrap_or(0)) <= 4, "run {run}: {a:?} {b:?}");
            assert!(a.end.is_none() || a.received == a.bytes);
        }
        // Both methods may split differently, but neither sends more.
        let sent = |outcome: &FluidOutcome| outcome.plane_bytes.iter().sum::<u64>();
        assert!(sent(&one).abs_diff(sent(&other)) <= 100, "run {run}: {} {}", sent(&one), sent(&other));
        assert!(sent(&one).abs_diff(one.subflow_bytes.iter().sum()) <= 100);
    }
}

#[test]
fn both_methods_have_the_same_outcome() {
    compare_methods(5, Sharing::Single, || Arc::new(Ecmp { policy: Policy::Any }));
}

#[test]
fn both_methods_have_the_same_outcome_of_best_splits() {
    let (policy, order) = (Policy::RoundRobin, Order::RoundRobin);
    compare_methods(7, Sharing::Best, || Arc::new(Spray { policy, over: Over::Paths, order }));
}
