//! The patterns of protected files.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Glob patterns, relative to the working directory of agents.
#[derive(Debug)]
pub(super) struct ProtectedPatterns {
    globs: GlobSet,
    prefixes: BTreeSet<PathBuf>,
}

impl ProtectedPatterns {
    /// Fails on the first invalid pattern. The plan contains valid ones only, but a journal may be
    /// edited.
    pub(super) fn new(patterns: &[String]) -> Result<Self, String> {
        let mut globs = GlobSetBuilder::new();
        let mut prefixes = BTreeSet::new();
        for given in patterns {
            let wrong = |why: &str| format!("`{given}` cannot be protected: {why}");
            let pattern = given.trim_start_matches("./").trim_end_matches('/');
            let is_normal = |part: Component<'_>| matches!(part, Component::Normal(_));
            if pattern.is_empty() || !Path::new(pattern).components().all(is_normal) {
                return Err(wrong("it must be a path inside the working directory, without `..`"));
            }
            if pattern.starts_with('!') {
                return Err(wrong("nothing can be taken out of what is protected"));
            }
            // A pattern for a directory matches everything below it.
            for pattern in [pattern.to_owned(), format!("{pattern}/**")] {
                let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
                globs.add(glob.map_err(|error| wrong(&error.kind().to_string()))?);
            }
            prefixes.insert(prefix(pattern));
        }
        let globs = globs.build().map_err(|error| error.to_string())?;
        let is_covered = |prefix: &&PathBuf| {
            prefixes.iter().any(|other| other != *prefix && prefix.starts_with(other))
        };
        let prefixes = prefixes.iter().filter(|prefix| !is_covered(prefix)).cloned().collect();
        Ok(Self { globs, prefixes })
    }

    pub(super) fn match_name(&self, name: &Path) -> bool {
        self.globs.is_match(name)
    }

    /// The directories in which files can match, none below another one.
    pub(super) fn prefixes(&self) -> impl Iterator<Item = &Path> {
        self.prefixes.iter().map(PathBuf::as_path)
    }
}

/// The literal components before the first wildcard.
fn prefix(pattern: &str) -> PathBuf {
    let is_literal = |part: &&str| !part.contains(['*', '?', '[', ']', '{', '}', '\\']);
    pattern.split('/').take_while(is_literal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_from_the_working_directory() {
        let table: [(&str, &[&str], &[&str]); 6] = [
            ("tests/**", &["tests/a", "tests/b/c"], &["test", "a/tests/b", "tests2/a"]),
            ("tests", &["tests/a", "tests/b/c", "tests"], &["tests2"]),
            ("./.ci/", &[".ci/x.yml"], &["ci"]),
            ("*.lock", &["Cargo.lock"], &["a/Cargo.lock"]),
            ("**/*.snap", &["a.snap", "a/b.snap"], &["a.snapshot"]),
            ("src/{a,b}/*.rs", &["src/a/x.rs", "src/b/y.rs"], &["src/c/x.rs", "src/a/b/x.rs"]),
        ];
        for (pattern, matching, others) in table {
            let patterns = ProtectedPatterns::new(&[pattern.to_owned()]).expect("it is a pattern");
            for name in matching {
                assert!(patterns.match_name(Path::new(name)), "{pattern} {name}");
            }
            for name in others {
                assert!(!patterns.match_name(Path::new(name)), "{pattern} {name}");
            }
        }
    }

    #[test]
    fn only_directories_that_can_match_are_walked() {
        let given = ["tests/**", "tests/deep/*.rs", "src/a*/b", "Cargo.lock"].map(str::to_owned);
        let patterns = ProtectedPatterns::new(&given).expect("they are patterns");
        let prefixes: Vec<&Path> = patterns.prefixes().collect();
        assert_eq!(prefixes, ["Cargo.lock", "src", "tests"].map(Path::new));
    }

    #[test]
    fn an_unsupported_pattern_is_reported() {
        let table = [
            ("/etc", "`/etc` cannot be protected: it must be a path inside the working directory"),
            ("../x", "`../x` cannot be protected: it must be a path inside the working directory"),
            ("", "`` cannot be protected: it must be a path inside the working directory"),
            ("!a", "`!a` cannot be protected: nothing can be taken out"),
            ("a[", "`a[` cannot be protected: unclosed character class"),
        ];
        for (pattern, expected) in table {
            let error = ProtectedPatterns::new(&[pattern.to_owned()]).expect_err("it is none");
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
