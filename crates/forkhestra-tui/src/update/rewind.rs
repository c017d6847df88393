//! Rewinding the work tree of an ended run.

use forkhestra_core::history::SnapshotAddress;
use forkhestra_core::id::RunId;

use super::resume::show;
use crate::app::App;
use crate::app::dialog::{ConfirmDialog, ConfirmedAction, ScreenDialog, TextDialog, ToastKind};
use crate::app::run_screen_state::RunScreenState;
use crate::msg::Cmd;

/// The state after the displayed iteration, or why the work tree cannot be rewound to it.
fn target(run: &RunScreenState) -> Result<SnapshotAddress, String> {
    if !run.is_caught_up {
        return Err("the run is still being read".to_owned());
    }
    if run.is_live() {
        return Err("the run is active: it must be stopped before a rewind".to_owned());
    }
    let history = run.history.as_ref().ok_or("nothing is known of the run")?;
    let unit = run.shown_unit().ok_or("the run has no iteration")?;
    let address = history.snapshots.address_after(unit, history.steps.len());
    let list = format!("`forkhestra rewind {} --list` lists the snapshots", run.run);
    address.ok_or_else(|| format!("no snapshot after this iteration; {list}"))
}

/// Asks whether the work tree is to be rewound to the state after the displayed iteration.
pub(super) fn ask(app: &mut App) -> Vec<Cmd> {
    let Some(run) = &app.run else { return Vec::new() };
    match target(run) {
        Ok(to) => app.dialog = Some(ScreenDialog::Confirm(confirm(&run.run, to))),
        Err(why) => app.show_toast(ToastKind::Bad, why),
    }
    Vec::new()
}

fn confirm(run: &RunId, to: SnapshotAddress) -> ConfirmDialog {
    let state = match to {
        SnapshotAddress::Number(_) => format!("snapshot {to}"),
        SnapshotAddress::Iteration(_) | SnapshotAddress::StepIteration { .. } => {
            format!("the state after iteration {to}")
        }
    };
    ConfirmDialog {
        title: "Rewind the work tree?",
        sentence: format!(
            "Files, index and branch are brought back to {state} of run {run}. The current state is \
             saved first; `forkhestra rewind {run} --undo` restores it."
        ),
        action: ConfirmedAction::Rewind(to),
        is_yes: false,
    }
}

/// Rewinds the work tree of the displayed run.
pub(super) fn rewind(app: &mut App, to: SnapshotAddress) -> Vec<Cmd> {
    let Some(run) = &app.run else { return Vec::new() };
    let run = run.run.clone();
    app.show_progress("rewinding the work tree…");
    vec![Cmd::Rewind { run, to }]
}

/// Handles the result of a rewind. It is shown on every screen, but replaces no other dialog.
pub(super) fn rewound(app: &mut App, result: Result<String, String>) -> Vec<Cmd> {
    app.has_changed = true;
    let (title, kind, text) = match result {
        // It may have had nothing to change.
        Ok(text) => ("The result of the rewind", ToastKind::Good, text),
        Err(why) => ("The work tree was not rewound", ToastKind::Bad, why),
    };
    if app.dialog.is_some() || app.query.is_some() {
        let first = text.lines().next().unwrap_or_default().to_owned();
        app.show_toast(kind, first);
        return Vec::new();
    }
    app.toast = None;
    show(app, TextDialog { title, text, hint: "Any key closes this." }).into_iter().collect()
}
