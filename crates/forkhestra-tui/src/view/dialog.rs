//! Drawing of dialogs.

use forkhestra_core::control::MAX_MESSAGE_BYTES;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use typeset::text::folds;
use unicode_width::UnicodeWidthStr;

use super::run::question_rows::{folded, folded_rows};
use super::screen_row::{ScreenRow, columns, row_at};
use crate::app::App;
use crate::app::answer_form::AnswerForm;
use crate::app::dialog::{ConfirmDialog, ScreenDialog, TextDialog};
use crate::app::limits_form::LimitsForm;
use crate::app::text_editor::TextEditor;
use crate::app::wrapping::breaks;
use crate::hit_map::{HitMap, HitTarget};
use crate::keys::{BINDINGS, KeyContext};
use crate::theme::{ACCENT, BAD, DIM, KEY, NAME, PLAIN, SELECTED};

/// Draws the open dialog, if any.
pub(crate) fn draw(app: &App, area: Rect, frame: &mut Frame<'_>, hit_map: &mut HitMap) {
    match &app.dialog {
        Some(ScreenDialog::Confirm(confirm)) => draw_confirm(confirm, area, frame, hit_map),
        Some(ScreenDialog::Tell(editor)) => draw_tell(app, editor, area, frame, hit_map),
        Some(ScreenDialog::Answer(form)) => draw_answer(form, area, frame, hit_map),
        Some(ScreenDialog::Limits(form)) => draw_limits(form, area, frame, hit_map),
        Some(ScreenDialog::Text(text)) => draw_text(text, area, frame, hit_map),
        Some(ScreenDialog::Help(scroll)) => draw_help(app, *scroll, area, frame, hit_map),
        None => {}
    }
}

/// Draws an empty centred box with a title and returns the area inside.
fn boxed(
    title: &str,
    (width, height): (u16, u16),
    area: Rect,
    frame: &mut Frame<'_>,
    hit_map: &mut HitMap,
) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    let x = area.x + (area.width - width) / 2;
    let y = area.y + (area.height - height) / 2;
    let at = Rect { x, y, width, height };
    hit_map.add(area, HitTarget::Dialog);
    let buffer = frame.buffer_mut();
    for number in 0..usize::from(height) {
        let (left, middle, right) = match number {
            0 => ("╭", "─", "╮"),
            _ if number + 1 == usize::from(height) => ("╰", "─", "╯"),
            _ => ("│", " ", "│"),
        };
        let inside = middle.repeat(usize::from(width.saturating_sub(2)));
        let row = row_at(at, number);
        // Also resets the style of the cells below.
        buffer.set_style(row, ratatui::style::Style::reset());
        ScreenRow::new().add(ACCENT, format!("{left}{inside}{right}")).draw(row, buffer);
    }
    let head =
        Rect { x: at.x + 2.min(at.width), width: at.width.saturating_sub(4), ..row_at(at, 0) };
    ScreenRow::new().add(NAME, format!(" {title} ")).draw(head, buffer);
    Rect {
        x: at.x + 2.min(at.width),
        y: at.y + 1.min(at.height),
        width: at.width.saturating_sub(4),
        height: at.height.saturating_sub(2),
    }
}

fn draw_confirm(confirm: &ConfirmDialog, area: Rect, frame: &mut Frame<'_>, hit_map: &mut HitMap) {
    let width = area.width.min(64);
    let text = folds(&confirm.sentence, usize::from(width.saturating_sub(4)));
    let height = columns(text.len()) + 4;
    let inside = boxed(confirm.title, (width, height), area, frame, hit_map);
    let buffer = frame.buffer_mut();
    let room = usize::from(inside.height.saturating_sub(1));
    for (number, part) in text.iter().take(room).enumerate() {
        ScreenRow::new()
            .add(PLAIN, &confirm.sentence[part.clone()])
            .draw(row_at(inside, number), buffer);
    }
    let last = row_at(inside, usize::from(inside.height.saturating_sub(1)));
    let style = |is_chosen| if is_chosen { SELECTED } else { PLAIN };
    let answers = [(" No ", false), (" Yes ", true)];
    let mut column = last.x;
    for (text, is_yes) in answers {
        let at = Rect {
            x: column,
            width: columns(text.len()).min(last.right().saturating_sub(column)),
            ..last
        };
        ScreenRow::new().add(style(confirm.is_yes == is_yes), text).draw(at, buffer);
        hit_map.add(at, HitTarget::Answer(is_yes));
        column = (at.right() + 2).min(last.right());
    }
    let hint = ScreenRow::new().add(KEY, "y").add(PLAIN, " yes  ").add(KEY, "n").add(PLAIN, " no");
    hint.draw_right(Rect { x: column, width: last.right() - column, ..last }, buffer);
}

/// Draws a text unchanged, with long lines wrapped.
fn draw_text(dialog: &TextDialog, area: Rect, frame: &mut Frame<'_>, hit_map: &mut HitMap) {
    let width = usize::from(area.width.saturating_sub(4));
    let lines = typeset::text::visible_lines(&dialog.text);
    let lines: Vec<String> = lines
        .iter()
        .flat_map(|line| breaks(line, width).into_iter().map(|part| line[part].to_owned()))
        .collect();
    let hint = folds(dialog.hint, width);
    let widest = lines.iter().map(|line| line.width()).max().unwrap_or(0);
    let widest = widest.max(dialog.hint.width().min(width)).max(dialog.title.width() + 2);
    let size = (columns(widest + 4), columns(lines.len() + hint.len() + 3));
    let inside = boxed(dialog.title, size, area, frame, hit_map);
    let room = usize::from(inside.height).saturating_sub(hint.len() + 1);
    let buffer = frame.buffer_mut();
    for (number, line) in lines.iter().take(room.max(1)).enumerate() {
        ScreenRow::new().add(NAME, line).draw(row_at(inside, number), buffer);
    }
    let first = usize::from(inside.height).saturating_sub(hint.len());
    for (number, part) in hint.into_iter().enumerate() {
        ScreenRow::new()
            .add(PLAIN, &dialog.hint[part])
            .draw(row_at(inside, first + number), buffer);
    }
}

fn draw_tell(
    app: &App,
    editor: &TextEditor,
    area: Rect,
    frame: &mut Frame<'_>,
    hit_map: &mut HitMap,
) {
    let width = area.width.saturating_sub(4).clamp(area.width.min(30), 90);
    let height = (area.height / 2).clamp(area.height.min(7), 18);
    let inside = boxed("Tell the next agent", (width, height), area, frame, hit_map);
    let text = Rect { height: inside.height.saturating_sub(1), ..inside };
    draw_editor(editor, text, frame);
    let buffer = frame.buffer_mut();
    let last = row_at(inside, usize::from(text.height));
    let waits =
        app.run.as_ref().map_or(0, crate::app::run_screen_state::RunScreenState::waiting_messages);
    let waits = if waits == 0 { String::new() } else { format!("  {waits} waiting") };
    draw_editor_keys(("send", &waits), editor, last, buffer, hit_map);
}

/// Draws the question and an editor for the comment.
fn draw_answer(form: &AnswerForm, area: Rect, frame: &mut Frame<'_>, hit_map: &mut HitMap) {
    const COMMENT: &str = "Comment for the next agent (optional):";
    const SHORT_COMMENT: &str = "Comment:";
    let width = area.width.saturating_sub(4).clamp(area.width.min(30), 90);
    let height = (area.height / 2 + 3).clamp(area.height.min(9), 20);
    let inside = boxed(form.title(), (width, height), area, frame, hit_map);
    let buffer = frame.buffer_mut();
    // The comment has at least two rows, one for its title, and one is for the keys.
    let room = usize::from(inside.height).saturating_sub(4).max(1);
    let width = usize::from(inside.width);
    let refusal = form.refusal.as_ref().map(|why| format!("✗ {why}"));
    let refusal = refusal.map(|why| folded_rows(&why, width, room.saturating_sub(1).min(6)));
    let refusal = refusal.unwrap_or_default();
    let question = folded(&form.question, width);
    let shown = (room - refusal.len()).clamp(1, 6).min(question.len());
    hit_map.question_rows = (shown, question.len());
    let first = form.scroll.min(question.len() - shown);
    for (number, row) in question.iter().skip(first).take(shown).enumerate() {
        ScreenRow::new().add(NAME, row).draw(row_at(inside, number), buffer);
    }
    let below_question = row_at(inside, shown);
    if shown < question.len() {
        ScreenRow::new().add(DIM, SHORT_COMMENT).draw(below_question, buffer);
        let keys = ScreenRow::new().add(KEY, "PgUp PgDn").add(PLAIN, " question");
        keys.draw_right(below_question, buffer);
    } else {
        ScreenRow::new().add(DIM, COMMENT).draw(below_question, buffer);
    }
    let used = columns(shown + 1).min(inside.height);
    let last = row_at(inside, usize::from(inside.height.saturating_sub(1)));
    let below = columns(refusal.len()) + 1;
    let text =
        Rect { y: inside.y + used, height: inside.height.saturating_sub(used + below), ..inside };
    let first = usize::from(inside.height.saturating_sub(below));
    for (number, row) in (first..).zip(&refusal) {
        row.draw(row_at(inside, number), buffer);
    }
    let note = if form.is_sent { "  sent" } else { "" };
    draw_editor_keys((form.verb(), note), &form.comment, last, buffer, hit_map);
    draw_editor(&form.comment, text, frame);
}

/// Draws the keys below an editor and the size of its text.
fn draw_editor_keys(
    (verb, note): (&str, &str),
    editor: &TextEditor,
    last: Rect,
    buffer: &mut Buffer,
    hit_map: &mut HitMap,
) {
    let size = editor.size();
    let style = if size > MAX_MESSAGE_BYTES { BAD } else { PLAIN };
    let used = format!("{size}/{MAX_MESSAGE_BYTES} bytes{note}");
    let send = ScreenRow::new().add(KEY, "Ctrl-S").add(PLAIN, format!(" {verb}  "));
    let leave = ScreenRow::new().add(KEY, "Esc").add(PLAIN, " leave  ");
    let at = Rect { width: columns(send.width()).min(last.width), ..last };
    let rest = Rect { x: at.right(), width: last.width - at.width, ..last };
    let beside = Rect { width: columns(leave.width()).min(rest.width), ..rest };
    send.draw(at, buffer);
    leave.draw(beside, buffer);
    hit_map.add(at, HitTarget::Answer(true));
    hit_map.add(beside, HitTarget::Answer(false));
    let rest = Rect { x: beside.right(), width: rest.width - beside.width, ..rest };
    ScreenRow::new().add(style, used).draw_right(rest, buffer);
}

/// Draws the rows of an editor around its cursor.
fn draw_editor(editor: &TextEditor, area: Rect, frame: &mut Frame<'_>) {
    let width = usize::from(area.width).saturating_sub(1).max(2);
    let (cursor_line, cursor_place) = editor.cursor();
    let mut rows: Vec<&str> = Vec::new();
    let mut cursor = (0, 0);
    for (number, line) in editor.lines().iter().enumerate() {
        for part in breaks(line, width) {
            let is_here = number == cursor_line && (part.start..=part.end).contains(&cursor_place);
            if is_here {
                cursor = (rows.len(), line[part.start..cursor_place].width());
            }
            rows.push(&line[part]);
        }
    }
    let height = usize::from(area.height);
    let first = (cursor.0 + 1).saturating_sub(height);
    for (number, row) in rows.iter().skip(first).take(height).enumerate() {
        ScreenRow::new().add_foreign(PLAIN, row).draw(row_at(area, number), frame.buffer_mut());
    }
    set_cursor(area, (cursor.0 - first, cursor.1), frame);
}

fn set_cursor(area: Rect, (row, column): (usize, usize), frame: &mut Frame<'_>) {
    if area.is_empty() {
        return;
    }
    let x = area.x.saturating_add(columns(column)).min(area.right() - 1);
    let y = area.y.saturating_add(columns(row)).min(area.bottom() - 1);
    frame.set_cursor_position(Position { x, y });
}

fn draw_limits(form: &LimitsForm, area: Rect, frame: &mut Frame<'_>, hit_map: &mut HitMap) {
    const LABEL_WIDTH: usize = 25;
    const HINT: usize = 2;
    let height = columns(form.fields.len() + HINT) + 3;
    let inside = boxed("Limits from now on", (76, height), area, frame, hit_map);
    let room = usize::from(inside.height).saturating_sub(HINT + 1).max(1);
    let first = (form.selected + 1).saturating_sub(room);
    let below = room.min(form.fields.len());
    for (number, field) in form.fields.iter().enumerate().skip(first).take(room) {
        let is_here = number == form.selected;
        let row = row_at(inside, number - first);
        let style = if is_here { NAME } else { PLAIN };
        ScreenRow::new()
            .add(style, format!("{:<LABEL_WIDTH$}", field.limit.title()))
            .add_foreign(if field.trouble.is_some() { BAD } else { style }, &field.editor.text())
            .draw(row, frame.buffer_mut());
        hit_map.add(row, HitTarget::Field(number));
        if is_here {
            let before = &field.editor.text()[..field.editor.cursor().1];
            set_cursor(row, (0, LABEL_WIDTH + before.width()), frame);
            let (style, hint) = match &field.trouble {
                Some(why) => (BAD, why.clone()),
                None => (PLAIN, field.limit.hint()),
            };
            let parts = folds(&hint, usize::from(inside.width));
            for (number, part) in (below..).zip(parts.into_iter().take(HINT)) {
                ScreenRow::new()
                    .add(style, &hint[part])
                    .draw(row_at(inside, number), frame.buffer_mut());
            }
        }
    }
    let last = row_at(inside, below + HINT);
    let keys = ScreenRow::new().add(KEY, "Enter").add(PLAIN, " set  ");
    let at = Rect { width: columns(keys.width()).min(last.width), ..last };
    hit_map.add(at, HitTarget::Answer(true));
    hit_map.add(
        Rect { x: at.right(), width: last.width - at.width, ..last },
        HitTarget::Answer(false),
    );
    let rest =
        ScreenRow::new().add(KEY, "Tab").add(PLAIN, " next  ").add(KEY, "Esc").add(PLAIN, " leave");
    keys.join(rest).draw(last, frame.buffer_mut());
}

fn draw_help(app: &App, scroll: usize, area: Rect, frame: &mut Frame<'_>, hit_map: &mut HitMap) {
    let rows = help_rows(app.run.is_none());
    let width = columns(rows.iter().map(ScreenRow::width).max().unwrap_or(0) + 4);
    let inside = boxed("Keys", (width, columns(rows.len() + 2)), area, frame, hit_map);
    let height = usize::from(inside.height);
    hit_map.help_rows = (height, rows.len());
    let first = scroll.min(rows.len().saturating_sub(height));
    for (number, row) in rows.iter().skip(first).take(height).enumerate() {
        row.draw(row_at(inside, number), frame.buffer_mut());
    }
}

/// All keys and signs. The keys of the list come first on the list screen.
fn help_rows(is_list: bool) -> Vec<ScreenRow> {
    let mut groups = [
        (KeyContext::Steering, "Steering"),
        (KeyContext::Resuming, "A run that is over"),
        (KeyContext::Run, "A run"),
        (KeyContext::Iteration, "The selected iteration"),
        (KeyContext::Lines, "Output and diffs"),
        (KeyContext::Output, "Output"),
        (KeyContext::List, "The list of runs"),
        (KeyContext::Everywhere, "Everywhere"),
    ];
    if is_list {
        groups.rotate_right(2);
    }
    let mut rows = Vec::new();
    for (place, title) in groups {
        rows.push(ScreenRow::new().add(NAME, title));
        let here =
            BINDINGS.iter().filter(|binding| binding.context == place && !binding.key.is_empty());
        rows.extend(here.map(|binding| {
            ScreenRow::new().add(KEY, format!("  {:<8}", binding.key)).add(PLAIN, binding.help)
        }));
    }
    rows.push(ScreenRow::new().add(NAME, "Signs"));
    let signs = [
        ("✓", "complete, done"),
        ("·", "continued: more to do"),
        ("▲", "completion refused, or a limit"),
        ("✗", "failed, or blocked"),
        ("■", "ended by a limit or on request"),
        ("◐", "waits, is being checked, or stops"),
        ("?", "asks a question"),
        ("‖", "paused"),
        ("»", "skipped"),
        ("↻", "cut off; its number is used again"),
        ("Δ", "the iteration changed the work tree"),
        ("=", "the iteration changed nothing"),
        ("●○", "task: in progress, to do"),
        ("━─", "used and left of a limit; done tasks"),
        ("▁▃█", "cost or tokens of iterations (view 5)"),
    ];
    rows.extend(
        signs.map(|(sign, what)| {
            ScreenRow::new().add(PLAIN, format!("  {sign:<8}")).add(PLAIN, what)
        }),
    );
    rows
}
