//! Steps that run instead of others.

use forkhestra_core::history::RunHistory;

use super::{questions, rounds};

/// An alternative begins: `Step 3, senior, runs instead of steps 1 and 2`.
pub(crate) fn start_sentence(history: &RunHistory, step: usize, other: usize) -> String {
    let plan = &history.state.plan;
    let replaced = plan.replaced_steps(step, other);
    let steps = rounds::step_numbers(&replaced);
    let name = questions::step_name(plan, step);
    match replaced.as_slice() {
        [only] => {
            let replaced = questions::step_name(plan, *only);
            format!("Step {step}, {name}, runs instead of {steps}, {replaced}")
        }
        _ => format!("Step {step}, {name}, runs instead of {steps}"),
    }
}

/// The lines below a step (one-based) about the steps that it replaced, and that replaced it.
pub(crate) fn below_step(history: &RunHistory, step: usize) -> Vec<String> {
    let plan = &history.state.plan;
    let replaced = |step, other| plan.replaced_steps(step, other);
    let instead_of = history.state.step(step).and_then(|state| state.instead_of);
    let instead_of = instead_of
        .map(|other| format!("instead of {}", rounds::step_numbers(&replaced(step, other))));
    let replacement = history.replacement_of(step).map(|by| match replaced(by, step).as_slice() {
        [_] => format!("step {by} ran instead"),
        steps => format!("step {by} ran instead of {}", rounds::step_numbers(steps)),
    });
    instead_of.into_iter().chain(replacement).collect()
}
