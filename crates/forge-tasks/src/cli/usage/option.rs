//! Options that a verb does not have.

use clap::{Arg, Command};

use super::near::near;
use super::word::{find_long, find_short, option_of};
use super::{did_you_mean, program, see_help};
use crate::words;

/// Verbs with much the same options. An option that a verb lacks is looked for in its sister first.
const SISTERS: [[&str; 2]; 2] = [["create", "edit"], ["list", "search"]];

/// The message for an option that a verb, or the program itself, does not have.
pub(super) fn unknown(root: &Command, verb: Option<&Command>, word: &str) -> String {
    let name = option_of(word);
    let what = format!("unknown option `{name}`");
    let Some(verb) = verb else { return before_the_verb(root, &what, name) };
    if let Some(argument) = positional(verb, name) {
        let program = program(Some(verb.get_name()));
        return format!("{what}; {argument} stands without one: `{program} {argument}`");
    }
    others_have_it(root, verb, name)
        .map(|others| format!("{what}; {others}"))
        .or_else(|| did_you_mean(&what, &slips(verb, name)))
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
    did_you_mean(what, &slips(root, name)).unwrap_or_else(|| see_help(what, None))
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
            Some(format!("{} have it", words::all_of(&several)))
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
fn slips(verb: &Command, name: &str) -> Vec<String> {
    let Some(typed) = name.strip_prefix("--") else { return Vec::new() };
    let found = near(typed, verb.get_arguments().filter_map(Arg::get_long));
    found.into_iter().map(|long| format!("--{long}")).collect()
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
        unknown(&root, root.find_subcommand(verb), word)
    }

    #[test]
    fn what_only_another_verb_has_is_told() {
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
        assert_eq!(unknown(&root, None, "-s"), expected);
    }

    #[test]
    fn a_slip_is_recognised_and_nothing_else_is() {
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
