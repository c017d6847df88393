//! The environment of an aux job.

use std::ffi::OsString;
use std::path::PathBuf;

use super::context::AuxJobContext;
use super::facts::AuxJobFacts;
use crate::launch::agent_command::{
    FEEDBACK, MESSAGE, ROUND_VARIABLES, round_variables, set, tagged,
};
use crate::repository::git_program::LOCATION_OVERRIDES;

/// Variables that are not always set. Inherited values of an enclosing run are removed.
const OPTIONAL: [&str; 8] = [
    "FORKHESTRA_CLEAN_ROOM",
    "FORKHESTRA_HOOK",
    "FORKHESTRA_REASON",
    "FORKHESTRA_QUESTION",
    "FORKHESTRA_QUESTION_NUMBER",
    "FORKHESTRA_LOG",
    FEEDBACK,
    MESSAGE,
];

/// The environment of an aux job: what agents inherit, without variables that are for agents only.
pub(super) fn environment(
    facts: &AuxJobFacts<'_>,
    context: &AuxJobContext<'_>,
) -> Vec<(OsString, OsString)> {
    let mut environment = tagged(&context.place.environment, context.state);
    let elsewhere = if context.room.is_some() { &LOCATION_OVERRIDES[..] } else { &[] };
    let dropped = OPTIONAL.iter().chain(&ROUND_VARIABLES).chain(elsewhere);
    environment.retain(|(name, _)| !dropped.clone().any(|dropped| name == dropped));
    if let Some(room) = context.room {
        room.home.apply(&mut environment);
    }
    let directory = || context.directory().as_os_str().to_owned();
    set(&mut environment, "PWD", context.start_directory(facts.hook.is_some()));
    let unit = facts.unit;
    let exit_code = facts.exit_code().map(|code| code.to_string()).unwrap_or_default();
    // Set with both prefixes, for scripts of either program.
    for (name, value) in [
        ("AGENT", facts.agent.to_owned()),
        ("ITERATION", unit.map_or(0, |unit| unit.iteration).to_string()),
        ("MAX_ITERATIONS", facts.max_iterations.to_string()),
        ("EXIT_CODE", exit_code),
        ("STATUS", facts.status.as_str().to_owned()),
    ] {
        set(&mut environment, &format!("RALPH_{name}"), value.clone());
        set(&mut environment, &format!("FORKHESTRA_{name}"), value);
    }
    set(&mut environment, "RALPH_WORK_DIR", directory());
    set(&mut environment, "FORKHESTRA_WORK_DIR", directory());
    set(&mut environment, "FORKHESTRA_PROJECT_DIR", context.project());
    set(&mut environment, "FORKHESTRA_RUN_ID", context.state.run.as_str());
    set(&mut environment, "FORKHESTRA_STEP", facts.step.unwrap_or_default().to_string());
    let attempt = unit.map_or(0, |unit| unit.attempt);
    set(&mut environment, "FORKHESTRA_ATTEMPT", attempt.to_string());
    let [clean_room, hook, reason, question, question_number, log, ..] = OPTIONAL;
    let optional = [
        (clean_room, context.room.map(|_| "1".into())),
        (hook, facts.hook.map(|hook| hook.name().into())),
        (reason, facts.reason.map(OsString::from)),
        (question, facts.question.map(OsString::from)),
        (question_number, facts.question_number.map(|number| number.to_string().into())),
        (log, facts.log.clone().map(PathBuf::into_os_string)),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            set(&mut environment, name, value);
        }
    }
    let round = facts.round_of.and_then(|group| round_variables(group, context.state));
    for (name, value) in round.into_iter().flatten() {
        set(&mut environment, name, value);
    }
    environment
}
