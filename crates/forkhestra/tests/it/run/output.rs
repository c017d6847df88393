//! The output of a run: every byte of its agents, and our own lines between them.

use std::fs;
use std::process::Command;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::support::agents_at_work::{DONE, only_run, our_lines, run, steady};
use crate::{FORKHESTRA, project};

/// Reproducible bytes of all values, without a line break at the end.
fn random_bytes(length: usize) -> Vec<u8> {
    let mut state: u64 = 0x2545_f491_4f6c_dd1d;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    let mut bytes: Vec<u8> = (0..length).map(|_| next()).collect();
    bytes.push(0xff);
    bytes
}

fn forkhestra(env: &TestEnv, args: &[&str]) -> Command {
    let mut command = env.command(FORKHESTRA);
    command.args(args);
    command
}

#[test]
fn the_bytes_of_agents_pass_untouched() {
    let env = TestEnv::new();
    let (bytes, others) = (random_bytes(700_000), random_bytes(300_000));
    env.write("bytes", &bytes).write("others", &others);
    env.agent("a", "cat bytes; cat others >&2");
    for color in ["always", "never"] {
        let output =
            forkhestra(&env, &["a", "--color", color]).output().expect("it can be started");
        let paint = if color == "always" { ("\u{1b}[2m", "\u{1b}[0m") } else { ("", "") };
        let before = format!("{}[forkhestra]{} Running: a\n", paint.0, paint.1);
        let after = format!("\n{}[forkhestra]{} Done: a (exit 0)\n", paint.0, paint.1);
        let expected = [before.as_bytes(), &bytes, after.as_bytes()].concat();
        assert!(output.stdout.starts_with(&expected), "standard output is not exact");
        assert!(output.stderr == others, "standard error is not exact");
    }
}

#[test]
fn inherited_secrets_are_shown_and_not_kept() {
    let env = TestEnv::new();
    env.agent("a", "echo $MY_API_KEY $WORD; echo $MY_API_KEY >&2");
    let mut command = forkhestra(&env, &["a"]);
    command.env("MY_API_KEY", "sk-0123456789").env("WORD", "0123456789");
    let output = env.output_of(&mut command);
    assert!(output.stdout.contains("sk-0123456789 0123456789\n"), "{output}");
    let kept = |stream| fs::read_to_string(only_run(&env).join("output/1-1-1").join(stream));
    assert_eq!(kept("stdout").ok().as_deref(), Some("************* 0123456789\n"));
    assert_eq!(kept("stderr").ok().as_deref(), Some("*************\n"));
}

#[test]
fn everything_an_agent_prints_is_kept() {
    let env = TestEnv::new();
    let (bytes, others) = (random_bytes(300_000), random_bytes(100_000));
    env.write("bytes", &bytes).write("others", &others);
    env.agent("a", "cat bytes; cat others >&2");
    assert_eq!(run(&env, &["a", "--quiet"]).code, Some(0));
    let kept = only_run(&env).join("output/1-1-1");
    assert!(fs::read(kept.join("stdout")).expect("it is kept") == bytes);
    assert!(fs::read(kept.join("stderr")).expect("it is kept") == others);
}

#[test]
fn lines_of_forkhestra_begin_on_a_new_line() {
    let env = TestEnv::new();
    env.agent("a", "printf 'no line break'").agent("b", "printf 'with one\\n'").agent("c", "");
    let output = run(&env, &["a -> b -> c", "-v"]);
    let is_detail = |line: &&str| line.starts_with("[forkhestra]  ");
    let lines: Vec<&str> = output.stdout.lines().filter(|line| !is_detail(line)).collect();
    assert_snapshot!(lines.join("\n"), @"
    [forkhestra] Running: a
    no line break
    [forkhestra] Done: a (exit 0)

    [forkhestra] Running: b
    with one
    [forkhestra] Done: b (exit 0)

    [forkhestra] Running: c
    [forkhestra] Done: c (exit 0)

    [forkhestra] Summary
      1  a  complete  1 iteration  exit_code  [time]
      2  b  complete  1 iteration  exit_code  [time]
      3  c  complete  1 iteration  exit_code  [time]

    [forkhestra] In all: 3 iterations, [time]
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Chain complete (3/3 steps)
    ");
}

#[test]
fn standard_error_goes_to_standard_error() {
    let env = TestEnv::new();
    env.agent("a", "echo out; echo err >&2");
    let output = run(&env, &["a"]);
    assert_eq!(output.stderr, "err\n");
    assert!(
        output.stdout.starts_with("[forkhestra] Running: a\nout\n[forkhestra] Done"),
        "{output}"
    );
}

#[test]
fn the_run_waits_for_an_agent_that_closes_its_output() {
    let env = TestEnv::new();
    env.agent("a", "echo closing; exec >&- 2>&-; sleep 0.3; touch ended; exit 5");
    let output = run(&env, &["a", "--quiet"]);
    assert!(
        output.stdout.ends_with("step 1, a, failed (exit 5)\n") && env.has("ended"),
        "{output}"
    );
}

#[test]
fn quiet_shows_only_the_verdict() {
    let env = TestEnv::new();
    env.agent("a", "echo out; echo err >&2").agent("b", "echo out; exit 2");
    assert_snapshot!(run(&env, &["a -> a", "--quiet"]), @"[forkhestra] Chain complete (2/2 steps)");
    assert_snapshot!(run(&env, &["b", "--quiet"]), @"
    [forkhestra] To resume: forkhestra resume [id]
    [forkhestra] Chain incomplete (0/1 steps): step 1, b, failed (exit 2)
    [exit status: 1]
    ");
    assert_snapshot!(run(&env, &["b:1", "--quiet"]), @"
    [forkhestra] What to do: read what the agent printed (`forkhestra logs [id]`), then resume
    [forkhestra] To resume: forkhestra resume [id] --max-iterations 2
    [forkhestra] Chain incomplete (0/1 steps): step 1, b, not complete after 1 iteration
    [exit status: 1]
    ");
}

/// The position of agent output is not deterministic, but our lines are in order.
#[test]
fn verbose_shows_how_everything_was_resolved() {
    let env = project(
        r#"{
          "agents": { "w": { "command": "worker", "defaultPrompt": "Work." } },
          "chains": { "c": { "steps": [
            { "agent": "w", "args": ["--task", "a b"], "iterations": 3 },
            { "agent": "./sub/last.sh" },
          ] } },
        }"#,
    );
    env.agent("worker", &format!("echo one; {DONE}")).agent_file("sub/last.sh", "echo last >&2");
    let output = run(&env, &["--chain", "c", "-v"]);
    let ours = our_lines(&output);
    let normalised = ours.lines().map(|line| match line.split_once("pid: ") {
        Some((before, _)) => format!("{before}pid: [pid]\n"),
        None => format!("{line}\n"),
    });
    assert_snapshot!(normalised.collect::<String>(), @"
    [forkhestra]   run: [id]
    [forkhestra]   chain: w:3 -> ./sub/last.sh
    [forkhestra]   working directory: $TEST/project
    [forkhestra]   state directory: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Starting: w (max 3 iterations)
    [forkhestra]   agent: program $TEST/bin/worker (forge/orch/chains.json:2:23)
    [forkhestra]   args: --task 'a b'
    [forkhestra]   prompt: a text of 5 characters (forge/orch/chains.json:2:68)
    [forkhestra] Iteration 1/3
    [forkhestra]   pid: [pid]
    [forkhestra]   completion requested: marker `FORKHESTRA_COMPLETE` in line 2
    [forkhestra]   exit 0 after [time], 24 bytes on stdout, 0 on stderr
    [forkhestra] Complete after 1 iteration
    [forkhestra] Running: ./sub/last.sh
    [forkhestra]   agent: program $TEST/project/sub/last.sh (path)
    [forkhestra]   prompt: none
    [forkhestra]   pid: [pid]
    [forkhestra]   exit 0 after [time], 0 bytes on stdout, 5 on stderr
    [forkhestra] Done: ./sub/last.sh (exit 0)
    [forkhestra] Summary
    [forkhestra] In all: 2 iterations, [time]
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Chain complete (2/2 steps)
    ");
}

#[test]
fn verbose_shows_why_an_agent_is_ended() {
    let env = TestEnv::new();
    env.agent("a", "exec sleep 60");
    let output = run(&env, &["a:1", "--timeout", "300ms", "-v"]);
    let expected = "[forkhestra]   ending the agent: the iteration took too long (--timeout)\n";
    assert!(output.stdout.contains(expected), "{output}");
}

#[test]
fn verbose_and_quiet_conflict() {
    let env = TestEnv::new();
    env.agent("a", "touch started");
    assert_eq!(run(&env, &["a", "-v", "--quiet"]).code, Some(2));
    assert!(!env.has("started"));
}

#[test]
fn lines_of_forkhestra_are_coloured_on_request() {
    let env = TestEnv::new();
    env.agent("a", "printf '\\033[31mred\\033[0m\\n'");
    let shown = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = forkhestra(&env, &[&["a"], args].concat());
        command.envs(variables.iter().copied());
        steady(&env, &env.output_of(&mut command)).stdout
    };
    let plain = "[forkhestra] Running: a\n\u{1b}[31mred\u{1b}[0m\n[forkhestra] Done";
    let coloured = "\u{1b}[2m[forkhestra]\u{1b}[0m Running: a\n\u{1b}[31mred\u{1b}[0m\n\u{1b}[2m";
    for (args, variables, expected) in [
        (&[][..], &[][..], plain),
        (&["--color", "never"], &[("CLICOLOR_FORCE", "1")], plain),
        (&["--color", "always"], &[], coloured),
        (&["--color", "always"], &[("NO_COLOR", "1")], coloured),
        (&[], &[("CLICOLOR_FORCE", "1")], coloured),
        (&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], plain),
    ] {
        let shown = shown(args, variables);
        assert!(shown.starts_with(expected), "{args:?} {variables:?} {}", shown.escape_debug());
    }
}

#[test]
fn paths_and_markers_cannot_control_the_terminal() {
    let env = TestEnv::new();
    let nasty = "n\u{1b}[2J";
    env.agent("a", "echo done: $1").write(&format!("{nasty}/{nasty}.md"), "Do it.");
    let prompt = format!("{nasty}.md");
    let run = |more: &[&str]| {
        let args = ["a:1", "-v", "--cwd", nasty, "--state-dir", nasty, "--prompt-file", &prompt];
        let output = env.run(FORKHESTRA, &[&args, more].concat());
        assert_eq!(output.code, Some(1), "{output}");
        assert!(output.stdout.contains(r"n\u{1b}[2J"), "{output}");
        assert!(!output.stdout.contains('\u{1b}'), "{}", output.stdout.escape_debug());
    };
    run(&["--marker", nasty]);
    env.agent("a", r#"rm "$PWD"/*.md"#);
    run(&[]);
}

#[test]
fn secrets_of_the_config_are_shown_as_the_agent_prints_them_but_not_kept() {
    let env = project(
        r#"{ "agents": { "a": { "command": "tool", "env": { "TOKEN": "hunter2-hunter2" } } }, "chains": {} }"#,
    );
    env.agent("tool", r#"echo "my token: $TOKEN""#);
    let output = run(&env, &["a", "-v"]);
    assert!(output.stdout.contains("my token: hunter2-hunter2\n"), "{output}");
    let run = only_run(&env);
    for file in ["output/1-1-1/stdout", "journal.jsonl"] {
        let kept = fs::read_to_string(run.join(file)).expect("it is kept");
        assert!(!kept.contains("hunter2"), "{file}: {kept}");
    }
}

#[test]
fn a_full_disk_under_the_output_is_reported_and_the_run_can_be_resumed() {
    let env = TestEnv::new();
    env.agent("a", "echo something; sleep 30");
    let full = fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    let mut command = env.command(FORKHESTRA);
    let output = command.args(["a:3"]).stdout(full).output().expect("the program can be started");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(141), "{message}");
    assert_eq!(
        message.matches("warning: cannot write to stdout: No space left").count(),
        1,
        "{message}"
    );
    assert!(message.contains("To resume: forkhestra resume "), "{message}");
    env.agent("a", DONE);
    assert_eq!(run(&env, &["resume"]).code, Some(0));
}
