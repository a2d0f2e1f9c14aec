//! Queues, transports and forwardings: each is made by its name and its parameters, of which the core alone knows which
//! there are.

use std::sync::Arc;

use numpy::PyReadonlyArray1;
use pnet_core::sim::{self, Value, Values};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Result;

/// A value as Python writes it.  Arrays come first, since NumPy before 2.4 takes one of a single number for a number.
#[derive(FromPyObject)]
enum Given<'py> {
    Ints(PyReadonlyArray1<'py, i32>),
    Longs(PyReadonlyArray1<'py, i64>),
    Flag(bool),
    Whole(u64),
    Real(f64),
    Name(String),
    Wholes(Vec<i64>),
    Group(Bound<'py, PyDict>),
}

/// Parameters by name; None stands for none.
pub(super) fn values(given: &Bound<'_, PyDict>) -> Result<Values> {
    let mut made = vec![];
    for (name, value) in given.iter().filter(|(_, value)| !value.is_none()) {
        let value = match value.extract()? {
            Given::Flag(flag) => Value::Flag(flag),
            Given::Whole(whole) => Value::Whole(whole),
            Given::Real(real) => Value::Real(real),
            Given::Name(name) => Value::Name(name),
            Given::Ints(ints) => Value::Wholes(ints.as_slice()?.iter().map(|int| i64::from(*int)).collect()),
            Given::Longs(longs) => Value::Wholes(longs.as_slice()?.to_vec()),
            Given::Wholes(wholes) => Value::Wholes(wholes),
            Given::Group(group) => Value::Group(values(&group)?),
        };
        made.push((name.extract()?, value));
    }
    Ok(made.into_iter().collect())
}

/// A class of a kind, with what its entries can do.
macro_rules! class {
    ($(#[$doc:meta])* $class:ident: $kind:ident { $($(#[$can:meta])* $name:ident: $type:ty),* }) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "pnet_lp._core")]
        pub(crate) struct $class {
            pub(crate) inner: Arc<dyn sim::$kind>,
        }

        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (name, /, **parameters))]
            fn new(name: &str, parameters: Option<&Bound<'_, PyDict>>) -> Result<Self> {
                let values = parameters.map(values).transpose()?.unwrap_or_default();
                Ok($class { inner: sim::entry(name, values)? })
            }

            $(
                $(#[$can])*
                #[getter]
                fn $name(&self) -> $type {
                    self.inner.$name()
                }
            )*
        }
    };
}

class! {
    /// A queue discipline with its parameters.
    Queue: Queue {
        /// Whether packets lose their payload.
        trims: bool,
        /// Whether it can mark a packet at all.
        marks: bool
    }
}

class! {
    /// A transport with its parameters; sizes in bytes, times in picoseconds, rates in bit/s.
    Transport: TransportKind {
        /// Whether it knows what to do with packets that have lost their payload.
        takes_trimmed: bool,
        /// Whether it reacts to marks of packets.
        reacts_to_marks: bool,
        /// Whether its connections look for room in the ports of their hosts.
        waits_for_room: bool,
        /// Where the host's card takes packets as its ports send them: those of a connection in each at most.
        nic_packets: Option<u32>
    }
}

class! {
    /// A forwarding with its parameters.
    Forwarding: Forwarding {
        /// Whether switches have tables toward each other; otherwise paths are given.
        makes_tables: bool,
        /// Whether what a flow sends is spread over several paths.
        spreads: bool,
        /// How many paths it offers a flow that may use all; 1 where it offers one or spreads.
        most_paths: u32,
        /// Whether the source lists all shortest paths of a flow.
        lists_paths: bool,
        /// Why a fluid cannot follow it, where that is so.
        no_fluid: Option<&'static str>
    }
}
