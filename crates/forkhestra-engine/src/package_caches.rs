//! The directories in which package managers and toolchains keep what they downloaded and installed.

/// A directory of a package manager or toolchain, below the home directory unless a variable names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PackageDirectory {
    /// The variable that names it, if the tool has one.
    pub(crate) variable: Option<&'static str>,
    /// The default, relative to the home directory.
    pub(crate) default: &'static str,
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

/// All known directories.
pub(crate) const PACKAGE_DIRECTORIES: &[PackageDirectory] = &[
    cache(None, ".cargo/registry"),
    cache(None, ".cargo/git"),
    programs(Some("CARGO_HOME"), ".cargo"),
    programs(Some("RUSTUP_HOME"), ".rustup"),
    cache(Some("npm_config_cache"), ".npm"),
    cache(Some("YARN_CACHE_FOLDER"), ".cache/yarn"),
    cache(None, ".local/share/pnpm/store"),
    programs(Some("PNPM_HOME"), ".local/share/pnpm"),
    programs(Some("NVM_DIR"), ".nvm"),
    programs(Some("VOLTA_HOME"), ".volta"),
    cache(None, ".bun/install/cache"),
    programs(Some("BUN_INSTALL"), ".bun"),
    cache(Some("DENO_DIR"), ".cache/deno"),
    cache(Some("PIP_CACHE_DIR"), ".cache/pip"),
    cache(Some("UV_CACHE_DIR"), ".cache/uv"),
    cache(Some("POETRY_CACHE_DIR"), ".cache/pypoetry"),
    programs(Some("PYENV_ROOT"), ".pyenv"),
    programs(Some("RBENV_ROOT"), ".rbenv"),
    cache(Some("GOMODCACHE"), "go/pkg/mod"),
    cache(Some("GOCACHE"), ".cache/go-build"),
    cache(None, ".gradle/caches"),
    cache(None, ".gradle/wrapper"),
    programs(Some("GRADLE_USER_HOME"), ".gradle"),
    cache(None, ".m2/repository"),
    cache(None, ".ivy2"),
    cache(Some("NUGET_PACKAGES"), ".nuget/packages"),
    cache(Some("COMPOSER_CACHE_DIR"), ".cache/composer"),
    cache(Some("CCACHE_DIR"), ".cache/ccache"),
    cache(Some("SCCACHE_DIR"), ".cache/sccache"),
    cache(None, ".cache/bazel"),
    cache(Some("PUB_CACHE"), ".pub-cache"),
    cache(Some("CABAL_DIR"), ".cabal/packages"),
    cache(None, ".hex"),
];

const fn cache(variable: Option<&'static str>, default: &'static str) -> PackageDirectory {
    PackageDirectory { variable, default, content: PackageContent::Cache }
}

const fn programs(variable: Option<&'static str>, default: &'static str) -> PackageDirectory {
    PackageDirectory { variable, default, content: PackageContent::Programs }
}
