//! Finds the secrets of a run in bytes.

use std::fmt;
use std::sync::Arc;

/// Whether bytes contain a secret of the run.
type Search = dyn Fn(&[u8]) -> bool + Send + Sync;

/// Finds the secrets of a run, which must not be stored. The default knows none.
#[derive(Clone)]
pub struct SecretFinder(Arc<Search>);

impl SecretFinder {
    /// A finder that calls this function.
    pub fn new(search: impl Fn(&[u8]) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(search))
    }

    /// Whether a secret is in these bytes.
    pub(crate) fn is_in(&self, bytes: &[u8]) -> bool {
        (self.0)(bytes)
    }
}

impl Default for SecretFinder {
    fn default() -> Self {
        Self::new(|_| false)
    }
}

/// Shows nothing of the secrets.
impl fmt::Debug for SecretFinder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretFinder")
    }
}
