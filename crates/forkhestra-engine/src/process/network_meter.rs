//! How much processes receive by TCP.

use std::collections::HashMap;

use super::{Pid, system};

/// Adds up what the sockets of some processes receive.
#[derive(Debug, Default)]
pub(crate) struct NetworkMeter {
    /// What each socket had received at the last look, by its inode.
    sockets: HashMap<u32, u64>,
    total: u64,
}

impl NetworkMeter {
    /// What these processes have received so far. What a socket receives after the last look before it
    /// is closed is not known. 0 where nothing tells.
    pub(crate) fn received(&mut self, processes: &[Pid]) -> u64 {
        self.add(system::received_by_socket(processes))
    }

    /// Without an answer of the system, what is known stays.
    fn add(&mut self, sockets: Option<HashMap<u32, u64>>) -> u64 {
        let Some(sockets) = sockets else { return self.total };
        for (inode, received) in &sockets {
            // The number of a closed socket may be used again.
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
            // The same number, another socket.
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
