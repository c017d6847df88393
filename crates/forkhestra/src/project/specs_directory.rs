//! The specifications of a project: their directory, and whether they contain any requirements.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use forkhestra_engine::regular_file;

/// The directory of specifications, and the one that older projects use.
const CURRENT: &str = "forge/orch/specs";
const OLDER: &str = "ralph";

/// The file that describes what to build.
pub(crate) const PLAN: &str = "PLAN.md";
/// The file with requirements.
const SPECS: &str = "SPECS.md";
/// The file with working instructions. It contains no requirements.
const AGENTS: &str = "AGENTS.md";

/// The files that `init` writes, each with its template.
pub(crate) const TEMPLATES: [(&str, &str); 3] = [
    (PLAN, include_str!("../init/templates/PLAN.md")),
    (SPECS, include_str!("../init/templates/SPECS.md")),
    (AGENTS, include_str!("../init/templates/AGENTS.md")),
];

/// The templates that earlier versions of `init` wrote.
const EARLIER_TEMPLATES: [(&str, &str); 3] = [
    (PLAN, include_str!("../init/templates/earlier/PLAN.md")),
    (SPECS, include_str!("../init/templates/earlier/SPECS.md")),
    (AGENTS, include_str!("../init/templates/earlier/AGENTS.md")),
];

/// The directory that holds the specifications of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpecsDirectory {
    path: PathBuf,
    name: &'static str,
}

/// The content of a specification file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpecState {
    Missing,
    /// It has no text.
    Blank,
    /// It equals the template of this or an earlier version of `init`.
    Template,
    /// It has text of its own, or cannot be read.
    Written,
}

impl SpecsDirectory {
    /// The directory that the project uses or will use. The older directory is used if only that
    /// one has files, so that templates in the current one do not hide them.
    pub(crate) fn find(project: &Path) -> Self {
        let has_files = |place: &str| {
            visible_names(&project.join(place)).any(|name| project.join(place).join(name).is_file())
        };
        let name = if !has_files(CURRENT) && has_files(OLDER) { OLDER } else { CURRENT };
        Self { path: project.join(name), name }
    }

    /// The directory's path, relative to the project.
    pub(crate) const fn name(&self) -> &'static str {
        self.name
    }

    /// A file's path, relative to the project.
    pub(crate) fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.name)
    }

    /// The state of one of its files.
    pub(crate) fn state(&self, name: impl AsRef<Path>) -> SpecState {
        let name = name.as_ref();
        match regular_file::read(&self.path.join(name)) {
            Ok(bytes) => state_of(name, &bytes),
            // A dangling link counts as missing because it has no content.
            Err(error) if error.kind() == io::ErrorKind::NotFound => SpecState::Missing,
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => SpecState::Missing,
            Err(_) => SpecState::Written,
        }
    }

    /// The first of `PLAN.md` and `SPECS.md` that exists but cannot be read, with the error.
    pub(crate) fn unreadable(&self) -> Option<(&'static str, io::Error)> {
        use io::ErrorKind::{NotADirectory, NotFound};
        [PLAN, SPECS].into_iter().find_map(|name| {
            let error = regular_file::read(&self.path.join(name)).err()?;
            let is_missing = matches!(error.kind(), NotFound | NotADirectory);
            (!is_missing).then_some((name, error))
        })
    }

    /// Whether any specification contains requirements: `PLAN.md`, `SPECS.md`, or a file that
    /// `init` does not write.
    pub(crate) fn has_requirements(&self) -> bool {
        visible_names(&self.path)
            .any(|name| name != AGENTS && self.state(name) == SpecState::Written)
    }
}

/// The names in a directory; none if it cannot be read. Hidden files are skipped, since they are
/// not for agents.
fn visible_names(directory: &Path) -> impl Iterator<Item = OsString> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    names.filter(|name| !name.as_encoded_bytes().starts_with(b"."))
}

fn state_of(name: &Path, bytes: &[u8]) -> SpecState {
    let templates = TEMPLATES.iter().chain(&EARLIER_TEMPLATES);
    let mut templates = templates.filter(|(known, _)| name == Path::new(known));
    let text = String::from_utf8_lossy(bytes);
    // Editors change line ends and white space, so only words are compared.
    if text.split_whitespace().next().is_none() {
        SpecState::Blank
    } else if templates.any(|(_, template)| text.split_whitespace().eq(template.split_whitespace()))
    {
        SpecState::Template
    } else {
        SpecState::Written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("there is room");
        for (name, text) in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().expect("it has one")).expect("the place is ours");
            fs::write(path, text).expect("the place is ours");
        }
        directory
    }

    #[test]
    fn the_directory_that_has_specifications_is_used() {
        let found = |files: &[(&str, &str)]| SpecsDirectory::find(project(files).path()).name();
        assert_eq!(found(&[]), CURRENT);
        assert_eq!(found(&[("ralph/other.md", "")]), OLDER);
        assert_eq!(found(&[("ralph/.hidden", ""), ("ralph/a/b.md", "")]), CURRENT);
        assert_eq!(found(&[("ralph/other.md", ""), ("forge/orch/specs/a.md", "")]), CURRENT);
        assert_eq!(found(&[("ralph/SPECS.md", "")]), OLDER);
        assert_eq!(found(&[("ralph/SPECS.md", ""), ("forge/orch/specs/PLAN.md", "")]), CURRENT);
    }

    #[test]
    fn a_template_is_known_whatever_white_space_it_has() {
        let [(_, plan), (_, specs), _] = TEMPLATES;
        let [(_, earlier_plan), (_, earlier_specs), _] = EARLIER_TEMPLATES;
        let windows = plan.replace('\n', "\r\n");
        for (name, text, state) in [
            (PLAN, "", SpecState::Blank),
            (PLAN, " \r\n\t", SpecState::Blank),
            (PLAN, plan, SpecState::Template),
            (PLAN, &windows, SpecState::Template),
            (PLAN, plan.trim_end(), SpecState::Template),
            (SPECS, specs, SpecState::Template),
            (PLAN, earlier_plan, SpecState::Template),
            (SPECS, earlier_specs, SpecState::Template),
            (SPECS, earlier_plan, SpecState::Written),
            (PLAN, specs, SpecState::Written),
            (PLAN, "# Plan\n", SpecState::Written),
            (PLAN, &format!("{plan}Something.\n"), SpecState::Written),
            ("other.md", plan, SpecState::Written),
        ] {
            assert_eq!(state_of(Path::new(name), text.as_bytes()), state, "{name}: {text:?}");
        }
        assert_eq!(state_of(Path::new(PLAN), b"\xff\xfe"), SpecState::Written);
    }

    #[test]
    fn specifications_have_requirements_if_any_but_agents_md_has_own_text() {
        let [(_, plan), (_, specs), (_, agents)] = TEMPLATES;
        let at = |name: &str| format!("{CURRENT}/{name}");
        let untouched = [(at(PLAN), plan), (at(SPECS), specs), (at(AGENTS), agents)];
        for (name, text, asks) in [
            (PLAN, plan, false),
            (PLAN, "A shop.", true),
            (SPECS, "Prices have two decimals.", true),
            (AGENTS, "Use tabs.", false),
            ("checkout.md", "Pay by invoice.", true),
            ("empty.md", " \n", false),
            (".PLAN.md.swp", "x", false),
        ] {
            let mut files: Vec<(String, &str)> = untouched.to_vec();
            files.retain(|(known, _)| *known != at(name));
            files.push((at(name), text));
            let files: Vec<(&str, &str)> = files.iter().map(|(n, t)| (n.as_str(), *t)).collect();
            let place = project(&files);
            let directory = SpecsDirectory::find(place.path());
            assert_eq!(directory.has_requirements(), asks, "{name}: {text}");
        }
        assert!(!SpecsDirectory::find(project(&[]).path()).has_requirements());
    }
}
