//! Journals to damage.

use super::simulation::fold;
use super::*;
use crate::control::Request;
use crate::count::Count;
use crate::event::{Cancel, LimitChanges, OutcomeClass};
use crate::id::UnitId;

type Script = fn(UnitId) -> Agent;

/// The events that are left without those at these places.
pub(super) fn without(events: &[Event], gone: &[usize]) -> Vec<Readable> {
    let mut lost_before = 0;
    let mut left = Vec::new();
    for (index, event) in events.iter().enumerate() {
        if gone.contains(&index) {
            lost_before += 1;
        } else {
            left.push(Readable { event: event.clone(), lost_before });
            lost_before = 0;
        }
    }
    left
}

/// The events of a mended journal.
pub(super) fn events_of(mended: &Mended, readable: &[Readable]) -> Vec<Event> {
    let event = |piece: &Piece| match piece {
        Piece::Kept(index) => readable[*index].event.clone(),
        Piece::Inferred(event) => Event::clone(event),
    };
    mended.pieces.iter().map(event).collect()
}

/// How often each step was finished, and how it ended.
pub(super) fn story(state: &RunState) -> String {
    let finished: Vec<String> = state.steps.iter().map(|step| step.finished.to_string()).collect();
    format!("{} ({})", ends(state), finished.join(" "))
}

pub(super) fn done_third(id: UnitId) -> Agent {
    if id.iteration == 3 { Agent::done() } else { Agent::exiting(0) }
}

/// Runs, each with a name.
pub(super) fn journals() -> Vec<(&'static str, Vec<Event>)> {
    let whole = |chain: &str, script: Script| Simulation::new(plan(chain), script).run().events;
    let crashing = |id: UnitId| if id.iteration < 4 { Agent::exiting(1) } else { Agent::done() };
    let not_starting = |id: UnitId| match (id.iteration, id.attempt) {
        (2, 1..=2) => Agent::cannot_start(true),
        _ => done_third(id),
    };
    let mut all = vec![
        ("two loops", whole("a:3 -> b:4", done_third)),
        ("once and again", whole("a -> b -> c", |_| Agent::exiting(0))),
        ("max iterations", whole("a:3", |_| Agent::exiting(0))),
        ("failed", whole("a -> b", |id| Agent::exiting(i32::from(id.step == 2)))),
        ("crashes", whole("a:5", crashing)),
        ("not started", whole("a:3 -> b", not_starting)),
        ("never started", whole("a -> b", |_| Agent::cannot_start(false))),
        ("hanging", with_timeout()),
        ("out of time", out_of_time()),
        ("stagnated", stagnated()),
    ];
    all.extend(with_lives());
    all.extend(killed());
    all.extend(understood());
    all.extend(damaged_errands::journals());
    all.extend(steered());
    all
}

/// Runs of which people wanted something.
fn steered() -> Vec<(&'static str, Vec<Event>)> {
    let slow = |id: UnitId| Agent { exits_at: Some(5000), ..done_third(id) };
    let tell = |text: &str| Request::Tell(text.to_owned());
    let run = |chain: &str| Simulation::new(plan(chain), slow);
    let told = run("a:4 -> b").asked_at(1000, tell("one")).asked_at(6000, tell("two")).run().events;
    let paused = run("a:4 -> b").asked_at(1000, Request::Pause).asked_at(2000, Request::Continue);
    let more = LimitChanges { iterations: Count::parse("6").ok(), ..LimitChanges::default() };
    let set = run("a:4 -> b").asked_at(1000, Request::Set(more)).run().events;
    let skipped = run("a:4 -> b").asked_at(6000, Request::Skip).run().events;
    let skipped_early = run("a:4 -> b").asked_at(1000, Request::Skip).run().events;
    let stopped = run("a:4 -> b").asked_at(6000, Request::Stop).run().events;
    vec![
        ("told", told),
        ("paused", paused.run().events),
        ("set", set),
        ("skipped", skipped),
        ("skipped early", skipped_early),
        ("stopped and resumed", resumed(&stopped, LimitChanges::default(), done_third)),
        ("stopped", stopped),
    ]
}

/// Done in the third iteration, which is served at the third try.
fn served_late(id: UnitId) -> Agent {
    match (id.iteration, id.attempt) {
        (3, 1) => Agent::heard(OutcomeClass::UsageLimit).spending(3),
        (3, 2) => Agent::heard(OutcomeClass::Overloaded).with(|stream| stream.tool_calls = 0),
        (3, _) => Agent::understood_done().spending(5),
        _ => Agent::heard(OutcomeClass::Finished).spending(10),
    }
}

/// Runs of agents whose stream is understood.
fn understood() -> Vec<(&'static str, Vec<Event>)> {
    let whole = |chain: &str, script: Script| Simulation::new(plan(chain), script).run().events;
    let same = LimitChanges::default;
    let late = whole("a:4 -> b", served_late);
    let waits = late.iter().position(|event| matches!(event.kind, EventKind::Waiting { .. }));
    let until_wait = &late[..=waits.expect("it waits")];
    let blocked = whole("a:4 -> b", |id| match id.iteration {
        2 => Agent::heard(OutcomeClass::Authentication),
        _ => Agent::heard(OutcomeClass::Finished).spending(10),
    });
    let blocked_once = whole("a -> b", |_| Agent::heard(OutcomeClass::Refused));
    let mut costly = plan("a:9 -> b");
    costly.limits.cost.value = limit("0.25").expect("there is one");
    let costly = Simulation::new(costly, |id| {
        let agent = Agent { exits_at: None, ..Agent::heard(OutcomeClass::Finished).spending(10) };
        if id.iteration == 3 { agent } else { Agent { exits_at: Some(10), ..agent } }
    });
    let more = LimitChanges { run_cost: limit("9"), ..LimitChanges::default() };
    let costly = costly.run().events;
    vec![
        ("blocked and resumed", resumed(&blocked, same(), done_third)),
        ("blocked", blocked),
        ("blocked once and resumed", resumed(&blocked_once, same(), |_| Agent::exiting(0))),
        ("blocked once", blocked_once),
        ("killed in a wait", resumed(until_wait, same(), served_late)),
        ("served late", late),
        ("paid more", resumed(&costly, more, served_late)),
        ("too costly", costly),
    ]
}

fn with_timeout() -> Vec<Event> {
    let plan = limited("a:2 -> b", |limits| limits.timeout = limit("1m"));
    let script = |id: UnitId| if id.iteration == 2 { Agent::done() } else { Agent::hanging() };
    Simulation::new(plan, script).run().events
}

fn out_of_time() -> Vec<Event> {
    let plan = limited("a -> b:5", |limits| limits.run_time = limit("1m"));
    let script = |id: UnitId| if id.iteration == 2 { Agent::hanging() } else { Agent::exiting(0) };
    Simulation::new(plan, script).run().events
}

fn stagnated() -> Vec<Event> {
    let plan = limited("a:9", |limits| limits.stagnation = limit("2"));
    let same: Script = |_| Agent { tree: Some('x'), ..Agent::exiting(0) };
    let first = Simulation::new(plan, same).run().events;
    resumed(&first, LimitChanges::default(), same)
}

pub(super) fn resumed(events: &[Event], changes: LimitChanges, script: Script) -> Vec<Event> {
    let again = Simulation::resumed(events, changes, script).run();
    [events, &again.events].concat()
}

/// Runs that had ended, and went on.
fn with_lives() -> Vec<(&'static str, Vec<Event>)> {
    let more = || LimitChanges { iterations: Count::parse("5").ok(), ..LimitChanges::default() };
    let same = LimitChanges::default;
    let used_up = Simulation::new(plan("a:2 -> b"), |_| Agent::exiting(0)).run().events;
    let failed = Simulation::new(plan("a -> b"), |_| Agent::exiting(1)).run().events;
    let failed_twice = resumed(&failed, same(), |_| Agent::exiting(2));
    let hanging = |id: UnitId| if id.iteration == 2 { Agent::hanging() } else { Agent::exiting(0) };
    let run = Simulation::new(plan("a:4 -> b"), hanging);
    let cancelled = run.cancelled_at(5000, Cancel::Interrupt).run().events;
    vec![
        ("raised", resumed(&used_up, more(), done_third)),
        ("not raised", resumed(&resumed(&used_up, same(), done_third), more(), done_third)),
        ("failed and tried again", resumed(&failed, same(), |_| Agent::exiting(0))),
        ("failed twice", resumed(&failed_twice, same(), |_| Agent::exiting(0))),
        ("cancelled and resumed", resumed(&cancelled, same(), done_third)),
        ("cancelled", cancelled),
    ]
}

/// Runs that were cut off, and went on.
fn killed() -> Vec<(&'static str, Vec<Event>)> {
    let same = LimitChanges::default;
    let whole = Simulation::new(plan("a:4 -> b"), done_third).run().events;
    let mut all = Vec::new();
    for (name, kept) in [("before", 4), ("between", 5), ("at work", 6), ("late", 8)] {
        let once = resumed(&whole[..kept], same(), done_third);
        let first = resumed(&whole[..kept], same(), |_| Agent::exiting(0));
        let twice = resumed(&first[..kept + 4], same(), done_third);
        assert!(fold(&once).end.is_some() && fold(&twice).end.is_some());
        all.extend([(name, once), (name, twice)]);
    }
    all
}
