//! Switches, endpoints and links of all planes as one graph, and the demands.

use crate::csr::Csr;
use crate::error::{Error, check_room, indices, invalid};

/// What a switch or an endpoint takes in the arrays of an instance and while it is folded.
const BYTES_PER_NODE: usize = 128;

/// Demands between endpoints: a rule, a list, or a rule with a list beside it.
#[derive(Debug, Clone)]
pub struct Demands(Rule);

#[derive(Debug, Clone)]
enum Rule {
    /// Weights as a source and as a destination, whose product is the demand, and the demand to itself.
    Product { sends: Vec<f64>, receives: Vec<f64>, own: Vec<f64> },
    /// Source and size, by destination, sorted by source.
    Pairs(Csr<(u32, f64)>),
    /// Products of weights inside groups, and `outside` times these between groups; two endpoints of one owner, where it
    /// sends and where it receives, have no demand.  Listed ones come `beside` it, in the order of [`Rule::Pairs`].
    Groups(Groups),
}

#[derive(Debug, Clone)]
struct Groups {
    sends: Vec<f64>,
    receives: Vec<f64>,
    group: Vec<u32>,
    owner: Vec<u32>,
    outside: f64,
    beside: Csr<(u32, f64)>,
    /// Whether an endpoint has a listed demand.
    named: Vec<bool>,
}

impl Groups {
    fn size(&self, s: usize, t: usize, near: bool) -> f64 {
        let product = self.sends[s] * self.receives[t];
        if near { product } else { self.outside * product }
    }
}

/// The demand from `source` in a row of listed ones.
fn of_source(row: &[(u32, f64)], source: u32) -> f64 {
    row.binary_search_by_key(&source, |(s, _)| *s).map_or(0.0, |i| row[i].1)
}

impl Demands {
    /// From every endpoint to every other `sends` of the source times `receives` of the destination, and to itself `own`.
    pub fn product(sends: Vec<f64>, receives: Vec<f64>, own: Vec<f64>) -> Self {
        Demands(Rule::Product { sends, receives, own })
    }

    /// From every endpoint to every other of its group, but those of its own owner, a product of two weights, and to those of
    /// other groups `outside` times it.
    pub fn groups(
        sends: Vec<f64>,
        receives: Vec<f64>,
        group: &[i32],
        owner: &[i32],
        outside: f64,
    ) -> Result<Self, Error> {
        let endpoints = sends.len();
        if [receives.len(), group.len(), owner.len()].iter().any(|other| *other != endpoints) {
            return invalid("demand", format!("a length is not {endpoints}"));
        }
        let (group, owner) = (indices("group", group, endpoints)?, indices("owner", owner, endpoints)?);
        let (beside, named) = (Csr::new(endpoints, std::iter::empty()), vec![false; endpoints]);
        Ok(Demands(Rule::Groups(Groups { sends, receives, group, owner, outside, beside, named })))
    }

    /// The same with listed demands, sorted by source, that are added to those inside groups.
    pub fn beside(self, src: &[i32], dst: &[i32], demand: &[f64]) -> Result<Self, Error> {
        let Rule::Groups(mut rule) = self.0 else { return invalid("demand", "only groups have a list beside them") };
        rule.beside = listed(rule.sends.len(), src, dst, demand)?;
        src.iter().chain(dst).for_each(|endpoint| rule.named[*endpoint as usize] = true);
        Ok(Demands(Rule::Groups(rule)))
    }

    /// A list of pairs of `endpoints`, sorted by source.
    pub fn pairs(endpoints: usize, src: &[i32], dst: &[i32], demand: &[f64]) -> Result<Self, Error> {
        Ok(Demands(Rule::Pairs(listed(endpoints, src, dst, demand)?)))
    }

    /// The demand from `source` to `target`, or if `same` that of `target` to itself: otherwise equal numbers represent two
    /// different twins.
    pub(super) fn between(&self, source: u32, target: u32, same: bool) -> f64 {
        let (s, t) = (source as usize, target as usize);
        match &self.0 {
            Rule::Product { own, .. } if same => own[t],
            Rule::Product { sends, receives, .. } => sends[s] * receives[t],
            Rule::Pairs(by_target) => of_source(by_target.of(t), source),
            Rule::Groups(rule) => {
                let apart = rule.owner[s] != rule.owner[t];
                let own = if apart { rule.size(s, t, rule.group[s] == rule.group[t]) } else { 0.0 };
                own + of_source(rule.beside.of(t), source)
            }
        }
    }

    /// The demand from `source` to the twin of `target` in another unit, whose group is also in that one if it is not in
    /// one unit alone.
    pub(super) fn between_twins(&self, source: u32, target: u32, alone: bool) -> f64 {
        let (s, t) = (source as usize, target as usize);
        match &self.0 {
            // What has twins is not listed.
            Rule::Groups(rule) => rule.size(s, t, !alone && rule.group[s] == rule.group[t]),
            _ => self.between(source, target, false),
        }
    }

    /// The group and the owner of an endpoint, where demands are inside groups.
    pub(super) fn group(&self, endpoint: u32) -> Option<(u32, u32)> {
        match &self.0 {
            Rule::Groups(rule) => Some((rule.group[endpoint as usize], rule.owner[endpoint as usize])),
            _ => None,
        }
    }

    /// Values that twins have in common, beside group and owner.
    pub(super) fn signature(&self, endpoint: u32) -> [u64; 3] {
        let e = endpoint as usize;
        match &self.0 {
            Rule::Product { sends, receives, own } => [sends[e].to_bits(), receives[e].to_bits(), own[e].to_bits()],
            // Exchanging two would exchange their demands, so no two are twins.
            Rule::Pairs(_) => [endpoint.into(), 0, 0],
            Rule::Groups(rule) => {
                let own = if rule.named[e] { u64::from(endpoint) + 1 } else { 0 };
                [rule.sends[e].to_bits(), rule.receives[e].to_bits(), own]
            }
        }
    }

    /// The initial colour of an endpoint, before destinations are set apart.
    pub(super) fn first_signature(&self, endpoint: u32) -> [u64; 3] {
        match &self.0 {
            Rule::Product { .. } => self.signature(endpoint),
            Rule::Groups(rule) => {
                let e = endpoint as usize;
                [rule.sends[e].to_bits(), rule.receives[e].to_bits(), 0]
            }
            Rule::Pairs(_) => [0; 3],
        }
    }

    /// Source, destination and size of listed demands; nothing of a rule.
    pub(super) fn listed(&self) -> impl Iterator<Item = (u32, u32, f64)> {
        let by_target = match &self.0 {
            Rule::Product { .. } => None,
            Rule::Groups(rule) => Some(&rule.beside),
            Rule::Pairs(by_target) => Some(by_target),
        };
        by_target
            .into_iter()
            .flat_map(|all| (0..all.rows()).flat_map(|t| all.of(t).iter().map(move |(s, size)| (*s, t as u32, *size))))
    }

    /// Whether `target` may receive traffic.
    pub(super) fn is_destination(&self, target: u32) -> bool {
        match &self.0 {
            Rule::Product { receives, own, .. } => receives[target as usize] > 0.0 || own[target as usize] > 0.0,
            Rule::Pairs(by_target) => !by_target.of(target as usize).is_empty(),
            Rule::Groups(rule) => rule.receives[target as usize] > 0.0 || !rule.beside.of(target as usize).is_empty(),
        }
    }
}

/// Source and size of listed demands of `endpoints`, by destination, sorted by source as they are given.
fn listed(endpoints: usize, src: &[i32], dst: &[i32], demand: &[f64]) -> Result<Csr<(u32, f64)>, Error> {
    check_room("endpoints", endpoints, BYTES_PER_NODE)?;
    let src = indices("src", src, endpoints)?;
    let dst = indices("dst", dst, endpoints)?;
    if src.len() != dst.len() || src.len() != demand.len() {
        return invalid("demand", "src, dst and demand need equal lengths");
    }
    if demand.iter().any(|size| !(size.is_finite() && *size >= 0.0)) {
        return invalid("demand", "it is not finite and at least 0");
    }
    let found = Csr::new(endpoints, (0..src.len()).map(|j| (dst[j], (src[j], demand[j]))));
    if (0..endpoints).any(|t| !found.of(t).is_sorted_by(|(a, _), (b, _)| a < b)) {
        return invalid("src", "pairs are not sorted by source, each once");
    }
    Ok(found)
}

/// The ends of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum LinkKind {
    /// Two switches.
    Core,
    /// From an endpoint to a switch.
    Up,
    /// From a switch to an endpoint.
    Down,
}

/// A directed link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) tail: u32,
    pub(super) head: u32,
    pub(super) capacity: f64,
    pub(super) kind: LinkKind,
    /// Its index among all arcs, then all access links up and down, including missing ones.
    pub(super) index: u32,
}

/// Planes, endpoints and demands as one graph: nodes are the switches, plane by plane, then the endpoints.
#[derive(Debug, Clone)]
pub struct Instance {
    pub(super) switches: usize,
    pub(super) plane: Vec<u32>,
    pub(super) links: Vec<Link>,
    pub(super) demands: Demands,
    /// Of each arc whether it is inside a server, and the arc that is the same link, itself where there is none; nothing
    /// where there are no servers.
    pub(super) servers: Option<(Vec<bool>, Vec<u32>)>,
    /// Number of links, including missing ones: `arcs + 2 planes x endpoints`.
    pub link_count: usize,
    /// Switches and endpoints.
    pub nodes: usize,
}

impl Instance {
    /// Checks the arrays, whose shapes are those of [`crate::mcf::Arrays`].
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        node_count: &[i32],
        arc_ptr: &[i32],
        tail: &[i32],
        head: &[i32],
        capacity: &[f64],
        attach: &[i32],
        up: &[f64],
        down: &[f64],
        demands: Demands,
    ) -> Result<Self, Error> {
        let planes = node_count.len();
        if planes == 0 || arc_ptr.len() != planes + 1 || !attach.len().is_multiple_of(planes) {
            return invalid("arc_ptr", format!("{} entries for {planes} planes", arc_ptr.len()));
        }
        if up.len() != attach.len() || down.len() != attach.len() {
            return invalid("access", "its length is not that of attach");
        }
        if capacity.len() != tail.len() || head.len() != tail.len() {
            return invalid("capacity", "tail, head and capacity need equal lengths");
        }
        let (endpoints, capacities) = (attach.len() / planes, capacity.len());
        let weights = match &demands.0 {
            Rule::Product { sends, receives, own } => vec![sends, receives, own],
            Rule::Groups(rule) => vec![&rule.sends, &rule.receives],
            Rule::Pairs(_) => vec![],
        };
        if weights.iter().any(|weights| weights.len() != endpoints) {
            return invalid("demand", format!("a length is not {endpoints}"));
        }
        let mut first = vec![0_u32];
        for nodes in node_count {
            let nodes = u32::try_from(*nodes).or_else(|_| invalid("node_count", "a negative count"))?;
            let next = u32::checked_add(first[first.len() - 1], nodes);
            first.push(next.map_or_else(|| invalid("node_count", "too many switches"), Ok)?);
        }
        check_room("switches", first[planes] as usize, BYTES_PER_NODE)?;
        let switches = first[planes] as usize;
        let plane = (0..planes).flat_map(|p| (first[p]..first[p + 1]).map(move |_| p as u32)).collect();
        let mut links = vec![];
        for p in 0..planes {
            let arcs = match (usize::try_from(arc_ptr[p]), usize::try_from(arc_ptr[p + 1])) {
                (Ok(begin), Ok(end)) if begin <= end && end <= tail.len() => begin..end,
                _ => return invalid("arc_ptr", "not a range of arcs"),
            };
            let nodes = (first[p + 1] - first[p]) as usize;
            let tails = indices("tail", &tail[arcs.clone()], nodes)?;
            let heads = indices("head", &head[arcs.clone()], nodes)?;
            for (a, (u, v)) in arcs.zip(tails.into_iter().zip(heads)) {
                let (tail, head) = (first[p] + u, first[p] + v);
                links.push(Link { tail, head, capacity: capacity[a], kind: LinkKind::Core, index: a as u32 });
            }
        }
        for (kind, speed, base) in [(LinkKind::Up, up, 0), (LinkKind::Down, down, attach.len())] {
            for (i, (switch, capacity)) in attach.iter().zip(speed).enumerate() {
                let (p, node) = (i / endpoints, (switches + i % endpoints) as u32);
                if *switch >= 0 && *capacity > 0.0 {
                    if first[p] + *switch as u32 >= first[p + 1] {
                        return invalid("attach", format!("{switch} is not a switch of plane {p}"));
                    }
                    let switch = first[p] + *switch as u32;
                    let (tail, head) = if kind == LinkKind::Up { (node, switch) } else { (switch, node) };
                    let index = (capacities + base + i) as u32;
                    links.push(Link { tail, head, capacity: *capacity, kind, index });
                }
            }
        }
        Ok(Instance {
            switches,
            plane,
            links,
            demands,
            servers: None,
            link_count: tail.len() + 2 * attach.len(),
            nodes: switches + endpoints,
        })
    }

    /// Says which arcs are `inside` servers, and which of them are in pairs one link: `partner` is the other one, or the
    /// arc itself.
    pub fn with_servers(mut self, inside: &[bool], partner: Option<&[i32]>) -> Result<Self, Error> {
        let arcs = inside.len();
        if self.links.iter().any(|link| link.kind == LinkKind::Core && link.index as usize >= arcs) {
            return invalid("inside", "its length is not that of the arcs");
        }
        let partner = match partner {
            None => (0..arcs as u32).collect(),
            Some(partner) => indices("partner", partner, arcs)?,
        };
        if partner.len() != arcs || (0..arcs).any(|a| partner[partner[a] as usize] as usize != a) {
            return invalid("partner", "it is not in pairs, for each arc");
        }
        self.servers = Some((inside.to_vec(), partner));
        Ok(self)
    }

    /// The arc that is the same link as that of an index, if there is one.
    pub(super) fn partner(&self, index: u32) -> Option<u32> {
        let (_, partner) = self.servers.as_ref()?;
        partner.get(index as usize).copied().filter(|other| *other != index)
    }

    /// The index of a node that is an endpoint.
    pub(super) fn endpoint(&self, node: u32) -> Option<u32> {
        node.checked_sub(self.switches as u32)
    }
}
