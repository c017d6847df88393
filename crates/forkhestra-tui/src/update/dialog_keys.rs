//! Keys of dialogs.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use forkhestra_core::control::{ControlRequest, MAX_MESSAGE_BYTES};
use forkhestra_core::event::LimitChanges;

use super::resume::resume;
use super::rewind::rewind;
use super::steering::send_request;
use crate::app::App;
use crate::app::answer_form::AnswerForm;
use crate::app::dialog::{ConfirmDialog, ConfirmedAction, ScreenDialog, ToastKind};
use crate::app::limits_form::LimitsForm;
use crate::app::text_editor::TextEditor;
use crate::msg::Cmd;

pub(super) fn press(app: &mut App, key: KeyEvent) -> Vec<Cmd> {
    // A dialog stays open only if its handler puts it back.
    match app.dialog.take() {
        Some(ScreenDialog::Confirm(confirm)) => confirm_key(app, confirm, key),
        Some(ScreenDialog::Tell(editor)) => message_dialog_key(app, editor, key),
        Some(ScreenDialog::Answer(form)) => answer_form_key(app, form, key),
        Some(ScreenDialog::Limits(form)) => limits_key(app, form, key),
        Some(ScreenDialog::Help(scroll)) => {
            help_key(app, scroll, key);
            Vec::new()
        }
        // Any key closes it.
        Some(ScreenDialog::Text(_)) => vec![Cmd::CaptureMouse(true)],
        None => Vec::new(),
    }
}

fn confirm_key(app: &mut App, mut confirm: ConfirmDialog, key: KeyEvent) -> Vec<Cmd> {
    match key.code {
        KeyCode::Char('y' | 'Y') => return answer(app, confirm, true),
        KeyCode::Char('n' | 'N' | 'q') | KeyCode::Esc => return answer(app, confirm, false),
        KeyCode::Enter => {
            let is_yes = confirm.is_yes;
            return answer(app, confirm, is_yes);
        }
        KeyCode::Left | KeyCode::Right | KeyCode::Tab | KeyCode::BackTab => {
            confirm.is_yes = !confirm.is_yes;
        }
        _ => {}
    }
    app.dialog = Some(ScreenDialog::Confirm(confirm));
    Vec::new()
}

/// Handles the answer of a confirmation.
pub(super) fn answer(app: &mut App, confirm: ConfirmDialog, is_yes: bool) -> Vec<Cmd> {
    match confirm.action {
        _ if !is_yes => Vec::new(),
        ConfirmedAction::Ask(request) => send_request(app, request),
        ConfirmedAction::Resume => resume(app),
        ConfirmedAction::Rewind(to) => rewind(app, to),
    }
}

fn message_dialog_key(app: &mut App, mut editor: TextEditor, key: KeyEvent) -> Vec<Cmd> {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    let is_alt = key.modifiers.contains(KeyModifiers::ALT);
    match key.code {
        KeyCode::Esc => return Vec::new(),
        KeyCode::Char('s') if is_control => return send(app, editor),
        KeyCode::Enter if is_alt || is_control => return send(app, editor),
        KeyCode::Enter => editor.break_line(),
        _ => drop(edit(&mut editor, key)),
    }
    app.dialog = Some(ScreenDialog::Tell(editor));
    Vec::new()
}

/// Enter begins a line of the comment, so that it answers nothing by mistake.
fn answer_form_key(app: &mut App, mut form: AnswerForm, key: KeyEvent) -> Vec<Cmd> {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    let is_alt = key.modifiers.contains(KeyModifiers::ALT);
    match key.code {
        KeyCode::Esc => return Vec::new(),
        KeyCode::PageUp | KeyCode::PageDown => {
            let rows = app.hit_map.borrow().question_rows;
            let page = rows.0.saturating_sub(1).max(1).cast_signed();
            form.scroll_by(if key.code == KeyCode::PageUp { -page } else { page }, rows);
        }
        // The reply closes the form, or opens it again for the next attempt.
        _ if form.is_sent => {}
        KeyCode::Char('s') if is_control => return send_answer(app, form),
        KeyCode::Enter if is_alt || is_control => return send_answer(app, form),
        KeyCode::Enter => form.comment.break_line(),
        _ => drop(edit(&mut form.comment, key)),
    }
    app.dialog = Some(ScreenDialog::Answer(form));
    Vec::new()
}

/// Sends an answer unless its comment is too long. The form stays until the run has taken it.
pub(super) fn send_answer(app: &mut App, mut form: AnswerForm) -> Vec<Cmd> {
    let is_short = form.comment.text().trim_end().len() <= MAX_MESSAGE_BYTES;
    let request = (is_short && !form.is_sent).then(|| form.request());
    if request.is_some() {
        form.is_sent = true;
        form.refusal = None;
    } else if !is_short {
        app.show_toast(ToastKind::Bad, long_message_text());
    }
    app.dialog = Some(ScreenDialog::Answer(form));
    request.map_or_else(Vec::new, |request| send_request(app, request))
}

fn long_message_text() -> String {
    format!("the message is longer than {} KiB", MAX_MESSAGE_BYTES / 1024)
}

/// Sends a message if it is neither empty nor too long.
pub(super) fn send(app: &mut App, editor: TextEditor) -> Vec<Cmd> {
    let text = editor.text();
    if text.trim().is_empty() {
        app.show_toast(ToastKind::Bad, "the message is empty");
    } else if text.trim_end().len() > MAX_MESSAGE_BYTES {
        app.show_toast(ToastKind::Bad, long_message_text());
    } else {
        return send_request(app, ControlRequest::tell(text.trim_end().to_owned()));
    }
    app.dialog = Some(ScreenDialog::Tell(editor));
    Vec::new()
}

fn limits_key(app: &mut App, mut form: LimitsForm, key: KeyEvent) -> Vec<Cmd> {
    match key.code {
        KeyCode::Esc => return Vec::new(),
        KeyCode::Enter => return set(app, form),
        KeyCode::Char('s') if key.modifiers.contains(KeyModifiers::CONTROL) => {
            return set(app, form);
        }
        KeyCode::Tab | KeyCode::Down => form.next(),
        KeyCode::BackTab | KeyCode::Up => form.previous(),
        _ => {
            let field = form.field_mut();
            if edit(&mut field.editor, key) {
                field.trouble = None;
            }
        }
    }
    app.dialog = Some(ScreenDialog::Limits(form));
    Vec::new()
}

/// Sends the changed limits if all fields are valid.
pub(super) fn set(app: &mut App, mut form: LimitsForm) -> Vec<Cmd> {
    match form.changes() {
        Some(changes) if changes == LimitChanges::default() => {
            app.show_toast(ToastKind::Neutral, "no limit was changed");
            Vec::new()
        }
        Some(changes) => send_request(app, ControlRequest::Set(changes)),
        None => {
            app.dialog = Some(ScreenDialog::Limits(form));
            Vec::new()
        }
    }
}

fn help_key(app: &mut App, scroll: usize, key: KeyEvent) {
    let (place, rows) = app.hit_map.borrow().help_rows;
    let last_scroll = rows.saturating_sub(place);
    let page = place.saturating_sub(1).max(1);
    let scroll = match key.code {
        KeyCode::Up => scroll.saturating_sub(1),
        KeyCode::Down => scroll + 1,
        KeyCode::PageUp => scroll.saturating_sub(page),
        KeyCode::PageDown | KeyCode::Char(' ') => scroll + page,
        KeyCode::Home => 0,
        KeyCode::End => last_scroll,
        _ => return,
    };
    app.dialog = Some(ScreenDialog::Help(scroll.min(last_scroll)));
}

/// Applies an editing key. Returns whether the key is one.
pub(super) fn edit(editor: &mut TextEditor, key: KeyEvent) -> bool {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    let is_alt = key.modifiers.contains(KeyModifiers::ALT);
    match key.code {
        KeyCode::Char('u') if is_control => editor.clear_line(),
        KeyCode::Char('w') if is_control => editor.delete_word(),
        KeyCode::Char('a') if is_control => editor.go_home(),
        KeyCode::Char('e') if is_control => editor.go_end(),
        KeyCode::Backspace if is_alt => editor.delete_word(),
        KeyCode::Char(letter) if !is_control && !is_alt => {
            editor.insert(letter.encode_utf8(&mut [0; 4]));
        }
        KeyCode::Backspace => editor.backspace(),
        KeyCode::Delete => editor.delete(),
        KeyCode::Left => drop(editor.go_left()),
        KeyCode::Right => editor.go_right(),
        KeyCode::Up => editor.go_up(),
        KeyCode::Down => editor.go_down(),
        KeyCode::Home => editor.go_home(),
        KeyCode::End => editor.go_end(),
        _ => return false,
    }
    true
}
