//! `.agent-state/`: a view of each run in its working directory.

use std::fs;

use insta::assert_snapshot;
use jsonschema::Validator;
use serde_json::Value;
use testkit::TestEnv;

use crate::support::agents_at_work::{DONE, id, is_time, iterations, only_run, run, runs};
use crate::{FORKHESTRA, forkhestra};

/// A loop that completes in its second iteration, and an agent that fails once.
fn project() -> TestEnv {
    let env = TestEnv::new();
    env.agent("a", &format!("echo work; [ $FORKHESTRA_ITERATION = 2 ] && {DONE}; exit 0"));
    env.agent("b", "[ -e ready ] || exit 3");
    env
}

fn names(env: &TestEnv) -> Vec<String> {
    let entries = fs::read_dir(env.project().join(".agent-state")).expect("there is a view");
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.flatten().map(name).collect();
    names.sort();
    names
}

fn view(env: &TestEnv, name: &str) -> Value {
    let text = fs::read_to_string(env.project().join(".agent-state").join(name));
    serde_json::from_str(&text.expect("the file is there")).expect("it is JSON")
}

fn lines(env: &TestEnv) -> Vec<Value> {
    let text = env.read(".agent-state/iterations.jsonl");
    text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

/// The verdict of each attempt of all runs: `step.iteration.attempt verdict`.
fn verdicts_of_attempts(env: &TestEnv) -> Vec<String> {
    let shown = |line: &Value| {
        let unit = format!("{}.{}.{}", line["step"], line["iteration"], line["attempt"]);
        format!("{unit} {}", line["verdict"].as_str().expect("a word"))
    };
    lines(env).iter().map(shown).collect()
}

/// A schema that also refuses unknown keys.
fn strict(name: &str) -> Validator {
    fn close(value: &mut Value) {
        if let Value::Object(members) = value {
            if members.contains_key("properties") {
                members.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            members.values_mut().for_each(close);
        }
    }
    let printed = forkhestra(&TestEnv::new(), &["schema", name]).success();
    let mut schema = serde_json::from_str(&printed).expect("the schema is JSON");
    close(&mut schema);
    jsonschema::validator_for(&schema).expect("the schema is a JSON Schema")
}

#[track_caller]
fn assert_valid(schema: &str, value: &Value) {
    if let Err(error) = strict(schema).validate(value) {
        panic!("{error} in {value:#}");
    }
}

#[test]
fn a_run_has_a_view_that_follows_the_schemas() {
    let env = project();
    assert_eq!(run(&env, &["a:5 -> b -> a"]).code, Some(1));
    let run = only_run(&env);
    let id = id(&run);
    let expected = [
        ".gitignore".to_owned(),
        format!("chain-{id}.json"),
        "iterations.jsonl".to_owned(),
        format!("run-{id}-1.json"),
        format!("run-{id}-2.json"),
        format!("summary-{id}.md"),
    ];
    assert_eq!(names(&env), expected);
    let chain = view(&env, &format!("chain-{id}.json"));
    assert_valid("chain-state", &chain);
    for step in 1..=2 {
        assert_valid("run-state", &view(&env, &format!("run-{id}-{step}.json")));
    }
    lines(&env).iter().for_each(|line| assert_valid("iteration", line));

    let state =
        |step: &Value| format!("{} {} {}", step["agent"], step["status"], step["iterations"]);
    let steps: Vec<String> = chain["steps"].as_array().expect("a list").iter().map(state).collect();
    assert_eq!(steps, [r#""a" "complete" 2"#, r#""b" "failed" 1"#, r#""a" "pending" 0"#]);
    assert_eq!((&chain["status"], &chain["currentStep"]), (&"failed".into(), &2.into()));
    assert_eq!(verdicts_of_attempts(&env), ["1.1.1 incomplete", "1.2.1 complete", "2.1.1 crashed"]);
    let file = view(&env, &format!("run-{id}-1.json"));
    assert_eq!(file["iterations"].as_array().map(Vec::as_slice), Some(&lines(&env)[..2]));
}

#[test]
fn the_view_has_the_file_names_of_the_founding_documents() {
    let env = project();
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    let id = id(&only_run(&env)).to_owned();
    let has = |value: &Value, names: &[&str]| {
        let missing: Vec<_> = names.iter().filter(|name| value.get(name).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?} in {value:#}");
    };
    let chain = ["id", "definition", "steps", "currentStep", "startedAt", "completedAt"];
    has(&view(&env, &format!("chain-{id}.json")), &chain);
    let run = ["id", "agent", "startedAt", "iterations", "status", "completedAt"];
    has(&view(&env, &format!("run-{id}-1.json")), &run);
    let iteration = ["runId", "iteration", "agent", "startedAt", "endedAt", "exitCode", "signals"];
    has(&lines(&env)[0], &iteration);
}

#[test]
fn the_summary_can_be_read() {
    let env = project();
    assert_eq!(run(&env, &["a:5 -> b"]).code, Some(1));
    let directory = only_run(&env);
    let text = env.read(&format!(".agent-state/summary-{}.md", id(&directory)));
    let normalised = text
        .lines()
        .filter(|line| !line.contains("started:") && !line.contains("ended:"))
        .filter(|line| !["time:", "journal:", "logs:"].iter().any(|key| line.contains(key)))
        .map(|line| {
            let normalised = |cell| if is_time(cell) { "[time]" } else { cell };
            let row = line.strip_suffix(" |");
            let cells: Vec<&str> = row.unwrap_or(line).split(" | ").map(normalised).collect();
            format!("{}{}\n", cells.join(" | "), if row.is_some() { " |" } else { "" })
        })
        .collect::<String>();
    assert_snapshot!(normalised.replace(id(&directory), "[id]"), @"
    # Run [id]: a:5 -> b

    **Incomplete: 1 of 2 steps; step 2, b, failed (exit 3)**

    - chain: `a:5 -> b`
    - directory: `$TEST/project`
    - iterations: 3
    - to resume: `forkhestra resume [id]`

    ## The agent crashed (exit 3)

    ## Steps

    | step | agent | state | iterations | reason | time |
    |---|---|---|---|---|---|
    | 1 | a | complete | 2 | marker | [time] |
    | 2 | b | failed | 1 | failed | [time] |

    ## Iterations of step 1, a

    | iteration | verdict | reason | time | output |
    |---|---|---|---|---|
    | 1 | continued | exit 0 | [time] | 5 bytes |
    | 2 | complete | marker | [time] | 25 bytes |

    ## Iterations of step 2, b

    | iteration | verdict | reason | time | output |
    |---|---|---|---|---|
    | 1 | crashed | exit 3 | [time] | 0 bytes |
    ");
}

#[test]
fn the_command_in_a_view_raises_the_limit_that_ended_the_run() {
    let env = TestEnv::new();
    env.agent("a", "echo work").agent("slow", "exec sleep 60");
    for (words, expected) in [
        (["a:2", "-v"].as_slice(), "--max-iterations 4"),
        (["slow:2", "--max-time", "300ms"].as_slice(), "--max-time 1s"),
    ] {
        let output = env.run(FORKHESTRA, words);
        assert_eq!(output.code, Some(1), "{output}");
        let id = id(runs(&env).last().expect("there is a run")).to_owned();
        let command = format!("forkhestra resume {id} {expected}");
        assert!(output.stdout.contains(&format!("To resume: {command}\n")), "{output}");
        for made in ["by the run", "again"] {
            let chain = view(&env, &format!("chain-{id}.json"));
            assert_eq!(chain["resume"], command.as_str(), "{made}");
            let summary = env.read(&format!(".agent-state/summary-{id}.md"));
            assert!(summary.contains(&format!("- to resume: `{command}`\n")), "{made}: {summary}");
            assert_eq!(run(&env, &["runs", "rebuild"]).code, Some(0));
        }
        let shown = forkhestra(&env, &["show", "-v"]).success();
        assert!(shown.ends_with(&format!("To resume: {command}\n")), "{shown}");
    }
}

#[test]
fn git_ignores_the_view() {
    let env = project();
    env.link_system_program("git");
    let git = |args: &[&str]| env.run(env.bin().join("git"), args).success();
    git(&["init", "--quiet"]);
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    assert_eq!(git(&["status", "--short", "--untracked-files=all"]), "");
}

#[test]
fn the_view_can_be_turned_off() {
    let env = project();
    assert_eq!(run(&env, &["a:5", "--no-view"]).code, Some(0));
    assert!(!env.has(".agent-state"));
}

#[test]
fn an_agent_that_deletes_the_view_loses_nothing() {
    let env = TestEnv::new();
    env.agent(
        "a",
        &format!("rm -rf .agent-state; [ $FORKHESTRA_ITERATION = 4 ] && {DONE}; exit 0"),
    );
    assert_eq!(run(&env, &["a:5 -> a:5"]).code, Some(0));
    assert_eq!(verdicts_of_attempts(&env).len(), 8);
    let id = id(&only_run(&env)).to_owned();
    assert_eq!(
        view(&env, &format!("run-{id}-1.json"))["iterations"].as_array().map(Vec::len),
        Some(4)
    );
}

#[test]
fn a_resumed_run_updates_its_view_and_repeats_no_line() {
    let env = project();
    assert_eq!(run(&env, &["a:5 -> b"]).code, Some(1));
    env.write("ready", "");
    assert_eq!(run(&env, &["resume"]).code, Some(0));
    let expected = ["1.1.1 incomplete", "1.2.1 complete", "2.1.1 crashed", "2.1.2 complete"];
    assert_eq!(verdicts_of_attempts(&env), expected);
    let id = id(&only_run(&env)).to_owned();
    let chain = view(&env, &format!("chain-{id}.json"));
    assert_eq!((&chain["status"], &chain["resumed"]), (&"complete".into(), &1.into()));
    assert!(chain.get("resume").is_none());
}

#[test]
fn the_log_has_the_iterations_of_all_runs() {
    let env = project();
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    assert_eq!(verdicts_of_attempts(&env).len(), 4);
    let of: Vec<&str> = runs(&env).iter().map(|run| id(run).to_owned().leak() as &str).collect();
    let ids: Vec<String> = lines(&env).iter().map(|line| line["runId"].to_string()).collect();
    assert_eq!(ids, [of[0], of[0], of[1], of[1]].map(|id| format!("\"{id}\"")));
}

#[test]
fn a_torn_log_is_completed_by_a_resume() {
    let env = project();
    assert_eq!(run(&env, &["a:5 -> b"]).code, Some(1));
    let log = env.read(".agent-state/iterations.jsonl");
    let (cut, _) = log.split_at(log.len() - 20);
    env.write(".agent-state/iterations.jsonl", cut);
    env.write("ready", "");
    assert_eq!(run(&env, &["resume"]).code, Some(0));
    let log = env.read(".agent-state/iterations.jsonl");
    let whole: Vec<&str> = log.lines().filter(|line| line.ends_with('}')).collect();
    assert_eq!((log.lines().count(), whole.len()), (5, 4));
}

#[test]
fn resume_accepts_every_file_of_a_view() {
    for name in ["chain-[id].json", "run-[id]-1.json", "run-[id]-2.json", "summary-[id].md"]
        .into_iter()
        .chain(["iterations.jsonl"])
    {
        let env = project();
        let state = ["--state-dir", "../elsewhere"];
        assert_eq!(run(&env, &[&["a:5 -> b"][..], &state].concat()).code, Some(1));
        env.write("ready", "");
        let file = format!(".agent-state/{}", name.replace("[id]", id(&only_run(&env))));
        let resumed = run(&env, &["resume", &file]);
        assert_eq!(resumed.code, Some(0), "{name}: {resumed}");
        assert_eq!(iterations(&env), ["1-1-1", "1-2-1", "2-1-1", "2-1-2"], "{name}");
    }
}

#[test]
fn a_view_of_a_removed_run_is_reported() {
    let env = project();
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    let directory = only_run(&env);
    let file = format!(".agent-state/chain-{}.json", id(&directory));
    fs::remove_dir_all(&directory).expect("it is ours");
    let resumed = env.run(FORKHESTRA, &["resume", &file]);
    assert_eq!(resumed.code, Some(2));
    let message = resumed.stderr.replace(id(&directory), "[id]");
    assert_snapshot!(message, @"error: there is no run `[id]`");
}

#[test]
fn a_view_that_cannot_be_written_is_a_warning() {
    let env = project();
    env.write(".agent-state", "a file where a directory should be");
    let output = run(&env, &["a:5"]);
    assert_eq!(output.code, Some(0));
    assert_snapshot!(output.stderr, @"
    warning: the view of the run is not up to date: cannot create $TEST/project/.agent-state: File exists (os error 17)
    hint: the run continues and is recorded elsewhere; `forkhestra runs rebuild` makes the view again
    ");
}
