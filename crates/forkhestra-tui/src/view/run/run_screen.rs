//! The run screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{
    activity_line, chain_row, header, lane_rows, limit_bars, messages, output, question_rows,
    step_details, task_line, tasks, timeline,
};
use crate::app::App;
use crate::app::run_screen_state::{RunFocus, RunScreenState, RunTab};
use crate::hit_map::{HitMap, HitTarget};
use crate::theme::{BAD, DIM, FOCUSED, NAME, OPEN, PLAIN};
use crate::view::detail::{checks, detail_screen, diff_screen};
use crate::view::screen_row::{ScreenRow, columns, row_at};

/// Minimum width for timeline and tabs side by side.
const MIN_WIDTH_FOR_TABS: u16 = 70;
/// Minimum width for the output beside the other tabs.
const MIN_WIDTH_FOR_OUTPUT: u16 = 150;

/// Draws the screen above the footer.
pub(crate) fn draw(
    app: &App,
    run: &RunScreenState,
    area: Rect,
    buffer: &mut Buffer,
    hit_map: &mut HitMap,
) {
    let mut rest = area;
    let next = |rest: &mut Rect| {
        let row = row_at(*rest, 0);
        rest.y += row.height;
        rest.height -= row.height;
        row
    };
    header::draw(run, app.now, next(&mut rest), buffer);
    if let Some(history) = run.history.as_ref().filter(|_| area.height >= 12) {
        chain_row::draw(run, history, next(&mut rest), buffer, hit_map);
    }
    let status = next(&mut rest);
    let doing = activity_line::row(run, app.clock());
    doing.draw(status, buffer);
    let used = columns(doing.width()).min(status.width);
    let room = Rect { x: status.x + used, width: status.width - used, ..status };
    activity_line::time_left(run, app.now).draw_right(room, buffer);
    for lane in lane_rows::rows(run, area, app.now) {
        lane.draw(next(&mut rest), buffer);
    }
    for question in question_rows::rows(run, area) {
        question.draw(next(&mut rest), buffer);
    }
    if run.task_progress().is_some() {
        task_line::draw(run, next(&mut rest), buffer);
    }
    if let Some(why) = run.problem_text() {
        ScreenRow::new().add(BAD, "✗ ").add_foreign(PLAIN, why).draw(next(&mut rest), buffer);
    }
    if area.height >= 14 {
        limit_bars::draw(run, app.now, next(&mut rest), buffer);
    }
    if let Some(diff) = &run.diff {
        diff_screen::draw(run, diff, rest, buffer, hit_map);
    } else if run.detail.is_some() {
        detail_screen::draw(run, app.clock(), rest, buffer, hit_map);
    } else {
        body(app, run, rest, buffer, hit_map);
    }
}

fn body(app: &App, run: &RunScreenState, area: Rect, buffer: &mut Buffer, hit_map: &mut HitMap) {
    hit_map.is_wide = area.width >= MIN_WIDTH_FOR_TABS;
    hit_map.has_side = area.width >= MIN_WIDTH_FOR_OUTPUT;
    if !hit_map.is_wide {
        let area = match run.focus {
            RunFocus::Timeline => (area, None),
            RunFocus::Pane => (Rect { width: 0, ..area }, Some(area)),
        };
        return columns_of(app, run, area, buffer, hit_map);
    }
    // Without tasks and commits, costs use their columns.
    let narrow = if timeline::has_texts(run) { 30 } else { 33 };
    let left = if area.width < 100 { narrow } else { (area.width * 2 / 5).min(60) };
    let (list, rest) = split(area, left);
    columns_of(app, run, (list, Some(rest)), buffer, hit_map);
}

/// Draws the timeline, if it has any width, and the pane beside it.
fn columns_of(
    app: &App,
    run: &RunScreenState,
    (list, rest): (Rect, Option<Rect>),
    buffer: &mut Buffer,
    hit_map: &mut HitMap,
) {
    if list.width > 0 {
        let title =
            ScreenRow::new().add(title_style(run.focus == RunFocus::Timeline), "Iterations");
        let title = title.add(PLAIN, format!(" {}", run.entries()));
        rule(list, &title, &ScreenRow::new(), buffer);
        if let Some(history) = &run.history {
            timeline::draw(run, history, app.now, below(list), buffer, hit_map);
        }
    }
    let Some(rest) = rest else { return };
    if !hit_map.has_side {
        tabs(run, &RunTab::ALL, rest, buffer, hit_map);
        return pane(app, run, run.tab, below(rest), HitTarget::Pane, buffer, hit_map);
    }
    let side_width = (rest.width * 2 / 5).clamp(50, 80);
    let (middle, side) = split(rest, rest.width - side_width - 1);
    let is_here = run.focus == RunFocus::Pane && run.tab == RunTab::Output;
    let title = ScreenRow::new().add(title_style(is_here), format!("1 {}", RunTab::Output.title()));
    let room = usize::from(middle.width).saturating_sub(title.width() + 4);
    rule(middle, &title, &output::summary(&run.output, room), buffer);
    hit_map.add(row_at(middle, 0), HitTarget::Tab(RunTab::Output));
    pane(app, run, RunTab::Output, below(middle), HitTarget::Pane, buffer, hit_map);
    tabs(run, &RunTab::ALL[1..], side, buffer, hit_map);
    pane(app, run, side_tab(run), below(side), HitTarget::Side, buffer, hit_map);
}

/// The tab shown beside the output.
const fn side_tab(run: &RunScreenState) -> RunTab {
    match run.tab {
        RunTab::Output => RunTab::Details,
        tab => tab,
    }
}

/// Splits an area into two with a column between them.
fn split(area: Rect, left: u16) -> (Rect, Rect) {
    let left = left.min(area.width);
    let right = area.width.saturating_sub(left + 1);
    (Rect { width: left, ..area }, Rect { x: area.right() - right, width: right, ..area })
}

/// The area below the title row.
fn below(area: Rect) -> Rect {
    let title = area.height.min(1);
    Rect { y: area.y + title, height: area.height - title, ..area }
}

const fn title_style(is_here: bool) -> ratatui::style::Style {
    if is_here { FOCUSED } else { NAME }
}

/// A horizontal line with a title and a text at its end.
pub(crate) fn rule(area: Rect, title: &ScreenRow, end: &ScreenRow, buffer: &mut Buffer) {
    let row = row_at(area, 0);
    ScreenRow::new().add(DIM, "─".repeat(usize::from(row.width))).draw(row, buffer);
    let title = ScreenRow::new().add(PLAIN, " ").join(title.clone()).add(PLAIN, " ");
    let inside = Rect { x: row.x + row.width.min(1), width: row.width.saturating_sub(2), ..row };
    title.draw(inside, buffer);
    let used = columns(title.width()).min(inside.width);
    let rest = Rect { x: inside.x + used, width: inside.width - used, ..inside };
    end.draw_right(rest, buffer);
}

/// Draws the clickable tab titles and the display settings of the output.
fn tabs(
    run: &RunScreenState,
    tabs: &[RunTab],
    area: Rect,
    buffer: &mut Buffer,
    hit_map: &mut HitMap,
) {
    let shown = if tabs.contains(&run.tab) { run.tab } else { side_tab(run) };
    rule(area, &ScreenRow::new(), &ScreenRow::new(), buffer);
    let row = row_at(area, 0);
    let mut rest = Rect { x: row.x + row.width.min(1), width: row.width.saturating_sub(1), ..row };
    let whole = output::summary(&run.output, usize::MAX);
    // The default settings can be left out.
    let is_usual = shown != RunTab::Output || run.output.is_usual();
    let end = if is_usual { 0 } else { whole.width() + 1 };
    let fits = |title: &PanelTitle| {
        let widths = tabs.iter().map(|tab| tab_row(run, *tab, shown, *title).width());
        widths.sum::<usize>() + end <= usize::from(rest.width)
    };
    let titles = [PanelTitle::Whole, PanelTitle::Close, PanelTitle::Short, PanelTitle::Shortest];
    let title = titles.into_iter().find(fits).unwrap_or(PanelTitle::Number);
    for tab in tabs {
        let title = tab_row(run, *tab, shown, title);
        title.draw(rest, buffer);
        let here = Rect { width: columns(title.width()).min(rest.width), ..rest };
        hit_map.add(here, HitTarget::Tab(*tab));
        rest = Rect { x: here.right(), width: rest.width - here.width, ..rest };
    }
    if shown == RunTab::Output {
        // Gap between the titles and default settings.
        let gap = if is_usual { 4 } else { 0 };
        let rest = Rect {
            x: (rest.x + gap).min(rest.right()),
            width: rest.width.saturating_sub(gap + 1),
            ..rest
        };
        output::summary(&run.output, usize::from(rest.width)).draw_right(rest, buffer);
    }
}

/// How long tab titles are. The key is always shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PanelTitle {
    /// Name, count, and space on both sides.
    Whole,
    /// The same with less space.
    Close,
    /// Short name, and the counts of checks and tasks.
    Short,
    /// The same with three letters for tabs that are not open.
    Shortest,
    /// The name of the open tab, and the count of tasks.
    Number,
}

fn tab_row(run: &RunScreenState, tab: RunTab, shown: RunTab, title: PanelTitle) -> ScreenRow {
    let number = RunTab::ALL.iter().position(|other| *other == tab).unwrap_or(0) + 1;
    let style = match (tab == shown, run.focus) {
        (true, RunFocus::Pane) => FOCUSED,
        (true, RunFocus::Timeline) => OPEN,
        (false, _) => PLAIN,
    };
    let name = match title {
        PanelTitle::Whole | PanelTitle::Close => tab.title(),
        PanelTitle::Short => tab.short_title(),
        PanelTitle::Shortest | PanelTitle::Number if tab == shown => tab.short_title(),
        PanelTitle::Shortest => tab.shortest_title(),
        PanelTitle::Number => "",
    };
    let name = format!("{number} {name}").trim_end().to_owned();
    let row = ScreenRow::new().add(PLAIN, " ").add(style, name).join(tab_count(run, tab, title));
    if title == PanelTitle::Whole { row.add(PLAIN, " ") } else { row }
}

/// The count of a tab, if it fits.
fn tab_count(run: &RunScreenState, tab: RunTab, title: PanelTitle) -> ScreenRow {
    let is_roomy = matches!(title, PanelTitle::Whole | PanelTitle::Close);
    match tab {
        RunTab::Tasks => {
            let progress = run.task_progress();
            let done = progress.map(|tasks| format!(" {}/{}", tasks.done, tasks.all));
            ScreenRow::new().add(PLAIN, done.unwrap_or_default())
        }
        RunTab::Checks => match run.checks().iter().filter(|check| !check.passed()).count() {
            0 => ScreenRow::new(),
            _ if title == PanelTitle::Number => ScreenRow::new(),
            _ if title == PanelTitle::Shortest => ScreenRow::new().add(BAD, " ✗"),
            failed => ScreenRow::new().add(BAD, " ✗").add(PLAIN, failed.to_string()),
        },
        RunTab::Messages if is_roomy => {
            let warnings = run.history.as_ref().map_or(0, |history| history.warnings.len());
            match run.messages().len() + warnings + usize::from(run.problem_text().is_some()) {
                0 => ScreenRow::new(),
                count => ScreenRow::new().add(PLAIN, format!(" {count}")),
            }
        }
        RunTab::Output | RunTab::Messages | RunTab::Details => ScreenRow::new(),
    }
}

/// Draws the content of a tab.
fn pane(
    app: &App,
    run: &RunScreenState,
    tab: RunTab,
    area: Rect,
    target: HitTarget,
    buffer: &mut Buffer,
    hit_map: &mut HitMap,
) {
    hit_map.add(area, target);
    let inside =
        Rect { x: area.x + area.width.min(1), width: area.width.saturating_sub(2), ..area };
    let width = usize::from(inside.width);
    let rows = match tab {
        RunTab::Output => return output::draw(run, inside, buffer, hit_map),
        RunTab::Checks => checks::rows(run, width),
        RunTab::Tasks => return tasks::draw(run, inside, buffer, hit_map),
        RunTab::Messages => messages::rows(run, app.clock(), width),
        RunTab::Details => step_details::rows(run, app.clock(), !hit_map.is_wide, width),
    };
    let height = usize::from(inside.height);
    hit_map.pane_rows = (height, rows.len());
    // The stored scroll position is kept even if the content has become shorter.
    let first = run.scroll.min(rows.len().saturating_sub(height));
    for (number, row) in rows.iter().skip(first).take(height).enumerate() {
        row.draw(row_at(inside, number), buffer);
    }
}
