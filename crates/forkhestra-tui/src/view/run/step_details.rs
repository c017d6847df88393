//! Details of a step and its limits.

use forkhestra_core::limit::LIMITS;
use forkhestra_core::plan::{AgentKind, Prompt};
use forkhestra_core::text;

use super::{limit_bars, sparkline};
use crate::app::local_clock::LocalClock;
use crate::app::run_screen_state::RunScreenState;
use crate::theme::{NAME, PLAIN};
use crate::view::detail::checks::wrapped;
use crate::view::labels;
use crate::view::screen_row::{ScreenRow, clean};

/// Maximum number of characters shown of a prompt.
const MAX_PROMPT_CHARS: usize = 2_000;

/// The selected step, then the run. Limit bars come first if `has_bars`.
pub(crate) fn rows(
    run: &RunScreenState,
    clock: LocalClock<'_>,
    has_bars: bool,
    columns: usize,
) -> Vec<ScreenRow> {
    let Some(history) = &run.history else {
        return vec![ScreenRow::new().add(PLAIN, "reading…")];
    };
    let plan = &history.state.plan;
    let mut rows = Vec::new();
    if has_bars {
        rows.extend(limit_bars::rows(run, clock.now, columns));
        rows.push(ScreenRow::new());
    }
    let number = run.step();
    if let Some(step) = plan.steps.get(number - 1) {
        rows.push(heading(format!(
            "Step {number} of {}: {}",
            plan.steps.len(),
            clean(&step.agent.name)
        )));
        rows.push(fact("agent", &format!("{} ({})", step.agent.kind.command(), step.agent.source)));
        if step.agent.replay.is_some() {
            rows.push(fact("replayed", "from a recording, and not paid for"));
        }
        if let AgentKind::Direct(direct) = &step.agent.kind {
            rows.extend(direct.model.as_deref().map(|model| fact("model", model)));
            if direct.system_prompt.value != Prompt::None {
                rows.push(fact(
                    "system",
                    &format!("a prompt from {}", direct.system_prompt.source),
                ));
            }
        }
        let spend = history.state.spend_of(number);
        if !spend.is_zero() {
            let tokens = labels::tokens(spend.tokens.total());
            rows.push(fact("spent", &format!("{} ({tokens} tokens)", labels::cost(&spend))));
        }
        rows.extend(LIMITS.iter().filter_map(|limit| {
            let of_step = limit.of_step(&step.limits)?;
            Some(fact(limit.label, &of_step.value.to_string()))
        }));
        for check in &step.checks {
            rows.push(fact("check", &check.value.display_name()));
        }
        rows.extend(prompt(&step.prompt.value, &step.prompt.source.to_string(), columns));
        rows.push(ScreenRow::new());
    }
    let costs = sparkline::rows(history, columns);
    if !costs.is_empty() {
        rows.push(heading("Cost of iterations, oldest to newest".to_owned()));
        rows.extend(costs);
        rows.push(ScreenRow::new());
    }
    rows.push(heading("Run".to_owned()));
    rows.push(fact("id", run.run.as_str()));
    rows.push(fact("chain", &plan.definition));
    rows.push(fact("directory", &plan.working_directory));
    rows.push(fact("began", &clock.day_and_time(history.started)));
    if history.resumed > 0 {
        rows.push(fact("resumed", &text::times(history.resumed)));
    }
    rows.push(fact("max time", &plan.limits.time.value.to_string()));
    rows.push(fact("max cost", &plan.limits.cost.value.to_string()));
    rows
}

pub(crate) fn heading(text: String) -> ScreenRow {
    ScreenRow::new().add(NAME, text)
}

pub(crate) fn fact(name: &str, value: &str) -> ScreenRow {
    ScreenRow::new().add(PLAIN, format!("  {name:<11}")).add_foreign(PLAIN, value)
}

fn prompt(prompt: &Prompt, origin: &str, columns: usize) -> Vec<ScreenRow> {
    match prompt {
        Prompt::None => vec![fact("prompt", "none")],
        Prompt::File(path) => vec![fact("prompt", path)],
        Prompt::Text(text) => {
            let shown: String = text.chars().take(MAX_PROMPT_CHARS).collect();
            let lines = typeset::text::visible_lines(&shown);
            let lines = lines.iter().flat_map(|line| wrapped(line, columns, PLAIN));
            std::iter::once(fact("prompt", &format!("from {origin}"))).chain(lines).collect()
        }
    }
}
