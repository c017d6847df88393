//! The paths that sandboxes may write, as they are before the first agent starts.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use forkhestra_core::config::Backend;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::{AgentKind, LevelObstacle, Plan, PlanStep, SandboxLevel, StepSandbox};

use super::agent_directories::{self, MissingDirectories};
use super::agent_sandbox::{add_work_tree, plan_files};
use super::process_sandbox::EnvironmentFilter;
use super::sandbox_paths::{ProcessVariables, SandboxPaths, is_too_wide, real};
use super::written_tree::WrittenTree;
use crate::launch::agent_command::set;

/// The paths that sandboxes may write. They are found once, before the first agent starts: agents
/// can change files and links in the work tree that lead to them.
#[derive(Debug, Clone, Default)]
pub struct StartPaths {
    steps: Vec<StepPaths>,
}

/// The paths of a step.
#[derive(Debug, Clone, Default)]
struct StepPaths {
    /// Whether the level is `guard`, which protects no single files.
    is_guard: bool,
    agent: SandboxPaths,
    /// Those of its agent on the other back-end, if the step has a fallback.
    fallback: SandboxPaths,
    check: SandboxPaths,
    /// Those of a check in a clean room, without the room itself.
    room: SandboxPaths,
}

impl StartPaths {
    /// Finds the paths for the steps of a plan that have a sandbox. Missing directories of agents and package
    /// managers are created.
    pub fn find(plan: &Plan, inherited: &[(OsString, OsString)]) -> Self {
        Self::find_for(plan, inherited, &WrittenTree::OfUser)
    }

    /// The paths for agents that work in a clone with this working directory. The
    /// user's own work tree cannot be written, and the objects that the clone shares can be read.
    pub(crate) fn in_clone(
        &self,
        plan: &Plan,
        inherited: &[(OsString, OsString)],
        directory: &Path,
    ) -> Self {
        if plan.steps.iter().all(|step| step.active_sandbox().is_none()) {
            return Self::default();
        }
        Self::find_for(plan, inherited, &WrittenTree::OfClone(directory))
    }

    fn find_for(plan: &Plan, inherited: &[(OsString, OsString)], tree: &WrittenTree<'_>) -> Self {
        let step_paths = |step: &PlanStep| {
            let Some(sandbox) = step.active_sandbox() else { return StepPaths::default() };
            let [agent, fallback] = match step.on_each_backend().as_slice() {
                [first, other] => {
                    [first, other].map(|step| agent_paths(plan, step, sandbox, inherited, tree))
                }
                _ => [agent_paths(plan, step, sandbox, inherited, tree), SandboxPaths::default()],
            };
            let (check, room) = check_paths(plan, sandbox, inherited, tree);
            let is_guard = sandbox.level == SandboxLevel::Guard;
            StepPaths { is_guard, agent, fallback, check, room }
        };
        Self { steps: plan.steps.iter().map(step_paths).collect() }
    }

    /// The paths for the agent of a step on the back-end that it has now.
    pub(super) fn of_agent(&self, step: &PlanStep) -> SandboxPaths {
        let paths = self.step(step.number);
        let paths = paths.map(|paths| match step.runs_fallback() {
            true => &paths.fallback,
            false => &paths.agent,
        });
        paths.map(SandboxPaths::unchanged).unwrap_or_default()
    }

    /// The paths for a check of a step outside of a clean room.
    pub(super) fn of_check(&self, step: usize) -> SandboxPaths {
        self.step(step).map(|paths| paths.check.unchanged()).unwrap_or_default()
    }

    /// The paths for a check of a step in a clean room, without the room itself.
    pub(super) fn of_room(&self, step: usize) -> SandboxPaths {
        self.step(step).map(|paths| paths.room.unchanged()).unwrap_or_default()
    }

    /// Settings that agents can create or change although they should not, because the mechanism
    /// of their sandbox does not prevent it.
    pub(crate) fn unprotected(&self) -> BTreeSet<PathBuf> {
        let of_agent = |is_guard: bool, paths: &SandboxPaths| match is_guard {
            true => paths.unprotected.union(&paths.read_only).cloned().collect(),
            false => paths.unprotected.clone(),
        };
        let of_step = |step: &StepPaths| -> BTreeSet<PathBuf> {
            let agents = [&step.agent, &step.fallback].into_iter();
            agents.flat_map(|paths| of_agent(step.is_guard, paths)).collect()
        };
        self.steps.iter().flat_map(of_step).collect()
    }

    fn step(&self, step: usize) -> Option<&StepPaths> {
        self.steps.get(step.checked_sub(1)?)
    }
}

fn agent_paths(
    plan: &Plan,
    step: &PlanStep,
    sandbox: &StepSandbox,
    inherited: &[(OsString, OsString)],
    tree: &WrittenTree<'_>,
) -> SandboxPaths {
    let kind = &step.agent.kind;
    let mut environment = inherited.to_vec();
    kind.env().0.iter().for_each(|(name, value)| set(&mut environment, name, value.clone()));
    let backend = kind.direct().map(|direct| direct.backend);
    let configured: Vec<&str> = kind.env().names().collect();
    let passed = EnvironmentFilter::new(sandbox, backend, &configured).passed(&environment);
    let variables = ProcessVariables(&passed);
    let directory = Path::new(&plan.working_directory);
    let mut paths = SandboxPaths::default();
    tree.add_to(&mut paths, directory, &variables);
    paths.allow_package_caches(&variables);
    match kind {
        AgentKind::Direct(direct) => {
            let missing = MissingDirectories::Create;
            agent_directories::add_to(&mut paths, direct.backend, &variables, missing);
        }
        // A program may start any of them.
        AgentKind::Program(_) if sandbox.level != SandboxLevel::Strict => {
            for backend in Backend::ALL {
                let missing = MissingDirectories::Skip;
                agent_directories::add_to(&mut paths, backend, &variables, missing);
            }
        }
        AgentKind::Program(_) | AgentKind::Question(_) => {}
    }
    for path in &sandbox.writable {
        tree.allow_listed(&mut paths, variables.expand(path, directory), directory);
    }
    let outside = plan.task_database.iter().map(|path| directory.join(path));
    let work_tree = tree.directory(directory);
    let done_file = step.done_file.as_ref().map(|path| work_tree.join(&path.value));
    let done_file = done_file.and_then(|path| Some(path.parent()?.to_owned()));
    outside.chain(done_file).for_each(|path| paths.allow_write(path));
    plan_files(plan, directory).into_iter().for_each(|path| paths.show(path));
    paths.exclude_home(&variables);
    paths
}

/// The paths of a check: those of the work tree, caches, and what the user allows. The second ones
/// are without the work tree.
fn check_paths(
    plan: &Plan,
    sandbox: &StepSandbox,
    inherited: &[(OsString, OsString)],
    written: &WrittenTree<'_>,
) -> (SandboxPaths, SandboxPaths) {
    let user = ProcessVariables(inherited);
    let directory = Path::new(&plan.working_directory);
    let mut paths = SandboxPaths::default();
    written.add_to(&mut paths, directory, &user);
    let tree = paths.writable.clone();
    paths.allow_package_caches(&user);
    for path in &sandbox.writable {
        written.allow_listed(&mut paths, user.expand(path, directory), directory);
    }
    paths.exclude_home(&user);
    let others = paths.writable.difference(&tree).cloned().collect();
    (paths, SandboxPaths { writable: others, ..SandboxPaths::default() })
}

/// Why no sandbox can protect the home directory: it is in the working directory.
pub fn working_directory_obstacle(
    directory: &Path,
    inherited: &[(OsString, OsString)],
) -> Option<LevelObstacle> {
    let home = ProcessVariables(inherited).home().and_then(real);
    let directory = real(directory).filter(|place| is_too_wide(place, home.as_deref()))?;
    let place = directory.display();
    Some(LevelObstacle {
        why: format!(
            "agents may write the working directory `{place}`, and your home directory or the whole \
             file system is in it"
        ),
        remedy: "start in the directory of a project, or name one by `--cwd`".to_owned(),
    })
}

/// The problems with paths that the user allows agents to write.
pub fn writable_problems(plan: &Plan, inherited: &[(OsString, OsString)]) -> Vec<Diagnostic> {
    let user = ProcessVariables(inherited);
    let directory = Path::new(&plan.working_directory);
    let mut tree = SandboxPaths::default();
    let mut problems: Vec<Diagnostic> = Vec::new();
    for sandbox in plan.steps.iter().filter_map(PlanStep::active_sandbox) {
        if tree.writable.is_empty() {
            add_work_tree(&mut tree, directory, &user);
        }
        for text in &sandbox.writable {
            let problem = writable_problem(&user.expand(text, directory), &tree, &user);
            let problem = problem.map(|(why, hint)| {
                let message = format!("agents cannot be allowed to write `{text}`: {why}");
                Diagnostic::error(message).hint(hint)
            });
            problems.extend(problem.filter(|problem| !problems.contains(problem)));
        }
    }
    problems
}

fn writable_problem(
    path: &Path,
    tree: &SandboxPaths,
    user: &ProcessVariables<'_>,
) -> Option<(String, &'static str)> {
    let target = match path.canonicalize() {
        Ok(target) => target,
        Err(error) => return Some((error.to_string(), "create it first")),
    };
    let home: Option<PathBuf> = user.home().and_then(real);
    if is_too_wide(&target, home.as_deref()) {
        let why = "your home directory or the whole file system is in it";
        return Some((why.to_owned(), "name directories in it, or use `--sandbox off`"));
    }
    if target.starts_with("/proc") || target == Path::new("/dev") {
        return Some(("a sandbox has its own".to_owned(), "leave it out"));
    }
    if tree.resolved(path).is_none() {
        let why = format!("a link in the work tree leads to `{}`", target.display());
        return Some((why, "name that path itself"));
    }
    None
}
