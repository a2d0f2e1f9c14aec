//! The core as its users see it, in one program: it is compiled once for all of these.

mod common;
mod fat_tree;
mod graph;
mod hops;
mod mcf;
mod metric;
mod path_form;
mod paths;
mod sim_closed_forms;
mod sim_errors;
mod sim_failures;
mod sim_fluid;
mod sim_model;
mod sim_pauses;
mod sim_published;
mod split;
mod symmetry;
