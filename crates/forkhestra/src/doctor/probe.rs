//! Starts each agent once for real, against a scripted model on this machine.
//!
//! A probe is an ordinary run of this program with its own directory, home and environment, so it
//! proves what a run would do. `trial` executes it, and `verdict` evaluates it.

mod trial;
mod verdict;

use std::{io, thread};

use forkhestra_core::config::Backend;
use forkhestra_core::plan::{HostEnvironment, ProgramLocation};
use forkhestra_core::text;

use self::trial::ProbeTrial;
use super::finding::{DoctorFinding, FindingSubject};
use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;

/// Probes all installed agents in parallel. `waiting` is called with the agent that is pending.
pub(crate) fn probe(
    project: &ProjectLocation,
    waiting: &mut dyn FnMut(&str),
) -> Vec<DoctorFinding> {
    let host = LocalHost { project };
    let located = Backend::ALL.map(|backend| (backend, host.locate(&host.agent_program(backend))));
    let installed: Vec<(Backend, String)> = located
        .into_iter()
        .filter_map(|(backend, location)| match location {
            ProgramLocation::Found(path) => Some((backend, path)),
            ProgramLocation::Missing(_) => None,
        })
        .collect();
    if installed.is_empty() {
        return vec![FindingSubject::Probe.note("no agent is installed that could be started")];
    }
    thread::scope(|scope| {
        let started: Vec<_> = installed
            .iter()
            .map(|(backend, path)| {
                thread::Builder::new()
                    .spawn_scoped(scope, || probe_agent(*backend, path, project))
                    .map_err(|error| not_tried(*backend, &error))
            })
            .collect();
        let all: Vec<&str> = installed.iter().map(|(backend, _)| backend.title()).collect();
        let all = text::join_with_and(&all);
        let wait = |((backend, _), thread): (
            &(Backend, String),
            Result<thread::ScopedJoinHandle<'_, DoctorFinding>, DoctorFinding>,
        )| {
            waiting(&format!("Probing {all}: waiting for {}", backend.title()));
            match thread {
                Ok(thread) => {
                    thread.join().expect("a probe that fails says so, and does not panic")
                }
                Err(finding) => finding,
            }
        };
        installed.iter().zip(started).map(wait).collect()
    })
}

fn probe_agent(backend: Backend, path: &str, project: &ProjectLocation) -> DoctorFinding {
    match ProbeTrial::run(backend, path, &project.environment) {
        Ok(trial) => verdict::finding(backend, &trial),
        Err(error) => not_tried(backend, &error),
    }
}

fn not_tried(backend: Backend, error: &io::Error) -> DoctorFinding {
    let title = backend.title();
    FindingSubject::Probe.warning(format!("{title} could not be tried: {error}"))
}
