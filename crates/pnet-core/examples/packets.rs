//! Speed of the packet simulator: fat trees under a permutation of pairs, beside what the machine itself does.
//!
//! `cargo run --release --example packets -- [plain] [machine | k ...]`
//!
//! Times are those that the processor has worked, so that others on the machine disturb them little.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::Instant;

#[allow(dead_code)]
#[path = "../tests/outside/common.rs"]
mod common;
#[path = "../tests/outside/fat_tree.rs"]
mod trees;

use pnet_core::random::SplitMix;
use pnet_core::sim::*;
use trees::fat_tree;

/// Hosts in pairs that send to each other.
fn pairs(hosts: u32, seed: u64) -> Vec<(u32, u32)> {
    let mut random = SplitMix::of([seed]);
    let mut order: Vec<u32> = (0..hosts).collect();
    for i in 0..order.len() {
        let j = i + random.below(order.len() - i);
        order.swap(i, j);
    }
    order.chunks(2).flat_map(|pair| [(pair[0], pair[1]), (pair[1], pair[0])]).collect()
}

/// Nanoseconds of a step through 64 MiB in random order, and of a heap's pop and push.
fn machine() -> (f64, f64) {
    let n = (64 << 20) / 8;
    let mut next: Vec<u64> = (0..n as u64).collect();
    let mut random = SplitMix::of([1]);
    for i in (1..n).rev() {
        // Sattolo's algorithm: one cycle.
        next.swap(i, random.below(i));
    }
    let (steps, start) = (2_000_000, Instant::now());
    let before = worked(start);
    let mut at = 0;
    for _ in 0..steps {
        at = next[at as usize];
    }
    black_box(at);
    let chase = (worked(start) - before) * 1e9 / f64::from(steps);
    let mut heap: BinaryHeap<Reverse<u64>> = (0..4096).map(|_| Reverse(random.word() >> 40)).collect();
    let before = worked(start);
    for _ in 0..steps {
        let Reverse(time) = heap.pop().unwrap();
        heap.push(Reverse(time + (random.word() >> 40)));
    }
    black_box(heap.len());
    (chase, (worked(start) - before) * 1e9 / f64::from(steps))
}

/// Most memory held so far, in MiB; 0 where the system does not say.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kib| kib / 1024)
}

/// Seconds that the processor has worked for this thread, or that have passed where the system does not say.
fn worked(since: Instant) -> f64 {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = status.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok());
    ns.map_or(since.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

fn run(k: u32, bytes: u64, model: Model) {
    let planes = fat_tree(k);
    let flows = pairs(planes.endpoints() as u32, 1);
    let scenario = Scenario {
        model,
        ..Scenario::new(
            Fabric::uniform(planes, Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap(),
            FlowList::new(flows.into_iter().map(|(src, dst)| (src, dst, bytes, 0))),
        )
    };
    let start = Instant::now();
    let before = worked(start);
    let outcome = scenario.run(&mut |_| true).unwrap();
    let took = worked(start) - before;
    let mean = |value: &dyn Fn(&FlowRecord<PacketCounts>) -> f64| {
        outcome.flows.iter().map(value).sum::<f64>() / outcome.flows.len() as f64
    };
    let time = mean(&|flow| (flow.end.unwrap_or(outcome.time) - flow.start) as f64 / 1e9);
    let (resent, data) = (mean(&|flow| flow.counts.resent as f64), mean(&|flow| flow.counts.data_packets as f64));
    println!(
        "k = {k:2}, {:5.1} MB, {model:?}: {took:6.2} s, {:6.1} M hops, {:5.2} M hops/s, {:5.2} M events/s, {} MiB; \
         completion {time:.2} ms, {:.2} % resent, {:.2} timeouts a flow, {:?}",
        bytes as f64 / 1e6,
        outcome.packet_hops as f64 / 1e6,
        outcome.packet_hops as f64 / took / 1e6,
        outcome.events as f64 / took / 1e6,
        peak_mib(),
        100.0 * resent / data,
        mean(&|flow| flow.counts.timeouts as f64),
        outcome.end,
    );
}

fn main() {
    let (plain, wanted): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|arg| arg == "plain");
    let wanted: Vec<u32> = match wanted.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => vec![8, 16],
        ["machine"] => vec![],
        ref wanted => wanted.iter().map(|k| k.parse().expect("k is a number")).collect(),
    };
    for k in wanted {
        for bytes in [1_000_000, 10_000_000] {
            run(k, bytes, if plain.is_empty() { Model::Fast } else { Model::Plain });
        }
    }
    let (chase, heap) = machine();
    println!("machine: {chase:.0} ns a step through 64 MiB, {heap:.0} ns a pop and push in a heap of 4,096");
}
