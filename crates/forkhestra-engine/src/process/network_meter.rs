//! Measures the received TCP traffic of processes.

use std::collections::HashMap;

use super::{Pid, system};

/// Adds up the received bytes of the sockets of some processes.
#[derive(Debug, Default)]
pub(crate) struct NetworkMeter {
    /// The received bytes of each socket at the last measurement, by inode.
    sockets: HashMap<u32, u64>,
    total: u64,
}

impl NetworkMeter {
    /// The bytes that these processes have received so far. Bytes between the last measurement and
    /// the close of a socket are not counted. 0 where the system does not report them.
    pub(crate) fn received(&mut self, processes: &[Pid]) -> u64 {
        self.add(system::received_by_socket(processes))
    }

    /// A failed query leaves the total unchanged.
    fn add(&mut self, sockets: Option<HashMap<u32, u64>>) -> u64 {
        let Some(sockets) = sockets else { return self.total };
        for (inode, received) in &sockets {
            // The inode of a closed socket may be reused.
            let before = self.sockets.get(inode).filter(|before| *before <= received);
            self.total = self.total.saturating_add(received - before.copied().unwrap_or(0));
        }
        self.sockets = sockets;
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_sockets_keep_what_they_received() {
        let mut meter = NetworkMeter::default();
        for (sockets, total) in [
            (&[(1, 100)][..], 100),
            (&[(1, 150), (2, 10)], 160),
            (&[(2, 10)], 160),
            (&[(2, 30), (3, 5)], 185),
            (&[], 185),
            // The same inode, another socket.
            (&[(2, 7)], 192),
            (&[(2, 3)], 195),
        ] {
            assert_eq!(meter.add(Some(sockets.iter().copied().collect())), total, "{sockets:?}");
        }
    }

    #[test]
    fn a_query_that_fails_changes_nothing() {
        let mut meter = NetworkMeter::default();
        let sockets = |received| Some(HashMap::from([(1, received)]));
        for (sockets, total) in [(sockets(100), 100), (None, 100), (sockets(130), 130)] {
            assert_eq!(meter.add(sockets), total);
        }
    }
}
