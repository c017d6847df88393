//! The update function: applies messages to the state.

mod dialog_keys;
mod list_keys;
mod mouse;
mod output_keys;
mod query_keys;
mod resume;
mod rewind;
mod run_keys;
mod run_news;
mod steering;

use crossterm::event::{Event as TerminalEvent, KeyEvent, KeyEventKind};

use crate::app::App;
use crate::app::dialog::ScreenDialog;
use crate::app::run_screen_state::RunTab;
use crate::keys::{self, KeyAction, KeyContext};
use crate::msg::{Cmd, Msg};

pub(crate) use resume::can_resume;
pub(crate) use steering::steering_refusal;

/// Applies a message and returns the resulting commands.
pub fn update(app: &mut App, msg: Msg) -> Vec<Cmd> {
    let mut cmds = match msg {
        Msg::Terminal(event) => terminal(app, event),
        Msg::Runs(runs) => run_news::runs(app, runs),
        Msg::News(news) => run_news::apply_news(app, news),
        Msg::Output { run, unit, form, patch } => run_news::output(app, &run, (unit, form), patch),
        Msg::Tasks { run, board } => run_news::tasks(app, &run, board),
        Msg::Task { run, id, task } => run_news::task(app, &run, &id, task),
        Msg::Changes { run, unit, changes } => run_news::changes(app, &run, unit, changes),
        Msg::LastMessage { run, unit, message } => run_news::last_message(app, &run, unit, message),
        Msg::Diff { run, unit, lines } => run_news::diff(app, &run, unit, lines),
        Msg::Rewound(result) => rewind::rewound(app, result),
        Msg::Resumed { run, result } => resume::resumed(app, &run, result),
        Msg::Replied { run, request, result } => {
            steering::reply_received(app, &run, &request, result);
            Vec::new()
        }
        Msg::Tick(now) => {
            app.tick(now);
            Vec::new()
        }
    };
    cmds.extend(run_news::request_output(app));
    cmds
}

fn terminal(app: &mut App, event: TerminalEvent) -> Vec<Cmd> {
    app.has_changed = true;
    match event {
        TerminalEvent::Key(key) if key.kind != KeyEventKind::Release => press(app, key),
        TerminalEvent::Mouse(mouse) => mouse::mouse(app, mouse),
        TerminalEvent::Paste(text) if !is_too_small(app) => {
            paste(app, &text);
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// Whether the last frame showed nothing, so that a key could answer a question that is not visible.
fn is_too_small(app: &App) -> bool {
    app.hit_map.borrow().is_too_small
}

/// Inserts pasted text into the active editor. It is never interpreted as keys.
fn paste(app: &mut App, text: &str) {
    match (&mut app.dialog, &mut app.query) {
        (Some(ScreenDialog::Tell(editor)), _) => editor.insert(text),
        (Some(ScreenDialog::Answer(form)), _) if !form.is_sent => form.comment.insert(text),
        (Some(ScreenDialog::Limits(form)), _) => form.field_mut().editor.insert(text),
        (Some(_), _) => {}
        (None, Some(query)) => {
            query.insert(text);
            query_keys::start_search(app);
        }
        (None, None) => app.show_toast(
            crate::app::dialog::ToastKind::Neutral,
            "there is nothing to paste into here; press t to tell the next agent something",
        ),
    }
}

fn press(app: &mut App, key: KeyEvent) -> Vec<Cmd> {
    app.dismiss_toast();
    // These keys work in every context, so that quitting is always possible.
    let always = keys::action(key, |place| place == KeyContext::Everywhere);
    if let Some(action @ (KeyAction::Quit | KeyAction::Suspend | KeyAction::Redraw)) = always {
        return perform(app, action);
    }
    if is_too_small(app) {
        return Vec::new();
    }
    if app.dialog.is_some() {
        return dialog_keys::press(app, key);
    }
    if app.query.is_some() {
        return query_keys::press(app, key);
    }
    if app.run.is_none() && app.list.is_typing {
        return list_keys::type_filter(app, key);
    }
    let has_side = app.hit_map.borrow().has_side;
    match keys::action(key, |place| is_here(app, has_side, place)) {
        Some(action) => perform(app, action),
        None => Vec::new(),
    }
}

/// Whether the keys of a context are active. `has_side` is whether the output is always visible.
pub(crate) fn is_here(app: &App, has_side: bool, place: KeyContext) -> bool {
    match place {
        KeyContext::Everywhere => true,
        KeyContext::List => app.run.is_none(),
        KeyContext::Run | KeyContext::Steering | KeyContext::Resuming | KeyContext::Iteration => {
            app.run.is_some()
        }
        KeyContext::Lines => {
            let has_diff = app.run.as_ref().is_some_and(|run| run.diff.is_some());
            has_diff || is_here(app, has_side, KeyContext::Output)
        }
        KeyContext::Output => app.run.as_ref().is_some_and(|run| {
            let is_covered = run.detail.is_some() || run.diff.is_some();
            !is_covered && (has_side || run.tab == RunTab::Output)
        }),
    }
}

/// Performs the action of a key or a click.
fn perform(app: &mut App, action: KeyAction) -> Vec<Cmd> {
    match action {
        KeyAction::Quit => vec![Cmd::Quit],
        KeyAction::Suspend => vec![Cmd::Suspend],
        KeyAction::Redraw => vec![Cmd::Redraw],
        KeyAction::Help => {
            app.dialog = Some(ScreenDialog::Help(0));
            Vec::new()
        }
        _ if app.run.is_none() => list_keys::perform(app, action),
        KeyAction::Approve
        | KeyAction::Deny
        | KeyAction::Stop
        | KeyAction::StopNow
        | KeyAction::Pause
        | KeyAction::Tell
        | KeyAction::Skip
        | KeyAction::Limits => steering::perform(app, action),
        KeyAction::Resume | KeyAction::CopyResume => resume::perform(app, action),
        KeyAction::Rewind => rewind::ask(app),
        _ => run_keys::perform(app, action),
    }
}
