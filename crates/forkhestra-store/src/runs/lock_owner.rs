//! Who has a lock.

use std::fmt;

use forkhestra_core::id::RunId;
use forkhestra_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Deserializer;

/// Who has, or had, the lock of a work tree or of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockOwner {
    /// Its process.
    pub pid: u32,
    /// The run.
    pub run: RunId,
    /// Since when it has the lock.
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

    /// Reads who it is. Behind that may stand the rest of a longer name.
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
