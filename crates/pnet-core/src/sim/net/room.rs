//! Room in hosts' ports: a connection waits while too much of its own data stands there, as operating systems let it
//! (the small queues of Linux 3.6).

use smallvec::SmallVec;

use super::Net;
use crate::sim::time::Time;

/// What a connection may do.
#[derive(Debug, Clone, Copy)]
struct Allowance {
    /// Bytes that it may put into the ports before it looks again; negative where it has put a part of a packet more.
    bytes: i64,
    /// Until when it waits.
    until: Time,
    /// Bytes of it in the ports of its host, but for a part of a packet.
    most: i64,
    /// If more than so many stand there as it looks, it waits.
    full: i64,
}

/// What all connections may do.
#[derive(Default)]
pub(super) struct Room {
    allowances: Vec<Allowance>,
}

impl Room {
    /// So many connections from one on have nothing in the ports, and may have `most` bytes there; none: any number.  Those
    /// of a network card look whether half of that is left, as it takes their packets one by one.
    pub(super) fn open(&mut self, connection: u32, connections: u32, most: Option<u64>, card: bool) {
        let (first, end) = (connection as usize, (connection + connections) as usize);
        let most = most.map_or(i64::MAX, |most| most.min(i64::MAX as u64) as i64);
        let full = if card { most / 2 } else { most };
        let allowance = Allowance { bytes: most, until: 0, most, full };
        self.allowances.resize(self.allowances.len().max(end), allowance);
        self.allowances[first..end].fill(allowance);
    }

    /// A packet of a connection has been put into a port.
    #[inline]
    pub(super) fn put(&mut self, connection: u32, size: u16) {
        self.allowances[connection as usize].bytes -= i64::from(size);
    }

    /// Whether a connection may put another packet into a port without looking.
    #[inline]
    pub(super) fn has(&self, connection: u32) -> bool {
        self.allowances[connection as usize].bytes >= 0
    }

    /// Whether a connection waits until it looks again.
    #[inline]
    pub(super) fn waits(&self, connection: u32, now: Time) -> bool {
        now < self.allowances[connection as usize].until
    }

    /// Whether a connection that does not wait may put another packet into a port, of which these stand there: when each
    /// leaves, and its size.  If not, it waits until half of what may stand there is left, one of two units of 64 KiB that an
    /// operating system hands to a network card at once, and the link stays busy.  Then returns until when.
    pub(super) fn look(&mut self, connection: u32, standing: impl Iterator<Item = (Time, u16)>) -> Result<(), Time> {
        let allowance = &mut self.allowances[connection as usize];
        let mut packets: SmallVec<[(Time, u16); 8]> = standing.collect();
        let mut bytes: i64 = packets.iter().map(|(_, size)| i64::from(*size)).sum();
        if bytes <= allowance.full {
            allowance.bytes = allowance.most - bytes;
            return Ok(());
        }
        packets.sort_unstable();
        for (time, size) in packets {
            if bytes <= allowance.most / 2 {
                break;
            }
            bytes -= i64::from(size);
            allowance.until = time;
        }
        Err(allowance.until)
    }
}

impl Net {
    /// Whether a connection that has put much into the ports of its source may put more.
    #[cold]
    pub(super) fn look_for_room(&mut self, connection: u32) -> bool {
        let Some(room) = &mut self.room else { return true };
        if room.waits(connection, self.clock.now) {
            return false;
        }
        let (fabric, now, host) = (&self.paths.fabric, self.clock.now, self.active.of(connection).pair.src);
        let ports = fabric.ports_of(host);
        ports.iter().for_each(|port| self.ports.catch_up(*port, now, &mut self.clock.events));
        let found =
            room.look(connection, ports.into_iter().flat_map(|port| self.ports.standing(port, connection, now)));
        if let Err(until) = found {
            self.timers.arm(connection, self.room_timer, until, &mut self.clock.events);
        }
        found.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4,000 bytes may stand: where more do a connection waits until half is left, and otherwise it may fill them up.  A
    /// network card waits where more than half stands.
    #[test]
    fn a_connection_that_has_filled_its_room_waits_until_half_is_left() {
        let mut room = Room::default();
        room.open(1, 1, Some(4000), false);
        for _ in 0..3 {
            assert!(room.has(1));
            room.put(1, 1500);
        }
        assert!(!room.has(1));
        // Those of two ports are not in order.
        assert_eq!(room.look(1, [(10, 1500), (30, 1500), (20, 1500)].into_iter()), Err(20));
        assert!(room.waits(1, 19) && !room.waits(1, 20));
        assert_eq!(room.look(1, [(30, 1500)].into_iter()), Ok(()));
        // 2,500 more may follow the 1,500.
        room.put(1, 2500);
        assert!(room.has(1));
        room.put(1, 1);
        assert!(!room.has(1));
        assert_eq!(room.look(1, [(40, 1500), (50, 1500)].into_iter()), Ok(()));
        room.open(1, 1, Some(4000), true);
        assert_eq!(room.look(1, [(40, 1500), (50, 1500)].into_iter()), Err(40));
    }
}
