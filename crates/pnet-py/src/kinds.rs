//! What can be asked for by kind.  Python names the members, so no unknown kind reaches the core.

use pnet_core::paths;
use pyo3::prelude::*;

/// A class whose members are those of an enum of the core.
macro_rules! kind {
    ($(#[$doc:meta])* $kind:ident { $($(#[$about:meta])* $member:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[pyclass(frozen, eq, hash, from_py_object, module = "pnet_lp._core")]
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum $kind {
            $($(#[$about])* $member),+
        }

        impl From<$kind> for paths::$kind {
            fn from(kind: $kind) -> Self {
                match kind {
                    $($kind::$member => Self::$member),+
                }
            }
        }
    };
}

kind! {
    /// The kind of paths.
    PathKind {
        /// Only paths as short as the shortest.
        EqualCost,
        /// The shortest simple paths.
        KShortest,
        /// Paths that share no link, of least total length.
        EdgeDisjoint,
    }
}

kind! {
    /// How a demand is split inside a plane.
    Split {
        /// Equally over next hops on shortest paths.
        Ecmp,
        /// Equally over all intermediate switches, with `Ecmp` to and from them.
        Vlb,
    }
}

kind! {
    /// The planes that a pair may use.
    Policy {
        /// All, shortest paths first.
        Any,
        /// All, with equal numbers of paths.
        RoundRobin,
        /// Those in which the pair is nearest.
        Shortest,
        /// One, drawn by seed.
        Single,
    }
}
