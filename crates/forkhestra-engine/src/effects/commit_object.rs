//! The text of a commit object: header lines, an empty line, and the message.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// The parts of a commit object that a replay uses.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommitObject<'a> {
    pub(super) tree: String,
    pub(super) parents: Vec<String>,
    author: CommitIdentity<'a>,
    committer: CommitIdentity<'a>,
    pub(super) message: &'a [u8],
}

/// Author or committer with date.
#[derive(Debug, PartialEq, Eq)]
struct CommitIdentity<'a> {
    name: &'a [u8],
    email: &'a [u8],
    date: &'a [u8],
}

impl<'a> CommitObject<'a> {
    /// Parses a commit object. Returns `None` if a part is missing.
    pub(super) fn parse(object: &'a [u8]) -> Option<Self> {
        let end = object.windows(2).position(|pair| pair == b"\n\n")?;
        let (header, message) = (&object[..end], &object[end + 2..]);
        let values = |key: &'static [u8]| {
            header.split(|byte| *byte == b'\n').filter_map(move |line| line.strip_prefix(key))
        };
        let id = |value: &[u8]| {
            let id = std::str::from_utf8(value).ok()?;
            let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_id.then(|| id.to_owned())
        };
        Some(Self {
            tree: id(values(b"tree ").next()?)?,
            parents: values(b"parent ").map(id).collect::<Option<_>>()?,
            author: CommitIdentity::parse(values(b"author ").next()?)?,
            committer: CommitIdentity::parse(values(b"committer ").next()?)?,
            message,
        })
    }

    /// The first line of the message.
    pub(super) fn subject(&self) -> String {
        let text = String::from_utf8_lossy(self.message);
        text.lines().next().unwrap_or_default().replace(char::is_control, "\u{fffd}")
    }

    /// The environment in which `git commit-tree` makes a commit with the same author, committer and
    /// dates.
    pub(super) fn variables(&self) -> Vec<(&'static str, OsString)> {
        let value = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
        let date = |date: &[u8]| value(&[b"@", date].concat());
        vec![
            ("GIT_AUTHOR_NAME", value(self.author.name)),
            ("GIT_AUTHOR_EMAIL", value(self.author.email)),
            ("GIT_AUTHOR_DATE", date(self.author.date)),
            ("GIT_COMMITTER_NAME", value(self.committer.name)),
            ("GIT_COMMITTER_EMAIL", value(self.committer.email)),
            ("GIT_COMMITTER_DATE", date(self.committer.date)),
        ]
    }
}

impl<'a> CommitIdentity<'a> {
    /// Parses `Name <email> 1700000000 +0100`.
    fn parse(value: &'a [u8]) -> Option<Self> {
        let open = value.iter().position(|byte| *byte == b'<')?;
        let close = value.iter().rposition(|byte| *byte == b'>').filter(|close| *close > open)?;
        let date = value[close + 1..].trim_ascii();
        Some(Self { name: value[..open].trim_ascii(), email: &value[open + 1..close], date })
    }
}

/// Parses bytes as a commit object, for the fuzz targets.
pub(crate) fn parse_any_commit(object: &[u8]) {
    if let Some(commit) = CommitObject::parse(object) {
        assert!(!commit.subject().contains(char::is_control), "a subject is one line");
        commit.variables();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signed_merge_is_parsed() {
        let object = b"tree aa\nparent bb\nparent cc\nauthor A B <a@b> 1 +0100\n\
            committer C <c@d> 2 -0230\ngpgsig -----BEGIN\n \n x\n -----END\n\nSubject \xe9\n\nparent dd\n";
        let commit = CommitObject::parse(object).expect("it is a commit");
        assert_eq!((commit.tree.as_str(), commit.subject().as_str()), ("aa", "Subject \u{fffd}"));
        assert_eq!(commit.parents, ["bb", "cc"]);
        assert_eq!(commit.message, b"Subject \xe9\n\nparent dd\n");
        let variables: Vec<String> =
            commit.variables().iter().map(|(_, value)| value.to_string_lossy().into()).collect();
        assert_eq!(variables, ["A B", "a@b", "@1 +0100", "C", "c@d", "@2 -0230"]);
    }

    #[test]
    fn other_texts_are_refused() {
        let identities = "author A <a> 1 +0\ncommitter A <a> 1 +0\n\n";
        for header in ["", "parent aa\n", "tree \n", "tree x y\n"] {
            let object = format!("{header}{identities}");
            assert_eq!(CommitObject::parse(object.as_bytes()), None, "{object:?}");
        }
        for object in [&b""[..], b"\n\n", b"tree aa\n\n", b"tree aa\nauthor A\ncommitter A\n\n"] {
            assert_eq!(CommitObject::parse(object), None, "{object:?}");
        }
    }
}
