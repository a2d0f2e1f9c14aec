//! Equivalence classes of a network and its traffic, found by colour refinement, and proofs on the quotient.
//!
//! The flow towards a destination has one variable per class of links that are equivalent as seen from it.  Two ideas
//! make the classes fast to find:
//!
//! - *Twins*: racks or switches with the same neighbours.  Exchanging two of them is an automorphism, so one represents
//!   all (`fold`).  A fat tree of k = 128 is folded from 20,480 nodes to 8,384.
//! - *Views*: the network with one destination set apart, its nodes coloured until each has as many links of each colour
//!   to each colour as any other of its colour (`view`).  Colours are hashes, so that views from different destinations
//!   can be compared.  Destinations with equal views are one *kind*.
//!
//! - *Generators*: automorphisms that join the destinations of a kind into orbits (`generators`), so that one flow, towards
//!   an example of each orbit, proves what all destinations together put on links.
//!
//! Accelerators of servers have hardly any twins, but many automorphisms: there these come first, and destinations of one
//! orbit are looked at once (`group`).
//!
//! Links are equivalent if they have the same colours in the views of all destinations together.  That is the colour
//! refinement of the linear program itself, so the quotient program has the same optimum (Grohe, Kersting, Mladenov,
//! Selman: "Dimension reduction via colour refinement", ESA 2014).  No bound relies on this, nor on the absence of hash
//! collisions: [`evaluate`] sums the loads of all destinations, link by link, or those of one of each orbit over the orbits
//! of links, and checks flow conservation at every node.

mod evaluate;
mod fold;
mod generators;
mod group;
mod hash;
mod instance;
mod partition;
mod reduce;
mod view;

pub use evaluate::{QuotientBounds, QuotientProof, evaluate};
pub use fold::Fold;
pub use instance::{Demands, Instance};
pub use reduce::{Budget, Entry, Kind, Reduced, reduce};
