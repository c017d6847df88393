//! The request that answers the open question of a run.

use forkhestra_core::control::{AnswerRequest, ControlRequest};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::Answer;
use forkhestra_core::history::{Liveness, QuestionRecord, RunHistory};
use forkhestra_core::machine::RunState;
use forkhestra_store::journal::recorded_run;

use super::send_request::finished_run_error;
use super::steered_run::SteeredRun;
use crate::cli::command_error::CommandError;
use crate::past_runs::{control_client, repair};
use crate::report::text::flow::questions;
use crate::report::text::run_commands::RunCommands;
use crate::report::text::shell_word::shell_word;

/// The request for the open question of the journal. The run refuses it if it asks another question
/// meanwhile. A question after the first one has to be named: the answer may be late, and meant for
/// an earlier one.
pub(super) fn request(
    target: &SteeredRun,
    approves: bool,
    question: Option<u32>,
    text: Option<String>,
) -> Result<ControlRequest, CommandError> {
    let past = recorded_run::read(&target.run)
        .map_err(|error| repair::refused(&error, &target.run, &target.project))?;
    let (history, state) = (&past.history, &past.history.state);
    let open = history.open_question();
    let step = open.map_or(0, |open| open.step);
    let number = question.or(open.map(|open| open.number));
    let request = AnswerRequest { step, question: number, approves, text };
    if recorded_run::liveness(&target.run) != Liveness::Alive || state.end.is_some() {
        return Err(finished_run_error(target, &ControlRequest::Answer(request)));
    }
    let Some(open) = open else {
        let unnamed = || no_question_error(target, state);
        let error = question.map_or_else(unnamed, |number| not_open_error(target, history, number));
        return Err(CommandError::wrong(error));
    };
    // A hook runs only while its own question is open.
    let needs_no_number = || open.number == 1 || control_client::is_in_run(target.run.run());
    if number == Some(open.number) && (question.is_some() || needs_no_number()) {
        return Ok(ControlRequest::Answer(request));
    }
    let error = match question {
        Some(number) => not_open_error(target, history, number),
        None => {
            let run = target.run.run();
            Diagnostic::error(format!("run {run} has asked before: name its question"))
        }
    };
    Err(CommandError::wrong(with_open_question(error, target, history, &request)))
}

/// The error for a question that is not open.
fn not_open_error(target: &SteeredRun, history: &RunHistory, number: u32) -> Diagnostic {
    let run = target.run.run();
    Diagnostic::error(match history.flow.question(number) {
        Some(QuestionRecord { answer: Some((_, answer)), .. }) => {
            format!("question {number} of run {run} {}", answer_text(answer))
        }
        Some(_) => format!("question {number} of run {run} is not open any more"),
        None => format!("run {run} has not asked question {number}"),
    })
}

/// Adds the question that is open, and the command that answers it.
fn with_open_question(
    error: Diagnostic,
    target: &SteeredRun,
    history: &RunHistory,
    request: &AnswerRequest,
) -> Diagnostic {
    let Some(open) = history.open_question() else { return error };
    let commands = RunCommands::new(&target.run, &history.state.plan, &target.project);
    let (verb, mut command) = match request.approves {
        true => ("approve", commands.approve(open.number)),
        false => ("deny", commands.deny(open.number)),
    };
    command.extend(request.text.iter().map(|text| format!(" {}", shell_word(text))));
    let asked = questions::first_line(open);
    error
        .hint(format!("it asks question {} now: {asked}", open.number))
        .hint(format!("to {verb} that: {command}"))
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
