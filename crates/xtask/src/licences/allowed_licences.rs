//! The list `licenses.allow` of `deny.toml`, which cargo-deny reads as well.

use devkit::error::{Error, Result};
use devkit::files;
use devkit::workspace::Workspace;

const FILE: &str = "deny.toml";

/// Licences such as `MIT`, and licences with an exception such as `Apache-2.0 WITH LLVM-exception`.
pub(super) struct AllowedLicences(Vec<String>);

impl AllowedLicences {
    pub(super) fn read(workspace: &Workspace) -> Result<Self> {
        let text = files::read_text_if_any(&workspace.root.join(FILE))?.unwrap_or_default();
        Self::parse(&text).ok_or_else(|| {
            Error::Unmet(format!("{FILE} has no list `allow` in its section `[licenses]`"))
        })
    }

    /// Reads the list without a parser for TOML: one quoted entry per line, between `allow = [` and
    /// `]`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let section = text.lines().skip_while(|line| line.trim() != "[licenses]").skip(1);
        let mut section = section.take_while(|line| !line.starts_with('['));
        section.find(|line| line.trim() == "allow = [")?;
        let entries = section.take_while(|line| line.trim() != "]").filter_map(entry);
        let entries: Vec<String> = entries.map(str::to_owned).collect();
        (!entries.is_empty()).then_some(Self(entries))
    }

    pub(super) fn contains(&self, licence: &str, exception: Option<&str>) -> bool {
        let wanted = match exception {
            None => licence.to_owned(),
            Some(exception) => format!("{licence} WITH {exception}"),
        };
        self.0.contains(&wanted)
    }
}

/// The text between the quotes of a line such as `    "MIT",`.
fn entry(line: &str) -> Option<&str> {
    line.trim().strip_prefix('"')?.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
[advisories]
ignore = []

[licenses]
allow = [
    "MIT",
    # A comment with "GPL-3.0-only" in it.
    "Apache-2.0 WITH LLVM-exception",
]

[bans]
allow = [
    "ISC",
]
"#;

    #[test]
    fn entries_of_the_section_are_allowed_and_nothing_else() {
        let allowed = AllowedLicences::parse(TEXT).expect("there is a list");
        assert!(allowed.contains("MIT", None));
        assert!(allowed.contains("Apache-2.0", Some("LLVM-exception")));
        assert!(!allowed.contains("Apache-2.0", None));
        assert!(!allowed.contains("MIT", Some("LLVM-exception")));
        assert!(!allowed.contains("GPL-3.0-only", None));
        assert!(!allowed.contains("ISC", None));
    }

    #[test]
    fn a_file_without_the_list_allows_nothing() {
        for text in ["", "[licenses]\n", "[licenses]\nallow = [\n]\n", "allow = [\n\"MIT\",\n]\n"] {
            assert!(AllowedLicences::parse(text).is_none(), "{text}");
        }
    }
}
