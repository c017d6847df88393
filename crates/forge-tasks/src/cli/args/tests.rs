//! The parser, option by option.

mod aliases;
mod mistakes;
mod verbs;

use std::ffi::OsString;

use clap::ArgAction;

use super::TasksCli;
use crate::cli::dispatch::{ParseRefusal, parse};

/// A command line with these words after the name of the program.
fn typed(words: &[&str]) -> Vec<OsString> {
    ["forge-tasks"].iter().chain(words).map(OsString::from).collect()
}

/// Parses a valid command line.
fn read(words: &[&str]) -> TasksCli {
    parse(&typed(words), "1.2.3").unwrap_or_else(|refusal| panic!("{words:?}: {refusal:?}"))
}

/// The refusal of an invalid command line.
fn refusal(words: &[&str]) -> ParseRefusal {
    match parse(&typed(words), "1.2.3") {
        Ok(cli) => panic!("{words:?} is read as {cli:?}"),
        Err(refusal) => refusal,
    }
}

/// The error message of an invalid command line.
fn mistake(words: &[&str]) -> String {
    match refusal(words) {
        ParseRefusal::Wrong(message) | ParseRefusal::WrongMerge(message) => message,
        ParseRefusal::Answer(text) => panic!("{words:?} prints {text}"),
    }
}

#[test]
fn the_definition_of_the_parser_is_sound() {
    super::command("1.2.3").debug_assert();
}

#[test]
fn every_flag_can_be_repeated() {
    let mut command = super::command("1.2.3");
    command.build();
    for verb in command.get_subcommands() {
        for flag in
            verb.get_arguments().filter(|arg| matches!(arg.get_action(), ArgAction::SetTrue))
        {
            let long = format!("--{}", flag.get_long().expect("every flag has a name"));
            if let Err(ParseRefusal::Wrong(message)) =
                parse(&typed(&[verb.get_name(), &long, &long]), "1.2.3")
            {
                assert!(!message.contains("twice"), "{message}");
            }
        }
    }
}

#[test]
fn help_and_version_are_answers_and_no_mistakes() {
    let ParseRefusal::Answer(version) = refusal(&["--version"]) else { panic!("it is wrong use") };
    assert_eq!(version, "forge-tasks 1.2.3\n");
    for words in [&["--help"][..], &["-h"], &["help"], &["edit", "--help"], &["help", "edit"]] {
        let ParseRefusal::Answer(help) = refusal(words) else { panic!("{words:?} is wrong use") };
        assert!(help.contains("--json"), "{help}");
    }
    let ParseRefusal::Answer(help) = refusal(&["--help"]) else { panic!("it is wrong use") };
    assert!(help.contains("Examples:") && help.contains("Exit codes:"), "{help}");
}
