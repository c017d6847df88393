//! `forkhestra bisect`: a test depends on its snapshot, and on nothing else.

use std::fs;
use std::os::unix::fs::symlink;

use testkit::TestEnv;

use crate::past::bisect::{bisect, broken_in_fourth, project, tests};
use crate::run::stagnation::{git, repository};
use crate::support::past_runs::past;

#[test]
fn a_linked_working_directory_does_not_lead_out_of_the_checkout() {
    let env = repository();
    env.write("sub/x", "x").write("other/x", "x").write(".gitignore", ".agent-state/\n");
    let top = env.project();
    // The run works in `sub`, which its second iteration replaces by a link to the user's directory.
    let script = format!(
        "cd {0}; n=$FORKHESTRA_ITERATION; echo $n > n; [ $n = 2 ] && rm -r sub && ln -s {0}/other sub; exit 0",
        top.display()
    );
    env.agent("a", &format!("PATH=/usr/bin:/bin; {script}"));
    git(&env, "add --all");
    git(&env, "commit --quiet --message begin");
    let run =
        env.run(crate::FORKHESTRA, &["--cwd", "sub", "a:3", "--stagnation", "off", "--quiet"]);
    assert_eq!(run.code, Some(1), "{run}");
    fs::remove_file(top.join("sub")).expect("it is a link");
    fs::create_dir(top.join("sub")).expect("it is ours");
    fs::write(top.join("sub/x"), "x").expect("it is ours");
    let output = bisect(&env, &["--cwd", "sub"], "echo p > written; ! [ -e ../n ]");
    assert!(!top.join("other/written").exists(), "a test wrote into the work tree: {output}");
    assert_eq!(
        tests(&output),
        [
            "0 (before the run): good",
            "3 (iteration 3): skipped, the working directory is not there"
        ],
        "{output}"
    );
    // Today the directory of the run is a link again: that says nothing about the snapshots.
    fs::remove_dir_all(top.join("sub")).expect("it is ours");
    symlink("other", top.join("sub")).expect("it is ours");
    let output = bisect(
        &env,
        &["--cwd", "sub", "--bad", "1"],
        "[ $(basename $(pwd -P)) = sub ] || exit 128; ! [ -e ../n ]",
    );
    assert!(output.stdout.starts_with("Iteration 1 is the first bad one"), "{output}");
}

#[test]
fn a_command_decides_by_its_exit_code_alone() {
    let env = broken_in_fourth();
    for verdict in ["true", "false"] {
        let script = format!("grep -q good value; c=$?; echo '{{\"passed\": {verdict}}}'; exit $c");
        let output = bisect(&env, &[], &script);
        assert!(output.stdout.starts_with("Iteration 4 is the first bad one"), "{output}");
    }
}

#[test]
fn a_check_fails_by_its_exit_code_or_its_verdict() {
    let env = broken_in_fourth();
    env.link_system_program("grep");
    for check in [
        "command:echo '{\"passed\": true}'; grep -q good value",
        "command:grep -q good value && echo '{\"passed\": true}' || echo '{\"passed\": false}'",
    ] {
        let output = crate::forkhestra(&env, &["bisect", "--check", check]);
        assert!(output.stdout.starts_with("Iteration 4 is the first bad one"), "{check}: {output}");
    }
}

#[test]
fn each_test_has_an_empty_home_and_temporary_directory() {
    let env = broken_in_fourth();
    let script = "[ -e $HOME/left ] && exit 128; touch $HOME/left
        f=$(mktemp) || exit 128; rm -r $TMPDIR; grep -q good value";
    let output = bisect(&env, &["--times", "2"], script);
    assert!(output.stdout.starts_with("Iteration 4 is the first bad one"), "{output}");
}

#[test]
fn the_checks_are_those_of_the_step_of_the_bad_end() {
    let env = project();
    let changing = "n=$(cat n 2>/dev/null || echo 0); n=$((n + 1)); echo $n > n
        [ $n = 2 ] && echo broken > value
        [ $n = 3 ] && echo FORKHESTRA_COMPLETE
        exit 0";
    env.agent("a", changing);
    // The step that has the check changes nothing.
    env.agent("b", "exit 0");
    env.link_system_program("grep");
    past(&env, &["a:5 -> b:2", "--check", "b:command:grep -q good value"]);
    for bad in [&[][..], &["--bad", "2.1"]] {
        let output = crate::forkhestra(&env, &[&["bisect"], bad].concat());
        assert!(output.stdout.starts_with("Step 1, iteration 2 is the first bad one"), "{output}");
    }
}

#[test]
fn an_attempt_that_was_repeated_is_named_and_compared_by_its_snapshot() {
    let env = interrupted_in_third();
    let output = bisect(&env, &["--bad", "@3"], "grep -q good value");
    let expected =
        "Iteration 3, attempt 1 is the first bad one: @3 is bad, and @2 (iteration 2) is good";
    assert!(output.stdout.starts_with(expected), "{output}");
    assert!(output.stdout.contains("forkhestra diff [id] 2..@3\n"), "{output}");
}

#[test]
fn changes_before_a_resume_are_not_blamed_on_the_agent_alone() {
    let env = interrupted_in_third();
    let output = bisect(&env, &["--good", "2"], "! [ -e by-user ]");
    let note = "  note     the run was resumed before it; changes in between are among these\n";
    assert!(output.stdout.contains(note), "{output}");
    let output = bisect(&env, &["--bad", "@3"], "grep -q good value");
    assert!(!output.stdout.contains("note"), "{output}");
}

/// A run whose third iteration broke `value` and was interrupted. The user repaired it and added a
/// file before the run was resumed.
fn interrupted_in_third() -> TestEnv {
    let env = project();
    let script = "n=$FORKHESTRA_ITERATION; echo $n > n
        if [ $n = 3 ] && ! [ -e by-user ]; then echo broken > value; kill -INT $PPID; exec /bin/sleep 600; fi
        exit 0";
    env.agent("a", script);
    let output = crate::forkhestra(&env, &["a:4", "--stagnation", "off", "--quiet"]);
    assert_eq!(output.code, Some(130), "{output}");
    env.write("value", "good\n").write("by-user", "mine");
    let output = crate::forkhestra(&env, &["resume", "--quiet"]);
    assert_eq!(output.code, Some(1), "{output}");
    env
}

#[test]
fn the_recommended_inversion_finds_the_iteration_that_fixed_something() {
    let env = broken_in_fourth();
    let output = crate::forkhestra(
        &env,
        &["bisect", "--", "/bin/sh", "-c", "! [ -e count ] && exit 1; exit 0"],
    );
    let hint =
        output.stdout.lines().find_map(|line| line.split_once(" -- sh -c ")).expect("it is there");
    let inverted = hint.1.trim_end_matches('`');
    let search = format!("exec {} bisect -- sh -c {inverted}", crate::FORKHESTRA);
    let output = env.run("/bin/sh", &["-c", &format!("PATH=$PATH:/usr/bin:/bin; {search}")]);
    assert!(output.stdout.starts_with("Iteration 1 is the first bad one"), "{output}");
    let broken = format!(
        "{} bisect -- sh -c 'no-such-program; c=$?; [ $c -lt 125 ] || exit $c; [ $c -ne 0 ]'",
        crate::FORKHESTRA
    );
    let output = env.run("/bin/sh", &["-c", &format!("PATH=$PATH:/usr/bin:/bin; {broken}")]);
    assert_eq!(output.code, Some(2), "{output}");
}

#[test]
fn a_time_limit_can_be_off() {
    let env = broken_in_fourth();
    let output = bisect(&env, &["--timeout", "off"], "grep -q good value");
    assert_eq!(output.code, Some(0), "{output}");
}
