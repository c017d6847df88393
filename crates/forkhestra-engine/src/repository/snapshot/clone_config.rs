//! The settings that a clone copies from the repository of the agents: the committer identity, the
//! remotes, and the rules for line ends. None of them names a command.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use crate::repository::GitSession;
use crate::repository::git_program::GitError;
use crate::repository::git_program::config_overrides::KeyParts;
use crate::repository::git_program::config_text::{absolute_address, add_entry, entries};

/// Settings without a name between section and variable.
const PLAIN: [(&str, &[&str]); 5] = [
    ("core", &["autocrlf", "eol", "ignorecase", "precomposeunicode", "symlinks"]),
    ("commit", &["gpgsign"]),
    ("gpg", &["format"]),
    ("pull", &["rebase", "ff"]),
    ("push", &["default", "autosetupremote", "followtags"]),
];

/// Settings with a name between section and variable.
const NAMED: [(&str, &[&str]); 3] = [
    ("remote", &["url", "pushurl", "fetch", "tagopt"]),
    ("branch", &["remote", "merge", "pushremote", "rebase"]),
    ("url", &["insteadof", "pushinsteadof"]),
];

/// Settings of the committer identity, wherever they are set: a file that is included for a directory does not
/// hold for the clone.
const IDENTITY: [(&str, &[&str]); 3] = [
    ("user", &["name", "email", "signingkey"]),
    ("author", &["name", "email"]),
    ("committer", &["name", "email"]),
];

/// The text for the config file of a clone.
pub(super) fn read(session: &GitSession<'_>) -> Result<Vec<u8>, GitError> {
    let list = |scope: &str| session.require(&["config", scope, "--list", "-z"].map(OsStr::new));
    let mut text = identity(&list("--includes")?);
    text.extend(copied(&list("--local")?, &session.repository.top));
    Ok(text)
}

/// The settings of the committer identity. The last value of a key is in effect.
fn identity(listed: &[u8]) -> Vec<u8> {
    let found = entries(listed).filter(|(_, parts, _)| is_listed(*parts, &IDENTITY));
    let found: BTreeMap<&[u8], (KeyParts<'_>, &[u8])> =
        found.map(|(key, parts, value)| (key, (parts, value))).collect();
    let mut text = Vec::new();
    found.into_values().for_each(|(parts, value)| add_entry(&mut text, parts, value));
    text
}

fn copied(listed: &[u8], top: &Path) -> Vec<u8> {
    let mut text = Vec::new();
    for (_, parts, value) in entries(listed).filter(|(_, parts, value)| is_copied(*parts, value)) {
        let value = match parts {
            (b"remote", _, b"url" | b"pushurl") => absolute_address(value, top),
            _ => Cow::Borrowed(value),
        };
        add_entry(&mut text, parts, &value);
    }
    text
}

fn is_copied(parts: KeyParts<'_>, value: &[u8]) -> bool {
    let table: &[(&str, &[&str])] = if parts.1.is_some() { &NAMED } else { &PLAIN };
    // An address with two colons names a program.
    let names_program = |text: &[u8]| text.windows(2).any(|pair| pair == b"::");
    is_listed(parts, table) && !names_program(value) && !names_program(parts.1.unwrap_or_default())
}

fn is_listed((section, _, variable): KeyParts<'_>, table: &[(&str, &[&str])]) -> bool {
    table.iter().any(|(known, variables)| {
        known.as_bytes() == section && variables.iter().any(|known| known.as_bytes() == variable)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_setting_that_names_a_command_is_copied() {
        let listed = b"core.hookspath\n/evil\0core.fsmonitor\n/evil\0core.sshcommand\nevil\0\
            filter.x.smudge\nevil\0alias.log\n!evil\0remote.o.url\next::sh -c evil\0\
            remote.o.uploadpack\nevil\0credential.helper\n!evil\0core.worktree\n/home\0\
            gpg.program\nevil\0url.ext::evil.insteadof\nhttps:\0include.path\n/evil\0core.bare\0";
        assert_eq!(String::from_utf8_lossy(&copied(listed, Path::new("/"))), "");
    }

    #[test]
    fn the_committer_identity_and_the_remotes_are_copied() {
        let listed = b"user.name\nA \"b\"\0remote.or.i.url\nhttps://x/a\\b\0\
            remote.or.i.fetch\n+refs/heads/*:refs/remotes/or.i/*\0branch.main.merge\nrefs/heads/main\0";
        let expected = "[remote \"or.i\"]\n\turl = \"https://x/a\\\\b\"\n\
            [remote \"or.i\"]\n\tfetch = \"+refs/heads/*:refs/remotes/or.i/*\"\n\
            [branch \"main\"]\n\tmerge = \"refs/heads/main\"\n";
        assert_eq!(String::from_utf8_lossy(&copied(listed, Path::new("/work"))), expected);
        let expected = "[user]\n\tname = \"A \\\"b\\\"\"\n";
        assert_eq!(String::from_utf8_lossy(&identity(listed)), expected);
        let listed = b"user.name\nA\0user.email\na@b\0user.name\nB\0";
        let expected = "[user]\n\temail = \"a@b\"\n[user]\n\tname = \"B\"\n";
        assert_eq!(String::from_utf8_lossy(&identity(listed)), expected);
    }
}
