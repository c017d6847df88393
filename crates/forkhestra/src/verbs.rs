//! The verbs of `forkhestra`: which words are verbs, and which verb a word was probably meant to be.

use std::ffi::OsStr;

use forkhestra_core::words;

/// Every verb with its other names, in the order of the alphabet. Known without the command line, whose
/// options take time to put together.
const VERBS: [&str; 30] = [
    "attach",
    "complete-line",
    "completions",
    "continue",
    "demo",
    "doctor",
    "events",
    "help",
    "init",
    "list",
    "log",
    "logs",
    "ls",
    "man",
    "pause",
    "plan",
    "play-recording",
    "ps",
    "resume",
    "run",
    "runs",
    "schema",
    "set",
    "show",
    "show-agent",
    "skip",
    "status",
    "stop",
    "tell",
    "watch",
];

/// Verbs that programs call, never people.
const HIDDEN: [&str; 2] = ["complete-line", "play-recording"];

/// Words of other programs, and the verb that does the same here.
const OTHER_WORDS: [(&str, &str); 14] = [
    ("abort", "stop"),
    ("cancel", "stop"),
    ("exec", "run"),
    ("follow", "watch"),
    ("history", "runs"),
    ("jobs", "runs"),
    ("kill", "stop"),
    ("new", "init"),
    ("restart", "resume"),
    ("start", "run"),
    ("tail", "logs"),
    ("top", "watch"),
    ("unpause", "continue"),
    ("version", "--version"),
];

/// Whether a word is a verb.
pub(crate) fn is_verb(word: &OsStr) -> bool {
    VERBS.iter().any(|verb| word == *verb)
}

/// The verb that does here what a word of other programs does there.
pub(crate) fn of_other_programs(word: &str) -> Option<&'static str> {
    OTHER_WORDS.into_iter().find(|(other, _)| *other == word).map(|(_, verb)| verb)
}

/// All verbs that people type. They live as long as whatever they are put beside.
pub(crate) fn typed_verbs<'a>() -> impl Iterator<Item = &'a str> {
    VERBS.into_iter().filter(|verb| !HIDDEN.contains(verb))
}

/// The verb that a word was probably meant to be.
pub(crate) fn meant(word: &str) -> Option<&'static str> {
    of_other_programs(word).or_else(|| words::nearest(word, typed_verbs()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::program::Program;

    #[test]
    fn the_verbs_are_those_of_the_command_line() {
        let command = Program::Forkhestra.command();
        let of_command = command.get_subcommands().flat_map(|verb| {
            std::iter::once(verb.get_name().to_owned())
                .chain(verb.get_all_aliases().map(str::to_owned))
        });
        let of_command: BTreeSet<String> = of_command.chain(["help".to_owned()]).collect();
        assert_eq!(BTreeSet::from(VERBS.map(str::to_owned)), of_command);
    }

    #[test]
    fn words_of_other_programs_are_no_verbs_and_mean_verbs() {
        for (word, verb) in OTHER_WORDS {
            assert!(!is_verb(OsStr::new(word)), "{word}");
            assert!(is_verb(OsStr::new(verb)) || verb.starts_with("--"), "{verb}");
        }
    }

    #[test]
    fn a_verb_is_suggested_for_what_is_near_it_or_means_the_same() {
        for (word, expected) in [
            ("kill", Some("stop")),
            ("start", Some("run")),
            ("stat", Some("status")),
            ("shwo", Some("show")),
            ("resum", Some("resume")),
            ("my-agent", None),
            ("complete-lin", Some("completions")),
        ] {
            assert_eq!(meant(word), expected, "{word}");
        }
    }
}
