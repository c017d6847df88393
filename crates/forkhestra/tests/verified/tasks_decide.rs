//! The table of docs/tasks-in-a-run.md: what the task database decides about a step, for every
//! state of the database and every form of a step.

use std::fmt::Write as _;

use testkit::{CommandOutput, TestEnv};

use crate::FORGE_TASKS;
use crate::support::{config, events_of, forkhestra, project, ralph, reason, verdicts};

/// The database at the start of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DatabaseCase {
    None,
    Empty,
    Done,
    Ready,
    /// In Progress without a lease.
    Unfinished,
    Blocked,
}

/// The action of the agent in each iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AgentBehaviour {
    /// It changes a file that is no task, and prints the marker.
    Prints,
    /// It finishes a task and prints no marker.
    Finishes,
    Deletes,
    Archives,
    Blocks,
}

/// The form of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StepForm {
    /// `forkhestra builder:3`, built in.
    BuiltIn,
    /// `forkhestra task-coordinator:3`, built in.
    Coordinator,
    /// `forkhestra --chain build`, built in.
    BuiltInChain,
    /// `forkhestra builder`, built in.
    BuiltInOnce,
    /// An agent of the config with a prompt of its own.
    Configured,
    /// A program on PATH.
    Program,
    /// A program in a chain of the config.
    ProgramInChain,
    /// `ralph-runner --agent builder`, a program in `bin/`.
    Ralph,
    /// A program with `--check tasks`.
    Written,
}

impl StepForm {
    const BUILT_IN: [Self; 3] = [Self::BuiltIn, Self::Coordinator, Self::BuiltInChain];
    const OWN: [Self; 4] = [Self::Configured, Self::Program, Self::ProgramInChain, Self::Ralph];

    fn install(self, env: &TestEnv, script: &str) {
        match self {
            Self::BuiltIn | Self::Coordinator | Self::BuiltInChain | Self::BuiltInOnce => {
                env.agent("claude", script);
            }
            Self::Configured => {
                env.agent("claude", script);
                config(
                    env,
                    r#"{"agents": {"fk:builder": {"systemPromptText": "Build."}}, "chains": {}}"#,
                );
            }
            Self::Program | Self::Written => {
                env.agent("builder", script);
            }
            Self::ProgramInChain => {
                env.agent("builder", script);
                config(
                    env,
                    r#"{"chains": {"own": {"steps": [{"agent": "builder", "iterations": 3}]}}}"#,
                );
            }
            Self::Ralph => {
                env.agent_file("bin/builder", script);
            }
        }
    }

    fn run(self, env: &TestEnv) -> CommandOutput {
        match self {
            Self::BuiltIn | Self::Program => forkhestra(env, &["builder:3"]),
            Self::Coordinator => forkhestra(env, &["task-coordinator:3"]),
            Self::BuiltInChain => forkhestra(env, &["--chain", "build"]),
            Self::BuiltInOnce => forkhestra(env, &["builder"]),
            Self::Configured => forkhestra(env, &["fk:builder:3"]),
            Self::ProgramInChain => forkhestra(env, &["--chain", "own"]),
            Self::Ralph => ralph(env, &["--agent", "builder", "--max-iterations", "3"]),
            Self::Written => forkhestra(env, &["builder:3", "--check", "tasks"]),
        }
    }

    const fn max_iterations(self) -> usize {
        match self {
            Self::BuiltInChain => 30,
            Self::BuiltInOnce => 1,
            _ => 3,
        }
    }
}

impl DatabaseCase {
    fn fill(self, env: &TestEnv) {
        if self == Self::None {
            return;
        }
        tasks(env, &["create", "one"]);
        match self {
            Self::None | Self::Ready => {}
            Self::Empty => tasks(env, &["delete", "1", "--force"]),
            Self::Done => tasks(env, &["edit", "1", "--status", "done"]),
            Self::Unfinished => tasks(env, &["edit", "1", "--status", "in-progress"]),
            Self::Blocked => tasks(env, &["edit", "1", "--status", "blocked"]),
        }
    }
}

impl AgentBehaviour {
    const fn script(self) -> &'static str {
        match self {
            Self::Prints => "echo $FORKHESTRA_ITERATION >> progress; echo FORKHESTRA_COMPLETE",
            Self::Finishes => {
                "id=$(forge-tasks claim --plain | sed -n 's/^id=//p')
                 forge-tasks edit \"$id\" --status done --plain"
            }
            Self::Deletes => "forge-tasks delete 1 --force --plain; echo FORKHESTRA_COMPLETE",
            Self::Archives => "forge-tasks archive 1 --plain; echo FORKHESTRA_COMPLETE",
            Self::Blocks => "forge-tasks edit 1 --status blocked --plain; echo FORKHESTRA_COMPLETE",
        }
    }
}

#[track_caller]
fn tasks(env: &TestEnv, args: &[&str]) {
    let done = env.run(FORGE_TASKS, args);
    assert_eq!(done.code, Some(0), "{args:?}: {done}");
}

/// The exit code, the reason of the end, and the number of started agents.
fn outcome(
    form: StepForm,
    database: DatabaseCase,
    does: AgentBehaviour,
) -> (String, CommandOutput) {
    let env = project();
    env.link_system_program("sed");
    database.fill(&env);
    form.install(&env, does.script());
    let output = form.run(&env);
    let started = match events_of(&env, "iteration_started").len() {
        all if all == form.max_iterations() && all > 1 => "all".to_owned(),
        number => number.to_string(),
    };
    let code = output.code.unwrap_or(-1);
    (format!("{code} {} {started}", reason(&env)), output)
}

/// Runs rows of the table, and fails with all that differ.
#[track_caller]
fn assert_rows(forms: &[StepForm], rows: &[(DatabaseCase, AgentBehaviour, &str)]) {
    let mut wrong = String::new();
    for form in forms {
        for (database, does, expected) in rows {
            let (found, output) = outcome(*form, *database, *does);
            if found != *expected {
                let row = format!("{form:?} {database:?} {does:?}");
                let _ = writeln!(wrong, "{row}: {found}, expected {expected}\n{output}");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

use AgentBehaviour::{Archives, Blocks, Deletes, Finishes, Prints};
use DatabaseCase::{Blocked, Done, Empty, None as Nowhere, Ready, Unfinished};

#[test]
fn a_loop_of_a_built_in_agent() {
    assert_rows(
        &StepForm::BUILT_IN,
        &[
            (Done, Prints, "0 tasks_done 0"),
            (Ready, Finishes, "0 tasks_done 1"),
            (Unfinished, Finishes, "0 tasks_done 1"),
            (Blocked, Prints, "1 tasks_blocked 0"),
            (Nowhere, Prints, "1 no_tasks 0"),
            (Empty, Prints, "1 no_tasks 0"),
            (Ready, Blocks, "1 tasks_blocked 1"),
            (Ready, Deletes, "1 tasks_blocked 1"),
            (Ready, Archives, "1 tasks_blocked 1"),
        ],
    );
    assert_rows(
        &[StepForm::BuiltIn, StepForm::Coordinator],
        &[(Ready, Prints, "1 max_iterations all"), (Unfinished, Prints, "1 max_iterations all")],
    );
}

#[test]
fn a_built_in_agent_that_runs_once() {
    assert_rows(
        &[StepForm::BuiltInOnce],
        &[
            (Done, Prints, "0 tasks_done 0"),
            (Ready, Finishes, "0 exit_code 1"),
            (Unfinished, Finishes, "0 exit_code 1"),
            (Blocked, Prints, "1 tasks_blocked 0"),
            (Nowhere, Prints, "1 no_tasks 0"),
            (Empty, Prints, "1 no_tasks 0"),
        ],
    );
}

#[test]
fn a_loop_of_an_agent_of_the_users_own() {
    assert_rows(
        &StepForm::OWN,
        &[
            (Done, Prints, "0 marker 1"),
            (Ready, Prints, "1 max_iterations all"),
            (Ready, Finishes, "0 tasks_done 1"),
            (Unfinished, Finishes, "0 tasks_done 1"),
            (Blocked, Prints, "1 tasks_blocked 1"),
            (Nowhere, Prints, "0 marker 1"),
            (Empty, Prints, "0 marker 1"),
            (Ready, Blocks, "1 tasks_blocked 1"),
            (Ready, Deletes, "1 tasks_blocked 1"),
            (Ready, Archives, "1 tasks_blocked 1"),
        ],
    );
}

#[test]
fn an_explicit_tasks_check_needs_tasks() {
    assert_rows(
        &[StepForm::Written],
        &[
            (Done, Prints, "0 marker 1"),
            (Ready, Prints, "1 max_iterations all"),
            (Ready, Finishes, "0 tasks_done 1"),
            (Blocked, Prints, "1 tasks_blocked 1"),
            (Nowhere, Prints, "1 max_iterations all"),
            (Empty, Prints, "1 max_iterations all"),
        ],
    );
}

#[test]
fn the_blocking_task_is_named_by_poll_and_check() {
    for form in [StepForm::BuiltIn, StepForm::Program] {
        for (database, does, why) in [
            (Blocked, Prints, "TASK-001 is blocked"),
            (Ready, Blocks, "TASK-001 is blocked"),
            (Ready, Deletes, "TASK-001 was deleted before it was done"),
            (Ready, Archives, "TASK-001 was archived before it was done"),
        ] {
            let (_, warning) = outcome(form, database, does);
            let expected = format!("no task can be claimed: {why} (tasks_blocked)");
            assert!(
                warning.stdout.contains(&expected),
                "{form:?} {database:?} {does:?}: {warning}"
            );
        }
    }
}

#[test]
fn an_obstacle_after_the_last_iteration_outranks_the_iteration_limit() {
    let env = project();
    env.agent("builder", "forge-tasks edit 1 --status blocked --plain");
    assert_eq!(env.run(FORGE_TASKS, &["create", "One"]).code, Some(0));
    let output = forkhestra(&env, &["builder:1"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(reason(&env), "tasks_blocked", "{output}");
}

/// The configuration and the prompts of the founding document 002, unchanged.
fn founding_002(script: &str) -> TestEnv {
    let env = project();
    env.link_system_program("sed");
    config(&env, include_str!("founding_002/chains.json"));
    env.write("system-prompts/fk/planner.md", include_str!("founding_002/planner.md"));
    env.write("system-prompts/fk/builder.md", include_str!("founding_002/builder.md"));
    env.agent("claude", script);
    env
}

#[test]
fn the_next_step_sees_a_database_created_by_a_planner() {
    let env = founding_002(
        "case \"$*\" in
           *'Forkhestra Planner'*) for t in one two three; do forge-tasks create $t --plain; done;;
           *) id=$(forge-tasks list --ready --plain | sed -n '1s/ .*//p' | sed 's/^id=//')
              forge-tasks edit \"$FORKHESTRA_ITERATION\" --status done --plain;;
         esac
         echo FORKHESTRA_COMPLETE",
    );
    let output = forkhestra(&env, &["--chain", "ralph"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(
        verdicts(&env),
        ["complete marker", "refused checks_failed", "refused checks_failed", "complete marker"]
    );
}

#[test]
fn a_task_left_in_progress_is_claimed_again() {
    let env = founding_002(
        "if [ \"$FORKHESTRA_ITERATION\" = 1 ]; then
           forge-tasks edit TASK-001 --status \"In Progress\"; exit 1
         fi
         forge-tasks list --ready --plain | grep -q TASK-001 || exit 1
         forge-tasks edit TASK-001 --check-ac 1 --status done --plain
         echo FORKHESTRA_COMPLETE",
    );
    tasks(&env, &["create", "One", "--ac", "x"]);
    let output = forkhestra(&env, &["--chain", "build"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(verdicts(&env), ["crashed", "complete marker"]);
}

/// The form of a step for one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OneTaskForm {
    /// `forkhestra --chain single-task TASK_ID=ID`.
    BuiltInChain,
    /// The same in a project whose `task-worker` was written by `forkhestra init --with-prompts`.
    InitWithPrompts,
    /// `forkhestra task-worker:8 -- --task ID`.
    Loop,
    /// `forkhestra task-worker -- --task ID`.
    Once,
}

impl OneTaskForm {
    const LOOPS: [Self; 3] = [Self::BuiltInChain, Self::InitWithPrompts, Self::Loop];

    fn run(self, env: &TestEnv, id: &str) -> CommandOutput {
        match self {
            Self::BuiltInChain | Self::InitWithPrompts => {
                forkhestra(env, &["--chain", "single-task", &format!("TASK_ID={id}")])
            }
            Self::Loop => forkhestra(env, &["task-worker:8", "--", "--task", id]),
            Self::Once => forkhestra(env, &["task-worker", "--", "--task", id]),
        }
    }
}

/// A run on one task, in a database with one task of each of these states.
fn one_task(form: OneTaskForm, states: &[&str], id: &str, script: &str) -> (String, CommandOutput) {
    let env = project();
    if form == OneTaskForm::InitWithPrompts {
        let output = forkhestra(&env, &["init", "--with-prompts", "--backend", "claude"]);
        assert_eq!(output.code, Some(0), "{output}");
    }
    for (number, status) in (1..).zip(states) {
        tasks(&env, &["create", "one"]);
        tasks(&env, &["edit", &format!("{number}"), "--status", status]);
    }
    env.agent("claude", script);
    let output = form.run(&env, id);
    let started = events_of(&env, "iteration_started").len();
    (format!("{} {} {started}", output.code.unwrap_or(-1), reason(&env)), output)
}

#[test]
fn a_single_task_starts_agents_only_while_it_can_be_done() {
    let says = "echo $FORKHESTRA_ITERATION >> progress; echo FORKHESTRA_COMPLETE";
    let finishes = "forge-tasks edit 1 --status done --plain";
    let blocks = "forge-tasks edit 1 --status blocked --plain";
    let rows = [
        (&["todo"][..], "TASK-099", says, "1 tasks_blocked 0", "there is no task TASK-099"),
        (&[], "TASK-001", says, "1 tasks_blocked 0", "there is no task TASK-001"),
        (&["done", "todo"], "TASK-001", says, "0 tasks_done 0", ": TASK-001 is done"),
        (&["blocked"], "TASK-001", says, "1 tasks_blocked 0", "TASK-001 is blocked"),
        (&["todo"], "TASK-001", blocks, "1 tasks_blocked 1", "TASK-001 is blocked"),
        (&["todo", "todo"], "TASK-001", finishes, "0 tasks_done 1", ": TASK-001 is done"),
        (&["todo"], "TASK-001", says, "1 max_iterations 8", "TASK-001 is Done"),
    ];
    let once = [
        (&["todo"][..], "99", says, "1 tasks_blocked 0", "there is no task 99"),
        (&[], "TASK-001", says, "1 tasks_blocked 0", "there is no task TASK-001"),
        (&["done", "todo"], "1", says, "0 tasks_done 0", ": 1 is done"),
        (&["blocked"], "1", says, "1 tasks_blocked 0", "TASK-001 is blocked"),
        (&["todo"], "1", blocks, "1 checks_failed 1", "TASK-001 is blocked"),
        (&["todo"], "1", finishes, "0 exit_code 1", "complete (1/1 steps)"),
        (&["todo"], "1", says, "1 checks_failed 1", "1 is Done"),
    ];
    let loops = OneTaskForm::LOOPS.into_iter().flat_map(|form| rows.map(|row| (form, row)));
    let all = loops.chain(once.map(|row| (OneTaskForm::Once, row)));
    for (form, (states, id, script, expected, why)) in all {
        let (found, output) = one_task(form, states, id, script);
        assert_eq!(found, expected, "{form:?} {states:?} {id} {script}: {output}");
        assert!(output.stdout.contains(why), "{form:?} {why}: {output}");
        if why.starts_with("there is no task") {
            assert!(
                output.stdout.contains("name a task that exists (`forge-tasks list`"),
                "{output}"
            );
            assert!(!output.stdout.contains("free them"), "{output}");
        }
    }
}

#[test]
fn completion_of_a_built_in_planner_without_tasks_is_refused() {
    let env = project();
    env.write("forge/orch/specs/PLAN.md", "# A tea timer\n\nIt counts down and rings.\n");
    env.agent("claude", "echo FORKHESTRA_COMPLETE");
    let output = forkhestra(&env, &["--chain", "build-all"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(verdicts(&env), ["refused checks_failed"; 2], "no builder is paid for");
    assert!(output.stdout.contains("Check failed: planned: there is no task database"), "{output}");
    let once = project();
    once.write("forge/orch/specs/PLAN.md", "# A tea timer\n\nIt counts down and rings.\n");
    once.agent("claude", "exit 0");
    let output = forkhestra(&once, &["task-manager -> task-coordinator"]);
    assert_eq!((output.code, reason(&once)), (Some(1), "checks_failed".to_owned()), "{output}");
}

#[test]
fn completion_of_a_planner_with_nothing_new_is_accepted() {
    for database in [Done, Ready, Blocked] {
        let env = project();
        database.fill(&env);
        env.write("forge/orch/specs/PLAN.md", "# A tea timer\n\nIt counts down and rings.\n");
        env.agent("claude", "echo FORKHESTRA_COMPLETE");
        let output = forkhestra(&env, &["planner:3"]);
        assert_eq!(output.code, Some(0), "{database:?}: {output}");
    }
}

#[test]
fn completion_of_a_configured_planner_is_accepted_with_matching_advice() {
    let env = project();
    env.agent("planner", "echo FORKHESTRA_COMPLETE");
    env.agent("claude", "echo FORKHESTRA_COMPLETE");
    let output = forkhestra(&env, &["planner:2 -> builder:2"]);
    assert_eq!((output.code, reason(&env)), (Some(1), "no_tasks".to_owned()), "{output}");
    assert!(output.stdout.contains("read why the planner made no tasks"), "{output}");
    assert!(!output.stdout.contains("plan first"), "{output}");
}

#[test]
fn a_marker_that_is_accepted_while_tasks_are_ready_is_a_warning_with_their_ids() {
    let env = project();
    for title in ["one", "two", "three", "four", "five"] {
        tasks(&env, &["create", title]);
    }
    env.agent("mine", "echo FORKHESTRA_COMPLETE");
    let output = forkhestra(&env, &["mine:3"]);
    assert_eq!(output.code, Some(0), "{output}");
    let warning = "step 1 is complete although 5 tasks are ready: TASK-001, TASK-002, \
                   TASK-003 and 2 more";
    assert!(output.stderr.contains(warning), "{output}");
}

#[test]
fn a_resumed_run_compares_with_the_start_of_its_step() {
    let env = project();
    tasks(&env, &["create", "one"]);
    tasks(&env, &["create", "two"]);
    env.agent("claude", "forge-tasks delete 1 --force --plain; kill -INT $PPID; sleep 100");
    let output = forkhestra(&env, &["builder:9"]);
    assert_ne!(output.code, Some(0), "{output}");
    env.agent("claude", "forge-tasks edit 2 --status done --plain; echo FORKHESTRA_COMPLETE");
    let output = forkhestra(&env, &["resume"]);
    assert_eq!((output.code, reason(&env)), (Some(1), "tasks_blocked".to_owned()), "{output}");
    assert!(output.stdout.contains("TASK-001 was deleted before it was done"), "{output}");
}

#[test]
fn a_task_interrupted_in_progress_is_claimed_by_the_resumed_run() {
    let env = founding_002(
        "forge-tasks edit TASK-001 --status \"In Progress\" --plain; kill -INT $PPID; sleep 100",
    );
    tasks(&env, &["create", "One", "--ac", "x"]);
    assert_eq!(forkhestra(&env, &["--chain", "build"]).code, Some(130));
    env.agent(
        "claude",
        "forge-tasks edit TASK-001 --check-ac 1 --status done --plain; echo FORKHESTRA_COMPLETE",
    );
    let output = forkhestra(&env, &["resume"]);
    assert_eq!((output.code, reason(&env)), (Some(0), "marker".to_owned()), "{output}");
}

#[test]
fn own_checks_or_an_empty_list_leave_the_decision_to_the_agent() {
    let env = project();
    tasks(&env, &["create", "one"]);
    env.agent("claude", "echo FORKHESTRA_COMPLETE");
    config(
        &env,
        r#"{"chains": {"off": {"steps": [{"agent": "builder", "iterations": 3, "checks": []}]}}}"#,
    );
    let output = forkhestra(&env, &["--chain", "off"]);
    assert_eq!((output.code, reason(&env)), (Some(0), "marker".to_owned()), "{output}");
    assert!(output.stderr.contains("1 task is ready: TASK-001"), "{output}");
}
