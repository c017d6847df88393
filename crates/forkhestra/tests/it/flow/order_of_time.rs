//! Reports of runs with rounds: iterations of several steps in the order of time.

use serde_json::Value;
use testkit::TestEnv;

use crate::forkhestra;
use crate::run::stagnation::repository;
use crate::support::agents_at_work::{id, only_run, run};

/// A builder that does one task in each round, and a reviewer that makes the task of the second.
fn reviewed() -> TestEnv {
    let env = repository();
    env.agent(
        "build",
        r#"[ "$FORKHESTRA_ROUND" = 1 ] && forge-tasks create "First" --ac "It works"
        id="TASK-00$FORKHESTRA_ROUND"
        forge-tasks edit "$id" --status "In Progress"
        echo "$id" >> work
        git add work
        git -c user.name=Ada -c user.email=ada@localhost commit --quiet --message "Write part $FORKHESTRA_ROUND"
        forge-tasks edit "$id" --check-ac 1
        forge-tasks edit "$id" --status done"#,
    );
    env.agent(
        "review",
        r#"[ "$FORKHESTRA_ROUND" = 1 ] || exit 0
        forge-tasks create "Second" --ac "It works"
        echo notes > notes
        exit 1"#,
    );
    let output = run(&env, &["(build -> review):3"]);
    assert_eq!(output.code, Some(0), "{output}");
    env
}

/// The unit of each line, such as `1.2`.
fn units(lines: &[Value]) -> Vec<String> {
    lines.iter().map(|line| format!("{}.{}", line["step"], line["iteration"])).collect()
}

#[test]
fn a_task_of_the_reviewer_is_done_when_the_builder_has_finished_it() {
    let env = reviewed();
    let listed = forkhestra(&env, &["stats", "--by", "task"]).success();
    let outcome = |task: &str| {
        let row = listed.lines().find(|line| line.contains(task));
        row.unwrap_or_else(|| panic!("{listed}")).to_owned()
    };
    assert!(outcome("TASK-002").contains("done"), "{listed}");
    let run_id = id(&only_run(&env)).to_owned();
    let summary = env.read(&format!(".agent-state/summary-{run_id}.md"));
    let tasks = summary.split_once("## Tasks").map(|(_, after)| after);
    let tasks = tasks.unwrap_or_else(|| panic!("{summary}"));
    for (task, commit) in [("TASK-001", "Write part 1"), ("TASK-002", "Write part 2")] {
        let row = tasks.lines().find(|line| line.contains(task));
        let row = row.unwrap_or_else(|| panic!("{summary}"));
        assert!(row.contains("done") && row.contains(commit), "{task}: {summary}");
    }
}

#[test]
fn iterations_are_listed_in_the_order_of_time() {
    let env = reviewed();
    let expected = ["1.1", "2.1", "1.2", "2.2"];
    let shown = forkhestra(&env, &["show", "--json"]).success();
    let shown: Value = serde_json::from_str(&shown).expect("it is JSON");
    assert_eq!(units(shown["iterations"].as_array().expect("a list")), expected);
    let log = env.read(".agent-state/iterations.jsonl");
    let lines = log.lines().map(|line| serde_json::from_str(line).expect("it is JSON"));
    assert_eq!(units(&lines.collect::<Vec<Value>>()), expected);
}

/// The last iteration of the last step is not the last one of the run.
#[test]
fn snapshots_are_in_the_order_of_time() {
    let env = reviewed();
    let listed = forkhestra(&env, &["rewind", "--list"]).success();
    let place = |unit: &str| {
        let rows = listed.lines();
        let mut rows = rows.map(|line| line.split_whitespace().any(|word| word == unit));
        rows.position(|has| has).unwrap_or_else(|| panic!("{unit}: {listed}"))
    };
    let places = ["1.0", "1.1", "2.0", "2.1", "1.2", "2.2"].map(place);
    assert!(places.is_sorted(), "{places:?}: {listed}");
    let diff = forkhestra(&env, &["diff", "--iteration", "1.2", "--stat"]).success();
    assert!(diff.contains("work") && !diff.contains("notes"), "{diff}");
    let diff = forkhestra(&env, &["diff", "--iteration", "2.1", "--stat"]).success();
    assert!(diff.contains("notes") && !diff.contains("work "), "{diff}");
}
