//! Routes in use: the ports that a packet passes, one after the other, in one array.
//!
//! A packet that follows a route carries the index of its next port here; the route ends where a port leads to a host.

/// The ports of all routes.
#[derive(Debug, Default)]
pub struct Routes {
    ports: Vec<u32>,
    /// Where routes of each length were and are no more.
    free: Vec<Vec<u32>>,
}

impl Routes {
    /// Adds a route; returns where it begins.
    pub fn add(&mut self, ports: &[u32]) -> u32 {
        if let Some(start) = self.free.get_mut(ports.len()).and_then(Vec::pop) {
            self.ports[start as usize..][..ports.len()].copy_from_slice(ports);
            return start;
        }
        let start = self.ports.len() as u32;
        self.ports.extend_from_slice(ports);
        start
    }

    /// Forgets a route of `length` ports: nothing follows it any more.
    pub fn remove(&mut self, start: u32, length: usize) {
        if self.free.len() <= length {
            self.free.resize(length + 1, vec![]);
        }
        self.free[length].push(start);
    }

    /// The ports of a route of this length.
    pub fn ports(&self, start: u32, length: u32) -> Vec<u32> {
        self.ports[start as usize..][..length as usize].to_vec()
    }

    /// The port at an index.
    #[inline]
    pub fn port(&self, at: u32) -> u32 {
        self.ports[at as usize]
    }
}
