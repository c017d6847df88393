//! Tests of commands and scripts.

use crate::aux_job::aux_job_command::tests::AuxJobCase;

#[test]
fn a_command_is_run_by_the_shell_and_reads_the_context() {
    let case = AuxJobCase::check("command:grep -o '\"exitCode\":7' && exit $RALPH_EXIT_CODE", 7);
    let ran = case.run(AuxJobCase::the_check());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(7), "\"exitCode\":7\n"));
    assert_eq!(ran.answer.passed, None, "its exit code decides");
    assert_eq!(ran.answer.tail.as_deref(), Some("\"exitCode\":7"));
}

#[test]
fn a_script_can_report_a_message_and_a_verdict() {
    let case = AuxJobCase::check("./check.sh", 0);
    let text =
        "[[ a == a ]] && echo working >&2\necho '{\"passed\": false, \"message\": \"no\"}'\n";
    case.write("project/check.sh", text, 0o644);
    let ran = case.run(AuxJobCase::the_check());
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.answer.passed, Some(false));
    assert_eq!(ran.answer.message.as_deref(), Some("no"));
    assert_eq!(ran.answer.tail.as_deref(), Some("working"));
}

#[test]
fn anything_else_is_executed_itself() {
    let case = AuxJobCase::check("./check", 0);
    let path = case.write("project/check", "#!/bin/sh\npwd -P; exit 5", 0o755);
    let process = case.process(AuxJobCase::the_check());
    assert_eq!(process.program, path.parent().expect("it is in the project").join("./check"));
    drop(process);
    assert_eq!(case.run(AuxJobCase::the_check()).code, Some(5));
    case.write("project/check", "#!/bin/sh\n", 0o644);
    let refusal = case.refusal(AuxJobCase::the_check());
    assert_eq!(refusal, "`./check` is not executable; `chmod +x` makes it so");
}

#[test]
fn a_script_that_an_agent_removed_does_not_pass() {
    let case = AuxJobCase::check("./check.sh", 0);
    let refusal = case.refusal(AuxJobCase::the_check());
    assert_eq!(refusal, "`./check.sh` is not there any more, or is not a file");
}

#[test]
fn in_a_clean_room_the_committed_script_counts() {
    let case = AuxJobCase::check("./check.sh", 0).with_room();
    case.write("project/check.sh", "echo of the project; pwd -P", 0o644);
    let room = case.room.as_ref().expect("there is one").path.clone();
    let place = room.canonicalize().expect("it is there");
    let place = place.to_str().expect("it is plain");
    let stdout = case.run(AuxJobCase::the_check()).stdout;
    assert_eq!(stdout, format!("of the project\n{place}\n"), "it is not committed");
    case.write("room/check.sh", "echo of the room; pwd -P", 0o644);
    let stdout = case.run(AuxJobCase::the_check()).stdout;
    assert_eq!(stdout, format!("of the room\n{place}\n"));
}

#[test]
fn a_module_without_a_runner_is_reported() {
    let case = AuxJobCase::check("./check.ts", 0);
    case.write("project/check.ts", "", 0o755);
    let refusal = case.refusal(AuxJobCase::the_check());
    assert_eq!(refusal, "`./check.ts` needs bun, deno or node, and none was found");
}
