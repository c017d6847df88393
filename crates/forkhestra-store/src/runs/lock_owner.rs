//! The owner of a lock.

use std::fmt;

use forkhestra_core::id::RunId;
use forkhestra_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Deserializer;

/// The current or last owner of the lock of a work tree or journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockOwner {
    pub pid: u32,
    pub run: RunId,
    pub since: Timestamp,
}

/// The content of a lock file.
#[derive(Debug, Serialize, Deserialize)]
struct LockFileContent {
    pid: u32,
    run: String,
    since: String,
}

impl LockOwner {
    pub(crate) fn to_json(&self) -> String {
        let content = LockFileContent {
            pid: self.pid,
            run: self.run.to_string(),
            since: self.since.to_string(),
        };
        serde_json::to_string(&content).expect("texts and a number are JSON")
    }

    /// Parses the content of a lock file. Trailing bytes of a longer, older entry are ignored.
    pub(crate) fn from_json(json: &[u8]) -> Option<Self> {
        let content = LockFileContent::deserialize(&mut Deserializer::from_slice(json)).ok()?;
        Some(Self {
            pid: content.pid,
            run: RunId::parse(&content.run).ok()?,
            since: Timestamp::parse(&content.since).ok()?,
        })
    }
}

impl fmt::Display for LockOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run {} (process {})", self.run, self.pid)
    }
}
