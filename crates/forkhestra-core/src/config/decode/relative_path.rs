//! Paths and globs below the working directory.

use std::path::Path;

use jsonc_parser::ast::Value;

use super::decoder::{Decode, Decoder};
use super::record::inline_schema;

/// The longest glob. Handwritten globs are shorter, and the compiled form must stay small.
const MAX_GLOB_BYTES: usize = 1000;

/// A normalized path below the working directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelativePath(pub String);

/// A glob that matches files below the working directory, such as `tests/**`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathGlob(pub String);

/// Why a text is not a path below the working directory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RelativePathError {
    #[error("must be a path, found an empty string")]
    Empty,
    #[error("must be relative to the working directory")]
    Absolute,
    /// It leads out of the working directory.
    #[error("must not lead out of the working directory with `..`")]
    Outside,
    /// It is the working directory itself.
    #[error("must be a path below the working directory, not the directory itself")]
    Everything,
    /// It is inside `.git`.
    #[error("must not be in `.git`, which belongs to git")]
    OfGit,
}

/// Why a text is not a glob of files below the working directory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathGlobError {
    #[error(transparent)]
    NotBelow(#[from] RelativePathError),
    /// It begins with `!`, which means an exception elsewhere.
    #[error("must not begin with `!`: negated patterns are not supported")]
    Exception,
    #[error("must not be longer than {MAX_GLOB_BYTES} characters")]
    TooLong,
    /// It is not valid glob syntax.
    #[error("is not a glob: {0}")]
    NotAGlob(String),
}

impl RelativePath {
    /// Parses a path.
    pub fn parse(text: &str) -> Result<Self, RelativePathError> {
        let is_named = |name: &str| text.split('/').any(|part| part == name);
        below(text, is_named).map(Self)
    }
}

impl PathGlob {
    /// Parses a glob.
    pub fn parse(text: &str) -> Result<Self, PathGlobError> {
        if text.chars().count() > MAX_GLOB_BYTES {
            return Err(PathGlobError::TooLong);
        }
        // A part between braces and commas may begin or end a path.
        let is_named = |name: &str| text.split(['/', '{', ',', '}']).any(|part| part == name);
        let pattern = below(text, is_named)?;
        if pattern.starts_with('!') {
            return Err(PathGlobError::Exception);
        }
        let glob = globset::GlobBuilder::new(&pattern).literal_separator(true).build();
        // Some globs are refused only when they are compiled.
        let compiled = glob.and_then(|glob| globset::GlobSet::new([glob]));
        match compiled {
            Ok(_) => Ok(Self(pattern)),
            Err(why) => Err(PathGlobError::NotAGlob(why.kind().to_string())),
        }
    }

    /// Whether it matches a path, a directory above it, or everything in it.
    pub fn matches_below(&self, path: &str) -> bool {
        let Ok(glob) = globset::GlobBuilder::new(&self.0).literal_separator(true).build() else {
            // Only globs that can be compiled are parsed.
            return false;
        };
        let matcher = glob.compile_matcher();
        let mut above = Path::new(path).ancestors().filter(|above| !above.as_os_str().is_empty());
        above.any(|above| matcher.is_match(above)) || matcher.is_match(format!("{path}/x"))
    }
}

/// Normalizes a path: drops `.` and doubled or trailing slashes.
fn below(text: &str, is_named: impl Fn(&str) -> bool) -> Result<String, RelativePathError> {
    if text.trim().is_empty() {
        return Err(RelativePathError::Empty);
    }
    if text.starts_with('/') {
        return Err(RelativePathError::Absolute);
    }
    if is_named("..") {
        return Err(RelativePathError::Outside);
    }
    if is_named(".git") {
        return Err(RelativePathError::OfGit);
    }
    let parts = text.split('/').filter(|part| !matches!(*part, "" | "."));
    match parts.collect::<Vec<_>>().join("/") {
        all if all.is_empty() => Err(RelativePathError::Everything),
        below => Ok(below),
    }
}

impl Decode for RelativePath {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let text = decoder.string(value, "a path")?;
        Self::parse(&text).map_err(|why| decoder.invalid(value, why)).ok()
    }
}

impl Decode for PathGlob {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let text = decoder.string(value, "a glob")?;
        Self::parse(&text).map_err(|why| decoder.invalid(value, why)).ok()
    }
}

inline_schema! {
    RelativePath => {
        "type": "string",
        // Visible and relative; not the working directory itself, nothing outside it or in `.git`.
        "pattern": "^(?!/)(?!(\\.(/+|$))+$)(?!(.*/)?(\\.\\.|\\.git)(/|$))[\\s\\S]*\\S",
    },
    PathGlob => {
        "type": "string",
        "maxLength": MAX_GLOB_BYTES,
        // The same for globs, and no leading `!`.
        "pattern": "^(?!/)(?!(\\./+)*!)(?!(\\.(/+|$))+$)(?!(.*[/{,}])?(\\.\\.|\\.git)([/{,}]|$))[\\s\\S]*\\S",
        "examples": ["tests/**", ".ci/**"],
    },
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn paths_below_the_working_directory_and_others() {
        let path = |text: &str| Ok(RelativePath(text.to_owned()));
        let table = [
            ("target", path("target")),
            ("./web//node_modules/", path("web/node_modules")),
            (".cache", path(".cache")),
            ("a..b/...", path("a..b/...")),
            ("", Err(RelativePathError::Empty)),
            (" ", Err(RelativePathError::Empty)),
            ("/var/cache", Err(RelativePathError::Absolute)),
            ("..", Err(RelativePathError::Outside)),
            ("a/../../b", Err(RelativePathError::Outside)),
            (".", Err(RelativePathError::Everything)),
            ("././/", Err(RelativePathError::Everything)),
            (".git/hooks", Err(RelativePathError::OfGit)),
            ("sub/.git", Err(RelativePathError::OfGit)),
        ];
        for (text, expected) in table {
            assert_eq!(RelativePath::parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn valid_and_invalid_globs() {
        let pattern = |text: &str| Ok(PathGlob(text.to_owned()));
        let not_a_glob = |why: &str| Err(PathGlobError::NotAGlob(why.to_owned()));
        let table = [
            ("tests/**", pattern("tests/**")),
            ("./.ci/", pattern(".ci")),
            ("**/*.{snap,golden}", pattern("**/*.{snap,golden}")),
            ("[ab]?.rs", pattern("[ab]?.rs")),
            (".gitignore", pattern(".gitignore")),
            ("tests/[", not_a_glob("unclosed character class; missing ']'")),
            (
                "{a,b",
                not_a_glob("unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"),
            ),
            ("[b-a]", not_a_glob("invalid range; 'b' > 'a'")),
            ("a\\", not_a_glob("dangling '\\'")),
            ("!tests/a.rs", Err(PathGlobError::Exception)),
            (".//!a", Err(PathGlobError::Exception)),
            ("/tests", Err(RelativePathError::Absolute.into())),
            ("{a,../b}", Err(RelativePathError::Outside.into())),
            ("{.git,b}/**", Err(RelativePathError::OfGit.into())),
            (".", Err(RelativePathError::Everything.into())),
            ("", Err(RelativePathError::Empty.into())),
        ];
        for (text, expected) in table {
            assert_eq!(PathGlob::parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_glob_without_end_is_refused_before_it_is_compiled() {
        let deep = format!("{}a{}", "{".repeat(100_000), "}".repeat(100_000));
        assert_eq!(PathGlob::parse(&deep), Err(PathGlobError::TooLong));
        let longest = format!("{}a{}", "{".repeat(499), "}".repeat(499));
        assert!(matches!(PathGlob::parse(&longest), Ok(_) | Err(PathGlobError::NotAGlob(_))));
    }

    proptest! {
        #[test]
        fn what_is_read_reads_the_same_again(text in "[a./*\\[\\]{},!\\\\-]{0,12}") {
            if let Ok(PathGlob(once)) = PathGlob::parse(&text) {
                prop_assert_eq!(PathGlob::parse(&once), Ok(PathGlob(once.clone())), "{}", text);
            }
            if let Ok(RelativePath(once)) = RelativePath::parse(&text) {
                prop_assert_eq!(RelativePath::parse(&once), Ok(RelativePath(once.clone())), "{}", text);
            }
        }
    }
}
