//! The plain model of a fifo: packets wait here, and leave one by one when the port is free.  A port that is paused sends
//! what carries no data.

use std::collections::VecDeque;

use super::super::packet::{Kind, Packet};
use super::super::port::Backlog;
use super::{Fifo, Limit, Scheduler, Touch, Verdict};

/// A fifo whose packets are held until they are sent.
pub(crate) struct Held {
    fifo: Box<dyn Fifo>,
    waiting: Vec<VecDeque<Packet>>,
    backlogs: Vec<Backlog>,
    paused: Vec<bool>,
}

impl Held {
    /// The plain model of `fifo` for `ports` ports.
    pub(crate) fn new(fifo: Box<dyn Fifo>, ports: usize) -> Self {
        Held {
            fifo,
            waiting: vec![VecDeque::new(); ports],
            backlogs: vec![Backlog::default(); ports],
            paused: vec![false; ports],
        }
    }
}

impl Scheduler for Held {
    fn enqueue(&mut self, port: u32, backlog: Backlog, mut packet: Packet, dropped: &mut Vec<Packet>) -> Touch {
        let verdict = self.fifo.admit(port, backlog, &packet);
        if verdict == Verdict::Drop {
            dropped.push(packet);
            return Touch::Nothing;
        }
        packet.marked |= verdict == Verdict::Mark;
        self.waiting[port as usize].push_back(packet);
        let backlog = &mut self.backlogs[port as usize];
        *backlog = *backlog + (&packet).into();
        if verdict == Verdict::Mark { Touch::Marked } else { Touch::Nothing }
    }

    fn dequeue(&mut self, port: u32) -> Option<Packet> {
        let waiting = &mut self.waiting[port as usize];
        let packet = if self.paused[port as usize] {
            let first = waiting.iter().position(|packet| packet.kind != Kind::Data)?;
            waiting.remove(first)?
        } else {
            waiting.pop_front()?
        };
        let backlog = &mut self.backlogs[port as usize];
        backlog.packets -= 1;
        backlog.bytes -= u64::from(packet.size);
        Some(packet)
    }

    fn backlog(&self, port: u32) -> Backlog {
        self.backlogs[port as usize]
    }

    fn can_pause(&self) -> bool {
        true
    }

    fn pause(&mut self, port: u32, paused: bool) {
        self.paused[port as usize] = paused;
    }

    fn unmarked(&self) -> Option<Limit> {
        self.fifo.unmarked()
    }

    fn held(&self, port: u32) -> Box<dyn Iterator<Item = &Packet> + '_> {
        Box::new(self.waiting[port as usize].iter())
    }
}
