//! Parameters by name: how a queue, a transport or a forwarding is made of what a user has written.
//!
//! Each kind lists its entries once ([`kinds`]), each entry its parameters next to their struct ([`parameters`]), each set
//! of names what they stand for ([`names`]); whatever hands values over needs to know none of them.

use std::sync::Arc;

use super::time::Rate;
use crate::error::{Error, invalid};
use crate::paths::Policy;

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Whole(u64),
    /// Any number.
    Real(f64),
    /// A name of several.
    Name(String),
    /// Whole numbers.
    Wholes(Vec<i64>),
    /// Parameters of a part.
    Group(Values),
}

/// Parameters by name, each of which is read once.  One that is absent has no value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Values(Vec<(String, Value)>);

impl FromIterator<(String, Value)> for Values {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(values: I) -> Self {
        Values(values.into_iter().collect())
    }
}

impl Values {
    fn take(&mut self, name: &str) -> Option<Value> {
        let place = self.0.iter().position(|(other, _)| other == name)?;
        Some(self.0.swap_remove(place).1)
    }

    /// The parameter of this name.
    pub fn read<T: Parameter>(&mut self, name: &'static str) -> Result<T, Error> {
        T::read(self, name)
    }

    /// An error where something has not been read.
    pub fn end(self) -> Result<(), Error> {
        self.0.into_iter().next().map_or(Ok(()), |(unknown, _)| invalid("parameters", format!("{unknown} is unknown")))
    }
}

/// What can be read from parameters by name.
pub trait Parameter: Sized {
    /// The value of parameter `name`; what has parameters of its own reads these.
    fn read(values: &mut Values, name: &'static str) -> Result<Self, Error>;
}

/// An entry of a kind, by name.
pub trait Named {
    /// The entry of this name with its parameters.
    fn named(name: &str, values: &mut Values) -> Result<Arc<Self>, Error>;
}

/// The entry `name` of a kind, with these parameters and no others.
///
/// ```
/// # use pnet_core::sim::{Forwarding, Queue, Value, Values, entry};
/// let limit = || ("packets".to_owned(), Value::Whole(100));
/// let queue = entry::<dyn Queue>("ecn", [limit()].into_iter().collect());
/// assert_eq!(queue.unwrap_err().to_string(), "low: missing parameter; allowed: a whole number below 2^32");
/// assert!(entry::<dyn Queue>("drop-tail", [limit()].into_iter().collect()).is_ok());
/// let unknown = entry::<dyn Forwarding>("ring", Values::default()).unwrap_err();
/// assert_eq!(
///     unknown.to_string(),
///     "forwarding: unknown name, found ring; allowed: given, ecmp, hedera, per-hop, spray"
/// );
/// ```
pub fn entry<K: Named + ?Sized>(name: &str, mut values: Values) -> Result<Arc<K>, Error> {
    let made = K::named(name, &mut values)?;
    values.end().map(|()| made)
}

/// The error of a parameter that is missing, or not as it has to be.
fn unfit<T>(name: &'static str, found: Option<Value>, allowed: &str) -> Result<T, Error> {
    let problem = if found.is_some() { "invalid parameter" } else { "missing parameter" };
    let found = found.map(|value| format!("{value:?}"));
    Err(Error::Invalid { place: name, problem: problem.into(), found, allowed: Some(allowed.into()) })
}

macro_rules! values {
    ($($type:ty, $allowed:literal: $($value:pat => $made:expr),+;)*) => {$(
        impl Parameter for $type {
            fn read(values: &mut Values, name: &'static str) -> Result<Self, Error> {
                let found = values.take(name);
                let made = match found.clone() {
                    $(Some($value) => $made,)+
                    _ => None,
                };
                made.map_or_else(|| unfit(name, found, $allowed), Ok)
            }
        }
    )*};
}

values! {
    u16, "a whole number up to 65535": Value::Whole(value) => value.try_into().ok();
    u32, "a whole number below 2^32": Value::Whole(value) => value.try_into().ok();
    u64, "a whole number": Value::Whole(value) => Some(value);
    f64, "a number": Value::Real(value) => Some(value), Value::Whole(value) => Some(value as f64);
    bool, "true or false": Value::Flag(value) => Some(value);
    String, "a name": Value::Name(value) => Some(value);
    Values, "parameters by name": Value::Group(values) => Some(values);
}

impl<T: TryFrom<i64>> Parameter for Vec<T> {
    fn read(values: &mut Values, name: &'static str) -> Result<Self, Error> {
        match values.take(name) {
            Some(Value::Wholes(wholes)) => {
                let one = |whole| T::try_from(whole).or_else(|_| invalid(name, format!("{whole} is out of range")));
                wholes.into_iter().map(one).collect()
            }
            other => unfit(name, other, "whole numbers"),
        }
    }
}

/// None where the parameter is absent.
impl<T: Parameter> Parameter for Option<T> {
    fn read(values: &mut Values, name: &'static str) -> Result<Self, Error> {
        let given = values.0.iter().any(|(other, _)| other == name);
        given.then(|| values.read(name)).transpose()
    }
}

impl Parameter for Rate {
    fn read(values: &mut Values, name: &'static str) -> Result<Self, Error> {
        Rate::new(values.read(name)?)
    }
}

/// Lists the entries of a kind: the name of each, and the struct of its parameters.
macro_rules! kinds {
    ($kind:path, $what:literal: $($name:literal => $module:ident::$entry:ident),+ $(,)?) => {
        $(pub use $module::$entry;)+

        impl $crate::sim::values::Named for dyn $kind {
            fn named(
                name: &str,
                values: &mut $crate::sim::values::Values,
            ) -> Result<std::sync::Arc<Self>, $crate::error::Error> {
                match name {
                    $($name => Ok(std::sync::Arc::new(values.read::<$entry>($name)?)),)+
                    _ => $crate::error::refused($what, "unknown name", name, [$($name),+].join(", ")),
                }
            }
        }
    };
}

/// Lists the parameters of a struct, which are its fields, and may be a group of their own.
macro_rules! parameters {
    ($entry:ident: $($field:ident),* $(,)?) => {
        impl $crate::sim::values::Parameter for $entry {
            fn read(
                _values: &mut $crate::sim::values::Values,
                _: &'static str,
            ) -> Result<Self, $crate::error::Error> {
                Ok($entry { $($field: _values.read(stringify!($field))?),* })
            }
        }
    };
    (group $entry:ident: $($field:ident),* $(,)?) => {
        impl $crate::sim::values::Parameter for $entry {
            fn read(
                values: &mut $crate::sim::values::Values,
                name: &'static str,
            ) -> Result<Self, $crate::error::Error> {
                let mut group: $crate::sim::values::Values = values.read(name)?;
                let entry = $entry { $($field: group.read(stringify!($field))?),* };
                group.end().map(|()| entry)
            }
        }
    };
}

/// Lists the names of an enum's variants, and what they are made of.
macro_rules! names {
    ($choice:ty, $values:ident: $($name:literal => $value:expr),+ $(,)?) => {
        impl $crate::sim::values::Parameter for $choice {
            fn read(
                $values: &mut $crate::sim::values::Values,
                name: &'static str,
            ) -> Result<Self, $crate::error::Error> {
                match $values.read::<String>(name)?.as_str() {
                    $($name => Ok($value),)+
                    other => $crate::error::refused(name, "unknown name", other, [$($name),+].join(", ")),
                }
            }
        }
    };
}

pub(super) use {kinds, names, parameters};

names!(Policy, values:
    "any" => Policy::Any,
    "round-robin" => Policy::RoundRobin,
    "shortest" => Policy::Shortest,
    "single" => Policy::Single,
);
