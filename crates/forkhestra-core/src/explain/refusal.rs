//! Texts about refused completion claims.

use super::end_facts::EndFacts;
use super::remedy::{NEW_RUN, Remedy, message_command};
use super::{iteration, kept_work_tree};
use crate::event::{ClaimRefusal, IterationReport, Observation, PathList, Verdict};

/// What the next agent has to do about changed protected files.
pub(crate) const RESTORE_FILES: &str =
    "These files are protected and must not be changed. Put them back as they were:";

/// Why a completion claim was refused, with the evidence of its iteration if that is known.
pub fn refusal(why: ClaimRefusal, report: Option<&IterationReport>) -> String {
    let listed = |paths: Option<&PathList>| {
        let some = paths.filter(|paths| !paths.is_empty());
        some.map(PathList::names_text)
    };
    let observation = report.map(|report| &report.observation);
    match why {
        ClaimRefusal::NoWork => "it used no tool and changed nothing".to_owned(),
        ClaimRefusal::ChecksFailed => {
            let failed = report.and_then(|report| iteration::failed_checks(&report.checks));
            failed.unwrap_or_else(|| "a check failed".to_owned())
        }
        ClaimRefusal::ProtectedFiles => {
            match listed(observation.and_then(|observation| observation.protected.as_ref())) {
                Some(paths) => format!("it changed protected files: {paths}"),
                None => "it changed protected files".to_owned(),
            }
        }
        ClaimRefusal::UncommittedWork => {
            let what = "not all of its work is committed";
            match listed(observation.and_then(|observation| observation.uncommitted.as_ref())) {
                Some(paths) => format!("{what}; commit first: {paths}"),
                None => what.to_owned(),
            }
        }
        ClaimRefusal::NotVerified => {
            "git cannot read the repository, so the work is not verified".to_owned()
        }
    }
}

/// What the next agent has to do about the refusal, and the files in question; none if the failed
/// checks say it.
pub(crate) fn instruction(
    why: ClaimRefusal,
    observation: &Observation,
) -> Option<(&'static str, Option<&PathList>)> {
    match why {
        ClaimRefusal::NoWork => Some(("It used no tool and changed nothing.", None)),
        ClaimRefusal::ChecksFailed => None,
        ClaimRefusal::ProtectedFiles => {
            Some(match observation.protected.as_ref().filter(|paths| !paths.is_empty()) {
                None => ("It is not known whether protected files were changed.", None),
                paths => (RESTORE_FILES, paths),
            })
        }
        ClaimRefusal::UncommittedWork => Some((
            "Only committed work is checked. Commit these changes first, or remove them:",
            observation.uncommitted.as_ref(),
        )),
        ClaimRefusal::NotVerified => Some((
            "Git could not read the repository, so the work could not be verified. Make `git \
             status` and `git fsck` work again, and commit the work.",
            None,
        )),
    }
}

/// What to do if the step ended by the refusal. Its agent runs once, and a resume starts it again.
pub(super) fn remedy(why: ClaimRefusal, facts: &EndFacts<'_>) -> Remedy {
    let observation = facts.last.map(|last| &last.observation);
    match why {
        ClaimRefusal::NoWork => Remedy::resume(format!(
            "add guidance with {}, then resume; the agent runs again",
            message_command(facts)
        )),
        ClaimRefusal::ChecksFailed => Remedy::resume(
            "do what the check asks for, or correct the check, then resume; the agent runs again",
        ),
        ClaimRefusal::ProtectedFiles => {
            let paths = observation.and_then(|observation| observation.protected.as_ref());
            Remedy::resume(format!(
                "put the protected files back{}, then resume; or allow changes \
                 (`\"onProtectedChange\": \"allow\"` in the config, or `--no-protect-scripts` for \
                 scripts of checks), and {NEW_RUN}",
                restore_command(facts, paths)
            ))
        }
        ClaimRefusal::UncommittedWork => {
            let paths = observation.and_then(|observation| observation.uncommitted.as_ref());
            let paths = paths.map(|paths| format!(" ({})", paths.names_text())).unwrap_or_default();
            Remedy::resume(format!("commit or remove what is not committed{paths}, then resume"))
        }
        ClaimRefusal::NotVerified => Remedy::resume(
            "repair the repository, so that `git status` and `git fsck` work, then resume",
        ),
    }
}

/// What to do if the last claim of a loop was refused for a reason that the next agent meets again.
pub(super) fn repeated_refusal_remedy(facts: &EndFacts<'_>) -> Option<Remedy> {
    match facts.last.map(|last| &last.verdict) {
        Some(Verdict::Refused(
            why @ (ClaimRefusal::ProtectedFiles
            | ClaimRefusal::UncommittedWork
            | ClaimRefusal::NotVerified),
        )) => Some(remedy(*why, facts)),
        _ => None,
    }
}

/// The command that restores files, if a snapshot from before the step is kept. Git refuses to
/// restore a file by name that did not exist.
fn restore_command(facts: &EndFacts<'_>, paths: Option<&PathList>) -> String {
    let (Some(run), Some(before)) = (facts.run, facts.snapshot_before) else {
        return String::new();
    };
    let listed = match paths {
        Some(PathList { listed, more: 0 }) => listed.as_slice(),
        _ => &[],
    };
    let command = kept_work_tree::restore(run, before, listed);
    format!(" (`{command}`; delete protected files that are new, and omit them from this command)")
}
