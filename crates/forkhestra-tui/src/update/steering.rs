//! Requests to a run and its replies.

use forkhestra_core::control::{AcceptedRequest, ControlReply, ControlRequest};
use forkhestra_core::id::RunId;

use super::resume::can_resume;
use crate::app::App;
use crate::app::answer_form::AnswerForm;
use crate::app::dialog::{ConfirmDialog, ConfirmedAction, ScreenDialog, ToastKind};
use crate::app::limits_form::LimitsForm;
use crate::app::run_screen_state::RunScreenState;
use crate::app::text_editor::TextEditor;
use crate::keys::KeyAction;
use crate::msg::Cmd;

/// Why a run cannot be steered, if so.
pub(crate) fn steering_refusal(run: &RunScreenState) -> Option<String> {
    if run.is_live() {
        return None;
    }
    let is_over = run.history.as_ref().is_some_and(|history| history.state.end.is_some());
    Some(match (&run.history, &run.resume) {
        _ if !run.is_caught_up => "the run is still being read".to_owned(),
        (None, _) => "nothing is known of the run".to_owned(),
        (Some(_), Some(resume)) if is_over => {
            format!("the run is over; R or `{resume}` resumes it")
        }
        (Some(_), Some(resume)) => {
            format!("no process works on the run; R or `{resume}` resumes it")
        }
        (Some(_), None) => "the run is over".to_owned(),
    })
}

pub(super) fn perform(app: &mut App, action: KeyAction) -> Vec<Cmd> {
    let Some(run) = &app.run else { return Vec::new() };
    let is_kept = action == KeyAction::Tell && can_resume(run);
    if let Some(why) = steering_refusal(run).filter(|_| !is_kept) {
        let is_answer = matches!(action, KeyAction::Approve | KeyAction::Deny);
        let resume = run.answering_resume().filter(|_| is_answer);
        let why = resume
            .map_or(why, |resume| format!("the question is open: `{resume} --approve`, or --deny"));
        app.show_toast(ToastKind::Bad, why);
        return Vec::new();
    }
    match action {
        KeyAction::Stop => return send_request(app, ControlRequest::Stop),
        KeyAction::Pause if run.paused().is_some() => {
            return send_request(app, ControlRequest::Continue);
        }
        KeyAction::Pause => return send_request(app, ControlRequest::Pause),
        KeyAction::StopNow => app.dialog = Some(ScreenDialog::Confirm(stop_now(run))),
        KeyAction::Skip => app.dialog = Some(ScreenDialog::Confirm(skip(run))),
        KeyAction::Approve | KeyAction::Deny => {
            let approves = action == KeyAction::Approve;
            let form = run.question().map(|question| AnswerForm::new(&question, approves));
            match form {
                Some(form) => app.dialog = Some(ScreenDialog::Answer(form)),
                None => app.show_toast(ToastKind::Bad, "no question is open"),
            }
        }
        KeyAction::Tell => app.dialog = Some(ScreenDialog::Tell(TextEditor::multi_line())),
        KeyAction::Limits => {
            app.dialog = run.history.as_ref().and_then(LimitsForm::of).map(ScreenDialog::Limits);
        }
        _ => {}
    }
    Vec::new()
}

/// Sends a request to the open run.
pub(super) fn send_request(app: &mut App, request: ControlRequest) -> Vec<Cmd> {
    let Some(run) = &app.run else { return Vec::new() };
    let run = run.run.clone();
    app.show_toast(ToastKind::Neutral, "asking the run…");
    vec![Cmd::SendRequest { run, request }]
}

fn stop_now(run: &RunScreenState) -> ConfirmDialog {
    let has_agent =
        run.history.as_ref().is_some_and(|history| history.unfinished_agent().is_some());
    let agent =
        if has_agent { "The agent at work is ended too; its iteration is lost. " } else { "" };
    ConfirmDialog {
        title: "Stop now?",
        sentence: format!("The run ends at once. {agent}It can be resumed."),
        action: ConfirmedAction::Ask(ControlRequest::StopNow),
        is_yes: false,
    }
}

fn skip(run: &RunScreenState) -> ConfirmDialog {
    let history = run.history.as_ref();
    let number = history.and_then(|history| history.state.current_step()).unwrap_or(1);
    let name = |number: usize| {
        let step = history?.state.plan.step(number)?;
        Some(typeset::text::visible(&step.agent.name))
    };
    let this = name(number).unwrap_or_else(|| "this step".to_owned());
    let then = match name(number + 1) {
        Some(next) => format!("{next} begins"),
        None => "the run is over".to_owned(),
    };
    ConfirmDialog {
        title: "Skip this step?",
        sentence: format!(
            "The step {this} ends here, whatever its agent is doing, and {then}. It is not tried again."
        ),
        action: ConfirmedAction::Ask(ControlRequest::Skip),
        is_yes: false,
    }
}

/// Handles the reply of a run.
pub(super) fn reply_received(
    app: &mut App,
    run: &RunId,
    request: &ControlRequest,
    result: Result<ControlReply, String>,
) {
    app.has_changed = true;
    let Some(shown) = app.run.as_ref().filter(|shown| &shown.run == run) else { return };
    let is_over = can_resume(shown);
    if let Some(form) = sent_form(app, request) {
        let refusal = match &result {
            Ok(ControlReply::Accepted(_)) => None,
            Ok(ControlReply::Refused(why)) => Some(format!("{}: {why}", refused(request))),
            Err(why) => Some(why.clone()),
        };
        form.is_sent = false;
        if refusal.is_some() {
            // What was typed is not lost, and the form shows more than one line.
            form.refusal = refusal;
            app.dismiss_toast();
            return;
        }
        app.dialog = None;
    }
    match result {
        Ok(ControlReply::Accepted(AcceptedRequest::Queued { number })) if is_over => {
            app.show_toast(
                ToastKind::Good,
                format!("message {number} is kept; R resumes the run with it"),
            );
        }
        Ok(ControlReply::Accepted(accepted)) => {
            app.show_toast(ToastKind::Good, accepted_text(accepted));
        }
        Ok(ControlReply::Refused(why)) => {
            app.show_toast(ToastKind::Bad, format!("{}: {why}", refused(request)));
        }
        Err(why) => app.show_toast(ToastKind::Bad, typeset::text::visible(&why)),
    }
}

/// The open form whose answer this request is.
fn sent_form<'a>(app: &'a mut App, request: &ControlRequest) -> Option<&'a mut AnswerForm> {
    match &mut app.dialog {
        Some(ScreenDialog::Answer(form)) if form.is_sent && form.request() == *request => {
            Some(form)
        }
        _ => None,
    }
}

fn accepted_text(accepted: AcceptedRequest) -> String {
    match accepted {
        AcceptedRequest::Stops { after: Some(unit) } => {
            format!("the run ends after iteration {} of step {}", unit.iteration, unit.step)
        }
        AcceptedRequest::Stops { after: None } | AcceptedRequest::Ends => {
            "the run is ending".to_owned()
        }
        AcceptedRequest::Paused => "the run is paused; p continues it".to_owned(),
        AcceptedRequest::Continued => "the run continues".to_owned(),
        AcceptedRequest::Queued { number } => format!("message {number} waits for the next agent"),
        AcceptedRequest::Skips { step } => format!("step {step} is skipped"),
        AcceptedRequest::SkipsGroup { first_step, last_step } => {
            format!("the rest of the group of steps {first_step} to {last_step} is skipped")
        }
        AcceptedRequest::Changed => "the limits are changed".to_owned(),
        AcceptedRequest::Answered { step, approved: true } => format!("step {step} is approved"),
        AcceptedRequest::Answered { step, approved: false } => format!("step {step} is denied"),
    }
}

const fn refused(request: &ControlRequest) -> &'static str {
    match request {
        ControlRequest::Stop | ControlRequest::StopNow => "cannot stop",
        ControlRequest::Pause => "cannot pause",
        ControlRequest::Continue => "cannot continue",
        ControlRequest::Tell { .. } => "cannot tell it",
        ControlRequest::Skip | ControlRequest::SkipGroup => "cannot skip",
        ControlRequest::Answer(_) => "cannot answer",
        ControlRequest::Set(_) => "cannot change limits",
    }
}
