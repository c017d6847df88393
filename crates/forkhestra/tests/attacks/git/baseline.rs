//! The state at the start of a step, which the run keeps in files.

use std::fs;

use super::support::failing_project;
use crate::support::{DONE, forkhestra, run_directory, verdicts};

#[test]
fn a_forged_state_of_protected_files_counts_as_lost() {
    // The file that the agent forges: the state of a run that begins with the changed test.
    let forger = failing_project();
    forger.write("test.sh", "true\n").agent("a", DONE);
    assert_eq!(forkhestra(&forger, &["a:1", "--protect", "test.sh"]).code, Some(0));
    let forged = run_directory(&forger).join("kept/protected-1.json");

    let env = failing_project();
    env.agent("a", &format!("echo true > test.sh; {DONE}"));
    let output = forkhestra(&env, &["a:1", "--protect", "test.sh"]);
    assert_eq!(output.code, Some(1), "{output}");
    fs::copy(forged, run_directory(&env).join("kept/protected-1.json")).expect("both are ours");
    let output = forkhestra(&env, &["resume", "--max-iterations", "2"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(verdicts(&env), ["refused protected_files", "refused protected_files"]);
    assert!(output.to_string().contains("another process changed it"), "{output}");
}

#[test]
fn a_forged_list_of_uncommitted_files_counts_as_lost() {
    let forger = failing_project();
    forger.write("left", "x\n").agent("a", DONE);
    let room = ["a:1", "--clean-room", "--check", "command:true"];
    assert_eq!(forkhestra(&forger, &room).code, Some(0));
    let forged = run_directory(&forger).join("kept/uncommitted-1.json");

    let env = failing_project();
    // The agent forges it while the run goes on.
    let script = format!(
        "echo x > left; find .. -name uncommitted-1.json -exec cp {} '{{}}' ';'; {DONE}",
        forged.display()
    );
    env.link_system_program("find").agent("a", &script);
    let output = forkhestra(&env, &room);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(verdicts(&env), ["refused uncommitted_work"]);
}
