//! Resumed runs keep their checks, hooks and limits.

use crate::FORKHESTRA;
use crate::support::{DONE, forkhestra, project, ralph, run_id, verdicts};

#[test]
fn a_resumed_run_keeps_its_checks_and_hooks() {
    let env = project();
    env.agent("a", &format!("echo x >> tries; {DONE}"));
    let check = "command:\"test $(grep -c x tries) -ge 3\"";
    let hook = "post-iteration:echo $FORKHESTRA_ITERATION >> notes";
    assert_eq!(forkhestra(&env, &["a:2", "--check", check, "--hook", hook]).code, Some(1));
    let output = env.run(FORKHESTRA, &["resume", "--max-iterations", "5"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(verdicts(&env).last().map(String::as_str), Some("complete marker"));
    assert_eq!(env.read("notes"), "1\n2\n3\n");
}

#[test]
fn ralph_runner_resumes_from_a_file_of_the_view() {
    let env = project();
    env.agent("a", &format!("echo x >> tries; {DONE}"));
    let check = "command:\"test $(grep -c x tries) -ge 3\"";
    let args = ["--agent", "a", "--max-iterations", "2", "--check", check];
    let output = ralph(&env, &args);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("ralph-runner --resume"), "{output}");
    let file = format!(".agent-state/chain-{}.json", run_id(&env));
    let output = ralph(&env, &["--resume", &file, "--max-iterations", "4"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("tries").lines().count(), 3);
    let again = ralph(&env, &["--resume", &file]);
    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(env.read("tries").lines().count(), 3);
}

#[test]
fn feedback_survives_a_resume() {
    let env = project();
    env.agent("a", &format!("printf '%s' \"$FORKHESTRA_FEEDBACK\" > told; {DONE}"));
    assert_eq!(forkhestra(&env, &["a:1", "--check", "command:false"]).code, Some(1));
    assert_eq!(env.read("told"), "");
    assert_eq!(env.run(FORKHESTRA, &["resume", "--max-iterations", "2"]).code, Some(1));
    assert!(env.read("told").contains("false"), "{}", env.read("told"));
}
