//! What manual pages have beside the options: from the end of the help, and what no help has.

use clap::Command;

const EXAMPLES: &str = "Examples:";
const EXIT_CODES: &str = "Exit codes: ";

/// What stands at the end of a help text, by what it is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Help {
    /// What has no place of its own.
    pub(super) paragraphs: Vec<String>,
    /// The lines of examples, as they are.
    pub(super) examples: Vec<String>,
    /// What the exit codes mean.
    pub(super) exit_codes: Option<String>,
}

impl Help {
    /// Reads the end of the help of a command.
    pub(super) fn read(command: &Command) -> Self {
        command.get_after_help().map(|text| Self::split(&text.to_string())).unwrap_or_default()
    }

    fn split(text: &str) -> Self {
        let mut help = Self::default();
        for block in text.split("\n\n") {
            if let Some(lines) = block.strip_prefix(EXAMPLES) {
                help.examples.extend(lines.trim_start_matches('\n').lines().map(str::to_owned));
            } else if block.starts_with(' ') {
                let gap = (!help.examples.is_empty()).then(String::new);
                help.examples.extend(gap.into_iter().chain(block.lines().map(str::to_owned)));
            } else if let Some(codes) = block.strip_prefix(EXIT_CODES) {
                help.exit_codes = Some(codes.replace('\n', " ") + ".");
            } else {
                help.paragraphs.push(block.replace('\n', " "));
            }
        }
        help
    }
}

/// A section that is a list of names with what they are.
type Definitions = (&'static str, &'static [(&'static str, &'static str)]);

/// The sections that only the page of a program has.
pub(super) fn of_program(program: &str) -> &'static [Definitions] {
    match program {
        "forge-tasks" => &[("FILES", TASK_FILES), ("ENVIRONMENT", TASK_ENVIRONMENT)],
        _ => &[("FILES", FILES), ("ENVIRONMENT", ENVIRONMENT)],
    }
}

const FILES: &[(&str, &str)] = &[
    ("forge/orch/chains.json", "Chains and agents of the project; else forge/chains.json."),
    ("~/.config/forkhestra/chains.json", "Chains and agents of the user, for every project."),
    ("~/.local/state/forkhestra/", "The runs: their journals, and what agents printed."),
    (".agent-state/", "Views of the runs of a project, for other programs."),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    ("XDG_CONFIG_HOME, XDG_STATE_HOME", "Used instead of ~/.config and ~/.local/state."),
    ("FORGE_TASKS_DIR", "The directory of the tasks, instead of the forge/tasks that is found."),
    ("CLAUDE_PATH, CODEX_PATH, GEMINI_PATH, OPENCODE_PATH", "The agent programs to start."),
    ("NO_COLOR, CLICOLOR_FORCE, TERM", "Whether colours are used, where --color does not say."),
];

const TASK_FILES: &[(&str, &str)] = &[
    ("forge/tasks/", "The tasks, one Markdown file each, and config.json."),
    ("forge/tasks/archive/", "Those that were archived."),
];

const TASK_ENVIRONMENT: &[(&str, &str)] = &[
    ("FORGE_TASKS_DIR", "The directory of the tasks, instead of the forge/tasks that is found."),
    ("FORKHESTRA_AGENT, USER, LOGNAME", "Who claims tasks, where --as does not say."),
    ("FORKHESTRA_RUN_ID", "The run that a claimed task is leased to."),
    ("NO_COLOR, CLICOLOR_FORCE, TERM", "Whether colours are used, where --color does not say."),
    ("COLUMNS", "How wide a line may be."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_help_text_is_taken_apart() {
        let text = "A chain is\nan agent.\n\nExamples:\n  one  # first\n\n  two\n\nExit codes: 0 done,\n1 not";
        let expected = Help {
            paragraphs: vec!["A chain is an agent.".to_owned()],
            examples: ["  one  # first", "", "  two"].map(str::to_owned).into(),
            exit_codes: Some("0 done, 1 not.".to_owned()),
        };
        assert_eq!(Help::split(text), expected);
    }
}
