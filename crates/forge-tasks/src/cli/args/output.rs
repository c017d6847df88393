//! The options that every verb has, before or after it.

use std::path::PathBuf;

use clap::Args;
use typeset::color_mode::ColorMode;

/// Arguments of every verb.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct GlobalArgs {
    /// Print stable, machine-readable lines.
    #[arg(long, global = true)]
    plain: bool,

    /// Print JSON, even with --plain.
    #[arg(long, global = true)]
    json: bool,

    /// The task directory, instead of the nearest forge/tasks; also FORGE_TASKS_DIR.
    #[arg(long, global = true, value_name = "PATH", value_parser = path)]
    pub(crate) dir: Option<PathBuf>,

    /// Use colours.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t)]
    pub(crate) color: ColorMode,
}

impl GlobalArgs {
    /// The output format.
    pub(crate) fn format(&self) -> TasksOutputFormat {
        match (self.json, self.plain) {
            (true, _) => TasksOutputFormat::Json,
            (false, true) => TasksOutputFormat::Plain,
            (false, false) => TasksOutputFormat::Human,
        }
    }
}

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TasksOutputFormat {
    /// A person.
    Human,
    /// A program that reads lines.
    Plain,
    /// A program that reads JSON.
    Json,
}

fn path(text: &str) -> Result<PathBuf, &'static str> {
    match text {
        "" => Err("`--dir` lacks its value"),
        text => Ok(PathBuf::from(text)),
    }
}
