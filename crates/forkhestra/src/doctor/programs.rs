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
    pub(super) bundled_path: Option<PathBuf>,
    /// The one that a shell would start.
    pub(super) on_path: Option<String>,
    /// The reply of that one to the version query; `None` if it is the same file as `bundled_path`.
    pub(super) answer: Option<VersionReply>,
}

impl InstalledProgram {
    /// Whether the program on PATH has to be queried for its version.
    pub(super) fn is_unknown(&self) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        let bundled = self.bundled_path.as_deref().and_then(real);
        self.on_path
            .as_ref()
            .is_some_and(|path| bundled.is_none() || real(Path::new(path)) != bundled)
    }
}

/// The findings about each program. `shown` shortens paths.
pub(super) fn findings(
    programs: &[InstalledProgram],
    version: &str,
    shown: &dyn Fn(&str) -> String,
) -> Vec<DoctorFinding> {
    let (out_of_reach, others): (Vec<_>, Vec<_>) = programs
        .iter()
        .partition(|program| program.on_path.is_none() && program.bundled_path.is_some());
    let other_findings = others.into_iter().map(|program| finding(program, version, shown));
    not_on_path_finding(&out_of_reach, version, shown).into_iter().chain(other_findings).collect()
}

/// One finding for all programs that are not on PATH: they are in one directory, so they share a
/// remedy.
fn not_on_path_finding(
    programs: &[&InstalledProgram],
    version: &str,
    shown: &dyn Fn(&str) -> String,
) -> Option<DoctorFinding> {
    let place = programs.first()?.bundled_path.as_ref()?.parent()?;
    let place = shown(&place.to_string_lossy());
    let names: Vec<&str> = programs.iter().map(|program| program.name).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    let names = text::join_with_and(&names);
    let what = format!("{names} {version} (in {place}) {are} not on PATH");
    Some(FindingSubject::Programs.note(what).remedy(format!("add {place} to PATH")))
}

fn finding(
    program: &InstalledProgram,
    version: &str,
    shown: &dyn Fn(&str) -> String,
) -> DoctorFinding {
    let InstalledProgram { name, bundled_path: bundled, on_path, answer } = program;
    let subject = FindingSubject::Programs;
    let place = bundled.as_deref().and_then(Path::parent);
    let place = place.map(|place| shown(&place.to_string_lossy()));
    match (on_path, answer) {
        (None, _) => {
            subject.warning(format!("{name} is not installed beside forkhestra")).remedy(INSTALL)
        }
        (Some(path), None) => subject.ok(format!("{name} {version} ({})", shown(path))),
        (Some(path), Some(answer)) => match (answer.version(), answer.trouble()) {
            (Some(output), _) if output == version => {
                subject.ok(format!("{name} {version} ({})", shown(path)))
            }
            (Some(output), _) => {
                other_version_finding(name, &shown(path), output, version, place.as_deref())
            }
            (None, trouble) => {
                let trouble = trouble.unwrap_or_else(|| "says no version".to_owned());
                subject
                    .warning(format!("`{} --version` {trouble}", shown(path)))
                    .remedy(format!("remove it from PATH, or {INSTALL}"))
            }
        },
    }
}

fn other_version_finding(
    name: &str,
    path: &str,
    output: &str,
    version: &str,
    place: Option<&str>,
) -> DoctorFinding {
    let what = format!("{name} on PATH ({path}) is {output}, and this is forkhestra {version}");
    let first = place.map(|place| format!("put {place} in front of it on PATH, or "));
    let remedy = format!("{}remove it", first.unwrap_or_default());
    FindingSubject::Programs.warning(what).remedy(remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding_line(bundled: Option<&str>, on_path: Option<&str>, output: Option<&str>) -> String {
        let program = InstalledProgram {
            name: "forge-tasks",
            bundled_path: bundled.map(PathBuf::from),
            on_path: on_path.map(str::to_owned),
            answer: output.map(|output| VersionReply::Version(output.to_owned())),
        };
        findings(&[program], "0.1.0", &str::to_owned)[0].to_string()
    }

    #[test]
    fn each_way_of_installation_is_shown() {
        let bundled = Some("/opt/forge-tasks");
        assert_eq!(
            finding_line(bundled, bundled, None),
            "ok: forge-tasks 0.1.0 (/opt/forge-tasks)"
        );
        assert_eq!(
            finding_line(bundled, None, None),
            "note: forge-tasks 0.1.0 (in /opt) is not on PATH [add /opt to PATH]"
        );
        assert_eq!(
            finding_line(None, None, None),
            format!("warning: forge-tasks is not installed beside forkhestra [{INSTALL}]")
        );
        let other = Some("/bin/forge-tasks");
        let same = finding_line(bundled, other, Some("forge-tasks 0.1.0"));
        assert_eq!(same, "ok: forge-tasks 0.1.0 (/bin/forge-tasks)");
        assert_eq!(
            finding_line(bundled, other, Some("forge-tasks 0.0.9")),
            "warning: forge-tasks on PATH (/bin/forge-tasks) is 0.0.9, and this is forkhestra 0.1.0 \
             [put /opt in front of it on PATH, or remove it]"
        );
        let mute = finding_line(None, other, Some(""));
        assert!(
            mute.starts_with("warning: `/bin/forge-tasks --version` says no version"),
            "{mute}"
        );
    }
}
