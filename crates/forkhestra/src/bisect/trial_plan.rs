//! What snapshots are tested with: a command, checks of the command line, or those of the run.

use std::path::Path;

use forkhestra_core::check::CheckSpec;
use forkhestra_core::config::CheckWhen;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::limit::Limit;
use forkhestra_core::plan::{
    HostEnvironment as _, ModuleRunner, ModuleRunnerKind, Plan, PlanCheck, ProgramLocation,
    Sourced, ValueOrigin,
};
use forkhestra_core::text;

use crate::cli::args::bisect::BisectArgs;
use crate::cli::command_error::CommandError;
use crate::past_runs::run_binding;
use crate::past_runs::run_snapshots::RunSnapshots;
use crate::preflight::{self, SandboxChanges};
use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;

/// The checks that tests can run.
const FORMS: &str = "`command:…`, `file:PATH` or the path of a script";

/// A plan whose step has the checks that test the snapshots.
pub(crate) struct TrialPlan {
    pub(crate) plan: Plan,
    /// The step, counted from one.
    pub(crate) step: usize,
    /// The name of the test in texts.
    pub(crate) name: String,
    pub(crate) warnings: Vec<Diagnostic>,
}

impl TrialPlan {
    /// Makes the plan for the step in which the range ends.
    pub(crate) fn new(
        run: &RunSnapshots,
        step: usize,
        args: &BisectArgs,
        project: &ProjectLocation,
    ) -> Result<Self, CommandError> {
        let mut plan = run.past.history.state.plan.clone();
        let working_directory = Path::new(&plan.working_directory);
        // A run that the user names is trusted: its commands are executed.
        let is_trusted = args.run.is_some()
            || !run_binding::is_foreign(&run.run_dir, working_directory, project);
        let mut checks = match (&args.command[..], &args.check[..]) {
            ([], []) => checks_of_run(run, &plan, step, is_trusted)?,
            ([], specs) => typed_checks(specs, project)?,
            (words, _) => vec![check(command(words))],
        };
        if let Some(timeout) = args.timeout {
            checks.iter_mut().for_each(|check| check.value.timeout = timeout);
        }
        let name = match &args.command[..] {
            [] => name_of(&checks),
            words => words.iter().map(|word| text::shell_word(word)).collect::<Vec<_>>().join(" "),
        };
        // Programs may have changed since the run.
        plan.programs = None;
        plan.steps[step - 1].checks = checks;
        // A masked set-up is another command than that of the run.
        if !args.command.is_empty() || !is_trusted || plan.is_masked {
            plan.steps[step - 1].clean_room = None;
        }
        let changes =
            SandboxChanges { level: args.sandbox.level, writable: args.sandbox.writable.clone() };
        let (errors, warnings) = preflight::resolve_sandboxes(&mut plan, project, &changes);
        if errors.is_empty() { Ok(Self { plan, step, name, warnings }) } else { Err(errors.into()) }
    }
}

/// A command of the user. It reads nothing, unlike a check, which gets its context.
fn command(words: &[String]) -> CheckSpec {
    let words: Vec<String> = words.iter().map(|word| text::shell_word(word)).collect();
    CheckSpec::Command(format!("{} </dev/null", words.join(" ")))
}

/// The checks of `--check`.
fn typed_checks(
    specs: &[String],
    project: &ProjectLocation,
) -> Result<Vec<Sourced<PlanCheck>>, CommandError> {
    let mut checks = Vec::new();
    let mut problems = Vec::new();
    for text in specs {
        match CheckSpec::parse(text) {
            Ok(spec) if !is_testable(&spec) => problems.push(needs_run(text)),
            Ok(spec) => {
                let runner = spec.is_module().then(|| module_runner(project)).flatten();
                let mut check = check(spec);
                check.value.runner = runner;
                checks.push(check);
            }
            Err(why) => problems.push(Diagnostic::error(format!("`--check {text}` {why}"))),
        }
    }
    if problems.is_empty() { Ok(checks) } else { Err(problems.into()) }
}

/// The checks of the step, as far as they can test a snapshot.
fn checks_of_run(
    run: &RunSnapshots,
    plan: &Plan,
    step: usize,
    is_trusted: bool,
) -> Result<Vec<Sourced<PlanCheck>>, CommandError> {
    let id = run.run_dir.run();
    let of_step = plan.step(step).map_or(&[][..], |step| &step.checks);
    let usable: Vec<Sourced<PlanCheck>> =
        of_step.iter().filter(|check| is_testable(&check.value.check)).cloned().collect();
    let why = if plan.is_masked {
        format!("the checks of run {id} contain a secret, which its journal does not have")
    } else if !is_trusted {
        format!("run {id} was not begun in this work tree, and its checks are not executed")
    } else if usable.is_empty() {
        format!("step {step} of run {id} has no check that can test a snapshot")
    } else {
        return Ok(usable);
    };
    let by_name = format!("to execute them anyway, name the run: `forkhestra bisect {id}`");
    Err(CommandError::wrong(
        Diagnostic::error(format!("there is no test for the snapshots: {why}"))
            .maybe_hint((!is_trusted && !usable.is_empty()).then_some(by_name))
            .hint(format!("name a command: `forkhestra bisect {id} -- cargo test`"))
            .hint(format!("or a check: `forkhestra bisect {id} --check 'command:cargo test'`")),
    ))
}

/// Whether a check only needs files.
const fn is_testable(spec: &CheckSpec) -> bool {
    matches!(spec, CheckSpec::Command(_) | CheckSpec::File(_) | CheckSpec::Script(_))
}

fn needs_run(text: &str) -> Diagnostic {
    let about = match text.split(':').next().unwrap_or_default() {
        "tasks" | "task" | "planned" => "the task database",
        _ => "an agent",
    };
    Diagnostic::error(format!("`--check {text}` cannot test a snapshot: it is about {about}"))
        .hint(format!("a snapshot is tested by {FORMS}, or by a command: `-- CMD`"))
}

fn check(spec: CheckSpec) -> Sourced<PlanCheck> {
    let check = PlanCheck {
        check: spec,
        name: None,
        when: CheckWhen::Completion,
        timeout: Limit::Off,
        must_fail_first: false,
        runner: None,
    };
    Sourced::new(check, ValueOrigin::Flag("--check".into()))
}

/// The first installed program that runs modules.
fn module_runner(project: &ProjectLocation) -> Option<ModuleRunner> {
    let host = LocalHost { project };
    ModuleRunnerKind::ALL.into_iter().find_map(|kind| match host.locate(kind.program()) {
        ProgramLocation::Found(path) => Some(ModuleRunner { kind, path }),
        ProgramLocation::Missing(_) => None,
    })
}

fn name_of(checks: &[Sourced<PlanCheck>]) -> String {
    checks.iter().map(|check| check.value.display_name()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_quoted_and_reads_nothing() {
        let words = ["sh", "-c", "test -e \"a b\" && ! false"].map(str::to_owned);
        let expected = "sh -c 'test -e \"a b\" && ! false' </dev/null";
        assert_eq!(command(&words), CheckSpec::Command(expected.to_owned()));
    }

    #[test]
    fn checks_that_are_about_a_run_cannot_test_a_snapshot() {
        for (text, expected) in [
            ("command:true", true),
            ("file:x", true),
            ("./check.sh", true),
            ("marker:DONE", false),
            ("exit-code", false),
            ("tasks", false),
            ("task:TASK-001", false),
            ("planned", false),
        ] {
            let spec = CheckSpec::parse(text).expect("it is a check");
            assert_eq!(is_testable(&spec), expected, "{text}");
        }
    }
}
