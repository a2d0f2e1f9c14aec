//! Core of pnet-lp.
#![warn(missing_docs)]
