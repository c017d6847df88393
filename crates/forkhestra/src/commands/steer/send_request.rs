//! Sends a request to a run, and explains why it is refused or cannot be delivered.

use std::thread;
use std::time::{Duration, Instant};

use forkhestra_core::control::{
    AcceptedRequest, AnswerRequest, ControlReply, ControlRequest, RefusedRequest,
};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::{AnswerSource, RunEnd};
use forkhestra_core::history::Liveness;
use forkhestra_store::RunDir;
use forkhestra_store::control::ControlError;
use forkhestra_store::journal::recorded_run::{self, RecordedRun};

use super::answer::{answer_text, last_answer};
use super::reply_text;
use super::steered_run::SteeredRun;
use crate::cli::command_error::{CommandError, in_full};
use crate::cli::console_output::ConsoleOutput;
use crate::past_runs::resume_answer::answering_command;
use crate::past_runs::resume_command::resume_command;
use crate::past_runs::{control_client, pending_message, repair};

/// How long a missing, stale or foreign socket is retried: a run that just started opens its socket
/// soon, a killed one is soon seen as over, and a run whose socket was replaced makes a new one
/// within a second.
const CONNECT_RETRY_TIME: Duration = Duration::from_secs(3);

/// Interval between retries.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// Sends a request to a run and waits for the reply.
pub(super) fn send_request(
    target: &SteeredRun,
    request: &ControlRequest,
    screen: &mut ConsoleOutput,
) -> Result<AcceptedRequest, CommandError> {
    let deadline = Instant::now() + CONNECT_RETRY_TIME;
    loop {
        return match control_client::send_request(&target.run, request) {
            Ok(ControlReply::Accepted(accepted)) => Ok(accepted),
            Ok(ControlReply::Refused(why)) => Err(refused(target, request, why)),
            // Many people answer at once, and the run serves a limited number of clients.
            Err(ControlError::ConnectionClosed)
                if is_idempotent(request)
                    && is_active(&target.run)
                    && Instant::now() < deadline =>
            {
                thread::sleep(RETRY_INTERVAL);
                continue;
            }
            Err(ControlError::NoSocket | ControlError::Stale | ControlError::NotTheRun(_))
                if is_active(&target.run) && Instant::now() < deadline =>
            {
                thread::sleep(RETRY_INTERVAL);
                continue;
            }
            // A process of the run does not steer it in another way.
            Err(_) if control_client::is_in_run(target.run.run()) => {
                Err(CommandError::wrong(control_client::from_within(target.run.run())))
            }
            Err(error) => match end_by_signal(target, request, &error) {
                Some(warning) => {
                    screen.report(&[warning]);
                    Ok(AcceptedRequest::Ends)
                }
                None => Err(unreachable(target, request, &error)),
            },
        };
    }
}

/// Whether a request that arrives twice has the effect of one: a question takes one answer.
const fn is_idempotent(request: &ControlRequest) -> bool {
    matches!(request, ControlRequest::Answer(AnswerRequest { question: Some(_), .. }))
}

/// Ends a run at once although its control socket cannot be used. Returns a warning about that, or
/// `None` if the request is another one or the run cannot be signalled.
fn end_by_signal(
    target: &SteeredRun,
    request: &ControlRequest,
    error: &ControlError,
) -> Option<Diagnostic> {
    let has_no_socket = matches!(
        error,
        ControlError::NoSocket
            | ControlError::Stale
            | ControlError::NotTheRun(_)
            | ControlError::ConnectionClosed
    );
    if *request != ControlRequest::StopNow || !has_no_socket || !is_active(&target.run) {
        return None;
    }
    let pid = control_client::end_by_signal(&target.run)?;
    let run = target.run.run();
    Some(
        Diagnostic::warning(format!("run {run} cannot be steered: {}", in_full(error)))
            .hint(format!("process {pid} got SIGTERM instead, which ends the run")),
    )
}

/// Whether a process works on a run that is not over.
fn is_active(run: &RunDir) -> bool {
    let is_over = || recorded_run::read(run).is_ok_and(|past| past.history.state.end.is_some());
    recorded_run::liveness(run) == Liveness::Alive && !is_over()
}

/// The error for a refused request.
fn refused(target: &SteeredRun, request: &ControlRequest, why: RefusedRequest) -> CommandError {
    let run = target.run.run();
    let diagnostic = Diagnostic::error(match why {
        RefusedRequest::Over => return finished_run_error(target, request),
        RefusedRequest::Ending => format!("run {run} is ending"),
        RefusedRequest::NotPaused => format!("run {run} is not paused"),
        RefusedRequest::NoLoop => format!("no step that is left of run {run} is a loop"),
        RefusedRequest::NoRounds => format!("run {run} has no repeated group left"),
        RefusedRequest::NoGroupLimits => format!("run {run} has no group left"),
        RefusedRequest::NoGroup => format!("the current step of run {run} is in no repeated group"),
        RefusedRequest::NoLane => format!("run {run} has no such lane now"),
        RefusedRequest::NotAsking => format!("run {run} has no open question"),
        RefusedRequest::OtherQuestion => format!("run {run} asks another question now"),
        RefusedRequest::AnsweredAlready => answered_already(target, request),
        RefusedRequest::EmptyMessage
        | RefusedRequest::LongMessage
        | RefusedRequest::ManyMessages
        | RefusedRequest::HoldsMarker
        | RefusedRequest::NoChange => why.to_string(),
        RefusedRequest::FromWithin => {
            return CommandError::wrong(control_client::from_within(run));
        }
    });
    CommandError::wrong(diagnostic.maybe_hint(pending_message::hint(why).map(str::to_owned)))
}

/// The sentence about a question that another answer has reached first.
fn answered_already(target: &SteeredRun, request: &ControlRequest) -> String {
    let run = target.run.run();
    let past = recorded_run::read(&target.run).ok();
    let history = past.as_ref().map(|past| &past.history);
    let sent = match request {
        ControlRequest::Answer(request) => request.question,
        _ => None,
    };
    let record = history.zip(sent).and_then(|(history, number)| history.flow.question(number));
    let answered = record.and_then(|record| Some((record.step, &record.answer.as_ref()?.1)));
    match answered.or_else(|| last_answer(&history?.state)) {
        Some((step, answer)) => {
            format!("the question of step {step} of run {run} {}", answer_text(answer))
        }
        None => format!("the question of run {run} was answered already"),
    }
}

/// The error for a request that could not be delivered.
fn unreachable(
    target: &SteeredRun,
    request: &ControlRequest,
    error: &ControlError,
) -> CommandError {
    let run = target.run.run();
    let diagnostic = match error {
        ControlError::NoSocket | ControlError::Stale => {
            if !is_active(&target.run) {
                return unfinished_request_error(target, request);
            }
            let guard = control_client::guard_pid(&target.run);
            let hint = guard.map(|pid| format!("signals still work: kill {pid}"));
            cannot_be_steered(target, error)
                .hint("an older version of forkhestra executes it, or its control socket could not be opened (see the warning at its start)")
                .maybe_hint(hint)
        }
        ControlError::NotTheRun(_) => cannot_be_steered(target, error)
            .hint("an agent may have replaced the socket; the run makes a new one within a second: try again")
            .hint("to end the run at once: forkhestra stop --now"),
        ControlError::OtherNamespace => cannot_be_steered(target, error)
            .hint("use the machine or the container that executes the run"),
        ControlError::ConnectionClosed if !is_active(&target.run) => {
            return unfinished_request_error(target, request);
        }
        ControlError::ConnectionClosed => cannot_be_steered(target, error)
            .hint("it has too many control clients, or is ending; try again"),
        ControlError::NotOurs => Diagnostic::error(format!("run {run} belongs to another user"))
            .hint("its owner can steer it, and root"),
        ControlError::Stopped { pid } => Diagnostic::error(format!(
            "run {run} does not answer: process {pid} is stopped by a signal"
        ))
        .hint(format!("to continue it: `fg` in its terminal, or kill -CONT {pid}")),
        ControlError::NoAnswer => Diagnostic::error(format!("run {run} does not answer"))
            .hint("its machine may have too much to do; try again"),
        ControlError::RequestRejected(_) | ControlError::Unclear(_) => {
            cannot_be_steered(target, error)
                .hint("another version of forkhestra works on it, and can steer it")
        }
        ControlError::System(_) => cannot_be_steered(target, error),
    };
    CommandError::wrong(diagnostic)
}

fn cannot_be_steered(target: &SteeredRun, error: &ControlError) -> Diagnostic {
    Diagnostic::error(format!("run {} cannot be steered: {}", target.run.run(), in_full(error)))
}

/// The error for a run that no process works on since the request was sent.
fn unfinished_request_error(target: &SteeredRun, request: &ControlRequest) -> CommandError {
    let recorded = cut_off_after_answer(target, request);
    recorded.unwrap_or_else(|| finished_run_error(target, request))
}

/// The error for a run that was cut off after it had recorded the sent answer, and before it replied.
fn cut_off_after_answer(target: &SteeredRun, request: &ControlRequest) -> Option<CommandError> {
    let ControlRequest::Answer(AnswerRequest { question: Some(number), approves, text, .. }) =
        request
    else {
        return None;
    };
    let past = recorded_run::read(&target.run).ok()?;
    let (_, answer) = past.history.flow.question(*number)?.answer.as_ref()?;
    let is_sent = answer.by == AnswerSource::Person
        && answer.approved == *approves
        && answer.text.is_some() == text.is_some();
    if !is_sent || past.history.state.end.is_some() {
        return None;
    }
    let command = resume_command(&target.run, &past.history.state.plan, &target.project);
    let error = format!("run {} was cut off; its journal has the answer", target.run.run());
    Some(CommandError::wrong(Diagnostic::error(error).hint(format!("to resume: {command}"))))
}

/// The error for a run that no process works on any more.
pub(super) fn finished_run_error(target: &SteeredRun, request: &ControlRequest) -> CommandError {
    let SteeredRun { run, project } = target;
    let past = match recorded_run::read(run) {
        Ok(past) => past,
        Err(error) => return repair::refused(&error, run, project),
    };
    let id = run.run();
    let diagnostic = match past.history.state.end {
        Some(_) => format!("run {id} is over: {}", reply_text::run_end_text(&past.history)),
        None => format!("run {id} was cut off"),
    };
    CommandError::wrong(
        Diagnostic::error(diagnostic).maybe_hint(resume_hint(target, request, &past)),
    )
}

/// The command that resumes the run with the requested change, where that makes sense.
fn resume_hint(
    target: &SteeredRun,
    request: &ControlRequest,
    past: &RecordedRun,
) -> Option<String> {
    let state = &past.history.state;
    if let ControlRequest::Answer(answer) = request {
        let command = answering_command(&target.run, state, answer, &target.project)?;
        return Some(format!("to resume it with this answer: {command}"));
    }
    let is_wanted = match (request, &state.end) {
        (_, Some(RunEnd::Complete)) => false,
        (ControlRequest::Stop | ControlRequest::StopNow | ControlRequest::Pause, Some(_)) => false,
        (_, _) => true,
    };
    let mut command = resume_command(&target.run, &state.plan, &target.project);
    if let ControlRequest::Set(changes) = request {
        for option in changes.command_options() {
            command.push_str(&format!(" {option}"));
        }
    }
    is_wanted.then(|| format!("to resume: {command}"))
}
