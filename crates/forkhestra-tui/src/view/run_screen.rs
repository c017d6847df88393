//! The screen of one run.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::row::{Row, columns, row_at};
use super::{bars, checks, details, going_on, header, messages, output, tasks, timeline};
use crate::app::App;
use crate::app::run_view::{Focus, RunView, Tab};
use crate::hits::{Hits, Target};
use crate::theme::{ACCENT, BAD, DIM, NAME, PLAIN};

/// From here on iterations and tabs have their places side by side.
const WIDE: u16 = 70;
/// From here on the output has its place beside the other tabs.
const HUGE: u16 = 150;

/// Draws the screen into everything above the footer.
pub(crate) fn draw(app: &App, run: &RunView, place: Rect, buffer: &mut Buffer, hits: &mut Hits) {
    let mut rest = place;
    let next = |rest: &mut Rect| {
        let row = row_at(*rest, 0);
        rest.y += row.height;
        rest.height -= row.height;
        row
    };
    header::draw(run, app.now, next(&mut rest), buffer);
    if let Some(history) = run.history.as_ref().filter(|_| place.height >= 12) {
        header::draw_chain(run, history, next(&mut rest), buffer, hits);
    }
    let status = next(&mut rest);
    let doing = going_on::row(run, app.now);
    doing.draw(status, buffer);
    let used = columns(doing.width()).min(status.width);
    let room = Rect { x: status.x + used, width: status.width - used, ..status };
    going_on::time_left(run, app.now).draw_right(room, buffer);
    if let Some(why) = run.wrong() {
        Row::new().add(BAD, "✗ ").add_foreign(PLAIN, why).draw(next(&mut rest), buffer);
    }
    if place.height >= 14 {
        bars::draw(run, app.now, next(&mut rest), buffer);
    }
    body(app, run, rest, buffer, hits);
}

fn body(app: &App, run: &RunView, place: Rect, buffer: &mut Buffer, hits: &mut Hits) {
    hits.is_wide = place.width >= WIDE;
    hits.has_side = place.width >= HUGE;
    if !hits.is_wide {
        let place = match run.focus {
            Focus::Timeline => (place, None),
            Focus::Pane => (Rect { width: 0, ..place }, Some(place)),
        };
        return columns_of(app, run, place, buffer, hits);
    }
    let left = if place.width < 100 { 32 } else { (place.width / 3).min(48) };
    let (list, rest) = split(place, left);
    columns_of(app, run, (list, Some(rest)), buffer, hits);
}

/// The iterations, if they have any room, and what is beside them.
fn columns_of(
    app: &App,
    run: &RunView,
    (list, rest): (Rect, Option<Rect>),
    buffer: &mut Buffer,
    hits: &mut Hits,
) {
    if list.width > 0 {
        let title = Row::new().add(title_style(run.focus == Focus::Timeline), "Iterations");
        let title = title.add(DIM, format!(" {}", run.entries()));
        rule(list, &title, &Row::new(), buffer);
        if let Some(history) = &run.history {
            timeline::draw(run, history, app.now, below(list), buffer, hits);
        }
    }
    let Some(rest) = rest else { return };
    if !hits.has_side {
        tabs(run, &Tab::ALL, rest, buffer, hits);
        return pane(app, run, run.tab, below(rest), Target::Pane, buffer, hits);
    }
    let side_width = (rest.width * 2 / 5).clamp(50, 80);
    let (middle, side) = split(rest, rest.width - side_width - 1);
    let is_here = run.focus == Focus::Pane && run.tab == Tab::Output;
    let title = Row::new().add(title_style(is_here), Tab::Output.title());
    let room = usize::from(middle.width).saturating_sub(title.width() + 4);
    rule(middle, &title, &output::summary(&run.output, room), buffer);
    hits.add(row_at(middle, 0), Target::Tab(Tab::Output));
    pane(app, run, Tab::Output, below(middle), Target::Pane, buffer, hits);
    tabs(run, &Tab::ALL[1..], side, buffer, hits);
    pane(app, run, side_tab(run), below(side), Target::Side, buffer, hits);
}

/// What is shown beside the output.
const fn side_tab(run: &RunView) -> Tab {
    match run.tab {
        Tab::Output => Tab::Details,
        tab => tab,
    }
}

/// Two places with a line between them.
fn split(place: Rect, left: u16) -> (Rect, Rect) {
    let left = left.min(place.width);
    let right = place.width.saturating_sub(left + 1);
    (Rect { width: left, ..place }, Rect { x: place.right() - right, width: right, ..place })
}

/// Everything but the title of a place.
fn below(place: Rect) -> Rect {
    let title = place.height.min(1);
    Rect { y: place.y + title, height: place.height - title, ..place }
}

const fn title_style(is_here: bool) -> ratatui::style::Style {
    if is_here { ACCENT.add_modifier(ratatui::style::Modifier::BOLD) } else { NAME }
}

/// A line with a title in it, and something at its end.
fn rule(place: Rect, title: &Row, end: &Row, buffer: &mut Buffer) {
    let row = row_at(place, 0);
    Row::new().add(DIM, "─".repeat(usize::from(row.width))).draw(row, buffer);
    let title = Row::new().add(PLAIN, " ").join(title.clone()).add(PLAIN, " ");
    let inside = Rect { x: row.x + row.width.min(1), width: row.width.saturating_sub(2), ..row };
    title.draw(inside, buffer);
    let used = columns(title.width()).min(inside.width);
    let rest = Rect { x: inside.x + used, width: inside.width - used, ..inside };
    end.draw_right(rest, buffer);
}

/// The titles of the tabs, each of which can be clicked, and how the output is looked at.
fn tabs(run: &RunView, tabs: &[Tab], place: Rect, buffer: &mut Buffer, hits: &mut Hits) {
    let shown = if tabs.contains(&run.tab) { run.tab } else { side_tab(run) };
    rule(place, &Row::new(), &Row::new(), buffer);
    let row = row_at(place, 0);
    let mut rest = Rect { x: row.x + row.width.min(1), width: row.width.saturating_sub(2), ..row };
    let whole = output::summary(&run.output, usize::MAX);
    // That the end is followed is as usual, and can be left out.
    let is_usual = shown != Tab::Output || run.output.is_usual();
    let end = if is_usual { 0 } else { whole.width() };
    let fits = |title: &Title| {
        let widths = tabs.iter().map(|tab| tab_row(run, *tab, shown, *title).width());
        widths.sum::<usize>() + end <= usize::from(rest.width)
    };
    let title = [Title::Whole, Title::Name].into_iter().find(fits).unwrap_or(Title::Number);
    for tab in tabs {
        let title = tab_row(run, *tab, shown, title);
        title.draw(rest, buffer);
        let here = Rect { width: columns(title.width()).min(rest.width), ..rest };
        hits.add(here, Target::Tab(*tab));
        rest = Rect { x: here.right(), width: rest.width - here.width, ..rest };
    }
    if shown == Tab::Output {
        output::summary(&run.output, usize::from(rest.width)).draw_right(rest, buffer);
    }
}

/// How much of a title there is room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Title {
    /// The key and the name.
    Whole,
    /// The name.
    Name,
    /// The key, and the name of the tab that is shown.
    Number,
}

fn tab_row(run: &RunView, tab: Tab, shown: Tab, title: Title) -> Row {
    let number = Tab::ALL.iter().position(|other| *other == tab).unwrap_or(0) + 1;
    let style = match (tab == shown, run.focus) {
        (true, Focus::Pane) => title_style(true),
        (true, Focus::Timeline) => NAME,
        (false, _) => DIM,
    };
    let name = match title {
        Title::Whole => format!("{number} {}", tab.title()),
        Title::Number if tab != shown => number.to_string(),
        Title::Number | Title::Name => tab.title().to_owned(),
    };
    let row = Row::new().add(style, format!(" {name}"));
    let count = match tab {
        Tab::Checks => run.checks().iter().filter(|check| !check.passed()).count(),
        Tab::Messages => {
            let warnings = run.history.as_ref().map_or(0, |history| history.warnings.len());
            run.messages().len() + warnings + usize::from(run.wrong().is_some())
        }
        Tab::Tasks => {
            let done = tasks::done(run).map(|(done, all)| format!(" {done}/{all}"));
            let done = done.filter(|_| title == Title::Whole).unwrap_or_default();
            return row.add(DIM, done).add(PLAIN, " ");
        }
        Tab::Output | Tab::Details => 0,
    };
    let count_style = if tab == Tab::Checks { BAD } else { DIM };
    match count {
        0 => row.add(PLAIN, " "),
        _ if title != Title::Whole && tab != Tab::Checks => row.add(PLAIN, " "),
        count if tab == Tab::Checks => row.add(count_style, format!(" ✗{count} ")),
        count => row.add(count_style, format!(" {count} ")),
    }
}

/// What is looked at.
fn pane(
    app: &App,
    run: &RunView,
    tab: Tab,
    place: Rect,
    target: Target,
    buffer: &mut Buffer,
    hits: &mut Hits,
) {
    hits.add(place, target);
    let inside =
        Rect { x: place.x + place.width.min(1), width: place.width.saturating_sub(2), ..place };
    let width = usize::from(inside.width);
    let rows = match tab {
        Tab::Output => return output::draw(run, inside, buffer, hits),
        Tab::Checks => checks::rows(run, width),
        Tab::Tasks => tasks::rows(run, width),
        Tab::Messages => messages::rows(run, app.now, width),
        Tab::Details => details::rows(run, (!hits.is_wide).then_some(app.now), width),
    };
    let height = usize::from(inside.height);
    hits.pane_rows = (height, rows.len());
    // What was scrolled is not forgotten while a tab is shown whose content became shorter.
    let first = run.scroll.min(rows.len().saturating_sub(height));
    for (number, row) in rows.iter().skip(first).take(height).enumerate() {
        row.draw(row_at(inside, number), buffer);
    }
}
