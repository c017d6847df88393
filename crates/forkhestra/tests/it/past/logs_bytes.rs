//! `forkhestra logs`, byte by byte: what is printed, what is escaped, and what was removed.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Output, Stdio};

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::FORKHESTRA;
use crate::support::agents_at_work::{only_run, run};

/// The raw output of `forkhestra logs`.
fn logs(env: &TestEnv, args: &[&str]) -> Output {
    let mut command = env.command(FORKHESTRA);
    command.arg("logs").args(args).output().expect("the program can be started")
}

/// An agent that prints one file of the project on each stream.
fn prints(out: &[u8], err: &[u8]) -> TestEnv {
    let env = TestEnv::new();
    env.write("out", out).write("err", err).agent("a", "cat out; cat err >&2");
    assert_eq!(run(&env, &["a", "--quiet"]).code, Some(0));
    env
}

#[test]
fn raw_prints_every_byte_on_its_own_stream() {
    let every: Vec<u8> = (0..=u8::MAX).cycle().take(100_000).collect();
    let backwards: Vec<u8> = every.iter().rev().copied().collect();
    let env = prints(&every, &backwards);
    for options in [&["--raw"][..], &["--raw", "--step", "1", "--iteration", "1", "-f"]] {
        let Output { status, stdout, stderr } = logs(&env, options);
        assert_eq!(status.code(), Some(0));
        assert!(stdout == every, "{} bytes", stdout.len());
        assert!(stderr == backwards, "{} bytes", stderr.len());
    }
}

#[test]
fn raw_bytes_of_several_tries_follow_one_another_with_nothing_between() {
    let env = TestEnv::new();
    env.agent("a", "printf '%s,' $FORKHESTRA_ITERATION");
    assert_eq!(run(&env, &["a:3", "--quiet"]).code, Some(1));
    assert_eq!(run(&env, &["logs", "--raw"]).success(), "1,2,3,");
    assert_eq!(run(&env, &["logs", "--raw", "--iteration", "2"]).success(), "2,");
}

const COLORFUL: &str = "\x1b[31mred\x1b[0m\x1b[2J \x1b]0;title\x07\x1b[4munder\n50%\r100%\x07\n";

#[test]
fn only_colour_sequences_reach_the_terminal() {
    let env = prints(COLORFUL.as_bytes(), b"\x1b[1mbold\n\xff\xfe\n");
    let output = run(&env, &["logs", "--color", "always"]);
    assert_snapshot!(output.stdout.escape_debug(), @r"\u{1b}[2m[forkhestra]\u{1b}[0m a\n\u{1b}[31mred\u{1b}[0m \u{1b}[4munder\n50%\n100%\\u{7}\n\u{1b}[0m");
    assert_snapshot!(output.stderr.escape_debug(), @r"\u{1b}[1mbold\n��\n\u{1b}[0m");
    let output = run(&env, &["logs"]);
    assert_snapshot!(output.stdout, @r"
    [forkhestra] a
    red under
    50%
    100%\u{7}
    ");
    assert_eq!(logs(&env, &["--raw"]).stdout, COLORFUL.as_bytes());
}

/// Both streams in one file: our lines start at the start of a line and nowhere else.
#[test]
fn lines_of_forkhestra_stand_alone_even_after_colours() {
    let env = TestEnv::new();
    env.agent("a", r#"printf '\033[31mred\n\033[0m'; printf 'no line break' >&2"#);
    assert_eq!(run(&env, &["a:2", "--quiet"]).code, Some(1));
    let mut shell = env.command("/bin/sh");
    shell.args(["-c", r#""$0" logs --color always 2>&1"#, FORKHESTRA]);
    let shown = env.output_of(&mut shell).success();
    let plain = shown.replace("\x1b[31m", "").replace("\x1b[2m", "").replace("\x1b[0m", "");
    assert_snapshot!(plain, @"
    [forkhestra] a, iteration 1/2
    red
    no line break
    [forkhestra] a, iteration 2/2
    red
    no line break
    ");
}

#[test]
fn output_beyond_the_kept_size_is_a_line_in_the_middle() {
    const MIB: usize = 1024 * 1024;
    let env = TestEnv::new();
    env.agent("a", "echo first; yes 0123456789abcde | head -c 50331648; echo last");
    assert_eq!(run(&env, &["a", "--quiet"]).code, Some(0));
    let Output { status, stdout, stderr } = logs(&env, &[]);
    assert_eq!((status.code(), stderr.len()), (Some(0), 0));
    let text = String::from_utf8(stdout).expect("it is text");
    let ours: Vec<&str> = text.lines().filter(|line| line.contains('[')).collect();
    let [title, gap] = ours.as_slice() else { panic!("{ours:?}") };
    assert_eq!(*title, "[forkhestra] a");
    let missing = gap.strip_prefix("[forkhestra] … ").and_then(|gap| gap.split_once(' '));
    let (number, rest) = missing.expect("it says how much is missing");
    assert_eq!(rest, "MiB are not kept …");
    // Of 48 MiB, the first 32 and at least the last 8 are kept.
    let whole = number.split('.').next();
    assert!(matches!(whole, Some("7" | "8")), "{gap}");
    assert!(text.starts_with("[forkhestra] a\nfirst\n0123456789abcde\n"));
    assert!(text.ends_with("0123456789abcde\nlast\n"));

    let Output { stdout, stderr, .. } = logs(&env, &["--raw"]);
    assert!((40 * MIB..42 * MIB).contains(&stdout.len()), "{}", stdout.len());
    let warning = env.normalised(&stderr);
    assert!(warning.starts_with("warning: a: ") && warning.ends_with(" are not kept\n"));

    // The end is found without reading everything before it.
    assert_eq!(
        env.normalised(&logs(&env, &["-n", "2"]).stdout),
        "[forkhestra] a\n0123456789abcde\nlast\n"
    );
}

#[test]
fn removed_output_is_not_shown_as_empty() {
    let env = prints(b"twelve bytes", b"five\n");
    fs::remove_dir_all(only_run(&env).join("output")).expect("it is ours");
    let shown = run(&env, &["logs"]).success();
    assert_snapshot!(shown, @"
    [forkhestra] a
    [forkhestra] The output is not kept any more (17 B)
    ");
    assert_eq!(run(&env, &["logs", "-f"]).success(), shown);
    assert_eq!(run(&env, &["logs", "-n", "3"]).success(), shown);
    assert_snapshot!(run(&env, &["logs", "--raw"]), @"
    ------- stderr -------
    warning: a: 12 B of its standard output are not kept
    warning: a: 5 B of its standard error are not kept
    ");
}

#[test]
fn output_that_was_not_kept_to_its_end_is_reported() {
    let env = prints(b"twelve bytes", b"five\n");
    let log = only_run(&env).join("output/1-1-1/stdout");
    fs::write(log, "twelve").expect("it is ours");
    assert_snapshot!(run(&env, &["logs"]), @"
    [forkhestra] a
    twelve
    [forkhestra] … 6 B are not kept …
    ------- stderr -------
    five
    ");
}

#[test]
fn an_unreadable_log_is_reported_with_its_name() {
    let env = prints(b"twelve bytes", b"");
    let log = only_run(&env).join("output/1-1-1/stdout.tail");
    fs::write(
        log,
        "nonsense that is long enough to be taken for the header of a tail file, ".repeat(9),
    )
    .expect("it is ours");
    let output = run(&env, &["logs"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr.starts_with("error: cannot read $TEST/home"), "{output}");
    assert!(
        output.stderr.contains("output/1-1-1/stdout: is not the tail of an output log"),
        "{output}"
    );
}

/// Three attempts with three lines each, and standard error only in the first one.
fn nine_lines() -> TestEnv {
    let env = TestEnv::new();
    env.agent(
        "a",
        r#"n=$FORKHESTRA_ITERATION; [ $n -gt 1 ] || printf 'x\ny\nz' >&2
        printf "$n.1\n$n.2\n$n.3\n""#,
    );
    assert_eq!(run(&env, &["a:3", "--quiet"]).code, Some(1));
    env
}

#[test]
fn tail_shows_the_last_lines_of_each_stream() {
    let env = nine_lines();
    assert_snapshot!(run(&env, &["logs", "-n", "4"]), @"
    [forkhestra] a, iteration 1/3
    [forkhestra] a, iteration 2/3
    2.3
    [forkhestra] a, iteration 3/3
    3.1
    3.2
    3.3
    ------- stderr -------
    x
    y
    z
    ");
    assert_snapshot!(run(&env, &["logs", "--lines=2", "--raw"]), @"
    3.2
    3.3
    ------- stderr -------
    y
    z
    ");
    let all = run(&env, &["logs"]);
    assert_eq!(run(&env, &["logs", "-n", "9"]).to_string(), all.to_string());
    assert_eq!(run(&env, &["logs", "-n", "1000000"]).to_string(), all.to_string());
}

#[test]
fn tail_counts_only_the_selected_attempts() {
    let env = nine_lines();
    assert_eq!(run(&env, &["logs", "-n", "1", "--raw", "--iteration", "2"]).success(), "2.3\n");
    assert_eq!(run(&env, &["logs", "-n", "0"]).success(), "[forkhestra] a, iteration 3/3\n");
    assert_eq!(run(&env, &["logs", "-n", "0", "--raw"]).success(), "");
    assert_snapshot!(run(&env, &["logs", "-n", "many"]).failure(2), @"
    error: invalid value 'many' for '--lines <N>': is not a number
    hint: for the options and their values see `forkhestra logs --help`
    ");
}

#[test]
fn lines_are_counted_over_long_distances() {
    let long = format!("{}\n", "x".repeat(100_000)).repeat(5);
    let env = prints(format!("first\n{long}").as_bytes(), b"");
    let shown = run(&env, &["logs", "--raw", "-n", "5"]).success();
    assert!(shown == long, "{} bytes", shown.len());
    let shown = run(&env, &["logs", "--raw", "-n", "6"]).success();
    assert!(shown.starts_with("first\n") && shown.len() == long.len() + 6);
}

#[test]
fn a_closed_pipe_ends_the_output_silently() {
    let env = prints(&b"line\n".repeat(100_000), b"");
    for options in [&["logs"][..], &["logs", "--raw"], &["logs", "-f"]] {
        let mut command = env.command(FORKHESTRA);
        command.args(options).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program can be started");
        let mut some = [0; 100];
        let mut stdout = child.stdout.take().expect("it is a pipe");
        stdout.read_exact(&mut some).expect("something is printed");
        drop(stdout);
        let Output { status, stderr, .. } = child.wait_with_output().expect("it ends");
        assert_eq!((status.code(), stderr.len()), (Some(141), 0), "{options:?}");
    }
}

#[test]
fn reading_logs_changes_nothing() {
    let env = prints(b"out", b"err");
    let directory = only_run(&env);
    let state = |path: &Path| {
        let modified = fs::metadata(path).and_then(|data| data.modified()).expect("it is there");
        (fs::read(path).ok(), modified)
    };
    let files = ["", "journal.jsonl", "output/1-1-1/stdout"].map(|name| directory.join(name));
    let before = files.each_ref().map(|path| state(path));
    assert_eq!(run(&env, &["logs", "-f"]).code, Some(0));
    assert_eq!(files.each_ref().map(|path| state(path)), before);
}
