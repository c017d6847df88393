//! From the arguments to the exit code: parses, runs, reports and exits.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::FromArgMatches;
use clap::error::ErrorKind;
use typeset::color_mode::ColorMode;

use crate::cli::args::{self, MERGE_FILE, TasksCli, TasksVerb};
use crate::cli::cli_inputs::CliInputs;
use crate::cli::commands::{self, CommandContext, CommandResult};
use crate::cli::error::TasksCliError;
use crate::cli::tasks_console::{StreamFeatures, TasksConsole};
use crate::cli::{exit_code, usage};

/// Runs the `forge-tasks` program with these arguments, the first of which is its name.
pub fn main(arguments: impl IntoIterator<Item = OsString>, inputs: &CliInputs<'_>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let parsed = parse(&arguments, inputs.version);
    let color = parsed
        .as_ref()
        .map_or_else(|_| ColorMode::from_arguments(&arguments), |cli| cli.global.color);
    let mut console = TasksConsole {
        out: &mut io::stdout(),
        err: &mut io::stderr(),
        input: &mut io::stdin().lock(),
        features: StreamFeatures::real(color, inputs.environment.columns),
    };
    ExitCode::from(run(parsed, inputs, &mut console))
}

/// Executes the command and reports the result.
fn run(
    parsed: Result<TasksCli, ParseRefusal>,
    inputs: &CliInputs<'_>,
    console: &mut TasksConsole<'_>,
) -> u8 {
    let result = match parsed {
        Ok(cli) => execute(&cli, inputs, console),
        Err(ParseRefusal::Answer(text)) => {
            console.print(&text).map(|()| exit_code::DONE).map_err(Into::into)
        }
        Err(ParseRefusal::Wrong(message)) => Err(TasksCliError::Wrong(message)),
        Err(ParseRefusal::WrongMerge(message)) => Err(TasksCliError::CannotMerge(message)),
    };
    result.unwrap_or_else(|error| {
        match &error {
            TasksCliError::Wrong(message) | TasksCliError::CannotMerge(message) => {
                console.error(&from_here(message, &inputs.directory));
            }
            TasksCliError::NothingToClaim(why) | TasksCliError::Declined(why) => console.say(why),
            TasksCliError::Output { done, why } => {
                let done = done.as_ref().map(|done| format!("{done}, but "));
                let done = done.unwrap_or_default();
                console.error(&format!("{done}cannot write to standard output: {why}"));
            }
            // The reader is gone.
            TasksCliError::OutputClosed => {}
        }
        error.exit_code()
    })
}

/// Why no command is executed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ParseRefusal {
    /// The text of help or version.
    Answer(String),
    /// The message for wrong use.
    Wrong(String),
    /// The message for wrong use of `merge-file`.
    WrongMerge(String),
}

/// Reads the arguments.
pub(crate) fn parse(
    arguments: &[OsString],
    version: &'static str,
) -> Result<TasksCli, ParseRefusal> {
    let mut command = args::command(version);
    // Only a built command knows the options of every verb in each of them.
    command.build();
    let mut words = arguments.iter().skip(1);
    let is_merge = words.find(|word| !word.as_encoded_bytes().starts_with(b"-"));
    let wrong = match is_merge.is_some_and(|verb| verb == MERGE_FILE) {
        true => ParseRefusal::WrongMerge,
        false => ParseRefusal::Wrong,
    };
    if let Some(message) = usage::misread(&command, arguments) {
        return Err(wrong(message));
    }
    let matches = command.try_get_matches_from_mut(arguments);
    matches.and_then(|matches| TasksCli::from_arg_matches(&matches)).map_err(|error| {
        match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                ParseRefusal::Answer(error.render().ansi().to_string())
            }
            _ => wrong(usage::message(&error, &command, arguments)),
        }
    })
}

fn execute(
    cli: &TasksCli,
    inputs: &CliInputs<'_>,
    console: &mut TasksConsole<'_>,
) -> CommandResult {
    let mut context = CommandContext { inputs, global: &cli.global, console: console.reborrow() };
    match &cli.verb {
        TasksVerb::Init(args) => commands::init::execute(args, &mut context),
        TasksVerb::Create(args) => commands::create::execute(args, &mut context),
        TasksVerb::List(args) => commands::list::execute(args, &mut context),
        TasksVerb::View(args) => commands::view::execute(args, &mut context),
        TasksVerb::Edit(args) => commands::edit::execute(args, &mut context),
        TasksVerb::Search(args) => commands::search::execute(args, &mut context),
        TasksVerb::Delete(args) => commands::delete::execute(args, &mut context),
        TasksVerb::Claim(args) => commands::claim::execute(args, &mut context),
        TasksVerb::Release(args) => commands::release::execute(args, &mut context),
        TasksVerb::Archive(args) => commands::archive::execute(args, &mut context),
        TasksVerb::Unarchive(args) => commands::archive::unarchive(args, &mut context),
        TasksVerb::Board => commands::board::execute(&mut context),
        TasksVerb::Graph(args) => commands::graph::execute(args, &mut context),
        TasksVerb::Check(args) => commands::check::execute(args, &mut context),
        TasksVerb::MergeFile(args) => commands::merge_file::execute(args, &mut context),
    }
}

/// A message with its paths relative to a directory.
pub(crate) fn from_here(message: &str, directory: &Path) -> String {
    let below = format!("{}/", directory.display().to_string().trim_end_matches('/'));
    if below == "/" {
        return message.to_owned();
    }
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(found) = rest.find(&below) {
        let (before, path) = rest.split_at(found);
        text.push_str(before);
        // The same letters further inside are another path.
        let is_whole = text.is_empty() || text.ends_with([' ', '`', '\'', '(']);
        text.push_str(if is_whole { "" } else { &below });
        rest = &path[below.len()..];
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::PathBuf;

    use super::*;
    use crate::actions::RunRegistry;
    use crate::cli::cli_inputs::TasksEnvironment;
    use crate::cli::samples::now;

    struct DispatchNoRuns;

    impl RunRegistry for DispatchNoRuns {
        fn is_running(&self, _run: &str) -> Option<bool> {
            None
        }
    }

    /// A stream that cannot be written to.
    struct FailingStream(io::ErrorKind);

    impl Write for FailingStream {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn typed(words: &[&str]) -> Vec<OsString> {
        ["forge-tasks"].iter().chain(words).map(OsString::from).collect()
    }

    /// The exit code and the standard error.
    fn run_with(words: &[&str], out: &mut dyn Write) -> (u8, String) {
        run_asked(words, out, None)
    }

    /// The same, with an answer on standard input.
    fn run_asked(words: &[&str], out: &mut dyn Write, answer: Option<&str>) -> (u8, String) {
        let inputs = CliInputs {
            directory: PathBuf::from("/"),
            environment: TasksEnvironment::default(),
            clock: now,
            runs: &DispatchNoRuns,
            version: "1.2.3",
        };
        let mut err = Vec::new();
        let mut input = answer.unwrap_or_default().as_bytes();
        let features = StreamFeatures { can_ask: answer.is_some(), ..StreamFeatures::default() };
        let mut console = TasksConsole { out, err: &mut err, input: &mut input, features };
        let code = run(parse(&typed(words), "1.2.3"), &inputs, &mut console);
        (code, String::from_utf8(err).expect("it is text"))
    }

    #[test]
    fn wrong_use_is_one_line_and_exit_code_1() {
        for words in [&["lst"][..], &["edit", "1"], &["archive"], &["create", "a\nb", "c\nd"]] {
            let mut out = Vec::new();
            let (code, said) = run_with(words, &mut out);
            assert_eq!((code, out.as_slice(), said.lines().count()), (1, &[][..], 1), "{said}");
            assert!(said.starts_with("error: "), "{said}");
        }
    }

    #[test]
    fn help_is_data_without_colours_where_none_are_wanted() {
        let mut out = Vec::new();
        assert_eq!(run_with(&["--help"], &mut out), (0, String::new()));
        let help = String::from_utf8(out).expect("it is text");
        assert!(help.contains("Examples:") && !help.contains('\u{1b}'), "{help}");
    }

    #[test]
    fn a_closed_output_is_silent_and_a_full_disk_is_reported() {
        let closed = &mut FailingStream(io::ErrorKind::BrokenPipe);
        assert_eq!(run_with(&["--version"], closed), (141, String::new()));
        let full = &mut FailingStream(io::ErrorKind::StorageFull);
        let (code, said) = run_with(&["--version"], full);
        assert_eq!(
            (code, said.as_str()),
            (1, "error: cannot write to standard output: no storage space\n")
        );
    }

    #[test]
    fn delete_asks_names_dependents_and_obeys_a_no() {
        let directory = tempfile::tempdir().expect("there is a place for temporary files");
        let place = directory.path().display().to_string();
        let ask = |words: &[&str], answer| {
            run_asked(&[words, &["--dir", &place]].concat(), &mut Vec::new(), Some(answer))
        };
        for words in [&["create", "One"][..], &["create", "Two", "--depends-on", "1"]] {
            assert_eq!(ask(words, ""), (0, String::new()));
        }
        let question = "TASK-002 depends on TASK-001\nDelete TASK-001 'One' for good? [y/N] ";
        let refused = (1, format!("{question}Nothing was deleted\n"));
        assert_eq!(ask(&["delete", "1"], "n\n"), refused);
        let warning = "warning: TASK-002 still refers to TASK-001\n";
        assert_eq!(ask(&["delete", "1"], "y\n"), (0, format!("{question}{warning}")));
        assert_eq!(
            ask(&["delete", "2"], "y\n"),
            (0, "Delete TASK-002 'Two' for good? [y/N] ".to_owned())
        );
    }

    #[test]
    fn a_failed_output_reports_the_action_as_done() {
        let directory = tempfile::tempdir().expect("there is a place for temporary files");
        let place = directory.path().display().to_string();
        for (words, done) in [
            (&["init", "-f"][..], format!("{} was set up", place.trim_start_matches('/'))),
            (&["create", "One"], "TASK-001 was created".to_owned()),
            (&["claim", "--as", "ada"], "TASK-001 was claimed by ada".to_owned()),
            (&["release", "1"], "TASK-001 was released".to_owned()),
            (&["edit", "1", "-s", "done"], "TASK-001 was updated".to_owned()),
            (&["archive", "1"], "TASK-001 was archived".to_owned()),
            (&["delete", "1", "-f"], "TASK-001 was deleted".to_owned()),
        ] {
            let full = &mut FailingStream(io::ErrorKind::StorageFull);
            let (code, said) = run_with(&[words, &["--dir", &place]].concat(), full);
            let expected =
                format!("error: {done}, but cannot write to standard output: no storage space\n");
            assert_eq!((code, said), (1, expected));
        }
    }
}

#[cfg(test)]
mod from_here_tests {
    use super::*;

    #[test]
    fn paths_in_messages_are_relative_to_the_current_directory() {
        let here = Path::new("/home/ada/shop");
        for (message, expected) in [
            ("/home/ada/shop/forge/tasks/a.md is broken", "forge/tasks/a.md is broken"),
            ("cannot read /home/ada/shop/x: no", "cannot read x: no"),
            ("at `/home/ada/shop/x`", "at `x`"),
            ("cannot read /backup/home/ada/shop/x", "cannot read /backup/home/ada/shop/x"),
            ("from `/home/ada/shop` up", "from `/home/ada/shop` up"),
            ("/home/ada/shop/a and /home/ada/shop/b", "a and b"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(from_here(message, here), expected);
        }
        assert_eq!(from_here("cannot read /a/b", Path::new("/")), "cannot read /a/b");
    }
}
