//! `summary-<id>.md`: the result of a run as a Markdown page.

use forkhestra_core::cost::Spend;
use forkhestra_core::event::{CheckReport, RunEnd, StepEnd, Verdict, WorkSummary};
use forkhestra_core::history::{ExecutionStatus, IterationRecord, Liveness, RunHistory};
use forkhestra_core::text;
use forkhestra_core::time::Timestamp;
use forkhestra_store::RunDir;
use forkhestra_store::view::ViewFacts;
use typeset::text::visible;

use super::run::{reason, short_duration, steering};
use super::run_report::RunReport;
use super::text::checks::CheckDetail;
use super::text::flow::{questions, rounds};
use super::text::{
    checks, iteration, local_time, operator_message, spend, status, step_decision, work_summary,
};

/// Maximum number of iterations listed for a step.
const MAX_SHOWN: usize = 20;

/// Renders the page.
pub(crate) fn render(history: &RunHistory, facts: &ViewFacts) -> String {
    let plan = &history.state.plan;
    let name = plan.chain.as_deref().unwrap_or(&plan.definition);
    let mut page = format!("# Run {}: {}\n\n", history.state.run, cell(name));
    page.push_str(&format!("**{}**\n\n", cell(&verdict(history))));
    page.push_str(&facts_list(history, facts));
    page.push_str(&failures_and_tasks(history, facts));
    page.push_str("\n## Steps\n\n");
    let has_spent = spend::known(history.state.spend()).is_some();
    page.push_str(&head("| step | agent | state | iterations | reason | time |", has_spent));
    (1..=history.steps.len()).for_each(|number| page.push_str(&step_row(history, number)));
    for number in 1..=history.steps.len() {
        page.push_str(&work_of_step(history, number));
        page.push_str(&failed_checks(history, number));
        page.push_str(&iterations(history, number));
    }
    page.push_str(&flow(history));
    page.push_str(&messages(history));
    page.push_str(&warnings(history));
    page
}

fn verdict(history: &RunHistory) -> String {
    let state = &history.state;
    let (complete, all) = (state.complete_steps(), state.steps_on_path().len());
    let steps = format!("{complete} of {all} steps{}", steering::left_out(state));
    match &state.end {
        Some(RunEnd::Complete) => format!("Complete: {steps}"),
        Some(RunEnd::Incomplete { step, end }) => {
            let agent = questions::step_name(&state.plan, *step);
            let why = reason::entry(end, &reason::facts(state, *step)).sentence;
            format!("Incomplete: {steps}; step {step}, {agent}, {why}")
        }
        Some(RunEnd::Interrupted(by)) if by.is_stop_request() => {
            format!("Stopped: {steps}; {}", reason::cancel(*by))
        }
        Some(RunEnd::Interrupted(by)) => format!("Interrupted: {steps}; {}", reason::cancel(*by)),
        None => format!("Cut off: {steps}; the run was killed"),
    }
}

/// Failed iterations and work by task.
fn failures_and_tasks(history: &RunHistory, facts: &ViewFacts) -> String {
    let mut report = RunReport::of(history);
    // Without the run directory, the output of its agents is not available.
    if let Ok(run) = RunDir::at(&facts.journal) {
        report = report.with_output(&run);
    }
    let sections = report.all_sections().into_iter().map(|section| {
        let lines: String = section.lines.iter().map(|line| format!("    {line}\n")).collect();
        let lines = if lines.is_empty() { lines } else { format!("\n{lines}") };
        format!("\n## {}\n{lines}", cell(&section.heading))
    });
    sections.collect()
}

fn facts_list(history: &RunHistory, facts: &ViewFacts) -> String {
    let state = &history.state;
    let mut rows = vec![
        ("chain", format!("`{}`", code(&state.plan.definition))),
        ("directory", format!("`{}`", code(&state.plan.working_directory))),
        ("started", local_time::second_in_zone(history.started)),
    ];
    rows.extend(history.ended.map(|ended| ("ended", local_time::second_in_zone(ended))));
    rows.push(("time", short_duration(state.elapsed)));
    rows.push(("iterations", history.iterations().to_string()));
    let spend = spend::known(state.spend());
    let replayed = spend::replayed(&state.plan);
    rows.extend(spend.map(|spend| ("spent", spend::tokens_and_cost(spend) + replayed)));
    let works = state.steps.iter().filter_map(|step| step.work.as_ref());
    rows.extend(work_summary::total_work(works).map(|work| ("work", work)));
    if history.resumed > 0 {
        rows.push(("resumed", text::count(history.resumed, "time")));
    }
    rows.push(("journal", format!("`{}`", code(&facts.journal.to_string_lossy()))));
    let kept = facts.journal.parent().map(|run| run.to_string_lossy());
    rows.extend(kept.map(|run| ("logs", format!("`{}`", code(&run)))));
    if let Some(remedy) = reason::remedy(state) {
        rows.push(("what to do", cell(&remedy.what)));
    }
    if let Some(resume) = facts.resume.as_ref().filter(|_| state.end != Some(RunEnd::Complete)) {
        rows.push(("to resume", format!("`{}`", code(resume))));
    }
    rows.iter().map(|(name, value)| format!("- {name}: {value}\n")).collect()
}

fn step_row(history: &RunHistory, number: usize) -> String {
    let state = &history.state.steps[number - 1];
    let status = history.step_status(number, Liveness::Gone);
    let plan = &history.state.plan.steps[number - 1];
    let decided = |end: &StepEnd| {
        let decision = step_decision::of(plan, end, state.last.as_ref());
        decision.unwrap_or_else(|| match end {
            // The state column already contains `skipped`.
            StepEnd::Skipped => "on request".to_owned(),
            StepEnd::NotNeeded => String::new(),
            end => end.as_str().to_owned(),
        })
    };
    let (reason, time) = match (status, history.round_after_earlier_work(number)) {
        (_, Some(round)) => (rounds::before_round(round), short_duration(state.elapsed)),
        (ExecutionStatus::Pending | ExecutionStatus::NotNeeded, None) => {
            (String::new(), String::new())
        }
        _ => (state.end().map_or_else(String::new, decided), short_duration(state.elapsed)),
    };
    let agent = history.state.plan.agent_name(number);
    let word = status::of_step(history, number, Liveness::Gone).0;
    let iterations = history.step_iterations(number);
    let spend = spend_cells(history, Some(history.state.spend_of(number)));
    let (agent, reason) = (cell(agent), cell(&reason));
    format!("| {number} | {agent} | {word} | {iterations} | {reason} | {time} |{spend}\n")
}

/// Work of a step in the repository, with every known commit.
fn work_of_step(history: &RunHistory, number: usize) -> String {
    let Some(work) = &history.state.steps[number - 1].work else { return String::new() };
    let agent = history.state.plan.agent_name(number);
    let mut text = format!("\n## Work of step {number}, {}\n\n", cell(agent));
    text.push_str(&format!("{}\n", work_summary::work_text(work)));
    let (commits, more) = work_summary::subjects(work, WorkSummary::MAX_COMMITS);
    if !commits.is_empty() {
        text.push('\n');
    }
    text.extend(
        commits.iter().map(|(id, subject)| format!("- `{}` {}\n", code(id), cell(subject))),
    );
    if more > 0 {
        text.push_str(&format!("- … and {more} more\n"));
    }
    text
}

/// Output of the checks that failed after the last iteration. The bar in front of each line marks
/// it as output of a check, not of an agent.
fn failed_checks(history: &RunHistory, number: usize) -> String {
    let Some(last) = &history.state.steps[number - 1].last else { return String::new() };
    let failed: Vec<&CheckReport> = last.checks.iter().filter(|check| !check.passed()).collect();
    if failed.is_empty() {
        return String::new();
    }
    let agent = history.state.plan.agent_name(number);
    let mut text = format!("\n## Checks that failed last in step {number}, {}\n\n", cell(agent));
    for check in failed {
        let why = check.message.as_deref().unwrap_or(check.outcome.as_str());
        text.push_str(&format!("- `{}`: {}\n", code(&checks::name(&check.name)), cell(why)));
        let tail = checks::tail(check, CheckDetail::All);
        if !tail.is_empty() {
            let lines = tail.iter().map(|line| format!("      | {line}\n"));
            text.push_str(&format!("\n{}\n", lines.collect::<String>()));
        }
    }
    text
}

fn iterations(history: &RunHistory, number: usize) -> String {
    let records = &history.steps[number - 1].iterations;
    if records.is_empty() {
        return String::new();
    }
    let agent = history.state.plan.agent_name(number);
    let mut text = format!("\n## Iterations of step {number}, {}\n\n", cell(agent));
    let earlier = records.len().saturating_sub(MAX_SHOWN);
    if earlier > 0 {
        let earlier = text::count(earlier, "earlier try");
        text.push_str(&format!("Without {earlier}; `forkhestra show` has them all.\n\n"));
    }
    let has_spent = spend::known(history.state.spend()).is_some();
    text.push_str(&head("| iteration | verdict | reason | time | output |", has_spent));
    for record in records.iter().skip(earlier) {
        text.push_str(&iteration_row(history, record));
    }
    text
}

fn iteration_row(history: &RunHistory, record: &IterationRecord) -> String {
    let unit = record.unit;
    let number = match unit.attempt {
        1 => unit.iteration.to_string(),
        attempt => format!("{}, attempt {attempt}", unit.iteration),
    };
    let report = &record.report;
    let reason = match (&report.verdict, &report.end) {
        (Verdict::Complete(by), _) => by.as_str().to_owned(),
        (Verdict::AgentStopped(why), _) => why.as_str().to_owned(),
        (Verdict::Refused(why), _) => reason::refusal(*why, Some(report)),
        (_, Some(end)) => {
            let failure = checks::failure(&report.checks).map(|why| format!("; {why}"));
            reason::agent_end(end) + &failure.unwrap_or_default()
        }
        (_, None) => String::new(),
    };
    let step = history.state.plan.step(unit.step);
    let verdict = iteration::verdict(step, record);
    let time = short_duration(record.report.duration);
    let output = text::count(record.report.output.stdout, "byte");
    let spend = spend_cells(history, record.report.spend);
    format!("| {number} | {verdict} | {} | {time} | {output} |{spend}\n", cell(&reason))
}

/// The head of a table, with spend columns if any spend is known.
fn head(titles: &str, has_spent: bool) -> String {
    let titles = if has_spent { format!("{titles} tokens | cost |") } else { titles.to_owned() };
    let columns = titles.matches('|').count() - 1;
    format!("{titles}\n|{}\n", "---|".repeat(columns))
}

/// Values of the spend columns.
fn spend_cells(history: &RunHistory, spend: Option<Spend>) -> String {
    if spend::known(history.state.spend()).is_none() {
        return String::new();
    }
    let [tokens, cost] = spend.and_then(spend::known).map(spend::cells).unwrap_or_default();
    format!(" {tokens} | {cost} |")
}

/// Rounds, and questions with their answers.
fn flow(history: &RunHistory) -> String {
    let rounds = (1..=history.steps.len()).flat_map(|step| rounds::below_step(history, step));
    let rounds: String = rounds
        .map(|line| match line.strip_prefix("  ") {
            Some(inner) => format!("  - {}\n", cell(inner)),
            None => format!("- {}\n", cell(&line)),
        })
        .collect();
    let asked = history.flow.questions.iter().map(|question| {
        let at = local_time::second_in_zone(question.asked);
        let answer = question.answer.as_ref().map(|(_, answer)| questions::answer_sentence(answer));
        let answer = answer.unwrap_or_else(|| "Not answered".to_owned());
        format!("- {at}: {} ({})\n", cell(&questions::first_line(question)), cell(&answer))
    });
    let asked: String = asked.collect();
    let section = |heading: &str, lines: String| {
        if lines.is_empty() { lines } else { format!("\n## {heading}\n\n{lines}") }
    };
    section("Rounds", rounds) + &section("Questions", asked)
}

/// Operator messages and the agents that received them.
fn messages(history: &RunHistory) -> String {
    let messages = &history.steering.messages;
    if messages.is_empty() {
        return String::new();
    }
    let lines = messages.iter().map(|record| {
        let (target_name, text) = (
            operator_message::recipient(record, history),
            operator_message::first_line(&record.text),
        );
        let at = local_time::second_in_zone(record.at);
        format!("- {at}: {} ({})\n", cell(&text), cell(&target_name))
    });
    format!("\n## Messages\n\n{}", lines.collect::<String>())
}

fn warnings(history: &RunHistory) -> String {
    if history.warnings.is_empty() {
        return String::new();
    }
    let line = |(at, text): &(Timestamp, String)| {
        format!("- {}: {}\n", local_time::second_in_zone(*at), cell(text))
    };
    let lines = history.warnings.iter().map(line);
    format!("\n## Warnings\n\n{}", lines.collect::<String>())
}

/// Text that can neither end its cell or line nor control a terminal.
fn cell(text: &str) -> String {
    visible(text).replace('|', "\\|")
}

/// Text that is safe inside backticks.
fn code(text: &str) -> String {
    visible(text).replace('`', "'")
}
