//! The settings that a clone copies from the repository of the agents: the committer identity, the
//! remotes, and the rules for line ends. None of them names a command.

use std::ffi::OsStr;

use crate::repository::config_overrides::{KeyParts, key_parts};
use crate::repository::git_program::GitError;
use crate::repository::{GitSession, names};

/// Settings without a name between section and variable.
const PLAIN: [(&str, &[&str]); 8] = [
    ("user", &["name", "email", "signingkey"]),
    ("author", &["name", "email"]),
    ("committer", &["name", "email"]),
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

/// The text for the config file of a clone.
pub(super) fn read(session: &GitSession<'_>) -> Result<Vec<u8>, GitError> {
    let listed = session.require(&["config", "--local", "--list", "-z"].map(OsStr::new))?;
    Ok(copied(&listed))
}

/// Parses entries of git: the key, a line break and the value.
fn copied(listed: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for entry in names(listed) {
        let Some(end) = entry.iter().position(|byte| *byte == b'\n') else { continue };
        let (key, value) = (&entry[..end], &entry[end + 1..]);
        if let Some(parts) = key_parts(key).filter(|parts| is_copied(*parts, value)) {
            add_entry(&mut text, parts, value);
        }
    }
    text
}

fn is_copied((section, name, variable): KeyParts<'_>, value: &[u8]) -> bool {
    let table: &[(&str, &[&str])] = if name.is_some() { &NAMED } else { &PLAIN };
    let is_listed = table.iter().any(|(known, variables)| {
        known.as_bytes() == section && variables.iter().any(|known| known.as_bytes() == variable)
    });
    // An address with two colons names a program.
    let names_program = |text: &[u8]| text.windows(2).any(|pair| pair == b"::");
    is_listed && !names_program(value) && !names_program(name.unwrap_or_default())
}

fn add_entry(text: &mut Vec<u8>, (section, name, variable): KeyParts<'_>, value: &[u8]) {
    text.push(b'[');
    text.extend(section);
    if let Some(name) = name {
        text.extend(b" \"");
        quote(text, name);
        text.push(b'"');
    }
    text.extend(b"]\n\t");
    text.extend(variable);
    text.extend(b" = \"");
    quote(text, value);
    text.extend(b"\"\n");
}

fn quote(text: &mut Vec<u8>, part: &[u8]) {
    for byte in part {
        match byte {
            b'"' | b'\\' => text.extend([b'\\', *byte]),
            b'\n' => text.extend(b"\\n"),
            _ => text.push(*byte),
        }
    }
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
        assert_eq!(String::from_utf8_lossy(&copied(listed)), "");
    }

    #[test]
    fn the_committer_identity_and_the_remotes_are_copied() {
        let listed = b"user.name\nA \"b\"\0remote.or.i.url\nhttps://x/a\\b\0\
            remote.or.i.fetch\n+refs/heads/*:refs/remotes/or.i/*\0branch.main.merge\nrefs/heads/main\0";
        let expected = "[user]\n\tname = \"A \\\"b\\\"\"\n\
            [remote \"or.i\"]\n\turl = \"https://x/a\\\\b\"\n\
            [remote \"or.i\"]\n\tfetch = \"+refs/heads/*:refs/remotes/or.i/*\"\n\
            [branch \"main\"]\n\tmerge = \"refs/heads/main\"\n";
        assert_eq!(String::from_utf8_lossy(&copied(listed)), expected);
    }
}
