//! Resuming an ended run.

use forkhestra_core::id::RunId;

use crate::app::App;
use crate::app::dialog::{ConfirmDialog, ConfirmedAction, ScreenDialog, TextDialog, ToastKind};
use crate::app::run_screen_state::RunScreenState;
use crate::keys::KeyAction;
use crate::msg::Cmd;

/// Why a run cannot be resumed, if so.
fn why_not(run: &RunScreenState) -> Option<&'static str> {
    if !run.is_caught_up {
        Some("the run is still being read")
    } else if run.is_live() {
        Some("the run is active; there is nothing to resume")
    } else if run.resume.is_none() {
        Some("the run cannot be resumed")
    } else {
        None
    }
}

/// Whether the displayed run has ended and can be resumed.
pub(crate) fn can_resume(run: &RunScreenState) -> bool {
    why_not(run).is_none()
}

pub(super) fn perform(app: &mut App, action: KeyAction) -> Vec<Cmd> {
    let Some(run) = &app.run else { return Vec::new() };
    if let Some(why) = why_not(run) {
        app.show_toast(ToastKind::Bad, why);
        return Vec::new();
    }
    let Some(command) = run.resume.clone() else { return Vec::new() };
    match action {
        KeyAction::Resume => {
            app.dialog = Some(ScreenDialog::Confirm(confirm(run, &command)));
            Vec::new()
        }
        _ => {
            let copy = Cmd::Copy(command.clone());
            let hint = "Copied, if the terminal allows it. Any key closes this.";
            let text = TextDialog { title: "Resume command", text: command, hint };
            std::iter::once(copy).chain(show(app, text)).collect()
        }
    }
}

/// Shows a text that can be selected with the mouse.
pub(super) fn show(app: &mut App, text: TextDialog) -> Option<Cmd> {
    app.dialog = Some(ScreenDialog::Text(text));
    Some(Cmd::CaptureMouse(false))
}

fn confirm(run: &RunScreenState, command: &str) -> ConfirmDialog {
    let history = run.history.as_ref();
    let number = history.and_then(|history| history.state.current_step()).unwrap_or(1);
    let plan = history.map(|history| &history.state.plan);
    let name = plan.and_then(|plan| plan.step(number));
    let name = name.map(|step| typeset::text::visible(&step.agent.name)).unwrap_or_default();
    let steps = plan.map_or(1, |plan| plan.steps.len());
    let command = typeset::text::visible(command);
    ConfirmDialog {
        title: "Resume this run?",
        sentence: format!(
            "`{command}` is started in the background. It continues with step {number} of {steps} \
             ({name}); agents are started and paid for again."
        ),
        action: ConfirmedAction::Resume,
        is_yes: false,
    }
}

/// Resumes the displayed run.
pub(super) fn resume(app: &mut App) -> Vec<Cmd> {
    let Some(run) = &app.run else { return Vec::new() };
    let run = run.run.clone();
    app.show_toast(ToastKind::Neutral, "resuming the run…");
    vec![Cmd::Resume(run)]
}

/// Handles the result of a resume.
pub(super) fn resumed(app: &mut App, run: &RunId, result: Result<(), String>) -> Vec<Cmd> {
    app.has_changed = true;
    if app.run.as_ref().is_none_or(|shown| &shown.run != run) {
        return Vec::new();
    }
    match result {
        Ok(()) => {
            app.show_toast(ToastKind::Good, "the run continues in the background");
            Vec::new()
        }
        Err(why) => {
            app.toast = None;
            let hint = "Any key closes this.";
            let text = TextDialog { title: "The run was not resumed", text: why, hint };
            show(app, text).into_iter().collect()
        }
    }
}
