//! The files of the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace::source::Source;

pub(crate) struct Repository {
    root: PathBuf,
    /// Every file git tracks or would track, from the root, with `/` between folders.
    paths: Vec<String>,
}

impl Repository {
    pub(crate) fn open() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let root = root.canonicalize().expect("the crate is in the repository");
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(&root)
            .output()
            .expect("git lists the files of the repository");
        assert!(
            listed.status.success(),
            "git ls-files: {}",
            String::from_utf8_lossy(&listed.stderr)
        );
        let listed = String::from_utf8(listed.stdout).expect("our file names are UTF-8");
        let mut paths: Vec<String> = listed
            .split_terminator('\0')
            // A file that was deleted but not yet committed is still listed.
            .filter(|path| root.join(path).is_file())
            .map(str::to_owned)
            .collect();
        paths.sort();
        paths.dedup();
        Self { root, paths }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Every Rust file, parsed. That takes seconds, so one test applies all rules about sources.
    pub(crate) fn rust_sources(&self) -> Vec<Source> {
        let texts = self.texts(|path| path.ends_with(".rs")).into_iter();
        let parsed = texts.map(|(path, text)| Source::parse(&path, text));
        parsed.map(|source| source.unwrap_or_else(|finding| panic!("{finding}"))).collect()
    }

    /// The chosen files with their texts.
    pub(crate) fn texts(&self, chosen: impl Fn(&str) -> bool) -> Vec<(String, String)> {
        let paths = self.paths.iter().filter(|path| chosen(path));
        paths.map(|path| (path.clone(), self.text(path))).collect()
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path))
            .unwrap_or_else(|error| panic!("cannot read {path}: {error}"))
    }
}
