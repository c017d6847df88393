//! The command lines of forkhestra: what was typed becomes a plan, and what came of it is shown.
//!
//! This crate composes the others and decides nothing about a run. The flow is
//! `argv -> Args -> Request -> Plan -> reporter`; see `ARCHITECTURE.md`.

mod args;
mod args_later;
mod args_limits;
mod args_logs;
mod args_plan;
mod args_ralph;
mod args_replay;
mod args_runs;
mod args_setup;
mod args_steer;
mod args_work;
mod byte_size;
mod codex_config;
mod commands;
mod completion;
mod config_files;
mod demo;
mod dispatch;
mod doctor;
mod error;
mod execution;
mod exit_code;
mod find_run;
mod host_facts;
mod init;
mod kept_message;
mod leases;
mod moved_project;
mod notify;
mod plan_document;
mod playback;
mod player;
mod preflight;
mod program;
mod project;
mod questionnaire;
mod recorded;
mod repair;
mod report;
mod repository_state;
mod request;
mod request_ralph;
mod resume_command;
mod retention;
mod screen;
mod short_help;
mod specs_directory;
mod state_home;
mod surroundings;
mod usage;
mod verbs;
mod version;
mod watch;

pub use dispatch::{forge_tasks, main, ralph_runner};
