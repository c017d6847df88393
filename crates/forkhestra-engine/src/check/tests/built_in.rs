//! Tests of checks that run no program.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forkhestra_core::config::Backend;
use forkhestra_core::event::{AuxJobResult, EventKind, IterationReport, OutputSummary, ProcessEnd};
use forkhestra_core::plan::AgentKind;
use forkhestra_core::policy::{TaskQuery, TaskWork};

use crate::agent::command::tests::plan;
use crate::aux_job::aux_job_command::tests::AuxJobCase;
use crate::ports::TaskDatabases;

fn passed(answer: &AuxJobResult) -> bool {
    assert!(answer.passed == Some(true) || answer.message.is_some(), "it says why: {answer:?}");
    answer.passed == Some(true)
}

fn message(case: &AuxJobCase) -> String {
    let answer = case.answer(AuxJobCase::the_check());
    assert_eq!(answer.passed, Some(false));
    answer.message.expect("it says why")
}

#[test]
fn a_file_must_be_there() {
    let case = AuxJobCase::check("file:DONE.md", 0);
    assert_eq!(message(&case), "there is no `DONE.md`");
    case.write("project/DONE.md", "", 0o644);
    assert!(passed(&case.answer(AuxJobCase::the_check())));
    let below = AuxJobCase::check("file:DONE.md/x", 0);
    below.write("project/DONE.md", "", 0o644);
    assert_eq!(message(&below), "there is no `DONE.md/x`");
}

#[test]
fn a_file_is_a_regular_file_inside_the_working_directory() {
    let case = AuxJobCase::check("file:out", 0);
    fs::create_dir(case.project().join("out")).expect("the place is ours");
    assert_eq!(message(&case), "`out` is a directory; `file:out/` asks for a directory");
    let case = AuxJobCase::check("file:out", 0);
    symlink("/etc/passwd", case.project().join("out")).expect("the place is ours");
    assert_eq!(message(&case), "`out` is a link that leads out of the working directory");
    let case = AuxJobCase::check("file:out", 0);
    case.write("project/in", "", 0o644);
    symlink("in", case.project().join("out")).expect("the place is ours");
    assert!(passed(&case.answer(AuxJobCase::the_check())));
    let case = AuxJobCase::check("file:out", 0);
    symlink("/dev/null", case.project().join("out")).expect("the place is ours");
    assert_eq!(message(&case), "`out` is not a regular file");
    let case = AuxJobCase::check("file:out/", 0);
    case.write("project/out", "", 0o644);
    assert_eq!(message(&case), "`out/` is not a directory");
    let case = AuxJobCase::check("file:out/", 0);
    fs::create_dir(case.project().join("out")).expect("the place is ours");
    assert!(passed(&case.answer(AuxJobCase::the_check())));
}

#[test]
fn a_clean_room_has_committed_files_only() {
    let case = AuxJobCase::check("file:DONE.md", 0).with_room();
    case.write("project/DONE.md", "", 0o644);
    assert_eq!(message(&case), "there is no `DONE.md` in what is committed");
    case.write("room/DONE.md", "", 0o644);
    assert!(passed(&case.answer(AuxJobCase::the_check())));
}

#[test]
fn the_agent_must_have_exited_with_0() {
    assert!(passed(&AuxJobCase::check("exit-code", 0).answer(AuxJobCase::the_check())));
    assert_eq!(message(&AuxJobCase::check("exit-code", 3)), "the agent's end: exit 3");
    for (end, expected) in [
        (Some(ProcessEnd::Signaled(9)), "the agent's end: killed by signal 9"),
        (None, "it is not known how the agent ended"),
    ] {
        let mut case = AuxJobCase::check("exit-code", 0);
        let report = IterationReport { end, ..AuxJobCase::report(0) };
        case.happens(EventKind::AgentFinished { unit: AuxJobCase::unit(), report });
        assert_eq!(message(&case), expected);
    }
}

#[test]
fn the_agents_text_must_match() {
    let check = r"marker:^all \d+ pass";
    assert!(passed(
        &AuxJobCase::check(check, 0).printed("x\nall 3 pass\n").answer(AuxJobCase::the_check())
    ));
    let case = AuxJobCase::check(check, 0).printed("not all 3 pass\n");
    assert_eq!(message(&case), r"no line that the agent said matches `^all \d+ pass`");
    let mut case = AuxJobCase::check(check, 0);
    assert_eq!(message(&case), "the agent said nothing");
    let output = OutputSummary { stdout: 1, stderr: 0 };
    let report = IterationReport { output, ..AuxJobCase::report(0) };
    case.happens(EventKind::AgentFinished { unit: AuxJobCase::unit(), report });
    assert_eq!(message(&case), "nothing of what the agent said is kept");
}

/// A run with an agent whose stream is understood, and its output.
fn understood(check: &str, printed: &str) -> AuxJobCase {
    let mut case = AuxJobCase::check(check, 0).printed(printed);
    let (_, mut direct) = plan(r#"{"systemPromptText": ""}"#, "a:3");
    direct.backend = Backend::Claude;
    case.state.plan.steps[0].agent.kind = AgentKind::Direct(direct);
    case
}

const STREAM: &str = concat!(
    r#"{"type":"system","subtype":"init","session_id":"s","model":"m"}"#,
    "\n",
    r#"{"type":"assistant","message":{"id":"1","model":"m","content":[{"type":"text","text":"I begin."},"#,
    r#"{"type":"tool_use","id":"t","name":"Bash","input":{"command":"echo in a tool"}}]}}"#,
    "\n",
    "a plain line\n",
    r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"in a result"}]}}"#,
    "\n",
    r#"{"type":"assistant","parent_tool_use_id":"t","message":{"id":"2","model":"m","content":[{"type":"text","text":"in a subagent"}]}}"#,
    "\n",
    r#"{"type":"assistant","message":{"id":"3","model":"m","content":[{"type":"text","text":"All 3 tests\nare green."}]}}"#,
    "\n",
);

#[test]
fn in_an_understood_stream_only_the_agents_own_text_counts() {
    for (check, expected) in [
        ("marker:^I begin\\.$", true),
        ("marker:^All 3 tests$", true),
        ("marker:^are green\\.$", true),
        ("marker:in a tool", false),
        ("marker:in a result", false),
        ("marker:in a subagent", false),
        ("marker:a plain line", false),
        ("marker:session_id", false),
    ] {
        let case = understood(check, STREAM);
        assert_eq!(passed(&case.answer(AuxJobCase::the_check())), expected, "{check}");
    }
    let reads = understood("command:true", STREAM).process(AuxJobCase::the_check()).reads();
    assert_eq!(reads["agentOutput"], "I begin.\nAll 3 tests\nare green.\n");
}

#[test]
fn a_plain_program_may_print_anything() {
    let printed = "{\"tests\": \"green\"}\nplain text\n";
    for check in ["marker:^plain text$", "marker:\"tests\": \"green\""] {
        let case = understood(check, printed);
        assert!(passed(&case.answer(AuxJobCase::the_check())), "{check}");
    }
    let reads = understood("command:true", printed).process(AuxJobCase::the_check()).reads();
    assert_eq!(reads["agentOutput"], printed);
}

/// A [`TaskDatabases`] with one database.
struct SingleTaskDatabase(TaskWork);

impl TaskDatabases for SingleTaskDatabase {
    fn task_work(&self, database: &Path, _: &TaskQuery) -> TaskWork {
        assert_eq!(database, Path::new("/the/tasks"));
        self.0.clone()
    }

    fn find(&self, _: &Path) -> Option<PathBuf> {
        Some("/the/tasks".into())
    }
}

#[test]
fn the_task_database_is_read_when_the_check_runs() {
    let with = |work, planned: Option<&str>| {
        let mut case = AuxJobCase::check("tasks", 0);
        case.tasks = Arc::new(SingleTaskDatabase(work));
        case.state.plan.task_database = planned.map(str::to_owned);
        case
    };
    let ids = || vec!["TASK-2".to_owned()];
    let left = || TaskWork::Ready { ready: ids(), open: ids() };
    assert!(passed(&with(TaskWork::AllDone, Some("/the/tasks")).answer(AuxJobCase::the_check())));
    assert_eq!(message(&with(left(), Some("/the/tasks"))), "1 task is not done: TASK-2");
    let broken = TaskWork::Unknown("it is broken".to_owned());
    assert_eq!(message(&with(broken, Some("/the/tasks"))), "it is broken");
    // The database may have been created after the run was planned.
    assert_eq!(message(&with(left(), None)), "1 task is not done: TASK-2");
    assert_eq!(message(&AuxJobCase::check("tasks", 0)), "there is no task database");
}

#[test]
fn a_database_that_was_removed_with_open_tasks_is_not_done() {
    let mut case = AuxJobCase::check("tasks", 0);
    case.state.steps[0].before.open_tasks = Some(vec!["TASK-1".to_owned()]);
    assert_eq!(message(&case), "the task database was removed while 1 task is not done: TASK-1");
}
