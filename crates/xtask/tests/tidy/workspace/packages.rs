//! The metadata of our packages.

use std::process::Command;

use serde_json::Value;

use crate::workspace::repository::Repository;

/// The packages of a workspace, as `cargo metadata` describes them.
pub(crate) struct Packages(Value);

impl Packages {
    pub(crate) fn of_workspace(repository: &Repository) -> Self {
        Self::read(repository, "Cargo.toml")
    }

    pub(crate) fn of_fuzz(repository: &Repository) -> Self {
        Self::read(repository, "fuzz/Cargo.toml")
    }

    fn read(repository: &Repository, manifest: &str) -> Self {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--no-deps", "--format-version=1", "--manifest-path"])
            .arg(repository.root().join(manifest))
            .output()
            .expect("the cargo that built us runs");
        assert!(
            output.status.success(),
            "cargo metadata: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Self(serde_json::from_slice(&output.stdout).expect("cargo prints JSON"))
    }

    /// The names of the packages a package depends on in any way, not what they may be renamed to.
    pub(crate) fn dependencies(&self, package: &str) -> Vec<String> {
        let packages = elements(&self.0["packages"]);
        packages
            .filter(|entry| entry["name"] == package)
            .flat_map(|entry| elements(&entry["dependencies"]))
            .map(|dependency| text(&dependency["name"]))
            .collect()
    }

    /// The programs that come with a package.
    pub(crate) fn programs(&self, package: &str) -> Vec<String> {
        let packages = elements(&self.0["packages"]).filter(|entry| entry["name"] == package);
        let targets = packages.flat_map(|entry| elements(&entry["targets"]));
        let programs = targets.filter(|target| elements(&target["kind"]).any(|kind| kind == "bin"));
        programs.map(|target| text(&target["name"])).collect()
    }

    /// The file every program, library and test starts from, from the root of the repository.
    pub(crate) fn roots(&self, repository: &Repository) -> Vec<String> {
        elements(&self.0["packages"])
            .flat_map(|package| elements(&package["targets"]))
            .map(|target| text(&target["src_path"]))
            .map(|path| {
                let inside = std::path::Path::new(&path).strip_prefix(repository.root());
                let inside = inside.expect("our packages are in the repository");
                inside.to_string_lossy().replace('\\', "/")
            })
            .collect()
    }
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
