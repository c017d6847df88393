//! The settings that are in effect in a repository, and those of them that a clone elsewhere lacks: its
//! own, and those that the user's settings have for its directory only.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use crate::repository::GitSession;
use crate::repository::git_program::GitError;
use crate::repository::git_program::config_overrides::{KeyParts, key_parts};
use crate::repository::git_program::config_text::{absolute_address, add_entry};

/// Settings that say where and how a repository is stored, or that start a process for one directory.
const OF_ONE_REPOSITORY: [&[u8]; 4] =
    [b"bare", b"fsmonitor", b"repositoryformatversion", b"worktree"];

/// The settings that are in effect in a repository.
#[derive(Debug, Default)]
pub(super) struct EffectiveConfig {
    /// The keys in the order in which git first names them.
    order: Vec<Vec<u8>>,
    values: BTreeMap<Vec<u8>, Vec<Vec<u8>>>,
}

impl EffectiveConfig {
    pub(super) fn read(session: &GitSession<'_>) -> Result<Self, GitError> {
        let args = ["config", "--list", "--includes", "--show-scope", "-z"];
        Ok(Self::parse(&session.require(&args)?))
    }

    /// Parses scopes and entries by turns: `local`, then the key, a line break and the value. Every
    /// process has the settings of the command line and of variables.
    fn parse(listed: &[u8]) -> Self {
        let mut config = Self::default();
        let mut parts = listed.split(|byte| *byte == 0);
        while let (Some(scope), Some(entry)) = (parts.next(), parts.next()) {
            if scope == b"command" {
                continue;
            }
            let end = entry.iter().position(|byte| *byte == b'\n');
            let key = &entry[..end.unwrap_or(entry.len())];
            // A key without a value is true.
            let value = end.map_or(&b"true"[..], |end| &entry[end + 1..]);
            if !config.values.contains_key(key) {
                config.order.push(key.to_vec());
            }
            config.values.entry(key.to_vec()).or_default().push(value.to_vec());
        }
        config
    }

    /// Whether refs are stored in tables and not in files.
    pub(super) fn has_reftable(&self) -> bool {
        let format = self.values.get(&b"extensions.refstorage"[..]).and_then(|all| all.last());
        format.is_some_and(|format| format.starts_with(b"reftable"))
    }

    /// Whether hooks are looked for in another directory than that of the repository.
    pub(super) fn has_hooks_path(&self) -> bool {
        self.values.contains_key(&b"core.hookspath"[..])
    }

    /// The text for the config file of a clone whose settings are these so far. Relative addresses of
    /// remotes start at the top directory.
    pub(super) fn missing_in(&self, clone: &Self, top: &Path) -> Vec<u8> {
        let mut text = Vec::new();
        for key in &self.order {
            let (Some(parts), Some(values)) = (key_parts(key), self.values.get(key)) else {
                continue;
            };
            if is_left_out(parts) {
                continue;
            }
            let known = clone.values.get(key).map(Vec::as_slice).unwrap_or_default();
            // The last value is in effect, or all of them in their order.
            for value in values.strip_prefix(known).unwrap_or(values) {
                add_entry(&mut text, parts, &address(parts, value, top));
            }
        }
        text
    }
}

fn address<'a>(parts: KeyParts<'_>, value: &'a [u8], top: &Path) -> Cow<'a, [u8]> {
    match parts {
        (b"remote", Some(_), b"url" | b"pushurl") => absolute_address(value, top),
        _ => Cow::Borrowed(value),
    }
}

fn is_left_out(parts: KeyParts<'_>) -> bool {
    match parts {
        (b"core", None, variable) => OF_ONE_REPOSITORY.contains(&variable),
        // A partial clone names the remote that has the missing objects.
        (b"extensions", None, variable) => variable != b"partialclone",
        // What they include is listed itself.
        (b"include" | b"includeif", ..) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(source: &[u8], clone: &[u8]) -> String {
        let (source, clone) = (EffectiveConfig::parse(source), EffectiveConfig::parse(clone));
        String::from_utf8_lossy(&source.missing_in(&clone, Path::new("/work"))).into_owned()
    }

    #[test]
    fn settings_that_the_clone_has_are_not_written_again() {
        let both = b"global\0user.name\nA\0local\0core.filemode\ntrue\0";
        assert_eq!(missing(both, both), "");
        let source = [&both[..], b"global\0user.email\na@work\0command\0x.y\nz\0"].concat();
        assert_eq!(missing(&source, both), "[user]\n\temail = \"a@work\"\n");
    }

    #[test]
    fn a_later_value_and_an_empty_one_keep_their_place() {
        let clone = b"global\0credential.helper\nstore\0global\0user.email\na@home\0";
        let source = b"global\0credential.helper\nstore\0global\0user.email\na@home\0\
            local\0credential.helper\n\0local\0credential.helper\ncache\0local\0user.email\na@work\0";
        let expected = "[credential]\n\thelper = \"\"\n[credential]\n\thelper = \"cache\"\n\
            [user]\n\temail = \"a@work\"\n";
        assert_eq!(missing(source, clone), expected);
        assert_eq!(missing(b"local\0user.email\nx\0", clone), "[user]\n\temail = \"x\"\n");
    }

    #[test]
    fn what_belongs_to_one_repository_is_left_out() {
        let source =
            b"local\0core.worktree\n/main\0local\0core.fsmonitor\n/evil\0local\0core.bare\n\
            false\0local\0core.repositoryformatversion\n1\0local\0extensions.refstorage\nreftable\0\
            local\0extensions.worktreeconfig\ntrue\0local\0include.path\n../x\0\
            global\0includeif.gitdir:/main/.path\ny\0";
        assert_eq!(missing(source, b""), "");
        assert!(EffectiveConfig::parse(source).has_reftable());
        let source = b"local\0extensions.partialclone\norigin\0local\0pull.rebase\0";
        let expected = "[extensions]\n\tpartialclone = \"origin\"\n[pull]\n\trebase = \"true\"\n";
        assert_eq!(missing(source, b""), expected);
    }
}
