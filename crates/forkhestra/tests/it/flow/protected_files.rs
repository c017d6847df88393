//! Protected files that were changed in a round, or before an alternative.

use testkit::TestEnv;

use crate::run::stagnation::{git, repository};
use crate::support::agents_at_work::{DONE, events, id, only_run, run};

/// A repository with a protected file, and an agent that changes it once.
fn with_protected_file() -> TestEnv {
    let env = repository();
    env.write("tests/t", "original\n");
    git(&env, "add --all");
    git(&env, "commit --quiet --message tests");
    env.agent("maker", &format!("echo more >> work\n{DONE}"));
    env.agent("cheat", "[ -e cheated ] || { echo changed > tests/t; touch cheated; }");
    env
}

fn last_reason(env: &TestEnv) -> String {
    let ends = events(env, "run_finished");
    ends.last().expect("it has ended")["end"]["reason"].as_str().unwrap_or("complete").to_owned()
}

#[test]
fn another_round_does_not_accept_a_change_that_was_refused() {
    let env = with_protected_file();
    let output = run(&env, &["(maker:1 -> cheat):3", "--protect", "tests/**"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(env.read("tests/t"), "changed\n");
    // The maker is given the reason, and its own claim is refused while the file is changed.
    assert_eq!(last_reason(&env), "max_iterations", "{output}");
    // The advice names a snapshot from before the change.
    let advice = output.stdout.split("`git ").nth(1).and_then(|rest| rest.split(['`', ';']).next());
    let advice = advice.unwrap_or_else(|| panic!("no advice: {output}"));
    git(&env, &advice.replace("[id]", id(&only_run(&env))));
    assert_eq!(env.read("tests/t"), "original\n", "{output}");
    let output = run(&env, &["resume", "--max-iterations", "2"]);
    assert_eq!(output.code, Some(0), "a restored file is accepted: {output}");
}

#[test]
fn the_next_agent_can_restore_what_was_refused() {
    let env = with_protected_file();
    env.agent(
        "maker",
        &format!(
            "case $FORKHESTRA_FEEDBACK in *tests/t*) echo original > tests/t;; esac\n\
             echo more >> work\n{DONE}"
        ),
    );
    let output = run(&env, &["(maker:1 -> cheat):3", "--protect", "tests/**"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("tests/t"), "original\n");
    assert_eq!(events(&env, "round_refused").len(), 1);
}

#[test]
fn an_approval_does_not_allow_protected_changes() {
    let env = with_protected_file();
    let output = run(&env, &["cheat else ? -> maker:1", "--protect", "tests/**", "--yes"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("tests/t"), "{output}");
}

#[test]
fn an_alternative_does_not_accept_a_change_that_was_refused() {
    let env = with_protected_file();
    let output = run(&env, &["cheat else maker:1", "--protect", "tests/**"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(last_reason(&env), "max_iterations", "{output}");
    assert!(output.stdout.contains("tests/t"), "{output}");
}
