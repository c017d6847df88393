//! Keys of the output of an agent.

use crate::app::App;
use crate::app::editor::Editor;
use crate::app::output_view::Top;
use crate::app::run_view::{Focus, Pick, RunView, Tab};
use crate::keys::Action;
use crate::msg::Cmd;
use crate::world::Form;

pub(super) fn perform(app: &mut App, action: Action) -> Vec<Cmd> {
    let extent = app.hits.borrow().output;
    let Some(run) = &mut app.run else { return Vec::new() };
    let output = &mut run.output;
    match action {
        Action::Raw => {
            output.form = match output.form {
                Form::Rendered => Form::Raw,
                Form::Raw => Form::Rendered,
            };
            return again(run);
        }
        Action::Wrap => {
            output.wraps = !output.wraps;
            output.column = 0;
        }
        Action::Numbers => output.is_numbered = !output.is_numbered,
        Action::Follow => {
            run.pick = Pick::Latest;
            return follow(run);
        }
        Action::Search => {
            let before = output.search.as_ref().map_or("", |search| search.needle());
            app.query = Some(Editor::of_line(before));
            run.focus = Focus::Pane;
        }
        Action::NextMatch | Action::PreviousMatch => {
            let first = output.first(extent).0;
            let Some(search) = &mut output.search else { return Vec::new() };
            let found = match (action, search.here) {
                (Action::NextMatch, here) => search.next(here.unwrap_or(first - 1)),
                (_, here) => search.previous(here.unwrap_or(first)),
            };
            if let Some(key) = found {
                output.show(key, extent);
            }
        }
        _ => {}
    }
    wanted_earlier(run)
}

/// Goes to the end, and stays there. If it was forgotten it is read again.
pub(super) fn follow(run: &mut RunView) -> Vec<Cmd> {
    if run.tab == Tab::Output {
        run.focus = Focus::Pane;
    }
    run.output.top = Top::Follow;
    if run.output.buffer.has_lost_end() { again(run) } else { Vec::new() }
}

/// Reads the same output anew.
fn again(run: &mut RunView) -> Vec<Cmd> {
    let Some(unit) = run.output.unit else { return Vec::new() };
    run.output.turn_to(unit);
    vec![Cmd::Follow { unit, form: run.output.form }]
}

/// Earlier lines, before somebody comes to the first.
pub(super) fn wanted_earlier(run: &mut RunView) -> Vec<Cmd> {
    if !run.output.wants_earlier() {
        return Vec::new();
    }
    run.output.is_loading = true;
    vec![Cmd::LoadEarlier]
}
