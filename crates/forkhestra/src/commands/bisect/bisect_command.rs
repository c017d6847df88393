//! `forkhestra bisect`: a search in two processes, so that no test outlives it.

use std::io;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::ProcessEnd;
use forkhestra_core::machine::RunState;
use forkhestra_engine::EnginePorts;
use forkhestra_engine::bisect::{BisectDirectory, TrialRunner, TrialSettings};
use forkhestra_engine::process::{GuardLink, GuardReport, GuardRole, RunMark, protect, split};
use forkhestra_engine::signal::SignalReceiver;

use crate::bisect::bisect_range::BisectRange;
use crate::bisect::bisect_search::{BisectFailure, BisectSearch};
use crate::bisect::trial_plan::TrialPlan;
use crate::cli::args::bisect::BisectArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::past_runs::past_run;
use crate::past_runs::resume_command::state_root;
use crate::past_runs::run_finder::RunFinder;
use crate::past_runs::run_snapshots::RunSnapshots;
use crate::project::project_location::ProjectLocation;
use crate::report::bisect::{self, BisectSubject};
use crate::supervise::{own_program, sandbox_host};

/// Finds the first bad snapshot of a run. Returns in the process that the user started; the process
/// that runs the tests ends inside.
pub(crate) fn execute(args: &BisectArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let project = ProjectLocation::find(&args.place.project())?;
    let finder = RunFinder { project: &project, state_dir: args.place.state_dir.as_deref() };
    let run = RunSnapshots::find(args.run.as_deref(), &finder)?;
    screen.report(&past_run::broken_chain_warnings(&run.past.recorded));
    let range = BisectRange::of(&run, args)?;
    let step = range.bad().point.moment.step();
    let trial = TrialPlan::new(&run, step, args, &project)?;
    screen.report(&trial.warnings);
    screen.report(range.gone_warning().as_slice());
    let directory = BisectDirectory::create(run.run_dir.path())
        .map_err(|error| cannot(&format!("no directory can be made for the tests: {error}")))?;
    let command = BisectCommand { args, project: &project, run, range, trial, directory };
    match protect().and_then(|()| split()) {
        Ok(GuardRole::Guard(report)) => Ok(command.watched(&report, screen)),
        Ok(GuardRole::Runner(guard)) => {
            let code = command.work(guard, screen);
            #[expect(clippy::exit, reason = "what is above us on the stack belongs to the guard")]
            std::process::exit(i32::from(code))
        }
        Err(error) => {
            // The next search of the run removes it as well.
            let _ = command.directory.remove();
            Err(cannot(&format!("no second process can be started: {error}")))
        }
    }
}

fn cannot(why: &str) -> CommandError {
    CommandError::wrong(Diagnostic::error(why))
}

struct BisectCommand<'a> {
    args: &'a BisectArgs,
    project: &'a ProjectLocation,
    run: RunSnapshots,
    range: BisectRange,
    trial: TrialPlan,
    directory: BisectDirectory,
}

impl BisectCommand<'_> {
    /// The guard's part after the other process ended.
    fn watched(&self, report: &GuardReport, screen: &mut ConsoleOutput) -> u8 {
        self.remove_directory(screen);
        let program = self.project.program;
        let error = exit_code::error(program);
        match (&report.runner, report.cut_short) {
            (ProcessEnd::Exited(code), _) => u8::try_from(*code).unwrap_or(error),
            (ProcessEnd::Signaled(_), Some(by)) => by.exit_code(),
            (ProcessEnd::Signaled(signal), None) => {
                let why = format!("the process of the tests was killed by signal {signal}");
                screen.report(&[Diagnostic::error(why)]);
                exit_code::of_signal(program, *signal)
            }
            (ProcessEnd::NotStarted { .. }, _) => error,
        }
    }

    /// The part of the process that runs the tests.
    fn work(&self, guard: GuardLink, screen: &mut ConsoleOutput) -> u8 {
        // Without the mark, leftovers are found by their environment only.
        let _ = RunMark::of(&self.directory.tag()).apply();
        let code = match self.search(guard, screen) {
            Ok(code) => code,
            Err(BisectFailure::Cancelled(by)) => by.exit_code(),
            Err(BisectFailure::Error(error)) => {
                screen.report(&error.diagnostics());
                error.exit_code(self.project.program)
            }
        };
        self.remove_directory(screen);
        code
    }

    fn search(&self, guard: GuardLink, screen: &mut ConsoleOutput) -> Result<u8, BisectFailure> {
        let ports = self.ports(guard).map_err(|error| {
            BisectFailure::Error(cannot(&format!("the search cannot be set up: {error}")))
        })?;
        let subject = BisectSubject {
            run: &self.run,
            range: &self.range,
            test: &self.trial.name,
            is_command: !self.args.command.is_empty(),
            sandbox: self.trial.plan.steps[self.trial.step - 1].active_sandbox(),
            project: self.project,
        };
        screen.remark(&bisect::start(&subject));
        let id = self.run.run_dir.run();
        let mut runner = TrialRunner::new(TrialSettings {
            ports,
            directory: &self.directory,
            reader: &self.run.reader,
            state: RunState::new(id.clone(), self.trial.plan.clone()),
            step: self.trial.step,
            times: self.args.times,
            is_fresh: self.args.fresh,
        });
        let search =
            BisectSearch { range: &self.range, run: id.as_str(), is_verbose: self.args.verbose };
        let result = search.search(&mut runner, screen)?;
        let printed = match self.args.json {
            true => screen.print_data(&bisect::json(&subject, &result)),
            false => screen.print(&bisect::render(&subject, &result)),
        };
        printed.map_err(|error| BisectFailure::Error(error.into()))?;
        Ok(bisect::exit_code(result.outcome))
    }

    fn ports(&self, guard: GuardLink) -> io::Result<EnginePorts> {
        let signals = SignalReceiver::install_in_runner(&guard)?;
        let (environment, scratch) =
            (self.project.environment.inherited.clone(), self.directory.scratch());
        Ok(EnginePorts {
            guard: Some(guard),
            persistent_directory: self.run.run_dir.kept(),
            // Without it, tests have to find `forge-tasks` by themselves.
            own_program: own_program(&scratch).ok(),
            sandbox: sandbox_host(&self.trial.plan, self.project),
            state: state_root(self.run.run_dir.work_tree().path()).to_owned(),
            ..EnginePorts::new(signals, environment, scratch)
        })
    }

    fn remove_directory(&self, screen: &mut ConsoleOutput) {
        if let Err(error) = self.directory.remove() {
            let path = self.directory.path().display();
            let why = format!("the files of the tests cannot be removed from {path}: {error}");
            screen.report(&[Diagnostic::warning(why)]);
        }
    }
}
