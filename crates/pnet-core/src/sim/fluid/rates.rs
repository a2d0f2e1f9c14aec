//! What finds the rates of streams: their max-min fair levels, or the best split of flows over them.

use super::levels::Levels;
use super::sharing::Sharing;
use super::split::Split;
use super::streams::Stream;
use super::{Method, Poll};
use crate::error::Error;

/// One or the other.  Streams are told of class by class.
#[derive(Debug)]
pub(super) enum Rates {
    /// Every stream has a level of its own.
    Levels(Box<Levels>),
    /// The streams of a class have one together.
    Split(Box<Split>),
}

impl Rates {
    /// Links of these capacities, and no stream.
    pub(super) fn new(sharing: Sharing, capacity: Vec<f64>, method: Method) -> Self {
        match sharing {
            Sharing::Best => Rates::Split(Box::new(Split::new(capacity, method))),
            Sharing::Single | Sharing::Even | Sharing::Subflows(_) => {
                Rates::Levels(Box::new(Levels::new(capacity, method)))
            }
        }
    }

    /// The levels, where every stream has one of its own.
    pub(super) fn levels(&self) -> Option<&Levels> {
        match self {
            Rates::Levels(levels) => Some(levels),
            Rates::Split(_) => None,
        }
    }

    /// Adds the streams of a class, and numbers them.
    pub(super) fn add(&mut self, streams: &mut [Stream], weight: f64) {
        match self {
            Rates::Levels(levels) => {
                for stream in streams {
                    stream.number = levels.add(&stream.links, weight);
                }
            }
            Rates::Split(split) => {
                let paths: Vec<Vec<u32>> = streams.iter().map(Stream::ports).collect();
                let numbers = split.add(paths.iter().map(Vec::as_slice), weight);
                streams.iter_mut().zip(numbers).for_each(|(stream, number)| stream.number = number);
            }
        }
    }

    /// Takes the streams of a class away.
    pub(super) fn remove(&mut self, streams: &[Stream]) {
        match self {
            Rates::Levels(levels) => streams.iter().for_each(|stream| levels.remove(stream.number)),
            Rates::Split(split) => split.remove(streams[0].number),
        }
    }

    /// Changes the weight of a class.
    pub(super) fn set_weight(&mut self, streams: &[Stream], weight: f64) {
        match self {
            Rates::Levels(levels) => {
                streams.iter().for_each(|stream| levels.set_weight(stream.number, weight));
            }
            Rates::Split(split) => split.set_weight(streams[0].number, weight),
        }
    }

    /// Changes the capacity of a link.
    pub(super) fn set_capacity(&mut self, link: u32, capacity: f64) {
        match self {
            Rates::Levels(levels) => levels.set_capacity(link, capacity),
            Rates::Split(split) => split.set_capacity(link, capacity),
        }
    }

    /// What a stream gets for each unit of weight.
    #[inline]
    pub(super) fn level(&self, stream: u32) -> f64 {
        match self {
            Rates::Levels(levels) => levels.level(stream),
            Rates::Split(split) => split.level(stream),
        }
    }

    /// Brings all rates up to date; hands over the streams whose rates have changed.
    pub(super) fn settle(&mut self, changed: &mut Vec<u32>, poll: &mut Poll) -> Result<(), Error> {
        match self {
            Rates::Levels(levels) => levels.settle(changed, poll),
            Rates::Split(split) => split.settle(changed, poll),
        }
    }
}
