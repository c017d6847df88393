//! `forkhestra runs rm` and `forkhestra runs prune`.

use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::forkhestra;
use crate::support::agents_at_work::{DONE, id, runs, without_hashes};
use crate::support::past_runs::{
    cut_off, damage, normalised_output, past, with_agents, write_in_future,
};
use crate::support::run_in_progress::{RunInProgress, WAIT_FOR_GO};

/// The chains of the remaining runs.
fn remaining_chains(env: &TestEnv) -> String {
    let chain = |line: &str| line.split_whitespace().nth(1).unwrap_or_default().to_owned();
    let list = forkhestra(env, &["runs", "--all"]);
    list.stdout.lines().skip(1).map(chain).collect::<Vec<_>>().join(" ")
}

fn rm(env: &TestEnv, runs: &[&Path], options: &[&str]) -> testkit::CommandOutput {
    let mut args = vec!["runs", "rm"];
    args.extend(runs.iter().map(|run| id(run)));
    args.extend(options);
    normalised_output(env, &args)
}

/// Three runs: the oldest printed a lot, the last one nothing.
fn three_runs() -> (TestEnv, [PathBuf; 3]) {
    let env = with_agents();
    env.agent("loud", "head -c 100000 /dev/zero | tr '\\0' x").agent("silent", "");
    let runs = [past(&env, &["loud"]), past(&env, &["idle:2"]), past(&env, &["silent"])];
    (env, runs)
}

#[test]
fn a_finished_run_is_removed_with_all_its_files() {
    let env = with_agents();
    let first = past(&env, &["fails"]);
    past(&env, &["done"]);
    let view = env.project().join(format!(".agent-state/chain-{}.json", id(&first)));
    assert!(view.exists());
    let message = normalised_output(&env, &["runs", "rm", id(&first)]).success();
    assert_snapshot!(message, @"Removed [id] (fails, failed): [size]");
    assert!(!first.exists() && !view.exists());
    assert_eq!(remaining_chains(&env), "done");
    assert!(env.has(".agent-state/iterations.jsonl"));
}

#[test]
fn several_runs_are_removed_at_once_and_each_only_once() {
    let (env, [first, second, _]) = three_runs();
    let message = rm(&env, &[&first, &second, &first], &[]).success();
    assert_snapshot!(message, @"
    Removed [id] (loud, complete): [size]
    Removed [id] (idle:2, max_iterations): [size]
    2 runs removed, [size] given back
    ");
    assert_eq!(remaining_chains(&env), "silent");
}

#[test]
fn an_unfinished_run_is_removed_only_with_force() {
    let env = with_agents();
    let open = cut_off(&env);
    let over = past(&env, &["done"]);
    assert_snapshot!(rm(&env, &[&over, &open], &[]).failure(2), @"
    error: run [id] is unfinished (interrupted)
    hint: to resume: forkhestra resume [id]
    hint: `-f` removes it all the same
    ");
    assert_eq!(runs(&env).len(), 2, "nothing was removed");
    assert_eq!(rm(&env, &[&over, &open], &["-f"]).code, Some(0));
    assert_eq!(remaining_chains(&env), "");
}

#[test]
fn a_damaged_run_is_removed_only_with_force() {
    let env = with_agents();
    let run = past(&env, &["done"]);
    damage(&run);
    assert_snapshot!(rm(&env, &[&run], &[]).failure(2), @"
    error: run [id] is damaged
    hint: to cut the journal there and resume: forkhestra resume [id] --repair
    hint: this runs again: iteration 1 of step 1
    hint: `-f` removes it all the same
    ");
    let message = rm(&env, &[&run], &["--force"]).success();
    assert_snapshot!(message, @"Removed [id] (damaged): [size]");
    assert!(!run.exists());
}

#[test]
fn a_run_of_a_newer_version_is_removed_only_by_name_with_force() {
    let env = with_agents();
    let run = past(&env, &["done"]);
    write_in_future(&run);
    assert_snapshot!(normalised_output(&env, &["runs", "prune", "--keep", "0", "-f"]), @"
    Nothing to remove
    Kept 1 unreadable run: a newer version of forkhestra may be needed, see `forkhestra runs`
    ");
    assert_snapshot!(rm(&env, &[&run], &[]).failure(2), @"
    error: run [id] is unreadable
    hint: a newer version of forkhestra wrote it, and is needed to read it
    hint: `-f` removes it all the same
    ");
    assert!(run.exists());
    assert_snapshot!(rm(&env, &[&run], &["-f"]).success(), @"Removed [id] (unreadable): [size]");
    assert!(!run.exists());
}

#[test]
fn an_active_run_is_never_removed() {
    let env = TestEnv::new();
    env.agent("a", &format!("echo ready; {WAIT_FOR_GO}\n{DONE}"));
    let at_work = RunInProgress::start(&env, &["a:3"], "ready\n");
    let pid = at_work.pid().to_string();
    let run = runs(&env).remove(0);
    let [message, forced] = [&[][..], &["-f"]].map(|options| rm(&env, &[&run], options).failure(2));
    assert_eq!(message, forced);
    let (before, since) = message.split_once("since ").expect("it says since when");
    let rest = since.split_once(')').map(|(_, rest)| rest).unwrap_or_default();
    assert_snapshot!(format!("{before}since […]){rest}").replace(&pid, "[pid]"), @"
    error: run [id] is active (process [pid], since […])
    hint: wait for it, or stop it: forkhestra stop [id]
    ");
    let prune = ["runs", "prune", "--keep", "0", "-f"];
    assert_snapshot!(normalised_output(&env, &prune), @"Nothing to remove");
    assert_eq!(at_work.release().1, Some(0));
    assert_eq!(remaining_chains(&env), "a:3");
}

#[test]
fn all_wrong_names_are_reported_and_nothing_is_removed() {
    let (env, [first, ..]) = three_runs();
    let message = normalised_output(&env, &["runs", "rm", id(&first), "zzz", "yyy"]).failure(2);
    assert!(message.contains("no run `zzz`") && message.contains("no run `yyy`"), "{message}");
    assert_eq!(runs(&env).len(), 3);
    assert_snapshot!(forkhestra(&env, &["runs", "rm"]).failure(2), @"
    error: the following required arguments were not provided: <RUN>...
    hint: for the options and their values see `forkhestra runs rm --help`
    ");
    assert_snapshot!(forkhestra(&env, &["runs", "rm", "zzz", "--keep", "1"]).failure(2), @"
    error: unknown option `--keep`
    hint: for the options and their values see `forkhestra runs rm --help`
    ");
    assert_snapshot!(forkhestra(&env, &["runs", "prune", "zzz", "--keep", "1"]).failure(2), @"
    error: unexpected argument `zzz`
    hint: for the options and their values see `forkhestra runs prune --help`
    ");
}

#[test]
fn pruning_needs_a_criterion() {
    let (env, _) = three_runs();
    assert_snapshot!(forkhestra(&env, &["runs", "prune"]).failure(2), @"
    error: nothing says which runs are to be removed
    hint: `--older-than 30d` removes what is older, `--keep 20` all but the last ones
    hint: `--max-size 2G` removes the oldest until the rest is no larger
    ");
    assert_eq!(forkhestra(&env, &["runs", "prune", "--logs", "-f"]).code, Some(2));
    assert_eq!(runs(&env).len(), 3);
}

#[test]
fn values_that_make_no_sense_are_explained() {
    let env = TestEnv::new();
    let wrong = |option: &str, value: &str| {
        forkhestra(&env, &["runs", "prune", &format!("{option}={value}")]).failure(2)
    };
    assert_snapshot!(wrong("--older-than", "30"), @"
    error: invalid value '30' for '--older-than <AGE>': needs a unit, as in `30d`, `2w` or `12h`
    hint: for the options and their values see `forkhestra runs prune --help`
    ");
    assert_snapshot!(wrong("--older-than", "soon"), @"
    error: invalid value 'soon' for '--older-than <AGE>': is not an age in weeks, days, hours and minutes such as `30d` or `12h`
    hint: for the options and their values see `forkhestra runs prune --help`
    ");
    assert_snapshot!(wrong("--older-than", "0d"), @"
    error: invalid value '0d' for '--older-than <AGE>': must be more than zero
    hint: for the options and their values see `forkhestra runs prune --help`
    ");
    assert_snapshot!(wrong("--keep", "-1"), @"
    error: invalid value '-1' for '--keep <N>': is not a whole number; `0` keeps none
    hint: for the options and their values see `forkhestra runs prune --help`
    ");
    assert_snapshot!(wrong("--keep", "few"), @"
    error: invalid value 'few' for '--keep <N>': is not a whole number; `0` keeps none
    hint: for the options and their values see `forkhestra runs prune --help`
    ");
    assert_snapshot!(wrong("--max-size", "500"), @"
    error: invalid value '500' for '--max-size <SIZE>': needs a unit, as in `500M` or `2G`
    hint: for the options and their values see `forkhestra runs prune --help`
    ");
    assert_snapshot!(wrong("--max-size", "2X"), @"
    error: invalid value '2X' for '--max-size <SIZE>': is not a size such as `500M`, `2G` or `1.5GiB`
    hint: for the options and their values see `forkhestra runs prune --help`
    ");
    assert_snapshot!(forkhestra(&env, &["runs", "prune", "--older-than", "-5d"]).failure(2), @"
    error: `--older-than` needs a value, and `-5d` looks like an option
    hint: if it is the value, write --older-than=-5d
    hint: for the options and their values see `forkhestra runs prune --help`
    ");
}

#[test]
fn prune_keeps_the_newest_runs() {
    let (env, _) = three_runs();
    assert_snapshot!(normalised_output(&env, &["runs", "prune", "--keep", "1", "--dry-run"]), @"
    Would remove [id] (idle:2, max_iterations): [size]
    Would remove [id] (loud, complete): [size]
    2 runs would be removed, and [size] given back
    ");
    assert_eq!(runs(&env).len(), 3);
    assert_eq!(normalised_output(&env, &["runs", "prune", "--keep", "1"]).code, Some(0));
    assert_eq!(remaining_chains(&env), "silent");
    assert_snapshot!(normalised_output(&env, &["runs", "prune", "--keep", "1"]), @"Nothing to remove");
    assert_eq!(normalised_output(&env, &["runs", "prune", "--keep", "0"]).code, Some(0));
    assert_eq!(remaining_chains(&env), "");
}

#[test]
fn prune_removes_only_older_runs() {
    let (env, [first, ..]) = three_runs();
    let prune = ["runs", "prune", "--older-than", "30d"];
    assert_eq!(normalised_output(&env, &prune).success(), "Nothing to remove\n");
    let file = first.join("journal.jsonl");
    let text = fs::read_to_string(&file).expect("it is there");
    let today = &text[text.find("\"at\":\"").expect("each line has a moment") + 6..][..10];
    fs::write(&file, without_hashes(&text).replace(today, "2020-02-02")).expect("it is ours");
    fs::remove_file(first.join("overview.json")).expect("it is ours");
    let message = normalised_output(&env, &prune).success();
    assert_snapshot!(message, @"
    Removed [id] (loud, complete): [size]
    1 run removed, [size] given back
    ");
    assert_eq!(remaining_chains(&env), "silent idle:2");
}

#[test]
fn prune_removes_output_before_runs() {
    let (env, [loud, idle, silent]) = three_runs();
    let message = normalised_output(&env, &["runs", "prune", "--max-size", "50K"]).success();
    assert_snapshot!(message, @"
    Removed the output of [id] (loud, complete): [size]
    The output of 1 run removed, [size] given back
    ");
    assert!(!loud.join("output").exists() && idle.join("output/1-1-1/stdout").exists());
    assert_eq!(remaining_chains(&env), "silent idle:2 loud");
    assert_eq!(normalised_output(&env, &["show", "-v", id(&loud)]).code, Some(0));
    // The others take two kibibytes or more each.
    let size = fs::metadata(silent.join("journal.jsonl")).expect("it is there").len();
    let size = format!("{}B", size + 2000);
    assert_eq!(normalised_output(&env, &["runs", "prune", "--max-size", &size]).code, Some(0));
    assert_eq!(remaining_chains(&env), "silent");
}

#[test]
fn prune_can_remove_output_only() {
    let (env, [_, idle, _]) = three_runs();
    let prune = ["runs", "prune", "--keep", "0", "--logs"];
    let message = normalised_output(&env, &prune).success();
    assert_snapshot!(message, @"
    Removed the output of [id] (idle:2, max_iterations): 6 B
    Removed the output of [id] (loud, complete): [size]
    The output of 2 runs removed, [size] given back
    ");
    assert_eq!(remaining_chains(&env), "silent idle:2 loud");
    assert!(!idle.join("output/1-1-1").exists());
    assert_eq!(normalised_output(&env, &prune).success(), "Nothing to remove\n");
}

#[test]
fn unfinished_runs_are_kept_and_counted_without_force() {
    let env = with_agents();
    cut_off(&env);
    damage(&past(&env, &["done"]));
    past(&env, &["fails"]);
    assert_snapshot!(normalised_output(&env, &["runs", "prune", "--keep", "0"]), @"
    Removed [id] (fails, failed): [size]
    1 run removed, [size] given back
    Kept 2 unfinished or damaged runs; `-f` removes these, too
    ");
    assert_eq!(runs(&env).len(), 2);
    assert_snapshot!(normalised_output(&env, &["runs", "prune", "--keep", "0", "--logs"]), @"
    Nothing to remove
    Kept the output of 2 unfinished or damaged runs; `-f` removes it, too
    ");
    assert_eq!(normalised_output(&env, &["runs", "prune", "--keep", "0", "-f"]).code, Some(0));
    assert_eq!(runs(&env).len(), 0);
}

#[test]
fn a_size_of_zero_keeps_nothing() {
    let env = with_agents();
    past(&env, &["done"]);
    assert_eq!(normalised_output(&env, &["runs", "prune", "--max-size", "0"]).code, Some(0));
    assert_eq!(remaining_chains(&env), "");
}

#[test]
fn an_unreachable_size_is_reported() {
    let env = with_agents();
    cut_off(&env);
    assert_snapshot!(normalised_output(&env, &["runs", "prune", "--max-size", "1B"]), @"
    Nothing to remove
    Kept 1 unfinished or damaged run; `-f` removes these, too
    What is left takes [size]
    ");
}

#[test]
fn other_work_trees_are_kept_without_all() {
    let env = with_agents();
    env.write_home("shop/keep", "");
    past(&env, &["done"]);
    past(&env, &["fails", "--cwd", "../home/shop"]);
    past(&env, &["idle", "--cwd", "../home/shop"]);
    assert_eq!(normalised_output(&env, &["runs", "prune", "--keep", "0"]).code, Some(0));
    assert_eq!(remaining_chains(&env), "idle fails");
    assert_eq!(normalised_output(&env, &["runs", "prune", "--keep", "1", "--all"]).code, Some(0));
    assert_eq!(remaining_chains(&env), "idle");
}

/// An interrupted removal, or a run that never began.
#[test]
fn leftovers_are_removed_unless_a_run_is_starting() {
    let env = with_agents();
    let run = past(&env, &["done"]);
    let old = run.with_file_name("20200202T020202Z-00000000");
    let new = run.with_file_name("29991231T235959Z-00000001");
    for path in [&old, &new] {
        fs::create_dir(path).expect("it is ours");
    }
    assert_eq!(
        normalised_output(&env, &["runs", "prune", "--keep", "5", "--dry-run"]).code,
        Some(0)
    );
    assert!(old.exists());
    assert_eq!(
        normalised_output(&env, &["runs", "prune", "--keep", "5"]).success(),
        "Nothing to remove\n"
    );
    assert!(!old.exists() && new.exists() && run.exists());
}

/// Its console was shown by the process that started it.
#[test]
fn a_run_in_the_background_that_never_began_is_a_leftover_too() {
    let env = with_agents();
    let run = past(&env, &["done"]);
    let refused = run.with_file_name("20200202T020202Z-00000000");
    fs::create_dir(&refused).expect("it is ours");
    fs::write(refused.join("journal.jsonl"), "").expect("there is room");
    fs::write(refused.join("console.log"), "error: no room\n").expect("there is room");
    assert_eq!(
        normalised_output(&env, &["runs", "prune", "--keep", "5"]).success(),
        "Nothing to remove\n"
    );
    assert!(!refused.exists() && run.exists());
}

/// Its journal was lost, or it never was a run: `--state-dir` can be any directory.
#[test]
fn a_directory_with_other_files_is_no_leftover() {
    let env = with_agents();
    let run = past(&env, &["done"]);
    let foreign = run.with_file_name("20200202T020202Z-database");
    let lost = run.with_file_name("20200202T020202Z-00000000");
    let files = [foreign.join("dump.sql"), lost.join("output/1-1-1/stdout")];
    for file in &files {
        fs::create_dir_all(file.parent().expect("it is below")).expect("it is ours");
        fs::write(file, "precious").expect("there is room");
    }
    fs::write(lost.join("journal.jsonl"), [0; 100]).expect("there is room");
    assert_eq!(
        normalised_output(&env, &["runs", "prune", "--keep", "5"]).success(),
        "Nothing to remove\n"
    );
    assert_eq!(normalised_output(&env, &["runs", "rm", "00000000"]).code, Some(2));
    assert!(files.iter().all(|file| file.exists()));
    assert_eq!(normalised_output(&env, &["runs", "rm", "00000000", "-f"]).code, Some(0));
    assert!(!lost.exists());
}
