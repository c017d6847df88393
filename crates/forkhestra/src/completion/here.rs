//! What was typed before the word at hand, and so where to look.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgMatches, Command};

use crate::args::ProjectArgs;
use crate::program::Program;
use crate::project::Project;

/// Where somebody types, and what.
#[derive(Debug, Default)]
pub(super) struct Here {
    /// Which program is typed.
    pub(super) program: Program,
    /// Whether a verb was typed.
    pub(super) has_verb: bool,
    /// The place that is meant; none if there is no such place.
    pub(super) project: Option<Project>,
    /// The state directory that is named, if one is.
    pub(super) state_dir: Option<String>,
    /// The chain that is named, if one is.
    pub(super) chain: Option<String>,
    /// Words that are neither options nor their values.
    pub(super) words: Vec<String>,
}

impl Here {
    /// Reads what stands before the word at hand.
    pub(super) fn look(program: Program, before: &[OsString]) -> Self {
        let typed = Typed::read(program.command(), before);
        let path = |id| typed.last(id).map(PathBuf::from);
        let args = ProjectArgs { cwd: path("cwd"), config: path("config") };
        Self {
            program,
            has_verb: typed.has_verb(),
            project: Project::find_with_config(&args).ok().map(|project| project.seen_by(program)),
            state_dir: typed.last("state_dir").and_then(|text| text.into_string().ok()),
            chain: typed.last("chain").and_then(|text| text.into_string().ok()),
            words: typed.texts("words"),
        }
    }
}

/// A command line that may be wrong and is not finished, as the parser understands it.
pub(super) struct Typed(Option<ArgMatches>);

impl Typed {
    /// Reads as much as can be read.
    pub(super) fn read(command: Command, words: &[OsString]) -> Self {
        Self(command.ignore_errors(true).try_get_matches_from(words).ok())
    }

    /// The last value of an option, of the verb or before it.
    pub(super) fn last(&self, id: &str) -> Option<OsString> {
        self.values(id).pop()
    }

    /// Whether there is a verb.
    fn has_verb(&self) -> bool {
        self.0.as_ref().is_some_and(|matches| matches.subcommand().is_some())
    }

    /// The values of an argument that are text.
    fn texts(&self, id: &str) -> Vec<String> {
        self.values(id).into_iter().filter_map(|value| value.into_string().ok()).collect()
    }

    fn values(&self, id: &str) -> Vec<OsString> {
        let mut values = Vec::new();
        let mut level = self.0.as_ref();
        while let Some(matches) = level {
            let given = matches.try_get_raw(id).ok().flatten();
            values.extend(given.into_iter().flatten().map(ToOwned::to_owned));
            level = matches.subcommand().map(|(_, matches)| matches);
        }
        values
    }
}
