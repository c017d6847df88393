//! Parsing of stored agent streams.

use forkhestra_core::config::Backend;
use forkhestra_engine::agent::{ListenerConfig, StreamListener, listener};

/// Creates a stream listener for display, with the default configuration.
pub(crate) fn events(backend: Backend) -> Box<dyn StreamListener> {
    listener(backend, ListenerConfig::default()).expect("the usual markers are markers")
}
