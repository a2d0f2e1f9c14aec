//! Room in hosts' ports: a connection waits while too much of its own data stands there, as operating systems let it
//! (the small queues of Linux 3.6).

use std::collections::VecDeque;

use crate::sim::time::Time;

/// Data of a connection that has not left its host.
#[derive(Debug, Clone, Default)]
struct Standing {
    bytes: u64,
    /// When each packet leaves, the first one first, and its size.
    packets: VecDeque<(Time, u16)>,
}

impl Standing {
    /// Forgets what has left by `now`.
    #[inline]
    fn leave(&mut self, now: Time) {
        while let Some((time, size)) = self.packets.front()
            && *time <= now
        {
            self.bytes -= u64::from(*size);
            self.packets.pop_front();
        }
    }
}

/// What of all connections stands in the ports of their hosts.
pub(super) struct Room {
    /// Bytes with more of which a connection waits.
    most: u64,
    standing: Vec<Standing>,
}

impl Room {
    pub(super) fn new(most: u64) -> Self {
        Room { most, standing: vec![] }
    }

    /// Makes room for so many connections.
    pub(super) fn grow(&mut self, connections: u32) {
        self.standing.resize(self.standing.len().max(connections as usize), Standing::default());
    }

    /// A packet of a connection has been put into a port, which it leaves at `time`.
    #[inline]
    pub(super) fn put(&mut self, connection: u32, size: u16, time: Time, now: Time) {
        let standing = &mut self.standing[connection as usize];
        standing.leave(now);
        standing.bytes += u64::from(size);
        // Packets that leave by several ports overtake each other.
        let place = standing.packets.iter().rposition(|(other, _)| *other <= time).map_or(0, |last| last + 1);
        standing.packets.insert(place, (time, size));
    }

    /// Until when a connection has to wait, if it has to.
    #[inline]
    pub(super) fn wait(&mut self, connection: u32, now: Time) -> Option<Time> {
        let standing = &mut self.standing[connection as usize];
        standing.leave(now);
        let mut bytes = standing.bytes;
        let mut packets = standing.packets.iter();
        let mut until = None;
        while bytes > self.most {
            let (time, size) = packets.next()?;
            bytes -= u64::from(*size);
            until = Some(*time);
        }
        until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3,000 bytes may stand: with four packets of 1,500 the second one has to leave, whichever port it has.
    #[test]
    fn a_connection_waits_until_enough_has_left() {
        let mut room = Room::new(3000);
        room.grow(2);
        for time in [10, 40, 20, 30] {
            room.put(1, 1500, time, 0);
        }
        assert_eq!((room.wait(0, 0), room.wait(1, 0)), (None, Some(20)));
        assert_eq!((room.wait(1, 19), room.wait(1, 20)), (Some(20), None));
        room.put(1, 1, 50, 20);
        assert_eq!((room.wait(1, 20), room.wait(1, 30), room.wait(1, 50)), (Some(30), None, None));
        assert!(room.standing[1].packets.is_empty() && room.standing[1].bytes == 0);
    }
}
