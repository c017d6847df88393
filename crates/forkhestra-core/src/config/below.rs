//! Paths and globs of things below the working directory.

use jsonc_parser::ast::Value;

use super::decode::{Decode, Decoder};
use super::record::inline_schema;

/// The longest glob. Nobody writes one by hand that is longer, and what is compiled must stay small.
const LONGEST_GLOB: usize = 1000;

/// A path of something below the working directory, without anything in it that means nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathBelow(pub String);

/// A glob that names files below the working directory, such as `tests/**`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(pub String);

/// Why a text leads to nothing below the working directory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotBelow {
    /// There is nothing.
    #[error("must be a path, found an empty string")]
    Empty,
    /// It begins at the root.
    #[error("must be relative to the working directory")]
    Absolute,
    /// It leads out.
    #[error("must not lead out of the working directory with `..`")]
    Outside,
    /// It is the working directory.
    #[error("must be something below the working directory, not all of it")]
    Everything,
    /// It belongs to git.
    #[error("must not be in `.git`, which belongs to git")]
    OfGit,
}

/// Why a text is not a glob of files below the working directory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAPattern {
    /// It leads elsewhere.
    #[error(transparent)]
    NotBelow(#[from] NotBelow),
    /// It is meant as an exception.
    #[error("must not begin with `!`: there are no exceptions")]
    Exception,
    /// It is longer than anything a person writes.
    #[error("must not be longer than {LONGEST_GLOB} characters")]
    TooLong,
    /// It cannot be understood.
    #[error("is not a glob: {0}")]
    NotAGlob(String),
}

impl PathBelow {
    /// Reads a path.
    pub fn parse(text: &str) -> Result<Self, NotBelow> {
        let is_named = |name: &str| text.split('/').any(|part| part == name);
        below(text, is_named).map(Self)
    }
}

impl Pattern {
    /// Reads a glob.
    pub fn parse(text: &str) -> Result<Self, NotAPattern> {
        if text.chars().count() > LONGEST_GLOB {
            return Err(NotAPattern::TooLong);
        }
        // What stands between braces and commas may begin or end a path.
        let is_named = |name: &str| text.split(['/', '{', ',', '}']).any(|part| part == name);
        let pattern = below(text, is_named)?;
        if pattern.starts_with('!') {
            return Err(NotAPattern::Exception);
        }
        let glob = globset::GlobBuilder::new(&pattern).literal_separator(true).build();
        // Some globs are refused only when they are compiled.
        let compiled = glob.and_then(|glob| globset::GlobSet::new([glob]));
        match compiled {
            Ok(_) => Ok(Self(pattern)),
            Err(why) => Err(NotAPattern::NotAGlob(why.kind().to_string())),
        }
    }
}

/// Leaves out what means nothing: `.` and slashes that are doubled or at the end.
fn below(text: &str, is_named: impl Fn(&str) -> bool) -> Result<String, NotBelow> {
    if text.trim().is_empty() {
        return Err(NotBelow::Empty);
    }
    if text.starts_with('/') {
        return Err(NotBelow::Absolute);
    }
    if is_named("..") {
        return Err(NotBelow::Outside);
    }
    if is_named(".git") {
        return Err(NotBelow::OfGit);
    }
    let parts = text.split('/').filter(|part| !matches!(*part, "" | "."));
    match parts.collect::<Vec<_>>().join("/") {
        all if all.is_empty() => Err(NotBelow::Everything),
        below => Ok(below),
    }
}

impl Decode for PathBelow {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let text = decoder.string(value, "a path")?;
        Self::parse(&text).map_err(|why| decoder.invalid(value, why)).ok()
    }
}

impl Decode for Pattern {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let text = decoder.string(value, "a glob")?;
        Self::parse(&text).map_err(|why| decoder.invalid(value, why)).ok()
    }
}

inline_schema! {
    PathBelow => {
        "type": "string",
        // Visible and relative; not the working directory itself, nothing outside it or of git.
        "pattern": "^(?!/)(?!(\\.(/+|$))+$)(?!(.*/)?(\\.\\.|\\.git)(/|$))[\\s\\S]*\\S",
    },
    Pattern => {
        "type": "string",
        "maxLength": LONGEST_GLOB,
        // The same of globs, and not meant as an exception.
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
        let path = |text: &str| Ok(PathBelow(text.to_owned()));
        let table = [
            ("target", path("target")),
            ("./web//node_modules/", path("web/node_modules")),
            (".cache", path(".cache")),
            ("a..b/...", path("a..b/...")),
            ("", Err(NotBelow::Empty)),
            (" ", Err(NotBelow::Empty)),
            ("/var/cache", Err(NotBelow::Absolute)),
            ("..", Err(NotBelow::Outside)),
            ("a/../../b", Err(NotBelow::Outside)),
            (".", Err(NotBelow::Everything)),
            ("././/", Err(NotBelow::Everything)),
            (".git/hooks", Err(NotBelow::OfGit)),
            ("sub/.git", Err(NotBelow::OfGit)),
        ];
        for (text, expected) in table {
            assert_eq!(PathBelow::parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn globs_and_what_are_none() {
        let pattern = |text: &str| Ok(Pattern(text.to_owned()));
        let not_a_glob = |why: &str| Err(NotAPattern::NotAGlob(why.to_owned()));
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
            ("!tests/a.rs", Err(NotAPattern::Exception)),
            (".//!a", Err(NotAPattern::Exception)),
            ("/tests", Err(NotBelow::Absolute.into())),
            ("{a,../b}", Err(NotBelow::Outside.into())),
            ("{.git,b}/**", Err(NotBelow::OfGit.into())),
            (".", Err(NotBelow::Everything.into())),
            ("", Err(NotBelow::Empty.into())),
        ];
        for (text, expected) in table {
            assert_eq!(Pattern::parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_glob_without_end_is_refused_before_it_is_compiled() {
        let deep = format!("{}a{}", "{".repeat(100_000), "}".repeat(100_000));
        assert_eq!(Pattern::parse(&deep), Err(NotAPattern::TooLong));
        let longest = format!("{}a{}", "{".repeat(499), "}".repeat(499));
        assert!(matches!(Pattern::parse(&longest), Ok(_) | Err(NotAPattern::NotAGlob(_))));
    }

    proptest! {
        #[test]
        fn what_is_read_reads_the_same_again(text in "[a./*\\[\\]{},!\\\\-]{0,12}") {
            if let Ok(Pattern(once)) = Pattern::parse(&text) {
                prop_assert_eq!(Pattern::parse(&once), Ok(Pattern(once.clone())), "{}", text);
            }
            if let Ok(PathBelow(once)) = PathBelow::parse(&text) {
                prop_assert_eq!(PathBelow::parse(&once), Ok(PathBelow(once.clone())), "{}", text);
            }
        }
    }
}
