//! Wrong usage: one clear message, exit code 2, and nothing is started.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{CONFIG, FORKHESTRA, ONE_STEP, forkhestra, project, refused};

/// The error message for a wrong command line.
#[track_caller]
fn wrong(args: &[&str]) -> String {
    forkhestra(&TestEnv::new(), args).failure(2)
}

/// A project with an agent that leaves a trace when it is started.
fn with_traceable_agent() -> TestEnv {
    let env = project(r#"{ "chains": { "c": { "steps": [{ "agent": "agent" }] } } }"#);
    let agent = env.bin().join("agent");
    testkit::write_executable(&agent, "#!/bin/sh\n: > started\n");
    env.run(&agent, &[]).success();
    let trace = env.project().join("started");
    fs::remove_file(trace).expect("an agent that is started leaves a trace");
    env
}

#[test]
fn wrong_usage_starts_nothing() {
    let env = with_traceable_agent();
    for args in [
        vec!["agent", "--dryrun"],
        vec!["--dryrun", "agent:3"],
        vec!["agent", "--dry"],
        vec!["agent", "-n"],
        vec!["--prompt", "--dry-run", "agent"],
        vec!["agent", "another"],
        vec!["agent", "->", "agent"],
        vec!["agent -> agent:0"],
        vec!["agent -> agent:x"],
        vec!["agent", "--timeout", "5"],
        vec!["agent", "--max-cost", "-1"],
        vec!["agent", "-p", "- a list"],
        vec!["agent", "--prompt-file", "missing.md"],
        vec!["agent", "x=1"],
        vec!["agent", "--chain", "c"],
        vec!["agent", "--chain"],
        vec!["agent", "--cwd", "missing"],
        vec!["run", "--dryrun", "agent"],
        vec!["--chain", "d"],
    ] {
        forkhestra(&env, &args).failure(2);
        assert!(!env.project().join("started").exists(), "{args:?} started the agent");
    }
    for args in [vec!["agent", "--dry-run"], vec!["--chain", "c", "--dry-run"], vec!["list"]] {
        forkhestra(&env, &args).success();
        assert!(!env.project().join("started").exists(), "{args:?} started the agent");
    }
}

#[test]
fn mistakes_are_found_before_any_lookup() {
    let message = wrong(&["a:0"]);
    assert!(message.starts_with("error: step 1: the count `0` must be at least 1\n"), "{message}");
}

#[test]
fn without_arguments_there_is_nothing_to_run() {
    assert_snapshot!(wrong(&[]), @r#"
    error: there is nothing to run
    hint: name an agent or a chain: forkhestra "planner:3 -> builder:20"
    hint: `forkhestra list` shows what can be run here, `forkhestra --help` how
    "#);
    assert_eq!(wrong(&["--dry-run"]), wrong(&[]));
    assert_eq!(wrong(&["run"]), wrong(&[]));
}

#[test]
fn an_unknown_option_gets_a_suggestion() {
    assert_snapshot!(wrong(&["a", "--dryrun"]), @"
    error: unknown option `--dryrun`
    hint: did you mean `--dry-run`?
    hint: arguments for the agents go after `--`
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn an_unknown_option_without_a_similar_one_is_reported() {
    assert_snapshot!(wrong(&["a", "--zebra"]), @"
    error: unknown option `--zebra`
    hint: arguments for the agents go after `--`
    hint: for the options and their values see `forkhestra --help`
    ");
    assert_snapshot!(wrong(&["a", "-x"]), @"
    error: unknown option `-x`
    hint: arguments for the agents go after `--`
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn an_option_is_not_taken_for_the_value_of_another() {
    assert_snapshot!(wrong(&["a", "--prompt", "--dry-run"]), @"
    error: `--prompt` needs a value, and `--dry-run` looks like an option
    hint: if it is the value, write --prompt=--dry-run
    hint: for the options and their values see `forkhestra --help`
    ");
    assert_snapshot!(wrong(&["a", "-p", "- fix a"]), @"
    error: `-p` needs a value, and `- fix a` looks like an option
    hint: if it is the value, write '-p=- fix a'
    hint: for the options and their values see `forkhestra --help`
    ");
    assert_snapshot!(wrong(&["a", "--max-cost", "-1"]), @"
    error: `--max-cost` needs a value, and `-1` looks like an option
    hint: if it is the value, write --max-cost=-1
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn a_value_that_begins_with_a_dash_can_be_given_with_an_equals_sign() {
    let env = TestEnv::new();
    env.install("a");
    let shown = crate::planned(&env, &["a", "--prompt=--dry-run"]);
    assert!(shown.contains("prompt: \"--dry-run\"\n"), "{shown}");
}

#[test]
fn an_option_is_given_once() {
    let message = wrong(&["a", "--cwd", ".", "--cwd", "."]);
    assert!(
        message.starts_with("error: the argument '--cwd <DIR>' cannot be used multiple times\n"),
        "{message}"
    );
}

#[test]
fn a_second_word_is_not_ignored() {
    assert_snapshot!(wrong(&["planner", "builder"]), @"
    error: unexpected argument `builder`
    hint: a chain is one argument; arguments for the agents go after `--`
    ");
}

#[test]
fn a_chain_whose_arrow_became_a_redirection_is_explained() {
    assert_snapshot!(wrong(&["planner:3", "-"]), @r#"
    error: unexpected argument `-`
    hint: the shell took `>` for a redirection; quote the chain: forkhestra "planner:3 -> …"
    "#);
    assert_eq!(wrong(&["planner:3", "-", "--dry-run"]), wrong(&["planner:3", "-"]));
}

#[test]
fn a_chain_that_was_not_quoted_is_explained() {
    assert_snapshot!(wrong(&["planner:3", "->", "builder"]), @r#"
    error: unexpected argument `->`
    hint: a chain is one argument; quote it: forkhestra "a:3 -> b"
    "#);
}

#[test]
fn an_alternative_that_was_not_quoted_is_explained() {
    assert_snapshot!(wrong(&["planner:3", "else", "builder"]), @r#"
    error: unexpected argument `else`
    hint: a chain is one argument; quote it: forkhestra "planner:3 else builder"
    "#);
}

#[test]
fn verbose_and_quiet_conflict() {
    assert_snapshot!(wrong(&["a", "-v", "--quiet"]), @"
    error: the argument '--verbose' cannot be used with '--quiet'
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn the_working_directory_must_exist() {
    assert_snapshot!(wrong(&["a", "--cwd", "no/such/directory"]), @"
    error: the working directory `no/such/directory` does not exist
    hint: `--cwd` takes an existing directory
    ");
    assert_snapshot!(wrong(&["list", "--cwd", "no/such/directory"]), @"
    error: the working directory `no/such/directory` does not exist
    hint: `--cwd` takes an existing directory
    ");
}

#[test]
fn the_working_directory_must_not_be_a_file() {
    let env = TestEnv::new();
    env.write("file", "");
    assert_snapshot!(refused(&env, &["a", "--cwd", "file"]), @"error: the working directory `file` is not a directory");
    let message = refused(&env, &["a", "--cwd", "file/below"]);
    assert!(message.starts_with("error: the working directory `file/below` "), "{message}");
}

#[test]
fn the_current_directory_must_exist() {
    let env = TestEnv::new();
    let gone = env.project().join("gone");
    fs::create_dir(&gone).expect("the project is ours");
    let mut command = env.command("/bin/sh");
    let script = "cd gone && rmdir ../gone && exec \"$0\" a --dry-run";
    command.args(["-c", script, FORKHESTRA]).env("PATH", "/usr/bin:/bin");
    assert_snapshot!(env.output_of(&mut command).failure(2), @"
    error: the current directory cannot be used: No such file or directory (os error 2)
    hint: go to a directory that exists
    ");
}

#[test]
fn a_verb_does_not_run_a_program_of_the_same_name() {
    let env = TestEnv::new();
    let verbs = ["continue", "pause", "set", "skip", "stop", "tell"];
    for verb in verbs {
        env.install(verb);
    }
    for verb in ["continue", "pause", "skip", "stop"] {
        let message = forkhestra(&env, &[verb]).failure(2);
        assert!(message.starts_with("error: no run is active in this work tree\n"), "{message}");
        let message = forkhestra(&env, &["--quiet", verb]).failure(2);
        assert!(message.starts_with("error: unknown option `--quiet`\n"), "{message}");
        assert!(message.contains(&format!("`forkhestra {verb} --help`")), "{message}");
    }
    let loose = ["tell", "Leave", "the", "parser", "alone."];
    assert_snapshot!(forkhestra(&env, &loose).failure(2), @r#"
    error: a run and a text are two words, but there are 4
    hint: put the text in quotation marks, as in `forkhestra tell "Leave the parser alone."`
    "#);
    assert_snapshot!(forkhestra(&env, &["set"]).failure(2), @"
    error: no limit is named
    hint: name one, as in `forkhestra set --max-iterations 20 --max-cost 5`
    ");
    assert_snapshot!(forkhestra(&env, &["tell", ""]).failure(2), @r#"
    error: the message is empty
    hint: as in `forkhestra tell "Leave the parser alone."`
    "#);
}

#[test]
fn options_may_stand_before_a_verb() {
    let env = TestEnv::new();
    for (before, after) in [
        (&["--cwd", ".", "list"][..], &["list", "--cwd", "."][..]),
        (&["--json", "list"], &["list", "--json"]),
        (&["--state-dir", "runs", "runs"], &["runs", "--state-dir", "runs"]),
        (&["--all", "--json", "runs"], &["runs", "--all", "--json"]),
        (
            &["--dry-run", "plan", "A shop", "--no-run"],
            &["plan", "--dry-run", "A shop", "--no-run"],
        ),
        (
            &["--color", "never", "show-agent", "planner"],
            &["show-agent", "planner", "--color", "never"],
        ),
        (&["--raw", "logs", "zzz"], &["logs", "--raw", "zzz"]),
    ] {
        let (one, other) = (forkhestra(&env, before), forkhestra(&env, after));
        assert_eq!(one.to_string(), other.to_string(), "{before:?}");
        assert!(!one.to_string().contains("unknown option"), "{one}");
    }
    // A word after an option is its value, even if it is the name of a verb.
    env.agent("a", "true");
    let message = forkhestra(&env, &["--state-dir", "runs", "a", "--dry-run"]);
    assert!(message.stdout.contains("state directory: runs"), "{message}");
    let message = forkhestra(&env, &["--bogus", "list"]).failure(2);
    assert!(message.starts_with("error: unknown option `--bogus`\n"), "{message}");
}

#[test]
fn a_verb_has_options_of_its_own() {
    let message = wrong(&["list", "--jsno"]);
    assert!(
        message.starts_with("error: unknown option `--jsno`\nhint: did you mean `--json`?\n"),
        "{message}"
    );
    let message = wrong(&["logs", "--flow"]);
    assert!(
        message.starts_with("error: unknown option `--flow`\nhint: did you mean `--follow`?\n"),
        "{message}"
    );
    let message = wrong(&["schema", "--json"]);
    assert!(message.starts_with("error: unknown option `--json`\n"), "{message}");
}

#[test]
fn a_verb_that_takes_no_words_gets_none() {
    assert_snapshot!(wrong(&["list", "extra"]), @"
    error: unexpected argument `extra`
    hint: for the options and their values see `forkhestra list --help`
    ");
    assert_snapshot!(wrong(&["schema", "--dry-run"]), @"
    error: unknown option `--dry-run`
    hint: for the options and their values see `forkhestra schema --help`
    ");
}

#[test]
fn arguments_must_be_text() {
    let env = TestEnv::new();
    for arguments in
        [vec![&b"a\xff"[..]], vec![b"a", b"--prompt", b"caf\xe9"], vec![b"a", b"--", b"\xff"]]
    {
        let mut command = env.command(FORKHESTRA);
        command.args(arguments.iter().map(|argument| OsStr::from_bytes(argument)));
        let message = env.output_of(&mut command).failure(2);
        assert!(message.contains("UTF-8"), "{message}");
    }
}

#[test]
fn the_working_directory_must_be_text_and_the_config_file_need_not_be() {
    let env = TestEnv::new();
    let name = OsStr::from_bytes(b"caf\xe9");
    let directory = env.project().join(name);
    fs::create_dir_all(directory.join("forge/orch")).expect("the project is ours");
    fs::write(
        directory.join(CONFIG),
        r#"{ "chains": { "c": { "steps": [{ "agent": "tool" }] } } }"#,
    )
    .expect("the project is ours");
    let mut command = env.command(FORKHESTRA);
    command.args(["--chain", "c", "--dry-run", "--quiet", "--config"]).arg(directory.join(CONFIG));
    assert!(env.output_of(&mut command).success().starts_with(ONE_STEP));
    let mut command = env.command(FORKHESTRA);
    command.args(["--chain", "c", "--dry-run", "--cwd"]).arg(name);
    assert_snapshot!(env.output_of(&mut command).failure(2), @"
    error: the working directory `$TEST/project/caf�` is not UTF-8
    hint: rename it, or work in another directory
    ");
}

#[test]
fn a_variable_with_a_wrong_name_is_not_taken_for_a_chain() {
    assert_snapshot!(wrong(&["foo=bar", "a"]), @"
    error: `foo` is not a variable's name
    hint: did you mean `FOO=bar`?
    hint: variables are written NAME=value, with a name of A-Z, 0-9 and _
    ");
}

#[test]
fn an_empty_path_is_refused() {
    for flag in ["--prompt-file", "--done-file", "--state-dir", "--cwd", "--config"] {
        let message = wrong(&["a", flag, ""]);
        assert!(
            message.starts_with(&format!("error: a value is required for '{flag} <")),
            "{message}"
        );
    }
}

#[test]
fn help_is_a_verb_too() {
    let env = TestEnv::new();
    let of_list = forkhestra(&env, &["help", "list"]).success();
    assert_eq!(of_list, forkhestra(&env, &["list", "--help"]).success());
    assert_eq!(forkhestra(&env, &["help"]).success(), forkhestra(&env, &["--help"]).success());
}

#[test]
fn a_misplaced_arrow_is_pointed_at() {
    assert_snapshot!(wrong(&["builder", "-p", "-> fix it", "--dry-run"]), @"
    error: `-p` needs a value, and `-> fix it` looks like an option
    hint: if it is the value, write '-p=-> fix it'
    hint: for the options and their values see `forkhestra --help`
    ");
    assert_snapshot!(wrong(&["builder", "--dryrun", "--prompt=-> fix it"]), @"
    error: unknown option `--dryrun`
    hint: did you mean `--dry-run`?
    hint: arguments for the agents go after `--`
    hint: for the options and their values see `forkhestra --help`
    ");
    assert_snapshot!(wrong(&["->"]), @"
    error: step 1 of the chain is empty
      |
    1 | ->
      | ^^ expected an agent before this `->`
    error: step 2 of the chain is empty
      |
    1 | ->
      |   ^ expected an agent after this `->`
    ");
    assert_snapshot!(wrong(&["planner=>builder"]), @"
    error: step 1: unexpected `>`
      |
    1 | planner=>builder
      |         ^ expected an agent's name, `:N` or `->`
    hint: agents are separated by `->`
    ");
    assert_snapshot!(wrong(&["FOO-BAR=1", "planner"]), @"
    error: `FOO-BAR` is not a variable's name
    hint: variables are written NAME=value, with a name of A-Z, 0-9 and _
    ");
}

#[test]
fn mistakes_in_variables_and_in_the_chain_are_shown_together() {
    let message = wrong(&["A=1", "A=2", "a ->"]);
    assert_eq!(message.matches("error: ").count(), 2, "{message}");
}

#[test]
fn a_directory_that_is_gone_does_not_matter_to_an_absolute_one() {
    let env = TestEnv::new();
    env.install("a");
    let script = r#"mkdir gone && cd gone && rmdir ../gone && "$0" "$@""#;
    let run = |args: &[&str]| {
        let mut command = env.command("/bin/sh");
        command.args(["-c", script, FORKHESTRA]).args(args).env("PATH", "/usr/bin:/bin");
        env.output_of(&mut command)
    };
    let message = run(&["cat", "--dry-run"]).failure(2);
    assert!(message.starts_with("error: the current directory cannot be used"), "{message}");
    let home = env.home();
    let home = home.to_str().expect("a temporary path is text");
    assert!(run(&["cat:2", "--dry-run", "--cwd", home]).success().contains("cat - loop up to 2"));
}

#[test]
fn a_limit_that_only_resume_accepts_names_its_config_key() {
    for (args, key) in
        [(["a", "--step-cost", "5"], "cost"), (["run", "a", "--step-time=5m"], "time")]
    {
        let message = wrong(&args);
        let expected = format!(
            "it is for `resume`; for a new run, give the step `limits.{key}` in the config"
        );
        assert!(message.contains(&expected), "{message}");
    }
}
