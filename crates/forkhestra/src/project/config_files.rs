//! Finds and reads the config files. The project's file has precedence over the user's, and both
//! over the built-in config.

use std::io;
use std::path::{Path, PathBuf};

use forkhestra_core::built_in;
use forkhestra_core::config::{self, ConfigLayer, ConfigLayerKind, ConfigLayers};
use forkhestra_core::diagnostic::{Diagnostic, has_errors};
use forkhestra_engine::regular_file;
use typeset::text::visible;

use crate::project::project_location::{ProjectLocation, path_from};

/// Paths of the project's config, in order of preference.
const PROJECT_FILES: [&str; 2] = ["forge/orch/chains.json", "forge/chains.json"];
const USER_FILE: &str = "forkhestra/chains.json";

/// The config layers that were found, with warnings.
#[derive(Debug)]
pub(crate) struct LoadedConfig {
    pub(crate) layers: ConfigLayers,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// A path at which a config file may be.
struct ConfigCandidate {
    kind: ConfigLayerKind,
    path: PathBuf,
    /// The path as messages show it.
    shown: String,
}

/// The nearest parent directory in the same repository that has a project config file. `None` if
/// `directory` itself has one.
pub(crate) fn directory_above(directory: &Path) -> Option<PathBuf> {
    if has_config(directory) {
        return None;
    }
    let root = directory.ancestors().find(|place| place.join(".git").exists())?;
    let above = directory.ancestors().skip(1).take_while(|place| place.starts_with(root));
    above.into_iter().find(|place| has_config(place)).map(Path::to_path_buf)
}

/// The nearest directory with a project config file: `directory` itself or one of its parents.
pub(crate) fn nearest_project(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().find(|place| has_config(place)).map(Path::to_path_buf)
}

/// The paths at which the project's config file may be.
pub(crate) fn project_paths(project: &ProjectLocation) -> Vec<PathBuf> {
    let named = project.config.as_ref();
    let named = named.map(|path| project.environment.current_directory.join(path));
    let usual = PROJECT_FILES.map(|file| project.working_directory.join(file));
    named.into_iter().chain(usual).collect()
}

fn has_config(directory: &Path) -> bool {
    PROJECT_FILES.iter().any(|file| may_exist(&directory.join(file)))
}

/// A remark that names the config file and working directory if they are in a parent directory, or
/// the config file that is not used because of `--cwd`.
pub(crate) fn found_above(project: &ProjectLocation, layers: &ConfigLayers) -> Option<String> {
    if project.start_directory.is_none() {
        return unused_parent_config(project);
    }
    let file = layers.files.iter().find(|layer| layer.kind == ConfigLayerKind::Project)?;
    let directory = project.working_directory.to_string_lossy();
    Some(format!(
        "{} Config file: {}; working directory: {}\n",
        project.program.prefix(),
        visible(file.file_name()),
        visible(&project.environment.shortened(&directory))
    ))
}

/// Names the config file in a parent of the `--cwd` directory. It is not used.
fn unused_parent_config(project: &ProjectLocation) -> Option<String> {
    if project.config.is_some() || project.written_directory.is_none() {
        return None;
    }
    let above = directory_above(&project.working_directory)?;
    let file = PROJECT_FILES.iter().find(|file| may_exist(&above.join(file)))?;
    let place = path_from(&project.environment.current_directory, &above).unwrap_or_default();
    let directory = project.working_directory.to_string_lossy();
    Some(format!(
        "{} Config file not used: {}; `--cwd` sets the working directory: {}\n",
        project.program.prefix(),
        visible(&place.join(file).to_string_lossy()),
        visible(&project.environment.shortened(&directory))
    ))
}

/// Reads all config files. Returns all mistakes at once.
pub(crate) fn load(project: &ProjectLocation) -> Result<LoadedConfig, Vec<Diagnostic>> {
    let mut loaded = LoadedConfig { layers: ConfigLayers::default(), warnings: Vec::new() };
    let mut diagnostics = Vec::new();
    for candidate in [project_file(project, &mut loaded), user_file(project)].into_iter().flatten()
    {
        loaded.layers.looked_for.push(candidate.shown.clone());
        match read(&candidate) {
            Ok(Some(bytes)) => {
                let parsed = config::read(&candidate.shown, bytes);
                diagnostics.extend(parsed.diagnostics);
                loaded.layers.files.extend(parsed.config.map(|config| ConfigLayer {
                    kind: candidate.kind,
                    source: parsed.source,
                    config,
                }));
            }
            Ok(None) if project.config.is_some() && candidate.kind == ConfigLayerKind::Project => {
                diagnostics.push(no_such_config(&candidate.shown));
            }
            Ok(None) => {}
            Err(error) => diagnostics.push(error),
        }
    }
    if has_errors(&diagnostics) {
        return Err(diagnostics);
    }
    loaded.warnings.extend(diagnostics);
    loaded.layers.files.push(built_in::layer());
    Ok(loaded)
}

/// The paths of the config files that are read.
pub(crate) fn paths(project: &ProjectLocation) -> Vec<PathBuf> {
    let mut unused = LoadedConfig { layers: ConfigLayers::default(), warnings: Vec::new() };
    let files = [project_file(project, &mut unused), user_file(project)];
    files.into_iter().flatten().map(|candidate| candidate.path).collect()
}

fn project_file(project: &ProjectLocation, loaded: &mut LoadedConfig) -> Option<ConfigCandidate> {
    if let Some(written) = &project.config {
        return Some(ConfigCandidate {
            kind: ConfigLayerKind::Project,
            path: project.environment.current_directory.join(written),
            shown: written.to_string_lossy().into_owned(),
        });
    }
    let candidate = |file: &str| ConfigCandidate {
        kind: ConfigLayerKind::Project,
        path: project.working_directory.join(file),
        shown: project.shown(file),
    };
    let [preferred, other] = PROJECT_FILES.map(candidate);
    match (may_exist(&preferred.path), may_exist(&other.path)) {
        (true, true) => {
            let (used, ignored) = (&preferred.shown, &other.shown);
            loaded.warnings.push(
                Diagnostic::warning(format!("`{ignored}` is ignored: `{used}` is there too"))
                    .hint("keep one of the two"),
            );
            Some(preferred)
        }
        (false, true) => Some(other),
        (true, false) => Some(preferred),
        (false, false) => {
            loaded.layers.looked_for.extend([preferred.shown, other.shown]);
            None
        }
    }
}

fn user_file(project: &ProjectLocation) -> Option<ConfigCandidate> {
    let environment = &project.environment;
    // The XDG specification requires that relative paths are ignored.
    let xdg = environment.xdg_config_home.as_ref().map(PathBuf::from).filter(|p| p.is_absolute());
    let home = environment.home.as_ref().filter(|home| !home.is_empty());
    let directory = xdg.or_else(|| home.map(|home| Path::new(home).join(".config")))?;
    let path = directory.join(USER_FILE);
    let shown = path.to_string_lossy().into_owned();
    Some(ConfigCandidate { kind: ConfigLayerKind::User, path, shown })
}

/// Whether a file exists at the path, even if it is unusable or inaccessible. Only a file that
/// certainly does not exist may be skipped.
fn may_exist(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(_) => true,
        Err(error) => !is_missing_path(&error),
    }
}

/// Whether the path does not exist, or leads through a file as in `x.json/chains.json`.
fn is_missing_path(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Reads a file; `None` if it does not exist.
fn read(candidate: &ConfigCandidate) -> Result<Option<Vec<u8>>, Diagnostic> {
    let shown = &candidate.shown;
    match candidate.path.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            return Err(Diagnostic::error(format!("config file `{shown}` is a directory")));
        }
        // Reading a pipe could block forever.
        Ok(metadata) if !metadata.is_file() => {
            return Err(Diagnostic::error(format!("config file `{shown}` is not a regular file")));
        }
        Ok(_) => {}
        Err(error) if is_missing_path(&error) && !may_exist(&candidate.path) => return Ok(None),
        Err(error) if is_missing_path(&error) => {
            return Err(Diagnostic::error(format!(
                "config file `{shown}` is a link that leads nowhere"
            )));
        }
        Err(error) => return Err(unreadable(shown, &error)),
    }
    regular_file::read(&candidate.path).map(Some).map_err(|error| unreadable(shown, &error))
}

fn unreadable(shown: &str, error: &io::Error) -> Diagnostic {
    Diagnostic::error(format!("config file `{shown}` cannot be read: {error}"))
}

fn no_such_config(shown: &str) -> Diagnostic {
    Diagnostic::error(format!("config file `{shown}` does not exist"))
        .hint("`--config` takes a path relative to where you are, not to `--cwd`")
}
