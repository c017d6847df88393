//! Understanding a stream that was kept.

use forkhestra_core::config::Backend;
use forkhestra_engine::agent::{ListenerConfig, StreamListener, listener};

/// Whoever understands the stream of such an agent, for those who only want to see it.
pub(crate) fn events(backend: Backend) -> Box<dyn StreamListener> {
    listener(backend, ListenerConfig::default()).expect("the usual markers are markers")
}
