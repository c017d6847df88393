//! The programs of this package: whether they are installed and have the same version.

use std::path::{Path, PathBuf};

use forkhestra_core::text;

use super::finding::{DoctorFinding, FindingSubject};
use super::version_query::VersionReply;

/// The programs that are installed together.
pub(super) const NAMES: [&str; 3] = ["forkhestra", "forge-tasks", "ralph-runner"];

const INSTALL: &str = "install the three programs with `cargo install --path crates/forkhestra`";

/// Facts about one program.
#[derive(Debug, Clone)]
pub(super) struct InstalledProgram {
    pub(super) name: &'static str,
    /// The one next to this executable.
    pub(super) ours: Option<PathBuf>,
    /// The one that a shell would start.
    pub(super) on_path: Option<String>,
    /// The reply of that one to the version query; `None` if it is the same file as `ours`.
    pub(super) answer: Option<VersionReply>,
}

impl InstalledProgram {
    /// Whether the program on PATH has to be queried for its version.
    pub(super) fn is_unknown(&self) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        let ours = self.ours.as_deref().and_then(real);
        self.on_path.as_ref().is_some_and(|path| ours.is_none() || real(Path::new(path)) != ours)
    }
}

/// The findings about each program. `shown` shortens paths.
pub(super) fn findings(
    programs: &[InstalledProgram],
    version: &str,
    shown: &dyn Fn(&str) -> String,
) -> Vec<DoctorFinding> {
    let (out_of_reach, others): (Vec<_>, Vec<_>) =
        programs.iter().partition(|program| program.on_path.is_none() && program.ours.is_some());
    let told = others.into_iter().map(|program| finding(program, version, shown));
    out_of_reach_of_shells(&out_of_reach, version, shown).into_iter().chain(told).collect()
}

/// One finding for all programs that are not on PATH: they are in one directory, so they share a
/// remedy.
fn out_of_reach_of_shells(
    programs: &[&InstalledProgram],
    version: &str,
    shown: &dyn Fn(&str) -> String,
) -> Option<DoctorFinding> {
    let place = programs.first()?.ours.as_ref()?.parent()?;
    let place = shown(&place.to_string_lossy());
    let names: Vec<&str> = programs.iter().map(|program| program.name).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    let names = text::all_of(&names);
    let what = format!("{names} {version} (in {place}) {are} not on PATH");
    Some(FindingSubject::Programs.note(what).remedy(format!("add {place} to PATH")))
}

fn finding(
    program: &InstalledProgram,
    version: &str,
    shown: &dyn Fn(&str) -> String,
) -> DoctorFinding {
    let InstalledProgram { name, ours, on_path, answer } = program;
    let subject = FindingSubject::Programs;
    let place = ours.as_deref().and_then(Path::parent);
    let place = place.map(|place| shown(&place.to_string_lossy()));
    match (on_path, answer) {
        (None, _) => {
            subject.warning(format!("{name} is not installed beside forkhestra")).remedy(INSTALL)
        }
        (Some(path), None) => subject.ok(format!("{name} {version} ({})", shown(path))),
        (Some(path), Some(answer)) => match (answer.version(), answer.trouble()) {
            (Some(said), _) if said == version => {
                subject.ok(format!("{name} {version} ({})", shown(path)))
            }
            (Some(said), _) => another(name, &shown(path), said, version, place.as_deref()),
            (None, trouble) => {
                let trouble = trouble.unwrap_or_else(|| "says no version".to_owned());
                subject
                    .warning(format!("`{} --version` {trouble}", shown(path)))
                    .remedy(format!("remove it from PATH, or {INSTALL}"))
            }
        },
    }
}

fn another(
    name: &str,
    path: &str,
    said: &str,
    version: &str,
    place: Option<&str>,
) -> DoctorFinding {
    let what = format!("{name} on PATH ({path}) is {said}, and this is forkhestra {version}");
    let first = place.map(|place| format!("put {place} in front of it on PATH, or "));
    let remedy = format!("{}remove it", first.unwrap_or_default());
    FindingSubject::Programs.warning(what).remedy(remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(ours: Option<&str>, on_path: Option<&str>, said: Option<&str>) -> String {
        let program = InstalledProgram {
            name: "forge-tasks",
            ours: ours.map(PathBuf::from),
            on_path: on_path.map(str::to_owned),
            answer: said.map(|said| VersionReply::Said(said.to_owned())),
        };
        findings(&[program], "0.1.0", &str::to_owned)[0].to_string()
    }

    #[test]
    fn each_way_to_be_installed_is_told() {
        let ours = Some("/opt/forge-tasks");
        assert_eq!(told(ours, ours, None), "ok: forge-tasks 0.1.0 (/opt/forge-tasks)");
        assert_eq!(
            told(ours, None, None),
            "note: forge-tasks 0.1.0 (in /opt) is not on PATH [add /opt to PATH]"
        );
        assert_eq!(
            told(None, None, None),
            format!("warning: forge-tasks is not installed beside forkhestra [{INSTALL}]")
        );
        let other = Some("/bin/forge-tasks");
        let same = told(ours, other, Some("forge-tasks 0.1.0"));
        assert_eq!(same, "ok: forge-tasks 0.1.0 (/bin/forge-tasks)");
        assert_eq!(
            told(ours, other, Some("forge-tasks 0.0.9")),
            "warning: forge-tasks on PATH (/bin/forge-tasks) is 0.0.9, and this is forkhestra 0.1.0 \
             [put /opt in front of it on PATH, or remove it]"
        );
        let mute = told(None, other, Some(""));
        assert!(
            mute.starts_with("warning: `/bin/forge-tasks --version` says no version"),
            "{mute}"
        );
    }
}
