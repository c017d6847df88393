//! The owner of a lock.

use std::fmt;

use forkhestra_core::id::RunId;
use forkhestra_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Deserializer;

/// The current or last owner of the lock of a work tree or journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockOwner {
    pub pid: u32,
    pub run: RunId,
    pub since: Timestamp,
}

impl LockOwner {
    /// The content of a lock file.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("texts and a number are JSON")
    }

    /// Parses the content of a lock file. Trailing bytes of a longer, older entry are ignored.
    pub(crate) fn from_json(json: &[u8]) -> Option<Self> {
        Self::deserialize(&mut Deserializer::from_slice(json)).ok()
    }
}

impl fmt::Display for LockOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run {} (process {})", self.run, self.pid)
    }
}
