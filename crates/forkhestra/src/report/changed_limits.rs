//! Limits that somebody has changed, by the names of the options that change them.

use forkhestra_core::event::LimitChanges;

/// The name and the new value of each, in the order of the help.
pub(crate) fn changed_limits(changes: &LimitChanges) -> Vec<(&'static str, String)> {
    let LimitChanges {
        iterations,
        timeout,
        idle_timeout,
        stagnation,
        run_time,
        step_time,
        run_cost,
        step_cost,
        max_wait,
    } = changes;
    let all = [
        ("max-iterations", iterations.map(|most| most.to_string())),
        ("timeout", timeout.map(|limit| limit.to_string())),
        ("idle-timeout", idle_timeout.map(|limit| limit.to_string())),
        ("max-time", run_time.map(|limit| limit.to_string())),
        ("step-time", step_time.map(|limit| limit.to_string())),
        ("max-cost", run_cost.map(|limit| limit.to_string())),
        ("step-cost", step_cost.map(|limit| limit.to_string())),
        ("max-wait", max_wait.map(|limit| limit.to_string())),
        ("stagnation", stagnation.map(|limit| limit.to_string())),
    ];
    all.into_iter().filter_map(|(name, limit)| Some((name, limit?))).collect()
}
