//! Keys of the output and the diff.

use crate::app::App;
use crate::app::output_view::OutputTop;
use crate::app::run_screen_state::{IterationPick, RunFocus, RunScreenState, RunTab};
use crate::app::text_editor::TextEditor;
use crate::keys::KeyAction;
use crate::msg::Cmd;
use crate::run_source::OutputRendering;

pub(super) fn perform(app: &mut App, action: KeyAction) -> Vec<Cmd> {
    let extent = app.hit_map.borrow().output;
    let Some(run) = &mut app.run else { return Vec::new() };
    let lines = run.lines_mut();
    match action {
        KeyAction::Raw => {
            run.output.form = match run.output.form {
                OutputRendering::Rendered => OutputRendering::Raw,
                OutputRendering::Raw => OutputRendering::Rendered,
            };
            return again(run);
        }
        KeyAction::Wrap => {
            lines.wraps = !lines.wraps;
            lines.column = 0;
        }
        KeyAction::Numbers => lines.is_numbered = !lines.is_numbered,
        KeyAction::Follow => {
            run.pick = IterationPick::Latest;
            return follow(run);
        }
        KeyAction::Search => {
            let before = lines.search.as_ref().map_or("", |search| search.needle());
            app.query = Some(TextEditor::single_line(before));
            run.focus = RunFocus::Pane;
        }
        KeyAction::NextMatch | KeyAction::PreviousMatch => {
            let first = lines.first(extent).0;
            let Some(search) = &mut lines.search else { return Vec::new() };
            let found = match (action, search.here) {
                (KeyAction::NextMatch, here) => search.next(here.unwrap_or(first - 1)),
                (_, here) => search.previous(here.unwrap_or(first)),
            };
            if let Some(key) = found {
                lines.show(key, extent);
            }
        }
        _ => {}
    }
    request_earlier_lines(run)
}

/// Goes to the end and follows it. If the end was evicted, it is read again.
pub(super) fn follow(run: &mut RunScreenState) -> Vec<Cmd> {
    if run.tab == RunTab::Output {
        run.focus = RunFocus::Pane;
    }
    run.output.top = OutputTop::Follow;
    if run.output.buffer.has_lost_end() { again(run) } else { Vec::new() }
}

/// Reads the same output again.
fn again(run: &mut RunScreenState) -> Vec<Cmd> {
    let Some(unit) = run.output.unit else { return Vec::new() };
    run.output.switch_to(unit);
    vec![Cmd::Follow { unit, form: run.output.form }]
}

/// Requests earlier lines before the first loaded one is reached.
pub(super) fn request_earlier_lines(run: &mut RunScreenState) -> Vec<Cmd> {
    if !run.output.wants_earlier() {
        return Vec::new();
    }
    run.output.is_loading = true;
    vec![Cmd::LoadEarlier]
}
