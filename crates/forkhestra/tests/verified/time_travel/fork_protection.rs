//! Protected files in a fork: what the first run refused is refused there as well.

use testkit::TestEnv;

use super::fork::{forks_directory, journal, run_at};
use crate::support::{forkhestra, git, repository};

/// An agent that replaces the test, or puts it back and does the work.
const AGENT: &str = r#"
n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n
if [ -e $HOME/honest ]; then cp $HOME/check.sh tests/check.sh; touch work; else
printf '#!/bin/sh\nexit 0\n' > tests/check.sh; fi
echo FORKHESTRA_COMPLETE
"#;

const CHECK: &str = "#!/bin/sh\ntest -e work\n";

/// A run whose claims were refused since the agent changed a protected file. The protection of the check
/// script needs no option.
fn refused_run(check: &[&str]) -> TestEnv {
    refused_chain("a:2", check)
}

fn refused_chain(chain: &str, check: &[&str]) -> TestEnv {
    let env = repository();
    env.agent("a", AGENT);
    env.write_home("check.sh", CHECK);
    env.agent_file("tests/check.sh", "test -e work");
    env.write("tests/check.sh", CHECK).write(".gitignore", "*.tmp\n.agent-state/\n");
    env.write("tests/ignored.tmp", "x");
    git(&env, "add --all");
    git(&env, "commit --quiet --message tests");
    env.agent("claims", "echo FORKHESTRA_COMPLETE");
    let output = forkhestra(&env, &[&[chain], check].concat());
    assert_eq!(output.code, Some(1), "{output}");
    env
}

const CHECKS: [&[&str]; 2] = [
    &["--check", "command:sh tests/check.sh", "--protect", "tests/**"],
    &["--check", "./tests/check.sh"],
];

/// The verdicts of the iterations of the newest run.
fn verdicts(env: &TestEnv) -> Vec<String> {
    let events = journal(env, &run_at(env, 0));
    let over = events.iter().filter(|event| event["event"] == "iteration_finished");
    over.map(|event| event["verdict"].to_string()).collect()
}

#[test]
fn a_fork_does_not_accept_what_the_first_run_refused() {
    for check in CHECKS {
        for place in [&[][..], &["--here"]] {
            let env = refused_run(check);
            let source = run_at(&env, 0);
            let fork = [&["fork", &source, "--at", "1"], place].concat();
            let output = forkhestra(&env, &fork);
            assert_eq!(output.code, Some(1), "{check:?} {place:?}: {output}");
            let verdicts = verdicts(&env);
            assert!(
                verdicts.iter().all(|verdict| verdict.contains("protected_files")),
                "{check:?} {place:?}: {verdicts:?}"
            );
        }
    }
}

/// A group begins again in the fork, with the step that begins it.
#[test]
fn a_fork_from_within_a_group_does_not_accept_what_a_round_was_refused_for() {
    for (chain, at) in [("(a:1):3", "1"), ("(claims:1 -> a:1):2", "2.1")] {
        for place in [&[][..], &["--here"]] {
            let env = refused_chain(chain, &["--protect", "tests/**"]);
            let source = run_at(&env, 0);
            env.agent("a", "echo FORKHESTRA_COMPLETE");
            let fork = [&["fork", &source, "--at", at], place].concat();
            let output = forkhestra(&env, &fork);
            let verdicts = verdicts(&env);
            assert_eq!(output.code, Some(1), "{chain} {place:?}: {verdicts:?} {output}");
            assert!(verdicts[0].contains("protected_files"), "{chain} {place:?}: {verdicts:?}");
        }
    }
}

#[test]
fn a_fork_accepts_a_claim_when_protected_files_are_restored() {
    for check in CHECKS {
        for place in [&[][..], &["--here", "-f"]] {
            let env = refused_run(check);
            let source = run_at(&env, 0);
            env.write_home("honest", "");
            let fork = [&["fork", &source, "--at", "1", "-p", "go on"], place].concat();
            let output = forkhestra(&env, &fork);
            assert_eq!(output.code, Some(0), "{check:?} {place:?}: {output}");
            // A fork of the fork has the same rules.
            if place.is_empty() {
                let fork = run_at(&env, 0);
                let output = forkhestra(&env, &["fork", &fork, "--at", "1"]);
                assert_eq!(output.code, Some(0), "{check:?}: {output}");
            }
        }
    }
}

#[test]
fn without_the_state_of_protected_files_there_is_no_fork() {
    let env = refused_run(CHECKS[0]);
    let source = run_at(&env, 0);
    let run = env.home().join(".local/state/forkhestra");
    let lost = find(&run, "protected-1.json").expect("the run has one");
    std::fs::write(lost, "{}").expect("it is ours");
    for place in [&[][..], &["--here"]] {
        let output = forkhestra(&env, &[&["fork", &source, "--at", "1"], place].concat());
        assert_eq!(output.code, Some(2), "{output}");
        assert!(output.stderr.contains("protected files when step 1 began"), "{output}");
        assert!(!forks_directory(&env).exists());
    }
}

fn find(directory: &std::path::Path, name: &str) -> Option<std::path::PathBuf> {
    let entries = std::fs::read_dir(directory).ok()?;
    let mut paths = entries.flatten().map(|entry| entry.path());
    paths.find_map(|path| match path.ends_with(name) {
        true => Some(path),
        false => find(&path, name),
    })
}
