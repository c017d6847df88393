//! The project in which the program was started: config files, repository, specifications.

pub(crate) mod agent_settings;
pub(crate) mod config_files;
pub(crate) mod host_facts;
pub(crate) mod lane_repository;
pub(crate) mod local_host;
pub(crate) mod moved_project;
pub(crate) mod plan_document;
pub(crate) mod project_location;
pub(crate) mod questionnaire;
pub(crate) mod repository_state;
pub(crate) mod specs_directory;
mod toml_settings;
