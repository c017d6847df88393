//! The plan of a forked run: that of the original run, overridden by the options of the command line.

use forkhestra_core::plan::{self, Plan, PlanRequest, RecordedPlan, RequestedPrompt, RunTarget};

use crate::cli::args::fork::ForkArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::run_request;
use crate::notify::NotifyReceiver;
use crate::past_runs::past_run;
use crate::project::config_files;
use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;
use crate::{notify, preflight};

/// Makes the plan of a forked run.
pub(super) struct ForkPlanner<'a> {
    pub(super) args: &'a ForkArgs,
    /// Where the command was typed.
    pub(super) here: &'a ProjectLocation,
    /// Where the run works.
    pub(super) project: &'a ProjectLocation,
}

/// A plan that can be executed.
pub(super) struct PlannedFork {
    pub(super) plan: Plan,
    pub(super) notify: Vec<NotifyReceiver>,
}

impl ForkPlanner<'_> {
    /// Completes the recorded plan, overrides it by the options, and reports every problem.
    pub(super) fn prepare(
        &self,
        mut plan: Plan,
        next_step: usize,
        screen: &mut ConsoleOutput,
    ) -> Result<PlannedFork, CommandError> {
        let project = self.project;
        past_run::restore_plan(&mut plan, project, screen)?;
        let loaded = config_files::load(project)?;
        let request = self.request(RecordedPlan { plan, next_step });
        let built = plan::build(&request, &loaded.layers, &LocalHost { project })?;
        screen.report(&built.warnings);
        let mut plan = built.plan;
        let changes = preflight::SandboxChanges {
            level: self.args.work.sandbox.level,
            writable: self.args.work.sandbox.writable.iter().map(|path| self.typed(path)).collect(),
        };
        let (mut problems, warnings) = preflight::resolve_sandboxes(&mut plan, project, &changes);
        screen.report(&warnings);
        problems.extend(preflight::check_plan(&plan, project));
        // The files of a fork are those of its snapshot.
        if plan.has_lanes() {
            let (base, is_dry_run) = (preflight::LaneBase::Head, self.args.work.dry_run);
            problems.extend(preflight::check_lanes(&plan, project, base, is_dry_run));
        }
        problems.extend(preflight::check_recording(&plan));
        let is_started = !self.args.work.dry_run;
        if is_started {
            let names = preflight::AgentNames::default();
            problems.extend(preflight::check_agents(&plan, project, names));
        }
        let receivers = notify::resolve(&self.args.work.attend, &loaded.layers, project);
        let receivers = receivers.map_err(|mistakes| problems.extend(mistakes)).unwrap_or_default();
        if !problems.is_empty() {
            return Err(problems.into());
        }
        screen.report(&receivers.warnings);
        if is_started {
            screen.report(preflight::check_git_identity(&plan, project).as_slice());
            screen.report(preflight::check_git_signing(&plan, project).as_slice());
        }
        Ok(PlannedFork { plan, notify: receivers.targets })
    }

    /// The request. Paths of files outside of the work tree start at the directory in which the
    /// command was typed, those of checks and protected files at that of the run.
    fn request(&self, recorded: RecordedPlan) -> PlanRequest {
        let target = RunTarget::Recorded(Box::new(recorded));
        let mut request = run_request::requested(target, &self.args.work, self.project);
        request.limits.iterations = self.args.max_iterations;
        request.state_directory = absolute_state_directory(self.args, self.here);
        if let Some(RequestedPrompt::File(path)) = &mut request.prompt {
            *path = self.typed(path);
        }
        request.record = self.args.work.recording.record.as_ref().map(|path| self.typed(path));
        request
    }

    /// A path that starts at the directory in which the command was typed.
    fn typed(&self, path: &str) -> String {
        match path.starts_with('~') {
            true => path.to_owned(),
            false => self.here.typed_from().join(path).to_string_lossy().into_owned(),
        }
    }
}

/// The typed state directory as an absolute path.
pub(super) fn absolute_state_directory(args: &ForkArgs, here: &ProjectLocation) -> Option<String> {
    let typed = args.work.state.state_dir.as_ref()?;
    Some(here.typed_from().join(typed).to_string_lossy().into_owned())
}
