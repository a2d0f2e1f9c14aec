//! All planes and endpoints as one network, and for each destination the arcs that its traffic may take.

use super::tree::Tree;
use crate::csr::Csr;
use crate::mcf::columns::links::Links;
use crate::mcf::columns::price::Path;
use crate::mcf::columns::vertex::matrix::NONE;
use crate::mcf::problem::{Problem, Use};

/// Switches of all planes after each other, then endpoints, then one node at which traffic ends.
///
/// In one plane, an endpoint whose link has no limit is the switch that it attaches to.
pub(super) struct Network {
    pub(super) nodes: usize,
    pub(super) tail: Vec<u32>,
    pub(super) head: Vec<u32>,
    /// The link that each arc is; none where it has no limit.
    pub(super) link: Vec<u32>,
    /// The number of each plane's first arc.
    pub(super) first: Vec<usize>,
    /// The arc of each endpoint into a plane, and out of it, `[planes][endpoints]`.
    pub(super) up: Vec<u32>,
    down: Vec<u32>,
}

/// Where one node of each plane is, and each endpoint.
struct Places<'a> {
    problem: &'a Problem,
    links: &'a Links,
    first: Vec<u32>,
}

impl Places<'_> {
    fn switch(&self, p: usize, v: u32) -> u32 {
        self.first[p] + v
    }

    /// Where the traffic of an endpoint begins, or ends: at its switch, or at a node of its own.
    fn of(&self, e: u32, limited: Option<u32>, own: u32) -> u32 {
        match (&self.problem.planes[..], limited) {
            ([plane], None) => plane.attach[e as usize].unwrap_or(own),
            _ => own,
        }
    }

    fn start(&self, e: u32) -> u32 {
        self.of(e, self.links.up(0, e), self.switch(self.problem.planes.len(), e))
    }

    fn end(&self, e: u32) -> u32 {
        let last = self.switch(self.problem.planes.len(), self.problem.endpoints as u32);
        self.of(e, self.links.down(0, e), last)
    }
}

impl Network {
    /// The network, and a tree for each destination, of paths with few links.
    pub(super) fn new(problem: &Problem, links: &Links) -> (Self, Vec<Tree>) {
        let mut first = vec![0];
        for plane in &problem.planes {
            first.push(first[first.len() - 1] + plane.nodes() as u32);
        }
        let places = Places { problem, links, first };
        let nodes = places.switch(problem.planes.len(), problem.endpoints as u32) as usize + 1;
        let access = vec![NONE; problem.planes.len() * problem.endpoints];
        let mut network = Network {
            nodes,
            tail: vec![],
            head: vec![],
            link: vec![],
            first: vec![],
            up: access.clone(),
            down: access,
        };
        for (p, plane) in problem.planes.iter().enumerate() {
            network.first.push(network.tail.len());
            for a in 0..plane.arcs() as u32 {
                let ends = [plane.graph.tail(a), plane.graph.head(a)].map(|v| places.switch(p, v));
                network.add(ends, links.arc(p, a));
            }
        }
        for (p, plane) in problem.planes.iter().enumerate() {
            for (e, at) in (0..).zip(&plane.attach) {
                let (Some(at), place) = (at.map(|at| places.switch(p, at)), p * problem.endpoints + e as usize) else {
                    continue;
                };
                if places.start(e) != at {
                    network.up[place] = network.add([places.start(e), at], links.up(p, e).unwrap_or(NONE));
                }
                if places.end(e) != at {
                    network.down[place] = network.add([at, places.end(e)], links.down(p, e).unwrap_or(NONE));
                }
            }
        }
        let into = Csr::new(nodes, network.head.iter().copied().zip(0..));
        let of_destination = Csr::new(problem.endpoints, problem.dst.iter().copied().zip(0..));
        let mut usable = vec![false; network.tail.len()];
        let mut trees = vec![];
        for d in (0..problem.endpoints).filter(|d| !of_destination.of(*d).is_empty()) {
            let demands = of_destination.of(d);
            network.mark(&places, d, demands, &mut usable);
            let demands = demands.iter().map(|j: &u32| (*j, places.start(problem.src[*j as usize]))).collect();
            trees.push(Tree::new(&network, &into, places.end(d as u32), &usable, demands));
        }
        (network, trees)
    }

    fn add(&mut self, [tail, head]: [u32; 2], link: u32) -> u32 {
        self.tail.push(tail);
        self.head.push(head);
        self.link.push(link);
        self.tail.len() as u32 - 1
    }

    /// Marks the arcs that traffic to a destination may take.
    fn mark(&self, places: &Places, d: usize, demands: &[u32], usable: &mut [bool]) {
        let Places { problem, .. } = places;
        usable.fill(false);
        for (p, plane) in problem.planes.iter().enumerate() {
            let mut use_arc = |arc: u32| {
                if arc != NONE {
                    usable[arc as usize] = true;
                }
            };
            let place = p * problem.endpoints;
            let mut row = None;
            for j in demands.iter().map(|j| *j as usize).filter(|j| plane.demands[*j] != Use::Never) {
                use_arc(self.up[place + problem.src[j] as usize]);
                use_arc(self.down[place + d]);
                if let Use::Core { row: of, .. } = plane.demands[j] {
                    row = Some(of as usize);
                }
            }
            let Some(row) = row else { continue };
            // Nothing leaves the switch at which it arrived.
            let leads = |a: &u32| plane.leads(row, *a as usize) && plane.graph.tail(*a) != plane.targets[row];
            (0..plane.arcs() as u32).filter(leads).for_each(|a| usable[self.first[p] + a as usize] = true);
        }
    }

    /// Calls `visit` with the arcs of a demand's path.
    pub(super) fn for_each_arc(
        &self,
        (problem, links): (&Problem, &Links),
        j: usize,
        path: &Path,
        mut visit: impl FnMut(usize),
    ) {
        let p = path.place as usize;
        let ends = [
            self.up[p * problem.endpoints + problem.src[j] as usize],
            self.down[p * problem.endpoints + problem.dst[j] as usize],
        ];
        ends.into_iter().filter(|arc| *arc != NONE).for_each(|arc| visit(arc as usize));
        if let Use::Core { source, .. } = problem.planes[p].demands[j] {
            links.for_each_arc(p, &problem.planes[p], source, &path.links, |a| visit(self.first[p] + a));
        }
    }
}
