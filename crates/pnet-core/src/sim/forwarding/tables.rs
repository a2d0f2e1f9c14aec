//! What every switch knows of the shortest paths, toward each switch that packets are sent to.

use super::super::fabric::Fabric;
use crate::csr::Csr;
use crate::graph::{FAR, Reach};

/// The shortest paths of a plane to one of its switches.
#[derive(Debug)]
pub(super) struct Table {
    /// Hops from each switch, [`FAR`] where there is no path.
    pub(super) hops: Vec<u32>,
    next: Csr<u32>,
}

impl Table {
    /// The arcs by which a switch forwards.
    #[inline]
    pub(super) fn next(&self, switch: u32) -> &[u32] {
        self.next.of(switch as usize)
    }
}

/// The tables of all planes, made when they are first asked for.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// By plane and switch.
    tables: Vec<Vec<Option<Box<Table>>>>,
    reach: Reach,
}

impl Tables {
    /// No tables yet.
    pub(super) fn new(fabric: &Fabric) -> Self {
        let empty = |nodes: usize| (0..nodes).map(|_| None).collect();
        let tables = fabric.planes().graphs().iter().map(|graph| empty(graph.nodes())).collect();
        Tables { tables, reach: Reach::default() }
    }

    /// The table toward a switch of a plane.
    pub(super) fn toward(&mut self, fabric: &Fabric, plane: usize, switch: u32) -> &Table {
        self.tables[plane][switch as usize].get_or_insert_with(|| {
            let graph = &fabric.planes().graphs()[plane];
            graph.reach(switch, &mut self.reach);
            let reach = &self.reach;
            let arcs = (0..graph.nodes() as u32)
                .flat_map(|node| graph.next_hops(node, reach).map(move |arc| (node, arc)));
            Box::new(Table { hops: reach.hops.clone(), next: Csr::new(graph.nodes(), arcs) })
        })
    }

    /// The planes that join two hosts, with the hops between their switches.
    pub(super) fn near(&mut self, fabric: &Fabric, src: u32, dst: u32) -> Vec<(usize, u32)> {
        (0..fabric.planes().count())
            .filter_map(|plane| {
                let (from, to) = (fabric.attached(plane, src)?, fabric.attached(plane, dst)?);
                let hops = self.toward(fabric, plane, to).hops[from as usize];
                (hops != FAR).then_some((plane, hops))
            })
            .collect()
    }
}
