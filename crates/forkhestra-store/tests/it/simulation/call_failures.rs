//! Lets every call fail, in every way: once, or until the process has ended.

use forkhestra_core::event::Event;
use forkhestra_store::journal::journal_contents;

use super::check::is_whole;
use super::disk::change_fate::FateCoverage;
use super::disk::disk_fault::{DiskCall, DiskFailure, DiskFault, FaultDuration, Kind};
use super::disk::disk_history::{DiskLogEntry, JournalNote};
use super::disk_scenario::DiskScenario;
use super::journal_knowledge::{JournalKnowledge, MachineFailure};
use super::power_failure_trials::PowerFailureTrials;
use super::run_scripts::{REST_OF_A_RUN, WHOLE_RUN};
use super::simulated_writer::{SimulatedState, SimulatedWriter, WriterFailure};

/// The failures that persist from some call on.
const LASTING: [DiskFailure; 4] =
    [DiskFailure::Killed, DiskFailure::Full, DiskFailure::FullHalfway, DiskFailure::Broken];

/// The number of changes after a fault at each of which a power failure is tried.
const RIGHT_AFTER: usize = 6;

#[test]
fn a_call_that_fails_is_reported_and_the_journal_can_be_used_again() {
    let mut trials = PowerFailureTrials::new();
    let points = fail_once(&mut trials, &DiskScenario::new());
    trials.report("calls that fail once", points, (185, 15_215));
}

#[test]
fn a_failing_call_during_a_resume_is_reported() {
    let mut trials = PowerFailureTrials::new();
    let scenarios = DiskScenario::cut_off(&trials.place());
    let points = scenarios.iter().map(|scenario| fail_once(&mut trials, scenario)).sum();
    trials.report("calls that fail once in a run that goes on", points, (352, 30_040));
}

#[test]
fn a_process_that_died_or_gave_up_at_any_call_is_followed_by_another() {
    let mut trials = PowerFailureTrials::new();
    let points = fail_until_mended(&mut trials, &DiskScenario::new());
    trials.report("processes that died or gave up", points, (167, 20_153));
}

#[test]
fn a_process_that_died_or_gave_up_while_it_went_on_is_followed_by_another() {
    let mut trials = PowerFailureTrials::new();
    let scenarios = DiskScenario::cut_off(&trials.place());
    let points = scenarios.iter().map(|scenario| fail_until_mended(&mut trials, scenario)).sum();
    trials.report("processes that died or gave up going on", points, (324, 45_124));
}

/// Lets each call fail once, and returns the number of failures.
fn fail_once(trials: &mut PowerFailureTrials, scenario: &DiskScenario) -> usize {
    let faults =
        DiskFault::each(&calls(trials, scenario), &DiskFailure::REPORTED, FaultDuration::Once);
    for (call, fault) in &faults {
        let (state, _) = scenario.set(&trials.place());
        state.disk.fail(*fault);
        let (run, troubles) = stubborn_life(scenario, &state);
        judge(call, fault.failure, troubles);
        let run = state.run(run).expect("it was created");
        is_whole(&run, &scenario.whole()).unwrap_or_else(|wrong| panic!("{fault:?}: {wrong}"));

        let happened = state.disk.happened().expect("there was such a call");
        let end = state.disk.history().len();
        let moments = (happened..=end).take(RIGHT_AFTER).chain([end]);
        trials.power_failures(state.disk, moments, FateCoverage::Brief);
    }
    faults.len()
}

/// Lets each call and all later ones fail until the next process starts, and returns the number of
/// failures.
fn fail_until_mended(trials: &mut PowerFailureTrials, scenario: &DiskScenario) -> usize {
    let faults = DiskFault::each(&calls(trials, scenario), &LASTING, FaultDuration::UntilMended);
    for (call, fault) in &faults {
        let (state, _) = scenario.set(&trials.place());
        state.disk.fail(*fault);
        // The process ends at any failure.
        let _ = life(scenario, &state);
        state.disk.mend();
        next_life(&state).unwrap_or_else(|wrong| panic!("{call:?}, {fault:?}: {wrong}"));

        let history = state.disk.history();
        let happened = state.disk.happened().expect("there was such a call");
        let is_promise =
            |entry: &DiskLogEntry| matches!(entry, DiskLogEntry::Noted(JournalNote::Appended));
        let promises = (happened..history.len()).filter(|index| is_promise(&history[*index]));
        let moments = promises.map(|index| index + 1).chain([happened, history.len()]);
        trials.power_failures(state.disk, moments, FateCoverage::Brief);
    }
    faults.len()
}

/// The calls of a run without failures.
fn calls(trials: &mut PowerFailureTrials, scenario: &DiskScenario) -> Vec<DiskCall> {
    let (state, _) = scenario.set(&trials.place());
    life(scenario, &state).expect("nothing fails");
    state.disk.calls()
}

/// A process that ends at the first failure.
fn life(scenario: &DiskScenario, state: &SimulatedState) -> Result<(), WriterFailure> {
    let mut process = scenario.begin(state, 1)?;
    process.append_all(scenario.to_come())?;
    process.end()
}

/// A process that tries everything again, a new run under another id. Returns the number of the
/// run, and its failures.
fn stubborn_life(scenario: &DiskScenario, state: &SimulatedState) -> (u64, Vec<WriterFailure>) {
    let mut troubles = Vec::new();
    let begun = scenario.begin(state, 1).or_else(|trouble| {
        troubles.push(trouble);
        scenario.begin(state, 2)
    });
    let mut process = begun.expect("one call fails");
    for event in scenario.to_come() {
        if let Err(trouble) = process.append(event) {
            troubles.push(trouble);
            process.append(event).expect("one call fails");
        }
    }
    troubles.extend(process.end().err());
    let run = JournalKnowledge::after(&state.disk.history()).run.expect("it was begun");
    (run, troubles)
}

/// Failures that are not reported because they are harmless.
fn is_forgiven(call: &DiskCall, failure: DiskFailure) -> bool {
    match call.kind {
        // A leftover owner file is never read.
        Kind::RemoveFile => call.path.ends_with("owner"),
        // Unreleased space stays with the journal.
        Kind::SetLength => call.path.ends_with("journal.jsonl"),
        // The directory exists.
        Kind::CreateDirectory => failure == DiskFailure::BrokenAfterwards,
        _ => false,
    }
}

/// Asserts that a failure was reported with the action, the path and the cause.
fn judge(call: &DiskCall, failure: DiskFailure, troubles: Vec<WriterFailure>) {
    if troubles.is_empty() {
        assert!(is_forgiven(call, failure), "{failure:?} at {call:?} was not reported");
        return;
    }
    let [trouble] = <[WriterFailure; 1]>::try_from(troubles).expect("one call failed");
    let text = trouble.to_string();
    let error = trouble.file_error().unwrap_or_else(|| panic!("{text} is not about a file"));
    assert!(error.path.display().to_string().contains(&call.path.display().to_string()), "{text}");
    assert!(text.starts_with(&format!("cannot {} /", error.action)), "{text}");
    assert_eq!(error.source.raw_os_error(), failure.error().raw_os_error(), "{text}");
}

/// Resumes the run of an earlier process, or starts a new one if there is none.
fn next_life(state: &SimulatedState) -> Result<(), String> {
    let knowledge = JournalKnowledge::after(&state.disk.history());
    let run = knowledge.run.and_then(|run| state.run(run));
    let recorded = run.map(|run| (journal_contents::read(&run.journal()), run));
    let (number, expected) = match recorded {
        Some((Ok(recorded), run)) => {
            knowledge.verify(&recorded.events, MachineFailure::Killed)?;
            let write = || {
                let mut process = SimulatedWriter::resume(state, &run, 2)?;
                process.append_all(&REST_OF_A_RUN)?;
                process.end()
            };
            write().map_err(|trouble: WriterFailure| trouble.to_string())?;
            (1, [recorded.events, REST_OF_A_RUN.clone()].concat())
        }
        _ if knowledge.promised(MachineFailure::Killed) > 0 => {
            return Err("the journal is gone".into());
        }
        _ => (2, begin(state).map_err(|trouble| trouble.to_string())?),
    };
    is_whole(&state.run(number).ok_or("there is no run")?, &expected)
}

fn begin(state: &SimulatedState) -> Result<Vec<Event>, WriterFailure> {
    let events = &WHOLE_RUN[..6];
    let mut process = SimulatedWriter::start(state, 2)?;
    process.append_all(events)?;
    process.end()?;
    Ok(events.to_vec())
}
