//! Verbs that do not exist.

use clap::Command;

use super::near::near;
use super::{did_you_mean, see_help};

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
pub(super) fn unknown(command: &Command, word: &str) -> String {
    let what = format!("there is no command `{word}`");
    let lower = word.to_lowercase();
    let elsewhere = ELSEWHERE.iter().find(|(words, _)| words.contains(&lower.as_str()));
    let meant = match elsewhere {
        Some((_, here)) => here.to_vec(),
        None => slips(command, &lower),
    };
    did_you_mean(&what, &meant).unwrap_or_else(|| see_help(&what, None))
}

/// The verbs that are a typo away; their own names before their aliases.
fn slips<'a>(command: &'a Command, word: &str) -> Vec<&'a str> {
    match near(word, command.get_subcommands().map(Command::get_name)) {
        none if none.is_empty() => {
            near(word, command.get_subcommands().flat_map(Command::get_visible_aliases))
        }
        found => found,
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::cli::args;
    use crate::cli::dispatch::{ParseRefusal, parse};

    #[test]
    fn what_other_programs_call_it_is_no_verb_of_ours_and_leads_to_one() {
        let command = args::command("1.2.3");
        for (words, here) in ELSEWHERE {
            for word in *words {
                assert!(command.find_subcommand(word).is_none(), "{word}");
                let said = unknown(&command, word);
                assert!(said.ends_with('?') && said.contains(&format!("`{}`", here[0])), "{said}");
            }
        }
    }

    #[test]
    fn what_is_suggested_can_be_typed() {
        for line in ELSEWHERE.iter().flat_map(|(_, here)| *here) {
            let line = line.replace("ID", "1");
            let typed = ["forge-tasks"].into_iter().chain(line.split(' '));
            let arguments: Vec<OsString> = typed.map(OsString::from).collect();
            match parse(&arguments, "1.2.3") {
                Ok(_) | Err(ParseRefusal::Answer(_)) => {}
                Err(ParseRefusal::Wrong(message)) => {
                    assert!(message.contains(" needs a"), "{message}");
                }
            }
        }
    }

    #[test]
    fn a_slip_finds_the_verb_and_nonsense_finds_none() {
        let said = |word: &str| unknown(&args::command("1.2.3"), word);
        assert_eq!(said("lst"), "there is no command `lst`; did you mean `list`?");
        assert_eq!(said("veiw"), "there is no command `veiw`; did you mean `view`?");
        assert_eq!(said("Serach"), "there is no command `Serach`; did you mean `search`?");
        assert_eq!(
            said("frobnicate"),
            "there is no command `frobnicate`; see `forge-tasks --help`"
        );
    }
}
