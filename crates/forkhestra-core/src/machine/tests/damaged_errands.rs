//! Journals with checks, hooks and surveys to damage.

use super::checking::{ALWAYS, ONCE_ASKED, checked, in_room};
use super::chores::Chore;
use super::damaged::{done_third, resumed};
use super::hooking::hooked;
use super::*;
use crate::config::OnError;
use crate::event::{Cancel, Errand, LimitChanges};
use crate::hook::HookPoint;

/// Checks that pass from the third iteration on.
fn third(errand: Errand) -> Chore {
    match errand {
        Errand::Check { unit, .. } => Chore::exiting(i32::from(unit.iteration < 3)),
        _ => Chore::exiting(0),
    }
}

fn is_check(event: &Event) -> bool {
    matches!(event.kind, EventKind::ErrandStarted { errand: Errand::Check { .. }, .. })
}

/// Runs, each with a name.
pub(super) fn journals() -> Vec<(&'static str, Vec<Event>)> {
    let same = LimitChanges::default;
    let refused = Simulation::new(checked("a:4 -> b:3", &ONCE_ASKED), |_| Agent::done());
    let refused = refused.with_chores(third).run().events;
    let always = Simulation::new(in_room(checked("a:3 -> b", &ALWAYS), Some("x")), done_third);
    let always = always.with_chores(third).run().events;
    let once = Simulation::new(checked("a -> b", &ONCE_ASKED), |_| Agent::exiting(0));
    let once = once.with_chores(|_| Chore::exiting(1)).run().events;
    let hanging = Simulation::new(checked("a:3 -> b", &ONCE_ASKED), |_| Agent::done());
    let hanging = hanging.with_chores(|_| Chore::hanging());
    let cancelled = hanging.cancelled_at(5000, Cancel::Interrupt).run().events;
    let at_check = refused.iter().position(is_check).expect("it is checked");
    let killed = resumed(&refused[..=at_check], same(), |_| Agent::done());
    let killed_before = resumed(&refused[..at_check], same(), |_| Agent::done());
    let surveyed = Simulation::new(plan("a:3 -> b"), done_third).in_repository(Some(5)).run();
    vec![
        ("refused", refused),
        ("always checked", always),
        ("refused once and resumed", resumed(&once, same(), |_| Agent::exiting(0))),
        ("refused once", once),
        ("cancelled in a check and resumed", resumed(&cancelled, same(), |_| Agent::exiting(0))),
        ("cancelled in a check", cancelled),
        ("killed in a check", killed),
        ("killed before a check", killed_before),
        ("surveyed", surveyed.events),
        ("hooks", with_hooks()),
        ("a hook that must not fail", aborted()),
    ]
}

fn with_hooks() -> Vec<Event> {
    let hooks = HookPoint::ALL.map(|point| (point, OnError::Continue));
    Simulation::new(hooked(checked("a:3 -> b", &ALWAYS), &hooks), done_third).run().events
}

fn aborted() -> Vec<Event> {
    let plan = hooked(plan("a:3 -> b"), &[(HookPoint::PostIteration, OnError::Abort)]);
    let first = Simulation::new(plan, done_third).with_chores(|errand| match errand {
        Errand::Hook { moment, .. } => {
            Chore::exiting(i32::from(moment.unit.is_some_and(|unit| unit.iteration == 2)))
        }
        _ => Chore::exiting(0),
    });
    resumed(&first.run().events, LimitChanges::default(), done_third)
}
