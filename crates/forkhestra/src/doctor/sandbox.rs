//! The levels of the sandbox that this machine supports.

use forkhestra_core::config::SandboxChoice;
use forkhestra_core::plan::{SandboxLevel, SandboxSupport};
use forkhestra_engine::sandbox::{examine, find_bubblewrap};

use super::finding::{DoctorFinding, FindingSubject};
use crate::cli::run_request::sandbox_variable;
use crate::project::project_location::ProjectLocation;

/// One finding for each level. A user who turned the sandbox off in the environment gets none.
pub(super) fn findings(project: &ProjectLocation) -> Vec<DoctorFinding> {
    if sandbox_variable(project).as_deref() == Some(SandboxChoice::Off.word()) {
        return Vec::new();
    }
    let bubblewrap = find_bubblewrap(project.environment.path.as_deref());
    levels(&examine(bubblewrap.as_deref(), true))
}

fn levels(support: &SandboxSupport) -> Vec<DoctorFinding> {
    let best = support.best();
    let found = SandboxLevel::CONFINING.into_iter().filter_map(|level| {
        let of_level = support.of(level)?;
        let word = level.word();
        let finding = match &of_level.obstacle {
            None => {
                let auto = if level == best { ", which `auto` takes" } else { "" };
                let mechanism = of_level.mechanism.title();
                let what = format!("`{word}` is possible ({mechanism}){auto}");
                match of_level.gaps.as_slice() {
                    [] => FindingSubject::Sandbox.ok(what),
                    gaps => FindingSubject::Sandbox.note(format!("{what}; {}", gaps.join("; "))),
                }
            }
            Some(obstacle) => {
                let what = format!("`{word}` is not possible: {}", obstacle.why);
                FindingSubject::Sandbox.note(what).remedy(obstacle.remedy.clone())
            }
        };
        Some(finding)
    });
    let found = found.collect();
    if best == SandboxLevel::Off {
        let nothing = "agents run without a sandbox: no level is possible";
        return [vec![FindingSubject::Sandbox.warning(nothing)], found].concat();
    }
    found
}

#[cfg(test)]
mod tests {
    use forkhestra_core::plan::{LevelObstacle, LevelSupport, SandboxMechanism};

    use super::*;

    fn lines(guard: Option<&str>, workspace: Option<&str>, gaps: &[&str]) -> Vec<String> {
        let level = |mechanism, why: Option<&str>| LevelSupport {
            mechanism,
            obstacle: why
                .map(|why| LevelObstacle { why: why.to_owned(), remedy: "install it".to_owned() }),
            gaps: Vec::new(),
        };
        let guard = level(SandboxMechanism::Landlock, guard);
        let gaps = gaps.iter().map(|gap| (*gap).to_owned()).collect();
        levels(&SandboxSupport {
            guard: LevelSupport { gaps, ..guard },
            workspace: level(SandboxMechanism::Bubblewrap, workspace),
            strict: level(SandboxMechanism::Bubblewrap, workspace),
        })
        .iter()
        .map(ToString::to_string)
        .collect()
    }

    #[test]
    fn each_level_is_shown_with_its_mechanism_or_its_obstacle() {
        assert_eq!(
            lines(None, None, &[]),
            [
                "ok: `guard` is possible (Landlock)",
                "ok: `workspace` is possible (bubblewrap), which `auto` takes",
                "ok: `strict` is possible (bubblewrap)",
            ]
        );
        assert_eq!(
            lines(None, Some("no bubblewrap"), &["signals pass"]),
            [
                "note: `guard` is possible (Landlock), which `auto` takes; signals pass",
                "note: `workspace` is not possible: no bubblewrap [install it]",
                "note: `strict` is not possible: no bubblewrap [install it]",
            ]
        );
        let nothing = lines(Some("no Landlock"), Some("no bubblewrap"), &[]);
        assert_eq!(nothing[0], "warning: agents run without a sandbox: no level is possible");
        assert_eq!(nothing.len(), 4);
    }
}
