//! The request that answers the open question of a run.

use forkhestra_core::control::{AnswerRequest, ControlRequest};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::Answer;
use forkhestra_core::history::Liveness;
use forkhestra_core::machine::RunState;
use forkhestra_store::journal::recorded_run;

use super::send_request::finished_run_error;
use super::steered_run::SteeredRun;
use crate::cli::command_error::CommandError;
use crate::past_runs::repair;
use crate::report::text::flow::questions;

/// The request with the step and the number of the question that the journal has. The run refuses it
/// if it asks another question meanwhile.
pub(super) fn request(
    target: &SteeredRun,
    approves: bool,
    text: Option<String>,
) -> Result<ControlRequest, CommandError> {
    let past = recorded_run::read(&target.run)
        .map_err(|error| repair::refused(&error, &target.run, &target.project))?;
    let state = &past.history.state;
    let open = state.open_question();
    let (step, question) = open.map_or((0, None), |(step, open)| (step, Some(open.number)));
    let request = AnswerRequest { step, question, approves, text };
    let is_alive = recorded_run::liveness(&target.run) == Liveness::Alive && state.end.is_none();
    match (is_alive, open) {
        (true, Some(_)) => Ok(ControlRequest::Answer(request)),
        (true, None) => Err(CommandError::wrong(no_question_error(target, state))),
        (false, _) => Err(finished_run_error(target, &ControlRequest::Answer(request))),
    }
}

/// The error for a run that asks nothing.
pub(super) fn no_question_error(target: &SteeredRun, state: &RunState) -> Diagnostic {
    let run = target.run.run();
    let error = Diagnostic::error(format!("run {run} has no open question"));
    error.maybe_hint(last_answer(state).map(|(step, answer)| {
        format!("its last question, of step {step}, {}", answer_text(answer))
    }))
}

/// The answer to the last question that was answered, with its step.
pub(super) fn last_answer(state: &RunState) -> Option<(usize, &Answer)> {
    let questions = (1..).zip(&state.steps);
    let answered = questions
        .filter_map(|(step, state)| Some((step, state.question.as_ref()?.answer.as_ref()?)));
    answered.max_by_key(|(_, answer)| answer.question)
}

/// Who or what answered, and how.
pub(super) fn answer_text(answer: &Answer) -> String {
    let word = if answer.approved { "approved" } else { "denied" };
    format!("was already {word} {}", questions::answered_by(answer.by))
}
