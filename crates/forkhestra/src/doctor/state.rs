//! The state directory, and the runs of this work tree.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use forkhestra_core::history::ExecutionStatus;
use forkhestra_store::{ListedRun, StateRoot};
use rustix::fs::{Access, access, statvfs};
use typeset::text::visible;

use super::finding::{DoctorFinding, FindingSubject};
use crate::cli::byte_size::ByteSize;
use crate::cli::command_error::in_full;
use crate::past_runs::fork_directory::abandoned_work_trees;
use crate::past_runs::run_finder::RunFinder;
use crate::past_runs::{repair, resume_command, state_home};
use crate::project::project_location::ProjectLocation;
use crate::report::text::shell_word::shell_word;

/// Less free space than this is soon filled by the output of agents.
const MIN_FREE_BYTES: u64 = 512 * 1024 * 1024;

/// Facts about the state directory.
#[derive(Debug, Clone)]
struct StateFacts {
    path: String,
    /// Why it cannot be written to.
    unusable: Option<String>,
    /// The mode of the directory, if it exists.
    mode: Option<u32>,
    /// Free space in bytes, if the system provides it.
    free: Option<u64>,
}

/// The findings about the state directory and its runs.
pub(super) fn findings(project: &ProjectLocation, state_dir: Option<&str>) -> Vec<DoctorFinding> {
    let mut findings = match state_home::new_run_place(project, state_dir) {
        Some(place) => home(&StateFacts::read(&place), &|path| project.environment.shortened(path)),
        None => vec![
            FindingSubject::State
                .broken("there is no place to keep runs: neither XDG_STATE_HOME nor HOME is set")
                .remedy("set HOME, or name a directory with `--state-dir`"),
        ],
    };
    findings.extend(runs(project, state_dir));
    findings.extend(abandoned_forks(project, state_dir));
    findings
}

impl StateFacts {
    fn read(directory: &Path) -> Self {
        let existing = existing(directory);
        let unusable = match access(&existing, Access::WRITE_OK | Access::EXEC_OK) {
            _ if !existing.is_dir() => Some(format!("`{}` is not a directory", existing.display())),
            Ok(()) if existing == directory => StateRoot::new(directory)
                .require_trusted()
                .err()
                .map(|error| error.source.to_string()),
            Ok(()) => None,
            Err(error) => Some(io::Error::from(error).to_string()),
        };
        let mode =
            fs::metadata(directory).ok().map(|metadata| metadata.permissions().mode() & 0o777);
        let free = statvfs(&existing).ok().map(|room| room.f_bavail.saturating_mul(room.f_frsize));
        Self { path: directory.to_string_lossy().into_owned(), unusable, mode, free }
    }
}

/// The innermost existing part of a path.
fn existing(directory: &Path) -> PathBuf {
    let found = directory.ancestors().find(|directory| directory.symlink_metadata().is_ok());
    found.unwrap_or(Path::new("/")).to_owned()
}

fn home(home: &StateFacts, shown: &dyn Fn(&str) -> String) -> Vec<DoctorFinding> {
    let subject = FindingSubject::State;
    let path = shown(&home.path);
    if let Some(why) = &home.unusable {
        let what = format!("runs cannot be kept in {path}: {why}");
        let remedy = "make it writable, or name another directory with `--state-dir`";
        return vec![subject.broken(what).remedy(remedy)];
    }
    let room = home.free.map(|free| format!(" ({} free)", ByteSize(free))).unwrap_or_default();
    let mut findings = Vec::new();
    if home.free.is_some_and(|free| free < MIN_FREE_BYTES) {
        findings.push(
            subject
                .warning(format!("there is little room for runs in {path}{room}"))
                .remedy("remove old ones with `forkhestra runs prune`, or make room"),
        );
    } else {
        findings.push(subject.ok(format!("runs are kept in {path}{room}")));
    }
    let open = home.mode.filter(|mode| mode & 0o077 != 0);
    findings.extend(open.map(|mode| {
        subject
            .warning(format!(
                "others can look into {path} (mode {mode:o}): what agents say is there"
            ))
            .remedy(format!("chmod 700 {path}"))
    }));
    findings
}

/// Findings about active, interrupted or unreadable runs of this work tree.
fn runs(project: &ProjectLocation, state_dir: Option<&str>) -> Vec<DoctorFinding> {
    let subject = FindingSubject::State;
    let finder = RunFinder { project, state_dir };
    let found = match finder.work_tree_runs() {
        Ok(found) => found,
        Err(error) => {
            let diagnostic = error
                .diagnostics()
                .into_iter()
                .map(|diagnostic| subject.warning(diagnostic.message));
            return diagnostic.collect();
        }
    };
    let listed = found.into_iter().filter_map(ListedRun::read);
    listed.enumerate().filter_map(|(age, run)| run_finding(&run, age == 0, project)).collect()
}

/// Findings about work trees of forks that were cut off while they were made, or whose runs were removed.
fn abandoned_forks(project: &ProjectLocation, state_dir: Option<&str>) -> Vec<DoctorFinding> {
    let finder = RunFinder { project, state_dir };
    let place = state_home::new_run_place(project, state_dir);
    // Runs that cannot be listed are reported above.
    let Some((place, runs)) = place.zip(finder.all_runs().ok()) else { return Vec::new() };
    let finding = |directory: PathBuf| {
        let directory = directory.to_string_lossy();
        let shown = visible(&project.environment.shortened(&directory));
        FindingSubject::State
            .note(format!("no run belongs to the work tree of a fork: {shown}"))
            .remedy(format!("to remove it with all work in it: rm -rf {}", shell_word(&directory)))
    };
    abandoned_work_trees(&place, &runs).into_iter().map(finding).collect()
}

/// The finding about one run. Only the last run is worth resuming.
fn run_finding(
    listed: &ListedRun,
    is_last: bool,
    project: &ProjectLocation,
) -> Option<DoctorFinding> {
    let subject = FindingSubject::State;
    let id = listed.run.run();
    match &listed.overview {
        Ok(known) => match known.status {
            ExecutionStatus::Running => {
                Some(subject.note(format!("run {id} ({}) is active here", known.definition)))
            }
            ExecutionStatus::Interrupted if is_last => Some(
                subject
                    .note(format!("run {id} ({}) was cut off", known.definition))
                    .remedy(resume_command::without_plan(&listed.run, project)),
            ),
            _ => None,
        },
        Err(error) => {
            let what = format!("run {id} cannot be read: {}", in_full(error));
            let problem = forkhestra_core::diagnostic::Diagnostic::warning(what);
            let problem = repair::with_repair_hints(problem, error, &listed.run, project);
            let remedy = (!problem.hints.is_empty()).then(|| problem.hints.join("; "));
            Some(subject.warning(problem.message).maybe_remedy(remedy))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding_lines(unusable: Option<&str>, mode: Option<u32>, free: Option<u64>) -> Vec<String> {
        let unusable = unusable.map(str::to_owned);
        let facts = StateFacts { path: "/state".to_owned(), unusable, mode, free };
        home(&facts, &str::to_owned).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_usable_directory_is_shown_with_its_free_space() {
        let good = "ok: runs are kept in /state (2.0 GiB free)";
        assert_eq!(finding_lines(None, Some(0o700), Some(2 << 30)), [good]);
        assert_eq!(finding_lines(None, None, None), ["ok: runs are kept in /state"]);
    }

    #[test]
    fn an_unwritable_directory_is_broken() {
        assert_eq!(
            finding_lines(Some("Permission denied"), Some(0o700), None),
            ["broken: runs cannot be kept in /state: Permission denied \
              [make it writable, or name another directory with `--state-dir`]"]
        );
    }

    #[test]
    fn little_space_and_an_open_mode_are_reported() {
        let findings = finding_lines(None, Some(0o755), Some(1 << 20));
        assert!(
            findings[0]
                .starts_with("warning: there is little room for runs in /state (1.0 MiB free)")
        );
        assert!(findings[1].starts_with("warning: others can look into /state (mode 755)"));
        assert!(findings[1].ends_with("[chmod 700 /state]"));
    }

    #[test]
    fn a_missing_directory_counts_as_its_parent() {
        let directory = tempfile::tempdir().expect("there is room");
        let home = StateFacts::read(&directory.path().join("a/b"));
        assert_eq!((home.unusable, home.mode), (None, None));
        let file = directory.path().join("file");
        fs::write(&file, "").expect("the directory is ours");
        let home = StateFacts::read(&file.join("below"));
        assert!(home.unusable.is_some_and(|why| why.ends_with("is not a directory")));
    }
}
