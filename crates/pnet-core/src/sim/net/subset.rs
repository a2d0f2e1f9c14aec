//! Which connections have something that only some transports ask for.

use std::ops::Range;

/// None of the connections, all, or some of them where transports are mixed.
pub(super) enum Subset {
    None,
    All,
    These(Vec<bool>),
}

impl Subset {
    /// That of transports, each of which has it or not.
    pub(super) fn of(each: impl Iterator<Item = bool> + Clone) -> Self {
        match (each.clone().any(|one| one), each.clone().all(|one| one)) {
            (false, _) => Subset::None,
            (true, true) => Subset::All,
            (true, false) => Subset::These(vec![]),
        }
    }

    /// Notes whether these connections have it.
    pub(super) fn open(&mut self, connections: Range<u32>, has: bool) {
        if let Subset::These(these) = self {
            these.resize(these.len().max(connections.end as usize), false);
            these[connections.start as usize..connections.end as usize].fill(has);
        }
    }

    /// Whether a connection has it.
    #[inline]
    pub(super) fn has(&self, connection: u32) -> bool {
        match self {
            Subset::None => false,
            Subset::All => true,
            Subset::These(these) => these[connection as usize],
        }
    }
}
