//! What is alike in a network and its traffic, found by colour refinement, and proofs that are stated in colours.
//!
//! The flow towards a destination is looked for on classes of nodes that are alike as seen from it.  Two ideas make that
//! fast and sound:
//!
//! - *Twins*: racks or switches with the same neighbours.  Exchanging two of them changes nothing, so one stands for all
//!   (`fold`).  A fat tree of k = 128 has 8,384 nodes left of 20,480.
//! - *Views*: the network with one destination set apart, its nodes coloured until each has as many links of each kind
//!   to each colour as any other of its colour (`view`).  Colours are hashes of what is seen, so that views from
//!   different destinations can be compared.  Destinations with equal views are one *kind*.
//!
//! Links get one colour if they look the same, together, from all destinations.  That is the colour refinement of the
//! linear program itself, so the program on colours has the same optimum (Grohe, Kersting, Mladenov, Selman: "Dimension
//! reduction via colour refinement", ESA 2014).  Nothing that is claimed rests on this, nor on hashes being different:
//! [`evaluate`] adds up the loads of all destinations, link by link, and checks at every node that nothing is lost.

mod evaluate;
mod fold;
mod instance;
mod reduce;
mod view;

pub use evaluate::{Coloured, Found, evaluate};
pub use fold::Fold;
pub use instance::{Demands, Instance};
pub use reduce::{Entry, Kind, Most, Reduced, reduce};

/// A hash of two numbers that takes their order into account.
#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let mut z = a.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) ^ b.wrapping_add(0xD1B5_4A32_D192_ED03);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// How many different values there are.
fn distinct(values: &[u64]) -> usize {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}
