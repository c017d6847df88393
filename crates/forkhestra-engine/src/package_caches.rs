//! The directories in which package managers and toolchains keep what they downloaded and installed.

use std::path::{Path, PathBuf};

/// A directory of a package manager or toolchain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PackageDirectory {
    /// The variable that names the tool's directory, if the tool has one.
    pub(crate) variable: Option<&'static str>,
    /// The tool's directory without that variable, relative to the home directory.
    pub(crate) default: &'static str,
    /// The path below the tool's directory; empty for that directory itself.
    below: &'static str,
    pub(crate) content: PackageContent,
}

/// The content of a package directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PackageContent {
    /// Downloads that a build uses. Agents and checks may write it.
    Cache,
    /// Programs. A process that may write it can replace a program that a check runs.
    Programs,
}

impl PackageDirectory {
    /// The path, by the values of variables and the home directory.
    pub(crate) fn locate(
        &self,
        value: impl Fn(&str) -> Option<PathBuf>,
        home: Option<&Path>,
    ) -> Option<PathBuf> {
        let tool = self.variable.and_then(value).or_else(|| Some(home?.join(self.default)))?;
        Some(if self.is_part() { tool.join(self.below) } else { tool })
    }

    /// The program that fills it.
    pub(crate) fn program(&self) -> &'static str {
        let program = PROGRAMS.iter().find(|(default, _)| *default == self.default);
        program.map_or_else(|| self.default.trim_start_matches(".cache/"), |(_, program)| program)
    }

    /// Whether it is a part of a tool's directory, which has an entry of its own.
    pub(crate) const fn is_part(&self) -> bool {
        !self.below.is_empty()
    }
}

/// All known directories.
pub(crate) const PACKAGE_DIRECTORIES: &[PackageDirectory] = &[
    part(Some("CARGO_HOME"), ".cargo", "registry"),
    part(Some("CARGO_HOME"), ".cargo", "git"),
    programs(Some("CARGO_HOME"), ".cargo"),
    programs(Some("RUSTUP_HOME"), ".rustup"),
    cache(Some("npm_config_cache"), ".npm"),
    cache(Some("YARN_CACHE_FOLDER"), ".cache/yarn"),
    part(Some("PNPM_HOME"), ".local/share/pnpm", "store"),
    programs(Some("PNPM_HOME"), ".local/share/pnpm"),
    programs(Some("NVM_DIR"), ".nvm"),
    programs(Some("VOLTA_HOME"), ".volta"),
    part(Some("BUN_INSTALL"), ".bun", "install/cache"),
    programs(Some("BUN_INSTALL"), ".bun"),
    cache(Some("DENO_DIR"), ".cache/deno"),
    cache(Some("PIP_CACHE_DIR"), ".cache/pip"),
    cache(Some("UV_CACHE_DIR"), ".cache/uv"),
    cache(Some("POETRY_CACHE_DIR"), ".cache/pypoetry"),
    programs(Some("PYENV_ROOT"), ".pyenv"),
    programs(Some("RBENV_ROOT"), ".rbenv"),
    cache(Some("GOMODCACHE"), "go/pkg/mod"),
    cache(Some("GOCACHE"), ".cache/go-build"),
    part(Some("GRADLE_USER_HOME"), ".gradle", "caches"),
    part(Some("GRADLE_USER_HOME"), ".gradle", "wrapper"),
    programs(Some("GRADLE_USER_HOME"), ".gradle"),
    cache(None, ".m2/repository"),
    cache(None, ".ivy2"),
    cache(Some("NUGET_PACKAGES"), ".nuget/packages"),
    cache(Some("COMPOSER_CACHE_DIR"), ".cache/composer"),
    cache(Some("CCACHE_DIR"), ".cache/ccache"),
    cache(Some("SCCACHE_DIR"), ".cache/sccache"),
    cache(None, ".cache/bazel"),
    cache(Some("PUB_CACHE"), ".pub-cache"),
    part(Some("CABAL_DIR"), ".cabal", "packages"),
    programs(Some("CABAL_DIR"), ".cabal"),
    cache(None, ".hex"),
];

/// The programs whose name is not that of their directory below `.cache`, by directory.
const PROGRAMS: &[(&str, &str)] = &[
    (".cargo", "cargo"),
    (".npm", "npm"),
    (".local/share/pnpm", "pnpm"),
    (".bun", "bun"),
    (".cache/pypoetry", "poetry"),
    ("go/pkg/mod", "go"),
    (".cache/go-build", "go"),
    (".gradle", "gradle"),
    (".m2/repository", "mvn"),
    (".ivy2", "sbt"),
    (".nuget/packages", "dotnet"),
    (".pub-cache", "dart"),
    (".cabal", "cabal"),
    (".hex", "mix"),
];

const fn cache(variable: Option<&'static str>, default: &'static str) -> PackageDirectory {
    PackageDirectory { variable, default, below: "", content: PackageContent::Cache }
}

const fn programs(variable: Option<&'static str>, default: &'static str) -> PackageDirectory {
    PackageDirectory { variable, default, below: "", content: PackageContent::Programs }
}

/// A cache that is a part of a directory with programs.
const fn part(
    variable: Option<&'static str>,
    default: &'static str,
    below: &'static str,
) -> PackageDirectory {
    PackageDirectory { variable, default, below, content: PackageContent::Cache }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_moves_a_directory_and_its_parts() {
        let registry = PACKAGE_DIRECTORIES[0];
        let home = Some(Path::new("/h"));
        assert_eq!(registry.locate(|_| None, home), Some("/h/.cargo/registry".into()));
        let moved = |name: &str| (name == "CARGO_HOME").then(|| PathBuf::from("/c"));
        assert_eq!(registry.locate(moved, home), Some("/c/registry".into()));
        assert_eq!(registry.locate(|_| None, None), None);
    }

    #[test]
    fn every_part_belongs_to_an_entry() {
        let is_whole = |part: &PackageDirectory| {
            PACKAGE_DIRECTORIES.iter().any(|entry| {
                !entry.is_part() && entry.variable == part.variable && entry.default == part.default
            })
        };
        assert!(PACKAGE_DIRECTORIES.iter().filter(|entry| entry.is_part()).all(is_whole));
    }
}
