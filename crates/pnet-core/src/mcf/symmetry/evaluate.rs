//! The bounds that a proof on the quotient gives for the whole network.

use std::collections::{BTreeSet, HashMap};

use rayon::prelude::*;

use super::fold::{Fold, Folded};
use super::group::Group;
use super::hash::mix;
use super::instance::LinkKind;
use super::reduce::targets;
use super::view::{Seen, View};
use crate::error::{Error, invalid};
use crate::rounding::{Down, Rounding, Sum, Up};
use crate::stop::Stop;

/// A flow and lengths on equivalence classes.
#[derive(Debug, Clone, Copy)]
pub struct QuotientProof<'a> {
    /// The class of each link by its index, -1 where there is none.
    pub link_class: &'a [i32],
    /// The length of the links of each class.
    pub length: &'a [f64],
    /// One endpoint of each kind of destinations.
    pub targets: &'a [i32],
    /// For each kind the class of each node, as seen from that endpoint.
    pub node_class: &'a [i32],
    /// Kind, tail, head and class of links of each entry; other links carry nothing.
    pub entries: &'a [[i32; 4]],
    /// The flow on each link of an entry towards one destination of the kind at K = 1, at least.
    pub flow: &'a [f64],
    /// Automorphisms of the network, one after the other; for networks with servers.
    pub generators: &'a [i32],
}

/// The bounds of a proof and the loads of its flow.
#[derive(Debug, Clone, PartialEq)]
pub struct QuotientBounds {
    /// A throughput that the flow attains.
    pub lower: f64,
    /// A throughput that no flow exceeds.
    pub upper: f64,
    /// The load of each link by its index at K = 1.
    pub load: Vec<f64>,
}

/// Destinations whose flows are looked at before the clock is.
const AT_ONCE: usize = 32;

/// Relative tolerance of flow conservation at a node.
const ROUNDING: f64 = 1e-9;

/// The proof's entries for the views of one kind.
struct KindProof {
    /// The class of a node by its colour.
    class: HashMap<u64, i32>,
    /// The flow on a link by the classes of its tail, its head and itself, for every link of the view.
    flow: HashMap<(i32, i32, i32), f64>,
    /// The sum of demand times distance towards one destination.
    weighted_distance: f64,
}

/// The bounds that a proof gives, rounded outwards, checked in every destination's own view.
///
/// # Errors
/// A destination of none of the kinds, or a node that does not conserve flow.
pub fn evaluate(fold: &Fold, proof: &QuotientProof, stop: &Stop) -> Result<QuotientBounds, Error> {
    let instance = &fold.instance;
    let class = folded_classes(fold, proof)?;
    let colour: Vec<u64> = fold.links.iter().zip(&class).map(|(link, class)| link_colour(link, *class)).collect();
    let mut by_kind: Vec<HashMap<(i32, i32, i32), f64>> = vec![HashMap::new(); proof.targets.len()];
    for ([kind, tail, head, link], flow) in proof.entries.iter().zip(proof.flow) {
        match usize::try_from(*kind).ok().and_then(|kind| by_kind.get_mut(kind)) {
            Some(known) => known.insert((*tail, *head, *link), *flow),
            None => return invalid("quotient", format!("unknown kind {kind}")),
        };
    }
    let of_kind = |(kind, flow)| {
        stop.check()?;
        kind_proof(fold, proof, kind, flow, &colour, &class)
    };
    let kinds: HashMap<_, _> = by_kind
        .into_par_iter()
        .enumerate()
        .map(of_kind)
        .collect::<Vec<_>>()
        .into_iter()
        .collect::<Result<_, Error>>()?;
    let (load, weighted_distance) = match instance.servers {
        None => of_all(fold, &colour, &class, &kinds, stop)?,
        Some(_) => of_orbits(fold, proof, (&colour, &class), &kinds, stop)?,
    };
    let mut loads = vec![0.0; instance.link_count];
    for (link, folded) in instance.links.iter().zip(&fold.link_of) {
        // Of two arcs that are one link each has half of its capacity, and counts with half of what both carry.
        let (own, other) = (load[*folded as usize], load[fold.partner[*folded as usize] as usize]);
        loads[link.index as usize] =
            if instance.partner(link.index).is_some() { Up::mul(0.5, Up::add(own, other)) } else { own };
    }
    let (mut lower, mut volume) = (f64::INFINITY, Sum::<Up>::new());
    for (link, folded) in instance.links.iter().zip(&fold.link_of) {
        let (carries, length) = (loads[link.index as usize], proof.length[class[*folded as usize] as usize]);
        if carries > 0.0 {
            lower = lower.min(Down::div(link.capacity, carries));
        }
        if length > 0.0 {
            volume.add(Up::mul(link.capacity, length));
        }
    }
    let volume = volume.value();
    if !(weighted_distance > 0.0 && volume.is_finite()) {
        return invalid(
            "quotient",
            "the lengths bound nothing: all distances are 0, or a link without a limit has a length",
        );
    }
    Ok(QuotientBounds { lower, upper: Up::div(volume, weighted_distance), load: loads })
}

/// The load on each folded link of the flows to all destinations, and the sum of their weighted distances.
fn of_all(
    fold: &Fold,
    colour: &[u64],
    class: &[i32],
    kinds: &HashMap<u64, KindProof>,
    stop: &Stop,
) -> Result<(Vec<f64>, f64), Error> {
    let (mut load, mut weighted_distance) = (vec![0.0; fold.links.len()], Sum::<Down>::new());
    for some in targets(fold).chunks(AT_ONCE) {
        stop.check()?;
        let flows: Vec<_> = some.par_iter().map(|t| carried(fold, *t, colour, class, kinds)).collect();
        // In a fixed order, so that the sums are the same on any number of threads.
        for (target, flow) in some.iter().zip(flows) {
            let (of_kind, flows) = flow?;
            weighted_distance.add(Down::mul(of_kind, f64::from(fold.count[*target as usize])));
            for (link, flow) in flows {
                load[link as usize] = Up::add(load[link as usize], flow);
            }
        }
    }
    Ok((load, weighted_distance.value()))
}

/// The same from the flow to one destination of each orbit: the mean of its images puts equal loads on links of an orbit.
fn of_orbits(
    fold: &Fold,
    proof: &QuotientProof,
    (colour, class): (&[u64], &[i32]),
    kinds: &HashMap<u64, KindProof>,
    stop: &Stop,
) -> Result<(Vec<f64>, f64), Error> {
    let images = proof.generators.chunks_exact(fold.instance.nodes).map(|image| {
        let image: Vec<u32> = image.iter().map(|node| u32::try_from(*node).unwrap_or(u32::MAX)).collect();
        fold.folded(&image)
    });
    let group = Group::generated(fold, images)?;
    let mut links = vec![0.0; fold.links.len()];
    group.link.iter().for_each(|first| links[*first as usize] += 1.0);
    if (0..).zip(&group.link).any(|(link, first): (usize, _)| class[link] != class[*first as usize])
        || (0..).zip(&fold.partner).any(|(link, other): (usize, _)| class[link] != class[*other as usize])
    {
        return invalid("quotient", "a generator maps links onto links of another class, or one link has two classes");
    }
    let (mut together, mut weighted_distance) = (vec![0.0; fold.links.len()], Sum::<Down>::new());
    let first = |target: &u32| group.node[*target as usize] == *target;
    for some in targets(fold).into_iter().filter(first).collect::<Vec<_>>().chunks(AT_ONCE) {
        stop.check()?;
        let flows: Vec<_> = some.par_iter().map(|t| carried(fold, *t, colour, class, kinds)).collect();
        for (target, flow) in some.iter().zip(flows) {
            let many = group.orbit_size(*target) as f64;
            let (of_kind, flows) = flow?;
            weighted_distance.add(Down::mul(of_kind, Down::mul(many, f64::from(fold.count[*target as usize]))));
            for (link, flow) in flows {
                let sum = &mut together[group.link[link as usize] as usize];
                *sum = Up::add(*sum, Up::mul(flow, many));
            }
        }
    }
    let load = group.link.iter().map(|first| Up::div(together[*first as usize], links[*first as usize])).collect();
    Ok((load, weighted_distance.value()))
}

fn link_colour(link: &Folded, class: i32) -> u64 {
    mix(mix(link.capacity.to_bits(), link.kind as u64), class as u64)
}

/// The class of each folded link in a proof.
fn folded_classes(fold: &Fold, proof: &QuotientProof) -> Result<Vec<i32>, Error> {
    let instance = &fold.instance;
    if proof.link_class.len() != instance.link_count
        || proof.node_class.len() != proof.targets.len() * instance.nodes
        || proof.entries.len() != proof.flow.len()
    {
        return invalid("quotient", "the arrays do not have the network's shape");
    }
    if proof.length.iter().chain(proof.flow).any(|value| !(value.is_finite() && *value >= 0.0)) {
        return invalid("quotient", "a length or a flow is not finite and at least 0");
    }
    let mut class = vec![-1; fold.links.len()];
    for (link, folded) in instance.links.iter().zip(&fold.link_of) {
        let given = proof.link_class[link.index as usize];
        let known = &mut class[*folded as usize];
        if given < 0 || given as usize >= proof.length.len() || (*known >= 0 && *known != given) {
            return invalid("quotient", "a link has no class, or another than its twins");
        }
        *known = given;
    }
    Ok(class)
}

fn kind_proof(
    fold: &Fold,
    proof: &QuotientProof,
    kind: usize,
    mut flow: HashMap<(i32, i32, i32), f64>,
    colour: &[u64],
    link_class: &[i32],
) -> Result<(u64, KindProof), Error> {
    let instance = &fold.instance;
    let endpoint = u32::try_from(proof.targets[kind]).unwrap_or(u32::MAX);
    let node = instance.switches as u64 + u64::from(endpoint);
    if node >= instance.nodes as u64 {
        return invalid("quotient", format!("unknown destination {endpoint}"));
    }
    let target = fold.of[node as usize];
    let view = View::new(fold, Some(target));
    let seen = view.colours(colour);
    let given = &proof.node_class[kind * instance.nodes..(kind + 1) * instance.nodes];
    let mut class: HashMap<u64, i32> = HashMap::new();
    for (colour, given) in fold.of_network(target, node as u32, &seen).into_iter().zip(given) {
        if *class.entry(colour).or_insert(*given) != *given {
            return invalid("quotient", "equivalent nodes have different classes");
        }
    }
    let length = |link: u32| proof.length[link_class[link as usize] as usize];
    let links = |link: &Seen| (class[&seen[link.tail as usize]], class[&seen[link.head as usize]]);
    let known: BTreeSet<(i32, i32, i32)> = view
        .links
        .iter()
        .map(|link| {
            let (tail, head) = links(link);
            (tail, head, link_class[link.link as usize])
        })
        .collect();
    if flow.keys().any(|entry| !known.contains(entry)) {
        return invalid("quotient", "an entry has no links");
    }
    for entry in known {
        flow.entry(entry).or_insert(0.0);
    }
    let (distance, own) = view.distances(length, |link| fold.links[link as usize].kind);
    let mut weighted_distance = Sum::<Down>::new();
    for (node, demand) in view.demand.iter().enumerate().filter(|(_, demand)| **demand > 0.0) {
        let far = if view.target == Some(node as u32) { own } else { distance[node] };
        weighted_distance.add(Down::mul(Down::mul(view.count[node], *demand), far));
    }
    Ok((view.signature(&seen, colour), KindProof { class, flow, weighted_distance: weighted_distance.value() }))
}

/// The weighted distance to one destination `target`, and the load on each folded link of the flow to all of its twins.
fn carried(
    fold: &Fold,
    target: u32,
    colour: &[u64],
    link_class: &[i32],
    kinds: &HashMap<u64, KindProof>,
) -> Result<(f64, Vec<(u32, f64)>), Error> {
    let view = View::new(fold, Some(target));
    let seen = view.colours(colour);
    let Some(known) = kinds.get(&view.signature(&seen, colour)) else {
        return invalid("quotient", "a destination is of none of the kinds");
    };
    let mut class = Vec::with_capacity(seen.len());
    for colour in &seen {
        match known.class.get(colour) {
            Some(of) => class.push(*of),
            None => return invalid("quotient", "a node is of no class of its kind"),
        }
    }
    let (mut out, mut into) = (vec![0.0; seen.len()], view.demand.clone());
    let mut flows = vec![];
    for link in &view.links {
        let (tail, head) = (link.tail as usize, link.head as usize);
        let of = (class[tail], class[head], link_class[link.link as usize]);
        let Some(flow) = known.flow.get(&of) else {
            return invalid("quotient", "a link is of no class of its kind");
        };
        if *flow == 0.0 {
            continue;
        }
        if fold.links[link.link as usize].kind == LinkKind::Down && Some(link.head) != view.target {
            return invalid("quotient", "an endpoint forwards traffic");
        }
        out[tail] += flow * f64::from(link.out);
        if Some(link.head) != view.target {
            into[head] += flow * f64::from(link.into);
        }
        flows.push((link.link, Up::mul(*flow, view.seen_by(fold, target, link) as f64)));
    }
    if into.iter().zip(&out).any(|(into, out)| (into - out).abs() > ROUNDING * into.max(*out)) {
        return invalid("quotient", "a node does not conserve flow");
    }
    Ok((known.weighted_distance, flows))
}
