//! Wrong use of the command line, reported in one line.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;

use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, ArgAction, Command};
use typeset::clap_error;

use crate::cli::args::NAME;
use crate::cli::argument_kind::{
    self, ArgumentKind, find_long, find_short, option_of, read_argument,
};
use crate::words;

/// Finds a word that the parser would misread; returns the message.
pub(crate) fn misread(command: &Command, arguments: &[OsString]) -> Option<String> {
    argument_kind::misread(command, &typed(arguments))
}

/// The message for wrong use, in one line, with a remedy or a reference to the help.
pub(crate) fn message(error: &clap::Error, command: &Command, arguments: &[OsString]) -> String {
    let words = typed(arguments);
    let verb = words.iter().find_map(|word| command.find_subcommand(word));
    let verb_name = verb.map(Command::get_name);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let argument = clap_error::text(error, ContextKind::InvalidArg).unwrap_or_default();
            unexpected(verb, &words, &argument)
        }
        ErrorKind::InvalidSubcommand => {
            let word = clap_error::text(error, ContextKind::InvalidSubcommand).unwrap_or_default();
            unknown_verb(command, &word)
        }
        // The errors of values describe what is expected.
        ErrorKind::ValueValidation => match error.source() {
            Some(source) => source.to_string(),
            None => clap_error::sentence(error),
        },
        _ => see_help(&what_is_wrong(error, verb_name), verb_name),
    }
}

/// The arguments after the name of the program. The parser refuses those that are not UTF-8.
fn typed(arguments: &[OsString]) -> Vec<String> {
    arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

fn what_is_wrong(error: &clap::Error, verb: Option<&str>) -> String {
    let argument =
        || clap_error::text(error, ContextKind::InvalidArg).map(|names| option_name(&names));
    match error.kind() {
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            "say what to do, such as `list` or `create`".to_owned()
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = clap_error::texts(error, ContextKind::InvalidArg);
            let missing: Vec<String> = missing.iter().map(|name| needed(name)).collect();
            format!("`{}` needs {}", program(verb), words::join_with_and(&missing))
        }
        ErrorKind::InvalidValue => invalid_value(error, &argument().unwrap_or_default()),
        ErrorKind::ArgumentConflict => {
            let one = argument().unwrap_or_default();
            match clap_error::text(error, ContextKind::PriorArg).map(|names| option_name(&names)) {
                Some(other) if other != one => format!("`{one}` does not go with `{other}`"),
                _ => format!("`{one}` is given twice"),
            }
        }
        ErrorKind::InvalidUtf8 => "an argument is not UTF-8 text".to_owned(),
        _ => clap_error::sentence(error),
    }
}

fn see_help(what: &str, verb: Option<&str>) -> String {
    format!("{what}; see `{} --help`", program(verb))
}

fn did_you_mean(what: &str, meant: &[impl AsRef<str>]) -> Option<String> {
    let quoted: Vec<String> = meant.iter().map(|meant| format!("`{}`", meant.as_ref())).collect();
    (!quoted.is_empty()).then(|| format!("{what}; did you mean {}?", words::join_with_or(&quoted)))
}

fn program(verb: Option<&str>) -> String {
    verb.map_or_else(|| NAME.to_owned(), |verb| format!("{NAME} {verb}"))
}

fn invalid_value(error: &clap::Error, option: &str) -> String {
    let value = clap_error::text(error, ContextKind::InvalidValue).unwrap_or_default();
    let known = clap_error::texts(error, ContextKind::ValidValue);
    match value.as_str() {
        "" => format!("`{option}` lacks its value"),
        value if known.is_empty() => format!("`{value}` is not a value of `{option}`"),
        value => {
            format!(
                "`{value}` is not a value of `{option}`; there are {}",
                words::join_with_and(&known)
            )
        }
    }
}

/// The option without its value: `--status` of `--status <STATUS>`.
fn option_name(shown: &str) -> String {
    let mut words = shown.split(' ');
    match (words.next(), words.next()) {
        (Some(option), Some(value)) if option.starts_with('-') && value.starts_with('<') => {
            option.to_owned()
        }
        _ => shown.trim_matches(['<', '>', '[', ']', '.']).to_owned(),
    }
}

/// The name of a missing argument: `TITLE` of `<TITLE>`.
fn needed(shown: &str) -> String {
    let name = shown.trim_end_matches("...").trim_matches(['<', '>', '|']);
    let article = if name.starts_with(['A', 'E', 'I', 'O']) { "an" } else { "a" };
    format!("{article} {name}")
}

/// The message for a surplus word.
pub(crate) fn unexpected(verb: Option<&Command>, words: &[String], word: &str) -> String {
    let what = format!("unexpected argument `{word}`");
    let Some(verb) = verb else { return see_help(&what, None) };
    let at = words.iter().rposition(|typed| typed == word).unwrap_or_default();
    let before: Vec<&str> = words[..at].iter().map(String::as_str).collect();
    if word.starts_with('-') && before.contains(&"--") {
        return format!("{what}; options stand before `--`");
    }
    // The option with its value that stands before the word.
    let last = before.last().copied().unwrap_or_default();
    let option = before.len().checked_sub(2).map(|at| read_argument(verb, before[at]));
    let behind = match (option, read_argument(verb, last)) {
        (Some(ArgumentKind::NeedsValue(option)), _) => Some((option, last)),
        (_, ArgumentKind::Option(option)) => last.split_once('=').map(|(_, value)| (option, value)),
        _ => None,
    };
    match behind {
        Some((option, value)) if matches!(option.get_action(), ArgAction::Append) => {
            let long = option.get_long().unwrap_or_default();
            // Texts may have commas in them.
            if option.is_allow_hyphen_values_set() {
                format!("{what}; a text of several words needs quotes, and several `--{long}` each")
            } else {
                format!("{what}; for several, write `--{long} {value},{word}` or repeat `--{long}`")
            }
        }
        _ if verb.get_arguments().any(Arg::is_allow_hyphen_values_set) => {
            format!("{what}; a text of several words needs quotes")
        }
        _ => see_help(&what, Some(verb.get_name())),
    }
}

/// Verbs with much the same options. An option that a verb lacks is looked for in its sister first.
const SISTERS: [[&str; 2]; 2] = [["create", "edit"], ["list", "search"]];

/// The message for an option that a verb, or the program itself, does not have.
pub(crate) fn unknown_option(root: &Command, verb: Option<&Command>, word: &str) -> String {
    let name = option_of(word);
    let what = format!("unknown option `{name}`");
    let Some(verb) = verb else { return before_the_verb(root, &what, name) };
    if let Some(argument) = positional(verb, name) {
        let program = program(Some(verb.get_name()));
        return format!("{what}; {argument} stands without one: `{program} {argument}`");
    }
    others_have_it(root, verb, name)
        .map(|others| format!("{what}; {others}"))
        .or_else(|| did_you_mean(&what, &similar_options(verb, name)))
        .unwrap_or_else(|| see_help(&what, Some(verb.get_name())))
}

/// The argument without an option that has the name of an option: `TITLE` for `--title`.
fn positional<'a>(verb: &'a Command, name: &str) -> Option<&'a str> {
    let wanted = name.strip_prefix("--")?.to_uppercase();
    let mut names =
        verb.get_positionals().filter_map(|argument| argument.get_value_names()?.first());
    names.find(|name| name.as_str() == wanted).map(clap::builder::Str::as_str)
}

fn before_the_verb(root: &Command, what: &str, name: &str) -> String {
    if root.get_subcommands().any(|verb| has(verb, name)) {
        return format!("{what} before the command; the options of a command stand behind it");
    }
    did_you_mean(what, &similar_options(root, name)).unwrap_or_else(|| see_help(what, None))
}

/// Which other verbs have this very option.
fn others_have_it(root: &Command, verb: &Command, name: &str) -> Option<String> {
    let verbs = root.get_subcommands().filter(|other| has(other, name)).map(Command::get_name);
    let verbs: Vec<&str> = verbs.filter(|other| *other != "help").collect();
    let pair = SISTERS.iter().find(|pair| pair.contains(&verb.get_name()));
    let sister = pair.and_then(|pair| verbs.iter().find(|other| pair.contains(other)));
    match (sister, &verbs[..]) {
        (_, []) => None,
        (_, [only]) => Some(format!("only `{only}` has it")),
        (Some(sister), _) => Some(format!("`{sister}` has it")),
        (None, several) => {
            let several: Vec<String> = several.iter().map(|verb| format!("`{verb}`")).collect();
            Some(format!("{} have it", words::join_with_and(&several)))
        }
    }
}

/// Whether a verb has an option.
fn has(verb: &Command, name: &str) -> bool {
    match (name.strip_prefix("--"), name.strip_prefix('-')) {
        (Some(long), _) => find_long(verb, long).is_some(),
        (None, Some(short)) => {
            short.chars().next().is_some_and(|it| find_short(verb, it).is_some())
        }
        (None, None) => false,
    }
}

/// The options that are a typo away.
fn similar_options(verb: &Command, name: &str) -> Vec<String> {
    let Some(typed) = name.strip_prefix("--") else { return Vec::new() };
    let found = near(typed, verb.get_arguments().filter_map(Arg::get_long));
    found.into_iter().map(|long| format!("--{long}")).collect()
}

/// Commands that other programs have as verbs and ours as options of a verb.
const ELSEWHERE: &[(&[&str], &[&str])] = &[
    (&["ready", "todo", "available"], &["list --ready"]),
    (&["blocked", "waiting"], &["list --blocked"]),
    (&["all", "tasks"], &["list", "list --all"]),
    (&["done", "close", "finish", "complete", "resolve"], &["edit ID -s done"]),
    (&["block"], &["edit ID -s blocked"]),
    (&["reopen", "open"], &["edit ID -s todo"]),
    (&["assign"], &["edit ID -a NAME"]),
    (&["note", "comment", "notes", "log"], &["edit ID --append-notes TEXT"]),
    (&["label", "tag"], &["edit ID --add-label LABEL"]),
    (&["depend", "dep", "link", "depends-on"], &["edit ID --add-dep ID"]),
    (&["rename"], &["edit ID -t TEXT"]),
    (&["status", "stats", "summary"], &["board", "list"]),
    (&["fix", "repair"], &["check --fix"]),
    (&["clean", "cleanup", "prune"], &["archive --done"]),
    (&["version"], &["--version"]),
];

/// The message for a verb that does not exist.
pub(crate) fn unknown_verb(command: &Command, word: &str) -> String {
    let what = format!("there is no command `{word}`");
    let lower = word.to_lowercase();
    let elsewhere = ELSEWHERE.iter().find(|(words, _)| words.contains(&lower.as_str()));
    let meant = match elsewhere {
        Some((_, here)) => here.to_vec(),
        None => similar_verbs(command, &lower),
    };
    did_you_mean(&what, &meant).unwrap_or_else(|| see_help(&what, None))
}

/// The verbs that are a typo away; their own names before their aliases.
fn similar_verbs<'a>(command: &'a Command, word: &str) -> Vec<&'a str> {
    match near(word, command.get_subcommands().map(Command::get_name)) {
        none if none.is_empty() => {
            near(word, command.get_subcommands().flat_map(Command::get_visible_aliases))
        }
        found => found,
    }
}

/// The known words that are a typo away, and nearer than the others.
pub(crate) fn near<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let typed = typed.to_lowercase();
    let max_distance = if typed.chars().count() < 6 { 1 } else { 2 };
    let mut by_distance: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for word in known {
        let distance = strsim::damerau_levenshtein(&typed, &word.to_lowercase());
        by_distance.entry(distance).or_default().push(word);
    }
    let nearest = by_distance.pop_first().filter(|(distance, _)| *distance <= max_distance);
    nearest.map(|(_, words)| words).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args;

    fn root() -> Command {
        let mut root = args::command("1.2.3");
        root.build();
        root
    }

    fn said(verb: &str, word: &str) -> String {
        let root = root();
        unknown_option(&root, root.find_subcommand(verb), word)
    }

    #[test]
    fn an_option_of_another_verb_names_that_verb() {
        for (verb, word, expected) in [
            ("create", "--plan", "only `edit` has it"),
            ("create", "--notes", "only `edit` has it"),
            ("create", "--status", "`edit` has it"),
            ("create", "-s", "`edit` has it"),
            ("search", "--ready", "only `list` has it"),
            ("search", "--assignee", "`list` has it"),
            ("list", "--limit", "only `search` has it"),
            ("view", "--status", "`list`, `edit` and `search` have it"),
            ("create", "--title", "TITLE stands without one: `forge-tasks create TITLE`"),
            ("view", "--id=1", "ID stands without one: `forge-tasks view ID`"),
        ] {
            let name = option_of(word);
            assert_eq!(said(verb, word), format!("unknown option `{name}`; {expected}"));
        }
        let root = root();
        let expected =
            "unknown option `-s` before the command; the options of a command stand behind it";
        assert_eq!(unknown_option(&root, None, "-s"), expected);
    }

    #[test]
    fn a_misspelled_option_gets_suggestions_and_others_name_the_help() {
        for (verb, word, expected) in [
            ("create", "--prioritty", "did you mean `--priority`?"),
            ("list", "--reddy", "did you mean `--ready`?"),
            ("edit", "--titel", "did you mean `--title`?"),
            ("edit", "--plaan", "did you mean `--plan` or `--plain`?"),
            ("edit", "--foo", "see `forge-tasks edit --help`"),
            ("list", "--foo", "see `forge-tasks list --help`"),
            ("edit", "-z", "see `forge-tasks edit --help`"),
            ("board", "--width", "see `forge-tasks board --help`"),
        ] {
            assert_eq!(said(verb, word), format!("unknown option `{word}`; {expected}"));
        }
    }
}

#[cfg(test)]
mod verb_tests {
    use std::ffi::OsString;

    use super::*;
    use crate::cli::args;
    use crate::cli::dispatch::ParseRefusal;
    use crate::cli::dispatch::parse;

    #[test]
    fn verbs_of_other_programs_suggest_ours() {
        let command = args::command("1.2.3");
        for (words, here) in ELSEWHERE {
            for word in *words {
                assert!(command.find_subcommand(word).is_none(), "{word}");
                let said = unknown_verb(&command, word);
                assert!(said.ends_with('?') && said.contains(&format!("`{}`", here[0])), "{said}");
            }
        }
    }

    #[test]
    fn suggested_command_lines_are_valid() {
        for line in ELSEWHERE.iter().flat_map(|(_, here)| *here) {
            let line = line.replace("ID", "1");
            let typed = ["forge-tasks"].into_iter().chain(line.split(' '));
            let arguments: Vec<OsString> = typed.map(OsString::from).collect();
            match parse(&arguments, "1.2.3") {
                Ok(_) | Err(ParseRefusal::Answer(_)) => {}
                Err(ParseRefusal::Wrong(message) | ParseRefusal::WrongMerge(message)) => {
                    assert!(message.contains(" needs a"), "{message}");
                }
            }
        }
    }

    #[test]
    fn a_misspelled_verb_gets_a_suggestion_and_an_unknown_one_none() {
        let said = |word: &str| unknown_verb(&args::command("1.2.3"), word);
        assert_eq!(said("lst"), "there is no command `lst`; did you mean `list`?");
        assert_eq!(said("veiw"), "there is no command `veiw`; did you mean `view`?");
        assert_eq!(said("Serach"), "there is no command `Serach`; did you mean `search`?");
        assert_eq!(
            said("frobnicate"),
            "there is no command `frobnicate`; see `forge-tasks --help`"
        );
    }
}

#[cfg(test)]
mod near_tests {
    use super::*;

    #[test]
    fn only_similar_words_are_near() {
        let known = ["plan", "plain", "priority", "due", "status", "color"];
        for (typed, expected) in [
            ("paln", &["plan"][..]),
            ("Plains", &["plain"]),
            ("plaan", &["plan", "plain"]),
            ("pirorty", &["priority"]),
            ("statsu", &["status"]),
            ("dep", &[]),
            ("foo", &[]),
            ("colr", &["color"]),
            ("clr", &[]),
        ] {
            assert_eq!(near(typed, known), expected, "{typed}");
        }
    }
}
