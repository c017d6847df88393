//! The built-in chains: a config file below all others.

use crate::config::{self, ConfigLayer, ConfigLayerKind};

/// The file's name in messages.
const NAME: &str = "built-in chains";

/// The layer below all config files.
pub fn layer() -> ConfigLayer {
    let reading = config::read(NAME, include_bytes!("chains.jsonc").to_vec());
    let config = reading.config.expect("a test reads the built-in chains");
    ConfigLayer { kind: ConfigLayerKind::BuiltIn, source: reading.source, config }
}
