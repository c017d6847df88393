//! Config files.

pub(crate) mod agents;
pub(crate) mod built_ins;
pub(crate) mod chains;
pub(crate) mod checks;
pub(crate) mod config_file;
pub(crate) mod dsl;
pub(crate) mod layers;
pub(crate) mod mistakes;
pub(crate) mod project_directory;
pub(crate) mod prompt_files;
pub(crate) mod prompts;
pub(crate) mod schema;
pub(crate) mod values;
pub(crate) mod variables;
