//! Journals damaged in the middle: `--repair` cuts them at the first bad line, and the run resumes
//! from there.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::run::stagnation::{git, repository};
use crate::support::agents_at_work::{DONE, id, journal, only_run, run, verdict};

const NOTE: &str = r#"echo "$FORKHESTRA_STEP-$FORKHESTRA_ITERATION" >> ran"#;

/// A run of `a:4 -> b` that was cut off in the third iteration, and its journal.
fn cut_off() -> (TestEnv, String) {
    let env = TestEnv::new();
    env.agent("a", &format!("{NOTE}\n[ $FORKHESTRA_ITERATION -lt 3 ] || {DONE}"));
    env.agent("b", NOTE);
    assert_eq!(run(&env, &["a:4 -> b"]).code, Some(0));
    let text = fs::read_to_string(only_run(&env).join("journal.jsonl")).expect("it is there");
    let is_third = |line: &&str| line.contains("agent_started") && line.contains("\"iteration\":3");
    let kept = text.lines().position(|line| is_third(&line)).expect("it was started") + 1;
    let cut: String = text.split_inclusive('\n').take(kept).collect();
    put(&env, &cut);
    env.write("ran", "");
    (env, cut)
}

fn put(env: &TestEnv, journal: &str) {
    fs::write(only_run(env).join("journal.jsonl"), journal).expect("it is ours");
    let _ = fs::remove_file(only_run(env).join("overview.json"));
}

/// The journal with one line destroyed, counted from 1.
fn with_damaged_line(journal: &str, number: usize) -> String {
    let lines = journal.split_inclusive('\n').enumerate();
    let damaged = |(index, line)| if index + 1 == number { "{\"seq\":?\n" } else { line };
    lines.map(damaged).collect()
}

/// The message with a placeholder for the timestamp in the name of the damaged journal.
fn steady(output: &str) -> String {
    let pieces: Vec<&str> = output.split("journal.damaged-").collect();
    let without_moment =
        |piece: &&str| piece.find(".jsonl").map_or("", |end| &piece[end..]).to_owned();
    let rest = pieces[1..].iter().map(without_moment);
    let all: Vec<String> = std::iter::once(pieces[0].to_owned()).chain(rest).collect();
    let text = all.join("journal.damaged-[moment]");
    match text.split_once("output.damaged-") {
        Some((before, after)) => {
            let rest = after.find('\n').map_or("", |end| &after[end..]);
            format!("{before}output.damaged-[moment]{rest}")
        }
        None => text,
    }
}

fn names(run: &Path) -> Vec<String> {
    let entries = fs::read_dir(run).expect("it is there").filter_map(Result::ok);
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// The number of units that an agent finished before a line.
fn finished_before(journal: &str, number: usize) -> usize {
    let is_outcome = |line: &&str| line.contains("\"event\":\"iteration_finished\"");
    journal.lines().take(number - 1).filter(is_outcome).count()
}

#[test]
fn a_run_resumes_from_the_lines_before_any_damaged_line() {
    let (env, whole) = cut_off();
    let lines = whole.lines().count();
    assert!(lines > 9, "{whole}");
    let units = ["1-1\n", "1-2\n", "1-3\n", "2-1\n"];
    for number in 2..lines {
        put(&env, &with_damaged_line(&whole, number));
        env.write("ran", "");
        let output = run(&env, &["resume", "--repair"]);
        assert_eq!(
            verdict(&output),
            "[forkhestra] Chain complete (2/2 steps)",
            "{number}: {output}"
        );
        let expected = units[finished_before(&whole, number)..].concat();
        assert_eq!(env.read("ran"), expected, "without line {number}");
        let seqs = journal(&only_run(&env));
        assert!(seqs.iter().enumerate().all(|(seq, line)| line["seq"] == seq), "{number}");
        let view = env.read(".agent-state/iterations.jsonl");
        let started = |line: &&serde_json::Value| line["event"] == "iteration_started";
        assert_eq!(view.lines().count(), seqs.iter().filter(started).count(), "{number}: {view}");
    }
    let kept =
        names(&only_run(&env)).iter().filter(|name| name.starts_with("journal.damaged-")).count();
    assert_eq!(kept, lines - 2);
}

#[test]
fn the_bad_line_and_the_repeated_iterations_are_named_and_the_damaged_journal_kept() {
    let (env, whole) = cut_off();
    let damaged = with_damaged_line(&whole, 5);
    put(&env, &damaged);
    assert_snapshot!(steady(&run(&env, &["resume", "--repair", "--quiet"]).to_string()), @"
    [forkhestra] Chain complete (2/2 steps)
    ------- stderr -------
    warning: line 5 of the journal is not JSON: expected value at column 8; it was removed, with the 5 lines after it
    hint: run again: iterations 1 to 3 of step 1
    hint: the damaged journal is kept: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.damaged-[moment].jsonl
    hint: the output of removed iterations is kept: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/output.damaged-[moment]
    ");
    let directory = only_run(&env);
    let kept = names(&directory).into_iter().find(|name| name.starts_with("journal.damaged-"));
    let kept = kept.expect("the damaged one is kept");
    assert_eq!(fs::read_to_string(directory.join(kept)).expect("it is there"), damaged);
    let warned = journal(&directory).into_iter().find(|line| line["event"] == "warning");
    let message = warned.expect("the journal says so itself")["message"].to_string();
    assert!(message.contains("line 5 of the journal is not JSON"), "{message}");
}

#[test]
fn output_and_snapshots_of_removed_iterations_are_kept() {
    let env = repository();
    let script = "echo x >> calls; wc -l < calls; [ $(wc -l < calls) -ge 3 ] && ".to_owned();
    env.agent("a", &format!("{script}{DONE}"));
    assert_eq!(run(&env, &["a:9"]).code, Some(0));
    let directory = only_run(&env);
    let text = fs::read_to_string(directory.join("journal.jsonl")).expect("it is there");
    let is_second =
        |line: &str| line.contains("iteration_started") && line.contains("\"iteration\":2");
    let second = text.lines().position(is_second).expect("it was started") + 1;
    put(&env, &with_damaged_line(&text, second));
    assert_eq!(run(&env, &["resume", "--repair"]).code, Some(0));

    let aside = names(&directory).into_iter().find(|name| name.starts_with("output.damaged-"));
    let aside = directory.join(aside.expect("the output is kept"));
    let read = |path: &Path| fs::read_to_string(path.join("stdout")).expect("it is there");
    assert_eq!(read(&aside.join("1-2-1")), "2\n");
    assert_eq!(read(&directory.join("output/1-1-1")), "1\n", "it runs only once");
    assert_eq!(read(&directory.join("output/1-2-1")), format!("4\n{}\n", "FORKHESTRA_COMPLETE"));
    let refs = git(&env, "for-each-ref '--format=%(refname)' refs/forkhestra");
    let kept = refs.lines().find(|name| name.contains("/damaged-") && name.ends_with("/2"));
    let kept = kept.unwrap_or_else(|| panic!("{refs}"));
    assert_eq!(git(&env, &format!("show {kept}:calls")), "x\nx\n");
}

#[test]
fn an_intact_journal_is_left_unchanged() {
    let (env, _) = cut_off();
    assert_snapshot!(run(&env, &["resume", "--repair", "--quiet"]), @"
    [forkhestra] Chain complete (2/2 steps)
    ------- stderr -------
    warning: the journal is not damaged; nothing is repaired
    ");
    assert!(!names(&only_run(&env)).iter().any(|name| name.contains("damaged")));
}

#[test]
fn without_its_first_line_a_run_cannot_be_repaired() {
    let (env, whole) = cut_off();
    let damaged = with_damaged_line(&whole, 1);
    put(&env, &damaged);
    let id = id(&only_run(&env)).to_owned();
    assert_snapshot!(run(&env, &["resume", &id]).failure(2), @"
    error: line 1 of $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl is not JSON: expected value at column 8
    hint: without its first line, which held the plan, a run cannot be resumed: start a new one
    hint: what its agents printed is still there: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/output
    ");
    assert_snapshot!(run(&env, &["resume", &id, "--repair"]).failure(2), @"
    error: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl cannot be repaired: its first line, which holds the plan of the run, cannot be read or was changed
    hint: without its first line, which held the plan, a run cannot be resumed: start a new one
    hint: what its agents printed is still there: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/output
    ");
    let file = only_run(&env).join("journal.jsonl");
    assert_eq!(
        (fs::read_to_string(file).expect("it is there"), env.read("ran")),
        (damaged, "".into())
    );
}

#[test]
fn missing_output_is_not_announced() {
    let (env, whole) = cut_off();
    put(&env, &with_damaged_line(&whole, 1));
    let output = only_run(&env).join("output");
    let message = || run(&env, &["resume", id(&only_run(&env))]).failure(2);
    assert!(message().contains("what its agents printed"), "{}", message());
    fs::remove_dir_all(&output).expect("it is ours");
    assert!(!message().contains("what its agents printed"), "{}", message());
    fs::create_dir(&output).expect("there is room");
    assert!(!message().contains("what its agents printed"), "{}", message());
}

#[test]
fn a_journal_of_a_newer_version_is_not_repaired() {
    for version in ["5.0", "4.7"] {
        let (env, whole) = cut_off();
        let damaged = with_damaged_line(&whole, 4)
            .replace("\"format\":\"4.0\"", &format!("\"format\":\"{version}\""));
        put(&env, &damaged);
        let message = run(&env, &["resume", "--repair"]).failure(2);
        assert!(message.contains(&format!("is written in format {version}")), "{message}");
        let file = only_run(&env).join("journal.jsonl");
        assert_eq!(
            (fs::read_to_string(file).expect("it is there"), env.read("ran")),
            (damaged, "".into())
        );
    }
}

/// The journal was assembled from pieces: all lines are readable but inconsistent.
#[test]
fn inconsistent_events_are_refused_and_repaired() {
    let (env, whole) = cut_off();
    let mut lines: Vec<String> = whole.lines().map(str::to_owned).collect();
    let end = r#"{"seq":4,"at":"2026-11-15T09:00:00.000Z","elapsedMs":9,"event":"run_finished","end":{"kind":"interrupted","by":"hangup"}}"#;
    lines.insert(4, end.to_owned());
    let renumbered = lines.iter().enumerate().map(|(seq, line)| {
        let rest = line.split_once(',').map_or("", |(_, rest)| rest);
        format!("{{\"seq\":{seq},{rest}\n")
    });
    put(&env, &renumbered.collect::<String>());
    assert_snapshot!(run(&env, &["resume"]).failure(2), @"
    error: line 5 of $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl contradicts the events before it: an agent was running
    hint: to cut the journal there and resume: forkhestra resume [id] --repair
    hint: this runs again: iterations 1 to 3 of step 1
    ");
    let output = run(&env, &["resume", "--repair"]);
    assert_eq!(
        (output.code, env.read("ran").as_str()),
        (Some(0), "1-1\n1-2\n1-3\n2-1\n"),
        "{output}"
    );
}

#[test]
fn the_command_that_repairs_names_the_state_directory() {
    let env = TestEnv::new();
    env.agent("a", "exit 1");
    assert_eq!(run(&env, &["a", "--state-dir", "state"]).code, Some(1));
    let file = only_run(&env).join("journal.jsonl");
    let text = fs::read_to_string(&file).expect("it is there");
    put(&env, &with_damaged_line(&text, 3));
    let message = run(&env, &["resume", "--state-dir", "state"]).failure(2);
    assert!(
        message.contains("forkhestra resume [id] --state-dir $TEST/project/state --repair"),
        "{message}"
    );
}
