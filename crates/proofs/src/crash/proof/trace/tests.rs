use std::fs;
use std::path::Path;

use super::*;
use crate::crash::proof::point::{CallMoment, Victim};
use crate::crash::proof::system_call::SystemCall;

/// Runs a shell script with the path of a file as `$0`, and kills it at its first call of a kind.
/// The shell plays the guard.
fn killed(script: &str, call: SystemCall, moment: CallMoment, file: &Path) -> TraceResult {
    let site = CallSite { thread: 0, call };
    let point = Point { place: site, number: 1, moment, victim: Victim::Maker };
    let mut command = Command::new("/bin/sh");
    command.args(HELD).args(["/bin/sh", "-c", script]).arg(file);
    watch(&mut command, Some(point)).expect("it can be watched")
}

/// Prints why nothing can be tested: some systems do not permit tracing.
fn is_skipped() -> bool {
    is_possible().inspect_err(|error| println!("skipped: {error}")).is_err()
}

const SCRIPT: &str = r#"echo word > "$0"; echo more >> "$0""#;

#[test]
fn before_a_call_nothing_is_done_and_after_it_nothing_else() {
    if is_skipped() {
        return;
    }
    let directory = tempfile::tempdir().expect("there is room");
    let table = [
        (SystemCall::Create, CallMoment::Before, None),
        (SystemCall::Create, CallMoment::After, Some("")),
        (SystemCall::Write, CallMoment::Before, Some("")),
        (SystemCall::Write, CallMoment::After, Some("word\n")),
    ];
    for (at, (call, moment, expected)) in table.into_iter().enumerate() {
        let file = directory.path().join(at.to_string());
        let seen = killed(SCRIPT, call, moment, &file);
        assert!(seen.is_killed && !seen.hung, "{call} {moment}: {seen:?}");
        assert_eq!(seen.end.signal(), Some(9), "{call} {moment}");
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), expected, "{call} {moment}");
    }
}

#[test]
fn an_unreached_point_kills_no_process() {
    if is_skipped() {
        return;
    }
    let directory = tempfile::tempdir().expect("there is room");
    let file = directory.path().join("file");
    let seen = killed(SCRIPT, SystemCall::Rename, CallMoment::Before, &file);
    assert!(!seen.is_killed && seen.end.success(), "{seen:?}");
    assert_eq!(fs::read_to_string(&file).ok().as_deref(), Some("word\nmore\n"));
    let count = |call| seen.counts.get(&CallSite { thread: 0, call }).copied();
    assert_eq!((count(SystemCall::Write), count(SystemCall::Create)), (Some(2), Some(2)));
    assert_eq!(count(SystemCall::Send), None);
}

#[test]
fn errors_of_a_started_program_are_not_spawn_errors() {
    if is_skipped() {
        return;
    }
    let directory = tempfile::tempdir().expect("there is room");
    let file = directory.path().join("file");
    let script = r#"/bin/sh -c 'echo word > "$0"' "$0"; :"#;
    let seen = killed(script, SystemCall::Write, CallMoment::Before, &file);
    assert!(!seen.is_killed && seen.end.success(), "{seen:?}");
    assert_eq!(fs::read_to_string(&file).ok().as_deref(), Some("word\n"));
}
