//! Checks the installation and the project's set-up, and suggests remedies.
//!
//! Each subject has its own file, which collects facts and turns them into findings. Nothing is
//! changed. The only programs started are git and those that are queried for their version
//! ([`version_query`]). Only a [`probe`] starts agents.

mod agents;
mod config;
mod finding;
mod git;
mod login;
mod probe;
mod programs;
mod runners;
mod sandbox;
mod state;
mod version_query;

use std::path::PathBuf;

use forkhestra_core::config::Backend;
use forkhestra_core::plan::{HostEnvironment, ProgramLocation};
use forkhestra_core::text;
use typeset::text::visible;

pub(crate) use self::finding::{DoctorFinding, FindingStatus, FindingSubject};

use self::version_query::{VersionQuery, VersionReply, query_all};
use crate::cli::version;
use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;

/// Receives findings during an examination.
pub(crate) trait DoctorObserver {
    /// A slow query has started.
    fn waiting(&mut self, what: &str);

    /// All findings about the next subject. Subjects are reported in a fixed order.
    fn found(&mut self, findings: Vec<DoctorFinding>);
}

/// Examines all subjects in order.
pub(crate) fn examine(
    project: &ProjectLocation,
    state_dir: Option<&str>,
    probes: bool,
    listener: &mut dyn DoctorObserver,
) {
    let (project, relative) = without_relative_path(project);
    let project = &project;
    let host = LocalHost { project };
    let shown = |path: &str| project.environment.shortened(path);
    let config = config::read(project);
    let inventory = config.inventory.as_ref();
    let mut programs = own_programs(&host);
    let mut agents = Backend::ALL.map(|backend| agents::AgentFacts {
        needed_by: inventory.map(|all| agents::needed_by(backend, all)).unwrap_or_default(),
        ..known(backend, project, &host)
    });
    let git = host.locate("git");
    let git = query_all_programs(&mut programs, &mut agents, &git, project, listener);

    let mut found = programs::findings(&programs, version::CURRENT, &shown);
    found.extend(relative_path_finding(&relative));
    listener.found(found);
    // With a broken config it is unknown whether other programs are used as agents.
    let has_others = inventory.is_none_or(agents::has_program);
    listener.found(agents::findings(&agents, has_others, &shown));
    if probes {
        let findings = probe::probe(project, &mut |what| listener.waiting(what));
        listener.found(findings);
    }
    let merging = git::merge_driver(project);
    listener.found(git::findings(&git, &shown).into_iter().chain(merging).collect());
    listener.found(sandbox::findings(project));
    listener.found(state::findings(project, state_dir));
    let modules =
        inventory.map(|inventory| runners::findings(&runners::modules(inventory), &host, &shown));
    listener.found(config.findings.into_iter().chain(modules.into_iter().flatten()).collect());
}

/// The project without relative directories in `PATH`, and those directories. A program found there would be one of the
/// project, and examining a project must not execute it.
fn without_relative_path(project: &ProjectLocation) -> (ProjectLocation, Vec<PathBuf>) {
    let mut project = project.clone();
    let Some(path) = &project.environment.path else { return (project, Vec::new()) };
    let (absolute, relative): (Vec<PathBuf>, Vec<PathBuf>) =
        std::env::split_paths(path).partition(|directory| directory.is_absolute());
    if !relative.is_empty() {
        // Directories that were split from a PATH can be joined again.
        project.environment.path = std::env::join_paths(absolute).ok();
    }
    (project, relative)
}

/// The finding about relative directories in `PATH`.
fn relative_path_finding(relative: &[PathBuf]) -> Option<DoctorFinding> {
    if relative.is_empty() {
        return None;
    }
    let shown = |directory: &PathBuf| match directory.as_os_str().is_empty() {
        true => "an empty one".to_owned(),
        false => format!("`{}`", visible(&directory.to_string_lossy())),
    };
    let mut names: Vec<String> = relative.iter().map(shown).collect();
    names.dedup();
    let names = text::join_with_and(&names);
    let what =
        format!("PATH has relative directories ({names}); forkhestra starts no program from them");
    let remedy = "remove them from PATH: other programs would start a program of the current directory in place of yours";
    Some(FindingSubject::Programs.warning(what).remedy(remedy))
}

/// The programs of this package, before their versions are queried.
fn own_programs(host: &LocalHost<'_>) -> Vec<programs::InstalledProgram> {
    let here = std::env::current_exe().ok();
    let place = here.as_deref().and_then(std::path::Path::parent);
    let installed = programs::NAMES.map(|name| {
        let beside = place.map(|place| place.join(name)).filter(|path| path.is_file());
        let bundled = if name == "forkhestra" { here.clone() } else { beside };
        let on_path = found(host.locate(name));
        programs::InstalledProgram { name, bundled_path: bundled, on_path, answer: None }
    });
    installed.into()
}

/// The facts about an agent program, before its version is queried.
fn known(backend: Backend, project: &ProjectLocation, host: &LocalHost<'_>) -> agents::AgentFacts {
    let settings = login::AgentLoginSettings::new(backend, &project.environment);
    let command = host.agent_program(backend);
    let is_root = rustix::process::geteuid().is_root();
    agents::AgentFacts {
        backend,
        location: host.locate(&command),
        command,
        answer: None,
        login: settings.login(),
        model: settings.model(),
        needed_by: Vec::new(),
        is_bare_root: backend.facts().root_refusal.is_some_and(|refusal| {
            let sandbox = project.environment.variable(refusal.sandbox_variable);
            agents::is_bare_root(is_root, sandbox)
        }),
    }
}

/// Queries all programs in parallel, since some take a second to reply.
fn query_all_programs(
    programs: &mut [programs::InstalledProgram],
    agents: &mut [agents::AgentFacts],
    git: &ProgramLocation,
    project: &ProjectLocation,
    listener: &mut dyn DoctorObserver,
) -> git::GitFacts {
    let directory = &project.working_directory;
    let mut slots: Vec<(VersionQuery, &mut Option<VersionReply>)> = Vec::new();
    for program in programs.iter_mut().filter(|program| program.is_unknown()) {
        let path = program.on_path.clone().unwrap_or_default();
        slots.push((VersionQuery::version(path, directory), &mut program.answer));
    }
    for agent in agents {
        if let ProgramLocation::Found(path) = &agent.location {
            slots.push((VersionQuery::version(path, directory), &mut agent.answer));
        }
    }
    let (mut questions, slots): (Vec<VersionQuery>, Vec<_>) = slots.into_iter().unzip();
    questions.extend(git::questions(git, directory));
    for question in &mut questions {
        question.path.clone_from(&project.environment.path);
    }
    let mut waiting = |question: &VersionQuery| {
        let program = question.program.file_name().unwrap_or(question.program.as_os_str());
        let words = [program.to_string_lossy().as_ref()]
            .into_iter()
            .chain(question.args.iter().copied())
            .collect::<Vec<_>>()
            .join(" ");
        listener.waiting(&format!("Waiting for `{words}`"));
    };
    let mut answers = query_all(&questions, &mut waiting).into_iter();
    for slot in slots {
        *slot = answers.next();
    }
    git::GitFacts {
        program: found(git.clone()),
        answers: answers.collect(),
        is_in_repository: project.is_in_repository(),
        work_tree: project.work_tree().to_string_lossy().into_owned(),
    }
}

fn found(location: ProgramLocation) -> Option<String> {
    match location {
        ProgramLocation::Found(path) => Some(path),
        ProgramLocation::Missing(_) => None,
    }
}
