//! Tests of the summary of a run, with and without its cache file.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use forkhestra_core::event::{AgentActivity, AgentOutcome, EventKind, OutcomeClass, StreamSummary};
use forkhestra_core::history::{ExecutionStatus, Liveness, RunHistory};
use forkhestra_store::journal::recorded_run;
use forkhestra_store::view::{ChainView, RunView, ViewFacts};
use forkhestra_store::{RunDir, RunOverview};

use crate::samples::{exhausted_loop, spends};
use crate::temporary_dir::TemporaryDir;

fn overview(run: &RunDir) -> RunOverview {
    RunOverview::read(run).expect("the journal is sound")
}

#[test]
fn journal_and_note_of_a_finished_run_agree() {
    let directory = TemporaryDir::new();
    let (run, journal) = directory.run_of(&exhausted_loop());
    drop(journal);
    let read = overview(&run);
    assert_eq!(
        (read.status, read.reason.as_deref()),
        (ExecutionStatus::MaxIterations, Some("max_iterations"))
    );
    assert_eq!((read.step, read.iterations, read.step_iterations), (1, 2, 2));
    read.clone().write_note(&run).expect("there is room");
    assert_eq!(overview(&run), read);
}

#[test]
fn a_note_spares_reading_the_journal() {
    let directory = TemporaryDir::new();
    let (run, journal) = directory.run_of(&exhausted_loop());
    drop(journal);
    let noted = RunOverview { cost: Some(1.25), ..overview(&run) };
    noted.clone().write_note(&run).expect("there is room");
    assert_eq!(overview(&run), noted);
}

/// The first iteration reported its cost; that of the second is unknown.
#[test]
fn the_spend_of_a_run_is_noted() {
    let directory = TemporaryDir::new();
    let mut events = exhausted_loop();
    for (spend, tokens, cost, at_least) in [
        (None, None, None, None),
        (Some(spends()[0]), Some(11_665), Some(0.012_345_678), None),
        (Some(spends()[1]), Some(11_674), None, Some(0.012_345_678)),
        (Some(spends()[2]), Some(11_665), None, None),
    ] {
        let EventKind::IterationFinished { report, .. } = &mut events[3].kind else {
            unreachable!("it stands there")
        };
        report.spend = spend;
        let past = RunHistory::of(&events).expect("the events fit");
        let read = RunOverview::of(&past, Liveness::Gone);
        assert_eq!((read.tokens, read.cost, read.cost_at_least), (tokens, cost, at_least));
        let facts = ViewFacts { journal: "journal.jsonl".into(), resume: None };
        let chain = ChainView::of(&past, Liveness::Gone, &facts);
        assert_eq!(
            (chain.figures.tokens, chain.figures.cost, chain.figures.cost_at_least),
            (tokens, cost, at_least)
        );
        let step = RunView::of(&past, 1, Liveness::Gone, &facts).expect("it has begun");
        assert_eq!(
            (step.figures.tokens, step.figures.cost, step.figures.cost_at_least),
            (tokens, cost, at_least)
        );
        let first = &step.iterations[0];
        assert_eq!(
            (first.figures.tokens, first.figures.cost, first.figures.cost_at_least),
            (tokens, cost, at_least)
        );
        assert_eq!(
            (step.iterations[1].figures.tokens, step.iterations[1].figures.cost),
            (None, None)
        );
    }
    let (run, journal) = directory.run_of(&exhausted_loop());
    drop(journal);
    let noted = RunOverview { tokens: Some(9), cost_at_least: Some(0.5), ..overview(&run) };
    noted.clone().write_note(&run).expect("there is room");
    assert_eq!(overview(&run), noted);
}

/// A note of an older version has no seal, so the journal is read.
#[test]
fn a_note_without_a_seal_is_not_believed() {
    let directory = TemporaryDir::new();
    let (run, journal) = directory.run_of(&exhausted_loop());
    drop(journal);
    let (read, path) = (overview(&run), run.path().join("overview.json"));
    let other = RunOverview { agent: Some("noted".to_owned()), ..read.clone() };
    other.clone().write_note(&run).expect("there is room");
    assert_eq!(overview(&run), other);
    let text = fs::read_to_string(&path).expect("it is there");
    let note: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let seal = note["seal"].as_str().expect("it is sealed");
    for changed in [
        text.replace(&format!("\"seal\":\"{seal}\","), ""),
        text.replace("\"noted\"", "\"edited\""),
        text.replace(seal, &"0".repeat(64)),
    ] {
        assert_ne!(changed, text);
        fs::write(&path, changed).expect("there is room");
        assert_eq!(overview(&run), read);
    }
}

/// The end of the journal was replaced by one of the same length.
#[test]
fn a_note_of_another_journal_is_not_believed() {
    let directory = TemporaryDir::new();
    let (run, journal) = directory.run_of(&exhausted_loop());
    drop(journal);
    let read = overview(&run);
    RunOverview { agent: Some("noted".to_owned()), ..read }.write_note(&run).expect("room");
    let text = fs::read_to_string(run.journal()).expect("it is there");
    let (before, hash) = text.split_at(text.len() - "0\"}\n".len());
    let other = if hash.starts_with('0') { "1" } else { "0" };
    fs::write(run.journal(), format!("{before}{other}{}", &hash[1..])).expect("it is ours");
    let error = RunOverview::read(&run).expect_err("the journal was changed");
    assert!(error.is_damage() && error.to_string().contains("does not fit"), "{error}");
}

/// A version without token counts.
#[test]
fn an_old_overview_is_read() {
    let directory = TemporaryDir::new();
    let (run, journal) = directory.run_of(&exhausted_loop());
    drop(journal);
    let text = serde_json::to_string(&overview(&run)).expect("it is JSON");
    let old = text.replace("\"tokens\":null,", "").replace(",\"costAtLeast\":null", "");
    assert!(!old.contains("okens") && !old.contains("AtLeast"), "{old}");
    assert_eq!(serde_json::from_str::<RunOverview>(&old).expect("it is one"), overview(&run));
}

#[test]
fn an_iteration_says_how_its_stream_went() {
    let mut events = exhausted_loop();
    let EventKind::IterationFinished { report, .. } = &mut events[3].kind else {
        unreachable!("it stands there")
    };
    let activity = AgentActivity { tool_calls: 3, ..AgentActivity::default() };
    report.stream_summary =
        Some(StreamSummary { outcome: AgentOutcome::of(OutcomeClass::TurnLimit), activity });
    let past = RunHistory::of(&events).expect("the events fit");
    let facts = ViewFacts { journal: "journal.jsonl".into(), resume: None };
    let step = RunView::of(&past, 1, Liveness::Gone, &facts).expect("it has begun");
    let summary_of = |index: usize| {
        (step.iterations[index].outcome.as_deref(), step.iterations[index].tool_calls)
    };
    assert_eq!([summary_of(0), summary_of(1)], [(Some("turn_limit"), Some(3)), (None, None)]);
}

#[test]
fn a_note_of_a_shorter_journal_is_ignored() {
    let directory = TemporaryDir::new();
    let (run, mut journal) = directory.run_of(&exhausted_loop()[..4]);
    overview(&run).write_note(&run).expect("there is room");
    journal.append(&exhausted_loop()[4]).expect("there is room");
    journal.append(&exhausted_loop()[5]).expect("there is room");
    assert_eq!(overview(&run).iterations, 2);
}

/// Regenerating views does not lock the journal.
#[test]
fn a_note_does_not_cover_events_written_after_it() {
    let directory = TemporaryDir::new();
    let (run, mut journal) = directory.run_of(&exhausted_loop()[..4]);
    let past = recorded_run::read(&run).expect("the journal is sound");
    journal.append(&exhausted_loop()[4]).expect("there is room");
    journal.append(&exhausted_loop()[5]).expect("there is room");
    let outdated = RunOverview::of(&past.history, Liveness::Gone);
    outdated.write_note_if_unchanged(&run, &past.recorded).expect("there is room");
    assert_eq!(overview(&run).iterations, 2);
}

#[test]
fn a_note_that_is_garbage_is_no_note() {
    let directory = TemporaryDir::new();
    let (run, journal) = directory.run_of(&exhausted_loop());
    drop(journal);
    for garbage in ["", "{", "{\"journalLength\":0}", "\u{0}\u{0}"] {
        fs::write(run.path().join("overview.json"), garbage).expect("there is room");
        assert_eq!(overview(&run).iterations, 2, "{garbage:?}");
    }
}

#[test]
fn the_journal_lock_shows_whether_a_run_is_active() {
    let directory = TemporaryDir::new();
    let (run, journal) = directory.run_of(&exhausted_loop()[..3]);
    assert_eq!(recorded_run::liveness(&run), Liveness::Alive);
    assert_eq!(overview(&run).status, ExecutionStatus::Running);
    drop(journal);
    assert_eq!(recorded_run::liveness(&run), Liveness::Gone);
    assert_eq!(overview(&run).status, ExecutionStatus::Interrupted);
}

#[test]
fn a_run_without_events_is_listed_as_such() {
    let directory = TemporaryDir::new();
    let run = directory.run_with("");
    assert!(recorded_run::read(&run).is_err_and(|error| error.is_empty_run()));
    fs::remove_file(run.journal()).expect("it is ours");
    assert!(recorded_run::read(&run).is_err_and(|error| error.is_empty_run()));
    fs::write(run.journal(), "{}\n").expect("there is room");
    assert!(recorded_run::read(&run).is_err_and(|error| !error.is_empty_run()));
}

/// The reader adds the time since then, which may include output of the agent.
#[test]
fn the_time_of_a_run_that_is_going_on_is_that_of_its_last_event() {
    let directory = TemporaryDir::new();
    let (run, journal) = directory.run_of(&exhausted_loop()[..3]);
    let output = run.path().join("output/1-1-1");
    fs::create_dir_all(&output).expect("there is room");
    let printed = File::create(output.join("stdout")).expect("there is room");
    let last = &exhausted_loop()[2];
    let at = u64::try_from(last.at.milliseconds()).expect("it is after 1970");
    let later = SystemTime::UNIX_EPOCH + Duration::from_millis(at) + Duration::from_secs(10);
    printed.set_modified(later).expect("it is ours");
    let recorded = last.elapsed.as_millis();
    assert_eq!(u128::from(overview(&run).duration_ms), recorded);
    drop(journal);
    assert_eq!(u128::from(overview(&run).duration_ms), recorded + 10_000);
}
