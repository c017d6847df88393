//! The rules for dependencies: licences of `deny.toml`, crates.io as the source, one version of
//! each shipped crate.

mod allowed_licences;
mod duplicates;
mod metadata;
mod spdx;

use std::path::Path;

use devkit::error::{Error, Result};
use devkit::workspace::Workspace;

use self::allowed_licences::AllowedLicences;
use self::duplicates::ShippedPackage;
use self::metadata::{CargoMetadata, Package};
use self::spdx::Expression;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let packages = CargoMetadata::read(workspace)?.packages;
    let shipped = ShippedPackage::read(workspace)?;
    let allowed = AllowedLicences::read(workspace)?;

    let problems =
        packages.iter().filter_map(|package| problem(package, &workspace.root, &allowed));
    let mut problems: Vec<String> = problems.collect();
    problems.extend(shipped.problems());
    if problems.is_empty() {
        println!("{} packages are used, {} are shipped", packages.len(), shipped.count());
        return Ok(());
    }
    for problem in &problems {
        println!("{problem}");
    }
    Err(Error::Unmet(format!("{} of the dependencies cannot be accepted", problems.len())))
}

/// Why a single package cannot be accepted, if so.
fn problem(package: &Package, root: &Path, allowed: &AllowedLicences) -> Option<String> {
    let name = format!("{} {}", package.name, package.version);
    match package.source.as_deref() {
        Some(CRATES_IO) => {}
        Some(elsewhere) => return Some(format!("{name}: comes from {elsewhere}, not crates.io")),
        None if package.manifest_path.starts_with(root) => {}
        None => return Some(format!("{name}: comes from a path outside the workspace")),
    }
    let Some(license) = package.license.as_deref() else {
        return Some(format!("{name}: names no licence"));
    };
    let is_allowed = |licence: &str, exception: Option<&str>| allowed.contains(licence, exception);
    match Expression::parse(license) {
        Ok(expression) if expression.is_satisfied_by(&is_allowed) => None,
        Ok(_) => Some(format!("{name}: `{license}` is not in `licenses.allow` of deny.toml")),
        Err(error) => Some(format!("{name}: cannot read the licence `{license}`: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(source: Option<&str>, license: Option<&str>) -> Package {
        Package {
            name: "some".to_owned(),
            version: "1.0.0".to_owned(),
            license: license.map(str::to_owned),
            source: source.map(str::to_owned),
            manifest_path: "/repo/crates/some/Cargo.toml".into(),
        }
    }

    fn problem_below(root: &str, package: &Package) -> Option<String> {
        let allowed = AllowedLicences::parse(include_str!("../../../deny.toml"));
        problem(package, Path::new(root), &allowed.expect("our own file has the list"))
    }

    #[test]
    fn permissive_packages_from_the_registry_and_our_own_are_accepted() {
        for license in [
            "MIT OR Apache-2.0",
            "Apache-2.0 WITH LLVM-exception",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "GPL-3.0-only OR ISC",
        ] {
            for source in [Some(CRATES_IO), None] {
                let package = package(source, Some(license));
                assert_eq!(problem_below("/repo", &package), None);
            }
        }
    }

    #[test]
    fn a_refused_licence_is_reported_with_its_reason() {
        let cases = [
            (Some(CRATES_IO), Some("GPL-3.0-only"), "not in `licenses.allow`"),
            (Some(CRATES_IO), Some("MIT AND GPL-2.0"), "not in `licenses.allow`"),
            (Some(CRATES_IO), Some("MIT WITH Odd-exception"), "not in `licenses.allow`"),
            (Some(CRATES_IO), Some("MIT OR"), "cannot read"),
            (Some(CRATES_IO), None, "names no licence"),
            (Some("git+https://example.com/x"), Some("MIT"), "not crates.io"),
        ];
        for (source, license, expected) in cases {
            let package = package(source, license);
            let text = problem_below("/repo", &package).expect("not acceptable");
            assert!(text.contains(expected), "{text}");
        }
        let outside = problem_below("/elsewhere", &package(None, Some("MIT")));
        assert!(outside.is_some_and(|text| text.contains("outside the workspace")));
    }
}
