//! The steps of the chain in one row, with groups in parentheses and their rounds.

use forkhestra_core::history::RunHistory;
use forkhestra_core::plan::{Flow, FlowGroup, FlowStage};
use forkhestra_core::text::count::Count;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use typeset::text::shortened;

use crate::app::run_screen_state::RunScreenState;
use crate::hit_map::{HitMap, HitTarget};
use crate::theme::{DIM, PLAIN, SELECTED};
use crate::view::labels;
use crate::view::screen_row::{ScreenRow, clean, columns};

/// A part of the row: a step, or what is between two steps.
struct ChainPart {
    row: ScreenRow,
    /// The number of the step; none for a symbol.
    step: Option<usize>,
}

/// The parts of the row, collected from the flow.
struct ChainParts<'a> {
    run: &'a RunScreenState,
    history: &'a RunHistory,
    /// The width of the screen.
    width: u16,
    parts: Vec<ChainPart>,
}

/// Draws the steps in a row; the selected step is always visible.
pub(crate) fn draw(
    run: &RunScreenState,
    history: &RunHistory,
    area: Rect,
    buffer: &mut Buffer,
    hit_map: &mut HitMap,
) {
    let mut all = ChainParts { run, history, width: area.width, parts: Vec::new() };
    match &history.state.plan.flow {
        Some(flow) => all.add_flow(flow),
        None => (1..=history.steps.len()).for_each(|step| {
            all.add_symbol(if step > 1 { " → " } else { "" });
            all.add_step(step);
        }),
    }
    let parts = all.parts;
    let first = first_visible(&parts, run.step(), usize::from(area.width));
    let mut column = area.x;
    if first > 0 {
        ScreenRow::new().add(DIM, "… ").draw(area, buffer);
        column += 2.min(area.width);
    }
    for part in &parts[first..] {
        let left = Rect { x: column, width: area.right() - column, ..area };
        if left.is_empty() {
            break;
        }
        part.row.draw(left, buffer);
        let here = Rect { width: columns(part.row.width()).min(left.width), ..left };
        if let Some(step) = part.step {
            hit_map.add(here, HitTarget::Step(step));
        }
        column += here.width;
    }
}

/// The first part that is drawn, so that the selected step and the next one fit.
fn first_visible(parts: &[ChainPart], selected: usize, width: usize) -> usize {
    let chosen = parts.iter().position(|part| part.step == Some(selected)).unwrap_or_default();
    let next = parts.iter().skip(chosen + 1).position(|part| part.step.is_some());
    let end = next.map_or(parts.len(), |next| chosen + next + 2);
    let width_from =
        |first: usize| parts[first..end].iter().map(|part| part.row.width()).sum::<usize>();
    let mut first = 0;
    while first < chosen && width_from(first) + 3 > width {
        first += 1;
        while first < chosen && parts[first].step.is_none() {
            first += 1;
        }
    }
    first
}

impl ChainParts<'_> {
    fn add_flow(&mut self, flow: &Flow) {
        for (index, stage) in flow.0.iter().enumerate() {
            self.add_symbol(if index > 0 { " → " } else { "" });
            match stage {
                FlowStage::Step(step) => self.add_step(*step),
                FlowStage::Group(group) => self.add_group(group),
                FlowStage::Parallel(branches) => {
                    self.add_symbol("(");
                    for (index, branch) in branches.iter().enumerate() {
                        self.add_symbol(if index > 0 { " | " } else { "" });
                        self.add_flow(branch);
                    }
                    self.add_symbol(")");
                }
                FlowStage::Alternatives(flows) => {
                    for (index, flow) in flows.iter().enumerate() {
                        self.add_symbol(if index > 0 { " else " } else { "" });
                        self.add_flow(flow);
                    }
                }
            }
        }
    }

    fn add_group(&mut self, group: &FlowGroup) {
        self.add_symbol("(");
        self.add_flow(&group.stages);
        self.add_symbol(")");
        let state = self.history.state.groups.get(group.number.saturating_sub(1));
        let round = state.map_or(0, |state| state.round);
        if let Some(max) = group.rounds.map(Count::get) {
            let row = ScreenRow::new().add(PLAIN, format!(" {round}/{max}"));
            self.parts.push(ChainPart { row, step: None });
        }
    }

    fn add_symbol(&mut self, symbol: &'static str) {
        if !symbol.is_empty() {
            let row = ScreenRow::new().add(DIM, symbol);
            self.parts.push(ChainPart { row, step: None });
        }
    }

    /// One step. Its name is limited, so that its neighbours fit.
    fn add_step(&mut self, number: usize) {
        let (run, history) = (self.run, self.history);
        let (symbol, style) = labels::status(history.step_status(number, run.liveness));
        let symbol = if run.paused().is_some() && symbol == "●" { "‖" } else { symbol };
        let plan = &history.state.plan.steps[number - 1];
        let done = history.step_iterations_in_round(number);
        let iterations = match plan.iterations {
            Some(max_iterations) => format!(" {done}/{max_iterations}"),
            None => String::new(),
        };
        let name_style = if number == run.step() { SELECTED } else { PLAIN };
        let max_name = usize::from(self.width / 3).max(12);
        let row = ScreenRow::new()
            .add(style, format!("{symbol} "))
            .add(name_style, shortened(&clean(&plan.agent.name), max_name))
            .add(PLAIN, iterations);
        self.parts.push(ChainPart { row, step: Some(number) });
    }
}
