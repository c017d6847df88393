//! What is asked of a run, and what it answers.

use forkhestra_core::control::{Accepted, Reply, Request};
use forkhestra_core::id::RunId;

use super::resuming::can_resume;
use crate::app::App;
use crate::app::dialog::{Confirm, ConfirmedAction, Dialog, Mood};
use crate::app::editor::Editor;
use crate::app::limits_form::LimitsForm;
use crate::app::run_view::RunView;
use crate::keys::Action;
use crate::msg::Cmd;

/// Why a run cannot be asked for anything, if it cannot.
pub(crate) fn why_not(run: &RunView) -> Option<String> {
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

pub(super) fn perform(app: &mut App, action: Action) -> Vec<Cmd> {
    let Some(run) = &app.run else { return Vec::new() };
    let is_kept = action == Action::Tell && can_resume(run);
    if let Some(why) = why_not(run).filter(|_| !is_kept) {
        app.say(Mood::Bad, why);
        return Vec::new();
    }
    match action {
        Action::Stop => return ask(app, Request::Stop),
        Action::Pause if run.paused().is_some() => return ask(app, Request::Continue),
        Action::Pause => return ask(app, Request::Pause),
        Action::StopNow => app.dialog = Some(Dialog::Confirm(stop_now(run))),
        Action::Skip => app.dialog = Some(Dialog::Confirm(skip(run))),
        Action::Tell => app.dialog = Some(Dialog::Tell(Editor::of_lines())),
        Action::Limits => {
            app.dialog =
                run.history.as_ref().map(|history| Dialog::Limits(LimitsForm::of(history)));
        }
        _ => {}
    }
    Vec::new()
}

/// Asks something of the run that is looked at.
pub(super) fn ask(app: &mut App, request: Request) -> Vec<Cmd> {
    let Some(run) = &app.run else { return Vec::new() };
    let run = run.run.clone();
    app.say(Mood::Neutral, "asking the run…");
    vec![Cmd::Ask { run, request }]
}

fn stop_now(run: &RunView) -> Confirm {
    let has_agent = run.history.as_ref().is_some_and(|history| history.at_work().is_some());
    let agent =
        if has_agent { "The agent at work is ended too; its iteration is lost. " } else { "" };
    Confirm {
        title: "Stop now?",
        sentence: format!("The run ends at once. {agent}It can be resumed."),
        action: ConfirmedAction::Ask(Request::StopNow),
        is_yes: false,
    }
}

fn skip(run: &RunView) -> Confirm {
    let history = run.history.as_ref();
    let number = history.and_then(|history| history.state.current_step()).unwrap_or(1);
    let steps = history.map_or(&[][..], |history| &history.state.plan.steps);
    let name = |number: usize| {
        let step = steps.get(number.checked_sub(1)?)?;
        Some(typeset::text::visible(&step.agent.name))
    };
    let this = name(number).unwrap_or_else(|| "this step".to_owned());
    let then = match name(number + 1) {
        Some(next) => format!("{next} begins"),
        None => "the run is over".to_owned(),
    };
    Confirm {
        title: "Skip this step?",
        sentence: format!(
            "The step {this} ends here, whatever its agent is doing, and {then}. It is not tried again."
        ),
        action: ConfirmedAction::Ask(Request::Skip),
        is_yes: false,
    }
}

/// A run has answered, or has not.
pub(super) fn answered(
    app: &mut App,
    run: &RunId,
    request: &Request,
    result: Result<Reply, String>,
) {
    app.has_changed = true;
    let Some(shown) = app.run.as_ref().filter(|shown| &shown.run == run) else { return };
    let is_over = can_resume(shown);
    match result {
        Ok(Reply::Accepted(Accepted::Queued { number })) if is_over => {
            app.say(Mood::Good, format!("message {number} is kept; R resumes the run with it"));
        }
        Ok(Reply::Accepted(accepted)) => app.say(Mood::Good, said(accepted)),
        Ok(Reply::Refused(why)) => app.say(Mood::Bad, format!("{}: {why}", refused(request))),
        Err(why) => app.say(Mood::Bad, typeset::text::visible(&why)),
    }
}

fn said(accepted: Accepted) -> String {
    match accepted {
        Accepted::Stops { after: Some(unit) } => {
            format!("the run ends after iteration {} of step {}", unit.iteration, unit.step)
        }
        Accepted::Stops { after: None } | Accepted::Ends => "the run is ending".to_owned(),
        Accepted::Paused => "the run is paused; p continues it".to_owned(),
        Accepted::Continued => "the run continues".to_owned(),
        Accepted::Queued { number } => format!("message {number} waits for the next agent"),
        Accepted::Skips { step } => format!("step {step} is skipped"),
        Accepted::Changed => "the limits are changed".to_owned(),
    }
}

const fn refused(request: &Request) -> &'static str {
    match request {
        Request::Stop | Request::StopNow => "cannot stop",
        Request::Pause => "cannot pause",
        Request::Continue => "cannot continue",
        Request::Tell(_) => "cannot tell it",
        Request::Skip => "cannot skip",
        Request::Set(_) => "cannot change limits",
    }
}
