//! Backoff after crashes, and pauses during it.

use crate::machine::tests::*;

#[test]
fn crashes_are_waited_for_longer_and_longer() {
    let run = RunSimulation::new(plan("a:5"), |_| SimulatedAgent::exiting(1)).run();
    let delays: Vec<u64> = run
        .kinds()
        .filter_map(|kind| match kind {
            EventKind::BackingOff { delay, .. } => Some(delay.as_secs()),
            _ => None,
        })
        .collect();
    assert_eq!(delays, [1, 2, 4, 8], "no wait after the last iteration");
    assert_eq!(run.took().as_secs(), 15);
}

#[test]
fn an_iteration_that_does_not_crash_ends_the_row() {
    let script = |unit: crate::id::UnitId| SimulatedAgent::exiting(i32::from(unit.iteration != 3));
    let run = RunSimulation::new(plan("a:5"), script).run();
    assert_eq!(run.took().as_secs(), 1 + 2 + 1);
}

#[test]
fn a_pause_stops_the_clocks_and_the_agent() {
    let plan = limited("a:1", |limits| limits.timeout = limit("30s"));
    let run =
        RunSimulation::new(plan, |_| SimulatedAgent::hanging()).at(10_000, Input::Pause).run();
    assert_eq!(run.took().as_secs(), 3600 + 30);
    let signals: Vec<ProcessSignal> = run.signals.iter().map(|(_, signal)| *signal).collect();
    assert_eq!(
        signals,
        [ProcessSignal::Suspend, ProcessSignal::Continue, ProcessSignal::Terminate]
    );
    assert_eq!(run.machine.state().elapsed.as_secs(), 30);
}

#[test]
fn a_pause_while_backing_off_stops_that_clock_too() {
    let script = |unit: crate::id::UnitId| SimulatedAgent::exiting(i32::from(unit.iteration == 1));
    let run = RunSimulation::new(plan("a:2"), script).at(500, Input::Pause).run();
    assert_eq!(run.took().as_secs(), 3601);
}

#[test]
fn a_machine_that_slept_is_noted() {
    let run = RunSimulation::new(plan("a"), |_| SimulatedAgent::exiting(0))
        .at(5, Input::Slept(seconds(60)))
        .run();
    assert!(run.kinds().any(|kind| *kind == EventKind::MachineSlept { duration: seconds(60) }));
}

#[test]
fn a_slow_reader_is_waited_for() {
    let agent = || SimulatedAgent { read_at: 7_200_000, ..SimulatedAgent::done() };
    let run = RunSimulation::new(plan("a:1"), move |_| agent()).run();
    assert_eq!(ends(run.machine.state()), "marker: complete");
    assert_eq!(run.took().as_secs(), 7200);
}

#[test]
fn a_prompt_that_changed_is_noted_once() {
    let mut run = RunSimulation::new(plan("a:9"), |_| SimulatedAgent::hanging());
    let warnings = |run: &RunSimulation| {
        run.kinds().filter(|kind| matches!(kind, EventKind::Warning { .. })).count()
    };
    (0..2).for_each(|_| assert!(run.step()));
    let unit = run.spawned[0];
    for (prompt, expected) in [("x", 0), ("x", 0), ("y", 1), ("y", 1)] {
        let prompt = Some(crate::event::Fingerprint(prompt.to_owned()));
        run.feed(Input::Started { unit, pid: 1, prompt });
        assert_eq!(warnings(&run), expected);
    }
}
